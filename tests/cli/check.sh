# `spate check`: what it says of a scene, in text and in JSON; it changes nothing.
. "${0%/*}/lib.sh"
scene_2d 6 >dam.json
scene_3d 6 >dam_3d.json

# the estimate of memory and the size of a file are the library's to choose
blank() { sed -E 's/^(  memory ) .*/\1 #/; s/^(  disk ) .*( in .*)/\1 #\2/'; }

spate check dam.json
same check_2d "small dam (2D)
  domain     1 x 0.75 m
  cells      16 x 12 = 192, 0.0625 m each
  particles  256
  frames     6, 30 per second: 0.2 s
  memory  #
  disk  # in 7 files of particles
0" "$(blank <<<"$out")
$code$err"
spate check dam_3d.json --frames 9 --set output.every=5
same check_3d "small dam (3D)
  domain     1 x 0.75 x 0.5 m
  cells      8 x 6 x 4 = 192, 0.125 m each
  particles  512
  frames     9, 30 per second: 0.3 s
  memory  #
  disk  # in 2 files of particles
0" "$(blank <<<"$out")
$code$err"

spate check dam.json --json
numbers='s/("(memory|memory_available|bytes_per_frame|bytes_total)": )[0-9]+/\1#/g'
same check_json '{"name": "small dam", "dim": 2, "size": [1, 0.75, 0], "cells": [16, 12, 1], ' \
    "$(cut -c 1-76 <<<"$out")"
same check_json_rest '"cell_size": 0.0625, "particles": 256, "frames": 6, "fps": 30, "memory": #, '\
'"memory_available": #, "bytes_per_frame": #, "bytes_total": #}' "$(cut -c 77- <<<"$out" | sed -E "$numbers")"

# a size that is no whole number of cells is rounded, and said
spate check dam.json --set domain.cells=15
same check_warning "spate: warning: dam.json: domain.size: is no whole number of cells along y: \
0.75 m becomes 0.733333 m (11 cells of 0.0666667 m)" "$err"

# what it promises is what the run has
spate run dam_3d.json --frames 0 -o out --json --quiet
same forecast_exact 512 "$(sed 's/.*"particles": \([0-9]*\),.*/\1/' <<<"$out")"
same nothing_else "dam.json dam_3d.json out" "$(files .)"
finish
