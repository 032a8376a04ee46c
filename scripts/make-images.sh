#!/bin/sh
# make-images.sh -- makes the pictures of README.md and docs/ from scenes and a build (default build/release);
# those of single scenes are made by make-gallery.sh.
#
#     scripts/make-images.sh [BUILD]
#
# Needs a C compiler, ffmpeg, and ImageMagick's `convert`. The bar chart takes some minutes, most of them MIC(0).
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
images=docs/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$images"

# the run between the pillars, moving
"$build/spate" run scenes/pillars.json --frames 50 -o "$work/pillars" --set output.preview=false --quiet
"$build/spate" render "$work/pillars" --no-film --quiet --size 960x540 -o "$work"
ffmpeg -v error -y -framerate 24 -i "$work/frame.%04d.png" -vf scale=480:-1:flags=lanczos -c:v libwebp_anim -loop 0 \
    -quality 75 -compression_level 4 "$images/pillars.webp"

# what the grid holds: two views of one frame
"$build/spate" run scenes/paddle_2d.json --frames 50 -o "$work/paddle_2d" --set output.preview=false --quiet
for view in pressure velocity; do
    mkdir "$work/$view"
    "$build/spate" render "$work/paddle_2d" --first 50 --no-film --quiet --size 640x360 --view $view -o "$work/$view"
done
convert "$work/pressure/frame.0050.png" "$work/velocity/frame.0050.png" +append "$work/views.png"
convert "$work/views.png" -quality 85 "$images/views.jpg"

${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -DDIM=2 -Iinclude -Isrc scripts/draw_projection.c "$build/libspate.a" -lm -lpthread \
    -o "$work/draw_projection"
"$work/draw_projection" >"$images/projection.svg"

cat >"$work/surface.json" <<'EOF'
{ "domain": { "size": [2, 1, 1], "cells": 128 }, "frames": 24,
  "fill": [{ "shape": "box", "min": [0, 0, 0], "max": [0.8, 0.8, 1] }] }
EOF
"$build/spate" run "$work/surface.json" -o "$work/surface" --set output.every=24 --set output.preview=false --quiet
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc scripts/draw_surface.c "$build/libspate_io.a" "$build/libspate.a" \
    -ljansson -lpng -lm -lpthread -o "$work/draw_surface"
"$work/draw_surface" "$work/surface/particles.0024.ply" 0.015625 2 1 1 2 "$work/surface.png"
convert "$work/surface.png" -quality 85 "$images/surface.jpg"

cat >"$work/tracers.json" <<'EOF'
{ "name": "Tracers: lines of dye in a stream over a sill",
  "domain": { "size": [2, 0.6], "cells": 256, "sides": { "right": "open" } },
  "frames": 150,
  "fill": [ { "min": [0, 0], "max": [2, 0.25], "velocity": [0.7, 0] } ],
  "inflows": [ { "name": "stream", "min": [0, 0], "max": [0.04, 0.25], "velocity": [0.7, 0] } ],
  "solids": [ { "name": "sill", "min": [0.7, -0.1], "max": [0.8, 0.11] },
              { "name": "end", "min": [1.95, -0.1], "max": [2.1, 0.08] } ],
  "tracers": [ { "name": "dye", "min": [0.08, 0.04], "max": [0.084, 0.044], "repeat": { "count": 6, "step": [0, 0.035] }, "spacing": 0.004, "rate": 300 } ] }
EOF
"$build/spate" run "$work/tracers.json" --frames 110 -o "$work/tracers" --set output.preview=false --quiet
"$build/spate" render "$work/tracers" --first 110 --no-film --quiet --size 1280x420 -o "$work/lines"
convert "$work/lines/frame.0110.png" -quality 85 "$images/tracers.jpg"

"$build/spate_bench_pressure" 64 128 >"$work/iterations.txt"
scripts/iteration-chart.sh <"$work/iterations.txt" >"$images/iterations.svg"
