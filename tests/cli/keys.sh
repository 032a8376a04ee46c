# Scenes with every kind of key, stopped and gone on with from run.json alone: the same bits as without a stop.
. "${0%/*}/lib.sh"
# keys_2d, keys_3d: gravity, velocity and flow of inflows, FLIP share, roughness, motion, late fills and flows
keys_2d() {
    cat <<END
{ "name": "keys", "domain": { "size": [1, 0.75], "cells": 16, "wall": { "bottom": "rough", "left": "rough" },
  "roughness": { "bottom": 0.01, "left": 0.02 } }, "frames": 12, "fps": 30, "output": { "preview": false },
  "fill": [ { "min": [0, 0], "max": [0.4, 0.4] }, { "min": [0.5, 0], "max": [0.7, 0.2], "start": 0.25 } ],
  "solids": [ { "shape": "sphere", "center": [0.6, 0.3], "radius": 0.1, "motion": [
    { "time": 0 }, { "time": 0.3, "position": [0.1, 0.1], "rotation": 40 }, { "time": 0.5, "position": [0, 0] } ] } ],
  "inflows": [ { "min": [0, 0.5], "max": [0.125, 0.625], "velocity": [1, 0] },
    { "min": [0.25, 0.5], "max": [0.375, 0.625], "velocity": [0, -1], "flow": 0.1, "start": 0.05, "until": 0.3 } ],
  "outflows": [ { "min": [0.875, 0], "max": [1, 0.75], "level": 0.1, "start": 0.2 } ],
  "channels": [ { "name": "age" }, { "name": "dye", "components": 3, "initial": [0, 0.5] } ],
  "keyframes": [
    { "setting": "gravity", "time": 0, "value": [0, -9.81] }, { "setting": "gravity", "time": 0.3, "value": [5, -9.81] },
    { "setting": "inflows[0].velocity", "time": 0.1, "value": [0.5, -0.25] },
    { "setting": "inflows[0].velocity", "time": 0.4, "value": [1.5, -0.75] },
    { "setting": "inflows[1].flow", "time": 0.1, "value": 0 }, { "setting": "inflows[1].flow", "time": 0.2, "value": 0.1 },
    { "setting": "fluid.flip_ratio", "time": 0, "value": 0.9 }, { "setting": "fluid.flip_ratio", "time": 0.4, "value": 1 },
    { "setting": "domain.roughness.bottom", "time": 0, "value": 0.01 },
    { "setting": "domain.roughness.bottom", "time": 0.4, "value": 0.03 } ] }
END
}
keys_3d() {
    cat <<END
{ "name": "keys in 3D", "domain": { "size": [1, 0.75, 0.5], "cells": 16 }, "frames": 6, "output": { "preview": false },
  "fill": [ { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } ],
  "inflows": [ { "min": [0, 0.5, 0.125], "max": [0.125, 0.625, 0.375], "velocity": [1, 0, 0] } ],
  "keyframes": [ { "setting": "gravity", "time": 0, "value": [0, -9.81, 2] },
    { "setting": "gravity", "time": 0.2, "value": [1, -9.81, -3] },
    { "setting": "inflows[0].velocity", "time": 0, "value": [1, 0, 0] },
    { "setting": "inflows[0].velocity", "time": 0.2, "value": [1, -0.5, 0.5] } ] }
END
}
keys_2d >keys_2d.json
keys_3d >keys_3d.json

for name in keys_2d keys_3d; do
    "$SPATE" run $name.json -o $name --json --quiet >whole.json
    whole=$(last_hash whole.json)
    holds ${name}_runs test -n "$whole"

    # fewer frames first
    spate run $name.json -o cut --quiet --frames 3
    spate run --resume -o cut --json --quiet --frames "$(($(wc -l <whole.json) - 1))"
    same ${name}_cut "0 $whole" "$code$err $(last_hash .out)"
    same ${name}_cut_rows "$(steady $name/stats.csv)" "$(steady cut/stats.csv)"

    # killed after a few frames
    : >killed.json
    "$SPATE" run $name.json -o killed --json --quiet --set output.checkpoint_every=1 >killed.json &
    process=$!
    while [ "$(wc -l <killed.json)" -lt 3 ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    kill -KILL $process 2>/dev/null
    { wait $process; } 2>/dev/null
    spate run --resume -o killed --json --quiet
    cat .out >>killed.json # which has the hash if the run was done before the signal came
    same ${name}_killed "0 $whole" "$code$err $(last_hash killed.json)"

    # killed before the first checkpoint
    spate run $name.json -o begun --quiet --frames 0
    rm begun/[!r]*
    spate run --resume -o begun --json --quiet --frames "$(($(wc -l <whole.json) - 1))"
    same ${name}_begun "0 $whole" "$code$err $(last_hash .out)"
    rm -r cut killed begun
done

# a vector of one number is a mistake, wherever it comes from
sed 's/\[5, -9.81\]/-9.81/' keys_2d.json >short.json
refuses short 3 "spate: short.json: keyframes[1].value: must have 2 numbers in a 2D scene, as gravity (got 1)" \
    check short.json
refuses short_set 3 \
    "spate: keys_2d.json: keyframes[2].value: must have 2 numbers in a 2D scene, as inflows[0].velocity (got 1)" \
    run keys_2d.json --set "keyframes[2].value=[1]"

# run.json of a version that lost the numbers
spate run keys_3d.json -o old --quiet --frames 1
sed 's/\[0, -9.81, 2\]/[0]/' old/run.json >run.json
cp run.json old/run.json
refuses old_run 3 \
    "spate: keys_3d.json: keyframes[0].value: must have 3 numbers in a 3D scene, as gravity (got 1)" run --resume -o old
finish
