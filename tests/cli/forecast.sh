# `spate check` against what a run takes: the particles of every preset are exact, and the memory is within
# 20 % of the measured peak (films included, ffmpeg itself left out). The runs are coarse in time (long frames,
# few steps), so that the liquid spreads as far as in a full run.
#
# The full form measures the memory of every preset as it is. The short one measures some of them without pictures, the
# 2D ones on finer grids and the 3D ones on coarser grids, and one run of each dimension with its film.
. "${0%/*}/lib.sh"

if grep -aq -e __asan_init -e __tsan_init "$SPATE"; then
    skip forecast_memory "this build has a sanitizer, which takes memory of its own"
    finish
fi
if ! "${CC:-cc}" -O1 -o peak "$SPATE_SOURCE/tests/cli/peak.c"; then
    fail forecast_peak "peak.c does not compile"
    finish
fi

# Films are drawn, but the memory of ffmpeg is its own: this stands for it.
cat >encoder <<'EOF'
#!/bin/sh
cat >/dev/null
for last; do :; done
: >"$last"
EOF
chmod +x encoder
export SPATE_FFMPEG=$PWD/encoder

number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; } # number NAME: of a JSON object on stdin

# particles NAME OPTION...: the forecast against the first frame, before any step
particles() {
    local name=$1 scene=$SPATE_SOURCE/scenes/$1.json told seeded
    shift
    told=$("$SPATE" check "$scene" --json "$@" 2>/dev/null | number particles)
    seeded=$("$SPATE" run "$scene" -o start --overwrite --quiet --json --frames 0 --set output.preview=false \
        "$@" 2>/dev/null | head -n 1 | number particles)
    same "particles_$name" "$told" "$seeded"
}

# memory NAME FRAMES OPTION...: a scene of the project, or one that stands here
memory() {
    local name=$1 frames=$2 scene=$SPATE_SOURCE/scenes/$1.json told peak share
    shift 2
    [ ! -f "$name.json" ] || scene=$name.json
    told=$("$SPATE" check "$scene" --json --threads 2 "$@" 2>/dev/null | number memory)
    peak=$(./peak "$SPATE" run "$scene" -o out --overwrite --quiet --threads 2 --frames "$frames" --set fps=10 \
        --set time.max_substeps=3 "$@") || { fail "memory_$name" "the run failed"; return; }
    share=$((told / 1024 * 1000 / peak)) # per mille of the peak
    if [ $share -ge 800 ] && [ $share -le 1200 ]; then
        ok "memory_$name"
    else
        fail "memory_$name" "$*: told $((told / 1024)) kB, peak $peak kB: $((share / 10)) %"
    fi
}

for scene in "$SPATE_SOURCE"/scenes/*.json; do
    name=$(basename "$scene" .json)
    if [ -n "${SPATE_FULL_TESTS:-}" ]; then
        particles "$name"
        memory "$name" 14
    elif [[ $name == *_2d ]]; then
        particles "$name"
    else
        particles "$name" --set domain.cells=$([ "$name" = mesh_obstacle ] && echo 8 || echo 12)
    fi
done
gas() { # gas SIZE CELLS MIN MAX
    cat <<END
{ "domain": { "size": [$1], "cells": $2 }, "frames": 10, "fluid": { "kind": "gas" },
  "sources": [ { "min": [$3], "max": [$4], "temperature": 400, "smoke": 0.01 } ] }
END
}
gas 1,1.5 256 0.4,0.1 0.6,0.3 >gas_2d.json
gas 1,1.5,0.8 48 0.4,0.1,0.3 0.6,0.3,0.5 >gas_3d.json
memory gas_2d 3
memory gas_3d 3
if [ -z "${SPATE_FULL_TESTS:-}" ]; then
    memory dam_break_2d 10 --set domain.cells=256 --set output.preview=false
    memory whitewater_2d 10 --set domain.cells=256 --set output.preview=false
    memory paddle_2d 10 --set domain.cells=320 --set output.preview=false
    memory channel_2d 10 --set domain.cells=320 --set output.preview=false
    memory dam_break_2d 10 --set domain.cells=160 --set fluid.particles_per_axis=8 --set output.preview=false # particles count most
    memory waterfall 14 --set domain.cells=32 --set output.preview=false
    memory drop 2 --set domain.cells=24 # with the film
    memory drop_2d 2
fi
finish
