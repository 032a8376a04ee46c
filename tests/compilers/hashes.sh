#!/bin/bash
# The same bits from two builds of the command: SPATE and SPATE_OTHER (gcc and clang, by make compilers) must report
# the same state hash after every frame, in scenes that reach all shapes, sides and stages, in 2D and in 3D.
set -u
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -x "${SPATE_OTHER:-}" ] || { echo "SPATE_OTHER must be the path of the other build's command"; exit 2; }

hashes() { # hashes COMMAND OPTIONS...: one line per frame
    local command=$1
    shift
    "$command" run "$@" --json --quiet --threads 2 -o "$scratch/out" --overwrite \
        --set output.particles=none --set output.preview=false |
        grep -o '"hash": *"[^"]*"'
}

compare() { # compare SCENE FRAMES OPTIONS...
    local name=$1 frames=$2
    shift 2
    hashes "$SPATE" "$SPATE_SOURCE/scenes/$name.json" --frames "$frames" "$@" >"$scratch/a"
    hashes "$SPATE_OTHER" "$SPATE_SOURCE/scenes/$name.json" --frames "$frames" "$@" >"$scratch/b"
    if [ "$(wc -l <"$scratch/a")" -ge "$frames" ] && cmp -s "$scratch/a" "$scratch/b"; then
        echo "ok same bits: $name $*"
    else
        diff "$scratch/a" "$scratch/b" | head -4
        echo "FAIL same bits: $name $* ($(wc -l <"$scratch/a") and $(wc -l <"$scratch/b") frames)"
        failures=1
    fi
}

for scene in dam_break_2d double_dam_2d channel_2d stream_2d paddle_2d; do
    compare $scene 20
done
compare drop_2d 20 --set fluid.transfer=apic --set fluid.kernel=quadratic --set time.advection=rk4
compare dam_break_2d 10 --set pressure.solver=gauss_seidel --set fluid.kernel=cubic --set time.advection=rk2
compare dam_break_2d 10 --set pressure.solver=jacobi --set fluid.transfer=pic --set time.advection=euler
for scene in dam_break pillars drop mesh_obstacle; do
    compare $scene 10 --set domain.cells=32
done
compare dam_break 5 --set domain.cells=32 --set fluid.transfer=apic --set fluid.kernel=cubic
exit $failures
