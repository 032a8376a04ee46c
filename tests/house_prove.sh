# house_prove.sh -- read by tests/house.sh: patches a scratch copy as somebody would who adds one grid array, one
# statistic and one stage, counts the files, builds the preset dev and runs the tests that would notice a mistake.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$scratch" || exit 2
touched() { # touched: the files that differ from those here, one a line
    diff -rq --exclude=build . "$scratch" 2>/dev/null | grep -vE '^Only in \.(:|/)' | sed -E 's/^Files (\.\/)?([^ ]*) .*/\2/; s/^Only in [^:]*: //'
}
costs() { # costs WHAT MOST: how many more files differ than before
    local now count
    now=$(touched | wc -l)
    count=$((now - before)) before=$now
    if [ "$count" -ge 1 ] && [ "$count" -le "$2" ]; then
        verdict "$1_costs_$count" ''
    else
        verdict "$1_costs_$count" "$1: $count files where at most $2 are the promise: $(touched | tr '\n' ' ')"
    fi
}
edit() { # edit FILE SED: fails if nothing changes
    sed -i -E "$2" "$scratch/$1"
    ! cmp -s "$1" "$scratch/$1" || verdict "edit_of_$1" "$2 changes nothing in $1"
}
before=0

# an array of cells that follows the liquid, is saved, and goes to a device with the surface
edit src/kernels/grid.def 's/^(FIELDS\(p, .*)$/\1\nFIELDS(probe_array, ONE, float, CELLS, SAVED, SURFACE, ALWAYS, ALWAYS, ALWAYS, "cells: of the proof")/'
costs array 1

# a statistic that steps count
edit include/spate/stats.h 's/^(    STAT\(uint64_t, collisions,.*)$/    STAT(uint64_t, probe_count, "", FRAME, "stages of the proof") \\\n\1/'
edit src/cpu/device.c 's/^(    DEV\(add_forces\)\(&e, &how\);)$/    s->common->probe_count++;\n\1/'
costs statistic 2

# a stage that fills the array, between FORCES and PRESSURE
edit src/state/stages.def 's/^(STAGE\(PRESSURE,.*)$/STAGE(PROBE, "probe", ALWAYS, GROUP_TILES | GROUP_U, GROUP_SURFACE, "of the proof")\n\1/'
cat >"$scratch/src/cpu/probe_stage.c" <<'END'
/* probe_stage.c -- a stage of the proof: the velocity along x of each active cell. */
#include "cpu.h"

X(stage_fn) X(probe_stage);

spate_status X(probe_stage)(X(sim) *s, double dt, spate_error *error)
{
    (void)dt, (void)error;
    for (int k = 0; k < s->tiles.active_count; k++)
        for (int r = 0; r < TILE_ROWS; r++) {
            size_t row = X(tile_index)(&s->grid, s->tiles.active[k]) + X(row_offset)(&s->grid, r);
            for (size_t i = 0; i < TILE; i++)
                s->probe_array[row + i] = s->u[0][row + i];
        }
    return SPATE_OK;
}
END
edit src/cpu/device.c 's/^(static const X\(plan\) \*plan\(const X\(sim\) \*s, bool whole\))$/X(stage_fn) X(probe_stage);\n\n\1/; s/^( *)(\[SP_STAGE_SORT\] = sort,)/\1[SP_STAGE_PROBE] = X(probe_stage), \2/'
costs stage 3

log=$scratch/log
if (cd "$scratch" && cmake --preset dev >"$log" 2>&1 &&
    cmake --build build/dev -j "$(nproc)" --target spate_tool spate_tests >>"$log" 2>&1); then
    verdict the_patched_house_builds ''
else
    verdict the_patched_house_builds "$(grep -E 'error|FAILED|Error' "$log" | head -10)"
fi
if (cd "$scratch" && build/dev/tests/spate_tests gpu/ device/ arrays_2d/ determinism/ >"$log" 2>&1); then
    verdict tests_of_the_patched_house ''
else
    verdict tests_of_the_patched_house "$(grep -E 'FAIL|not true' "$log" | head -10)"
fi
for name in resume forecast; do
    if (cd "$scratch" && SPATE=$scratch/build/dev/spate SPATE_BUILD=$scratch/build/dev SPATE_SOURCE=$scratch \
        bash tests/cli/$name.sh >"$log" 2>&1); then
        verdict "cli_$name" ''
    else
        verdict "cli_$name" "$(grep -E -B 3 '^FAIL' "$log" | head -12)"
    fi
done
header=$(cd "$scratch" && build/dev/spate new dam_break_2d >d.json && build/dev/spate run d.json -o out --frames 1 --quiet &&
    head -n 1 out/stats.csv)
case $header in
*probe_count*t_probe*) verdict the_table_has_both '' ;;
*) verdict the_table_has_both "stats.csv begins: $header" ;;
esac
