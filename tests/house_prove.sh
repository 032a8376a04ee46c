# house_prove.sh -- read by tests/house.sh: patches a scratch copy as somebody would who adds one grid array, one
# statistic and the stage of docs/code.md, counts the files, builds the preset dev and runs the tests that would notice a
# mistake, on the CPU and on the device check.
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
edit include/spate/stats.h 's/^(    STAT\(uint64_t, collisions,.*)$/    STAT(uint64_t, probe_count, "", FRAME, "steps of the proof") \\\n\1/'
edit src/sim/step.c 's/^(        s->common->last_dt = dt;)$/{ s->common->probe_count++; \1 }/'
costs statistic 2

# the stage of docs/code.md, which also fills the array
example() { # example NAME: the block of code after the mark of this name
    awk -v mark="<!-- example $1 -->" '/^```$/ { on = 0 } on { print } /^```c$/ && last == mark { on = 1 } { last = $0 }' docs/code.md
}
edit src/kernels/stages.def "s/^(STAGE\(FORCES,.*)$/$(example pull.row | sed 's/GROUP_U,/GROUP_U | GROUP_SURFACE,/; s/[&|/]/\\&/g')\n\1/"
example pull.c >"$scratch/src/stages/pull.c"
sed -i -E 's/^    FOR_EACH_CELL\(c, cell\)$/    FOR_EACH_CELL(c, cell) f->probe_array[c] = f->weight[0][c] > 0.0f ? f->u[0][c] : 0.0f;\n&/' "$scratch/src/stages/pull.c"
costs stage 2

log=$scratch/log
if (cd "$scratch" && cmake --preset dev >"$log" 2>&1 &&
    cmake --build build/dev -j "$(nproc)" --target spate_tool spate_tests >>"$log" 2>&1); then
    verdict the_patched_house_builds ''
else
    verdict the_patched_house_builds "$(grep -E 'error|FAILED|Error' "$log" | head -10)"
fi
# the new force has other bits, which are the same for all threads and runs
(cd "$scratch" && build/dev/tests/spate_tests determinism/update >"$log" 2>&1)
if cmp -s tests/golden.txt "$scratch/tests/golden.txt"; then
    verdict the_force_acts "no state hash has changed"
else
    verdict the_force_acts ''
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
*probe_count*t_pull*) verdict the_table_has_both '' ;;
*) verdict the_table_has_both "stats.csv begins: $header" ;;
esac
