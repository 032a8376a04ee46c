# `spate check` against what a run takes: the particles of every preset are exact, and the memory is within
# 20 % of the measured peak (films included, ffmpeg itself left out). The runs are coarse in time (long frames,
# few steps), so that the liquid spreads as far as in a full run.
#
# The full form measures the memory of every preset as it is. The short one measures the 2D presets without
# pictures, some of the 3D ones on coarse grids, and one run of each dimension with its film.
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

# memory NAME FRAMES OPTION...
memory() {
    local name=$1 frames=$2 scene=$SPATE_SOURCE/scenes/$1.json told peak share
    shift 2
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
        memory "$name" 14 --set output.preview=false
    else
        particles "$name" --set domain.cells=$([ "$name" = mesh_obstacle ] && echo 8 || echo 12)
    fi
done
if [ -z "${SPATE_FULL_TESTS:-}" ]; then
    memory drop 2 --set domain.cells=32 --set fluid.particles_per_axis=3 --set output.preview=false # particles count most
    memory waterfall 14 --set domain.cells=32 --set output.preview=false
    memory drop 2 --set domain.cells=24 # with the film
    memory drop_2d 2
fi
finish
