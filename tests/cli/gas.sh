# Runs of a gas: their files, pictures and verdicts.
. "${0%/*}/lib.sh"
cat >air.json <<'END'
{ "name": "stirred air", "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 3, "fluid": { "kind": "gas" },
  "channels": [ { "name": "dye" } ],
  "fill": [ { "shape": "sphere", "center": [0.5, 0.4], "radius": 0.3,
              "initial": { "kind": "rotation", "center": [0.5, 0.4], "spin": 4 } } ],
  "solids": [ { "shape": "sphere", "center": [0.3, 0.4], "radius": 0.1 } ] }
END

spate check air.json
same check_says_gas "stirred air (2D, gas)" "$(head -n 1 <<<"$out")"
bytes=$("$SPATE" check air.json --json | sed -n 's/.*"volume_bytes": \([0-9]*\).*/\1/p')
spate run air.json --quiet -o run --threads 1
same runs "0 " "$code $err"
same leaves "checkpoint.prev.spate checkpoint.spate preview.png report.html run.json stats.csv vtk" "$(files run)"
same leaves_volumes "solids.0000.vtp solids.pvd volume.0000.vti volume.0001.vti volume.0002.vti volume.0003.vti \
volume.pvd" "$(files run/vtk)"
size=$(stat -c %s run/vtk/volume.0002.vti)
holds forecast_of_bytes [ $((size - bytes)) -ge 0 -a $((size - bytes)) -lt 1500 ]
same arrays "vel pressure type dye" "$(sed -n 's/^<DataArray .* Name="\([a-z]*\)" .*offset.*/\1/p' run/vtk/volume.0002.vti |
    paste -sd' ')"

spate info run
same info_says_gas "stirred air (2D, gas) in run" "$(head -n 1 <<<"$out")"
same info_verdicts "good energy, good particles per cell, good channels, good solver, good time step, good solids" \
    "$(sed -nE 's/^  (good|watch|bad) +([a-z ]+): .*/\1 \2/p' <<<"$out" | paste -sd, | sed 's/,/, /g')"
holds info_of_no_surface test -z "$(grep -iE 'volume|surface|spacing|density' <<<"$out")"
spate info run --json
holds info_kind grep -q '^{"name": "stirred air", "kind": "gas", ' <<<"$out"
cp -r run bad
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k }
    NR == 5 { $c["kinetic_energy"] *= 9; $c["interior_few"] = 99; $c["dye"] = 1; $c["dye_start"] = 0.9
              $c["solver_failures"] = 9; $c["cfl"] = 30; $c["in_solid"] = 1 } 1' run/stats.csv >bad/stats.csv
spate info bad
same bad_verdicts 6 "$(grep -c '^  bad ' <<<"$out")"
holds advice_fits_a_gas test -z "$(grep '^         ' <<<"$out" | grep -E 'density|both|push|liquid|flip_ratio')"

refuses no_mesh 2 "spate: run: is the run of a gas, which has no surface to make a mesh of" mesh run
refuses no_whitewater 2 "spate: run: is the run of a gas, which has no surface that whitewater could come from" \
    whitewater run

spate render run --quiet --no-film --size 320x180 -o pictures
same pictures "frame.0000.png frame.0001.png frame.0002.png frame.0003.png" "$(files pictures)"
for view in dye velocity vorticity pressure; do
    spate render run --quiet --no-film --size 320x180 --first 3 --view $view -o $view
    same "view_$view" "0 frame.0003.png" "$code $(files $view)"
done
refuses unknown_view 2 "spate: --view: there is no 'liquid' in frame 0: there are dye, velocity, vorticity, pressure" \
    render run --no-film --view liquid
refuses no_eye 2 "spate: --eye: pictures of a gas are flat: in 3D a plane, which --slice chooses" \
    render run --no-film --eye 1,2,3
spate plot run --quiet
same charts "channel_dye energy momentum solver speed time" "$(cd run && echo plot.*.svg | sed 's/plot.//g; s/.svg//g')"

spate export run --to vtk --every 2 --quiet -o other
same exports_volumes "solids.0000.vtp solids.pvd volume.0000.vti volume.0002.vti volume.pvd" "$(files other)"
same volume_unchanged "$(md5sum <run/vtk/volume.0002.vti)" "$(md5sum <other/volume.0002.vti)"
refuses no_vdb 2 "spate: run: is the run of a gas, which has no level set: use --to vtk" export run --to vdb
refuses own_folder 4 "spate: run/vtk: holds solids.0000.vtp, which 'spate export' has not made: choose another folder \
with -o, or move it away" export run --to vtk
spate run air.json --quiet -o carried --frames 1 --set output.particles=ply --set output.volume=none
same particles_on_request "particles.0000.ply particles.0001.ply" "$(cd carried && echo particles.*)"
spate export carried --to ply --quiet -o plain
holds exports_particles cmp -s carried/particles.0001.ply plain/particles.0001.ply
truncate -s 2000 run/vtk/volume.0003.vti
refuses damaged 4 "spate: run/vtk/volume.0003.vti: is no volume file of this run: it is cut short" \
    render run --no-film --quiet --first 3

# A run that was interrupted goes on, and leaves the same files.
spate run air.json --quiet -o whole --frames 5 --threads 1
spate run air.json --quiet -o parts --frames 2 --threads 1
spate run air.json --quiet -o parts --frames 5 --threads 1 --resume
same resumed "$(cd whole/vtk && md5sum volume.*)" "$(cd parts/vtk && md5sum volume.*)"

sed '2s/$/ "gauges": [ { "name": "line", "kind": "slice", "min": [0, 0.6], "max": [1, 0.6] } ],/
    s/"dye"/"temperature"/' air.json >sliced.json
spate run sliced.json --quiet -o sliced --frames 1
same slice_columns "0 x [m],y [m],velocity_x [m/s],velocity_y [m/s],pressure [Pa],temperature [K]" \
    "$code $(head -n 1 sliced/slice.line.0001.csv)"
same slice_is_in_kelvin 293.15 "$(tail -n 1 sliced/slice.line.0001.csv | cut -d, -f6)"

sed '2s/$/ "gauges": [ { "name": "plane", "kind": "slice", "min": [0, 0.1, 0.2], "max": [1, 0.7, 0.2] } ],/
    s/0.75\]/0.75, 0.5]/; s/0.4\]/0.4, 0.25]/g; s/"cells": 16/"cells": 8/; s/"spin": 4/"spin": [0, 0, 4]/' air.json >deep.json
spate run deep.json --quiet -o deep --frames 1
same slice_arrays "velocity pressure dye" \
    "$(sed -n 's/^<DataArray .* Name="\([a-z]*\)" .*offset.*/\1/p' deep/slice.plane.0001.vti | paste -sd' ')"
spate render deep --quiet --no-film --size 320x180 --first 1 --slice 0.1 --range 0,2 -o slice
same deep_slice "0 frame.0001.png" "$code $(files slice)"
finish
