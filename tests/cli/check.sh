# `spate check`: what it says of a scene, in text and in JSON; it changes nothing.
. "${0%/*}/lib.sh"
scene_2d 6 >dam.json
scene_3d 6 >dam_3d.json

# the estimate of memory and the sizes of files are the library's to choose
blank() { sed -E 's/^(  memory ) .*/\1 #/; /^  disk/s/[0-9.]+ [kM]?B/#/g'; }

spate check dam.json
same check_2d "small dam (2D)
  domain     1 x 0.75 m
  cells      16 x 12 = 192, 0.0625 m each
  particles  256
  frames     6, 30 per second: 0.2 s
  memory  #
  disk       #: particles #, pictures #, checkpoints # (7 frames)
0" "$(blank <<<"$out")
$code$err"
spate check dam_3d.json --frames 9 --set output.every=5
same check_3d "small dam (3D)
  domain     1 x 0.75 x 0.5 m
  cells      8 x 6 x 4 = 192, 0.125 m each
  particles  512
  frames     9, 30 per second: 0.3 s
  memory  #
  disk       #: particles #, pictures #, checkpoints # (2 frames)
0" "$(blank <<<"$out")
$code$err"

spate check dam.json --json
numbers='s/("(memory|memory_available|device_memory|[a-z]+_bytes|bytes_per_frame|bytes_total)": )[0-9]+/\1#/g'
same check_json '{"name": "small dam", "kind": "liquid", "dim": 2, "size": [1, 0.75, 0], "cells": [16, 12, 1], ' \
    "$(cut -c 1-94 <<<"$out")"
same check_json_rest '"cell_size": 0.0625, "particles": 256, "frames": 6, "fps": 30, "memory": #, '\
'"memory_available": #, "device_memory": #, "bytes_per_frame": #, "mesh_bytes": #, "volume_bytes": #, '\
'"film_bytes": #, "checkpoint_bytes": #, "bytes_total": #}' "$(cut -c 95- <<<"$out" | sed -E "$numbers")"

# how long it will take, files not counted: within a factor of 4 of a run, and said from how many steps
spate check dam_3d.json --time
holds time_said grep -Eqx '  time       about [0-9:]+: [0-9.e-]+ s a step \(measured on 12 at the start\), some [0-9]+ steps a frame;' <<<"$out"
"$SPATE" new dam_break_2d >preset.json
told=$("$SPATE" check preset.json --time --json --threads 1 | sed 's/.*"seconds": \([0-9.e+-]*\),.*/\1/')
took=$("$SPATE" run preset.json -o timed --quiet --json --threads 1 --set output.preview=false |
    sed 's/.*"t_other": \([0-9.]*\), "seconds": \([0-9.]*\),.*/\1 \2/' | awk '{ sum += $2 - $1 } END { print sum }')
holds time_told awk "BEGIN { exit !($told < 4 * $took && $took < 4 * $told) }"

# shapes that lie outside of the domain
outside="lies wholly outside of the domain and does nothing: are its lengths metres from the corner of the domain?"
cat >outside.json <<END
{ "domain": { "size": [1, 1], "cells": 16 }, "frames": 1, "output": { "preview": false },
  "fill": [ { "min": [0, 0], "max": [0.5, 0.5] }, { "min": [100, 0], "max": [150, 50] } ],
  "solids": [ { "shape": "sphere", "center": [0.5, -1], "radius": 0.5 },
              { "shape": "plane", "point": [0, -1], "normal": [0, 1] },
              { "shape": "plane", "point": [0, 0.1], "normal": [0, 1] },
              { "shape": "sphere", "center": [0.5, -1], "radius": 0.5, "velocity": [0, 1] },
              { "shape": "sphere", "center": [0.5, -0.4], "radius": 0.5 } ],
  "outflows": [ { "min": [2, 0], "max": [3, 1] } ] }
END
for command in check "run -o outside --quiet"; do
    spate $command outside.json
    same "outside_${command%% *}" "0 spate: warning: outside.json: fill[1]: $outside
spate: warning: outside.json: solids[0]: $outside
spate: warning: outside.json: solids[1]: $outside
spate: warning: outside.json: outflows[0]: $outside" "$code $err"
done

rm -r outside outside.json preset.json timed

# walls stand at the size, whatever the cells; an open side on the nearest faces, and that is said
spate check dam.json --set domain.cells=15
same check_size "  domain     1 x 0.75 m
" "$(grep domain <<<"$out")
$err"
spate check dam.json --set domain.cells=15 --set domain.sides.top=open
same check_warning "spate: warning: dam.json: domain.size: is no whole number of cells along y: \
the open side stands at 0.733333 m, not 0.75 m (11 cells of 0.0666667 m)" "$err"
spate check dam.json --set domain.cells=15 --set domain.sides.top=periodic --set domain.sides.bottom=periodic
same check_periodic "3 spate: dam.json: domain.size: must be a whole number of cells along y, which is periodic: \
0.75 m are 11.25 cells of 0.0666667 m; the nearest is 0.733333333 m, or use cells of 0.0681818182 m \
(domain.cell_size)" "$code $err"

# what it promises is what the run has
spate run dam_3d.json --frames 0 -o out --json --quiet
same forecast_exact 512 "$(sed 's/.*"particles": \([0-9]*\),.*/\1/' <<<"$out")"

# and the disk that it tells: every kind of file, within 40 % (a splash so small is nearly all surface)
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; }
bytes() { cat "$@" 2>/dev/null | wc -c; }
near() { # near NAME TOLD WRITTEN
    [ $((10 * $2)) -ge $((6 * $3)) ] && [ $((10 * $2)) -le $((14 * $3)) ] && [ "$3" -gt 0 ] && ok "$1" || fail "$1" "told $2, wrote $3"
}
set -- --set domain.cells=24 --frames 20 --set output.mesh=ply --set output.volume=vdb --set output.every=2
spate check dam_3d.json --json "$@"
told=$out
spate run dam_3d.json -o disk --quiet "$@"
near disk_particles $((11 * $(number bytes_per_frame <<<"$told"))) "$(bytes disk/particles.*)"
near disk_meshes $((11 * $(number mesh_bytes <<<"$told"))) "$(bytes disk/mesh.*)"
near disk_volumes $((11 * $(number volume_bytes <<<"$told"))) "$(bytes disk/vdb/*)"
near disk_checkpoints "$(number checkpoint_bytes <<<"$told")" "$(bytes disk/checkpoint*)"
rm -r disk
same nothing_else "dam.json dam_3d.json out" "$(files .)"
finish
