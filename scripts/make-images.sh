#!/bin/sh
# make-images.sh -- makes the pictures of README.md and docs/ from scenes and a build (default build/release).
#
#     scripts/make-images.sh [BUILD]
#
# Needs a C compiler, and ImageMagick's `convert` to make the previews smaller. The bar chart takes some minutes, most of
# them MIC(0).
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
images=docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$images"

# preview SCENE FRAMES: the preview of a frame, 960 x 540
preview() {
    "$build/spate" run "scenes/$1.json" --frames "$2" -o "$work/$1" --set output.particles=none --quiet
    convert "$work/$1/preview.png" -resize 960x540 -quality 85 "$images/$1.jpg"
}
preview dam_break 18
preview pillars 17
preview paddle_2d 50

${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -DDIM=2 -Iinclude -Isrc scripts/draw_projection.c "$build/libspate.a" -lm -lpthread \
    -o "$work/draw_projection"
"$work/draw_projection" >"$images/projection.svg"

"$build/spate" run scenes/dam_break.json --frames 24 -o "$work/surface" --set domain.cells=128 --set output.every=24 \
    --set output.preview=false --quiet
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc scripts/draw_surface.c "$build/libspate_io.a" "$build/libspate.a" \
    -ljansson -lpng -lm -lpthread -o "$work/draw_surface"
"$work/draw_surface" "$work/surface/particles.0024.ply" 0.015625 2 1 1 2 "$work/surface.png"
convert "$work/surface.png" -quality 85 "$images/surface.jpg"

"$build/spate_bench_pressure" 64 128 >"$work/iterations.txt"
scripts/iteration-chart.sh <"$work/iterations.txt" >"$images/iterations.svg"
