# lib.sh -- what the tests of file formats share: two small runs, and other people's readers.
#
# Every test compares what a reader says with the particle files of the run (PLY), number by number. What needs a
# reader that is not installed is skipped; `make test-formats` installs them.
. "${SPATE_SOURCE:?is the source folder}/tests/cli/lib.sh"
formats=$SPATE_SOURCE/tests/formats
# Debian's Python has Debian's modules, whatever `python3` is in the path
PYTHON=${PYTHON:-/usr/bin/python3}
export PYTHONPATH=$formats PYTHONDONTWRITEBYTECODE=1

has_module() { "$PYTHON" -c "import $1" 2>/dev/null; }

# judge NAME COMMAND...: the command prints nothing but `ok`
judge() {
    local name=$1 said
    shift
    said=$("$@" 2>&1)
    if [ "$(tail -n 1 <<<"$said")" = ok ]; then ok "$name"; else fail "$name" "$(tail -n 15 <<<"$said")"; fi
}

quiet_run() { # quiet_run FOLDER SCENE [OPTION...]
    local folder=$1 scene=$2
    shift 2
    spate run "$scene" -o "$folder" --quiet --set output.preview=false "$@"
    [ "$code" -eq 0 ] || { fail "run_$folder" "$err"; finish; }
}

# A stream into an empty domain (no particle in frame 0, more in every other) with all attributes, a dam break in
# 2D, and one particle alone.
make_runs() {
    cat >stream.json <<'END'
{ "name": "stream", "domain": { "size": [1, 0.75, 0.5], "cells": 16 }, "frames": 3, "fps": 25,
  "inflows": [ { "shape": "box", "min": [0, 0.4, 0.1], "max": [0.15, 0.6, 0.4], "velocity": [2, 0, 0] } ],
  "channels": [ { "name": "age" }, { "name": "source" }, { "name": "dye", "components": 2, "initial": [0.5, 0.25] } ],
  "output": { "attributes": "velocity id speed vorticity channels" } }
END
    cat >flat.json <<'END'
{ "name": "flat", "domain": { "size": [1, 0.75], "cells": 20 }, "frames": 2, "fps": 30,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.5, 0.5] } ] }
END
    printf 'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0.3 0.4 0.2\n' >one.ply
    cat >one.json <<'END'
{ "name": "one", "domain": { "size": [1, 0.75, 0.5], "cells": 16 }, "frames": 1,
  "fill": [ { "shape": "particles", "file": "one.ply" } ] }
END
    cat >block.json <<'END'
{ "name": "block", "domain": { "size": [1, 0.75, 0.5], "cells": 40 }, "frames": 2,
  "fill": [ { "shape": "sphere", "center": [0.4, 0.35, 0.25], "radius": 0.2, "velocity": [1, 2, 0.5] } ] }
END
    # all shapes of solids, one that turns and moves; in a domain of another length and rate than 1 m and 25 fps
    cat >wedge.obj <<'END'
v 0 0 0
v 0.3 0 0
v 0.3 0.2 0
v 0 0 0.2
v 0.3 0 0.2
v 0.3 0.2 0.2
f 1 3 2
f 4 5 6
f 1 2 5 4
f 2 3 6 5
f 3 1 4 6
END
    cat >stage.json <<'END'
{ "name": "stage", "domain": { "size": [2, 1, 1], "cells": 20 }, "frames": 2, "fps": 24,
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [0.2, 0.5, 1], "velocity": [3, 0, 0] } ],
  "solids": [ { "name": "ball 1", "shape": "sphere", "center": [1, 0.5, 0.5], "radius": 0.2 },
   { "name": "pillar", "shape": "cylinder", "from": [1.5, 0, 0.3], "to": [1.5, 0.6, 0.3], "radius": 0.1 },
   { "shape": "capsule", "from": [1.2, 0.2, 0.8], "to": [1.7, 0.5, 0.8], "radius": 0.1 },
   { "name": "bed", "shape": "plane", "point": [0, 0.05, 0], "normal": [0.05, 1, 0] },
   { "name": "paddle", "shape": "box", "min": [0.75, 0.2, 0.1], "max": [0.85, 0.8, 0.4], "rotation": [0, 30, 0],
     "motion": [ { "time": 0 }, { "time": 0.125, "position": [0.2, 0, 0], "rotation": [0, 0, 90] } ] },
   { "name": "wedge", "shape": "mesh", "file": "wedge.obj", "position": [0.2, 0.3, 0.6] } ],
  "gauges": [ { "name": "plane", "kind": "slice", "min": [0, 0, 0.52], "max": [2, 1, 0.52] } ],
  "output": { "mesh": "ply", "volume": "vtk" } }
END
    # a ball that flies without gravity, for its streak in a picture
    cat >flight.json <<'END'
{ "name": "flight", "domain": { "size": [2, 1, 1], "cells": 40 }, "frames": 1, "fps": 24, "gravity": [0, 0, 0],
  "fill": [ { "shape": "sphere", "center": [0.8, 0.5, 0.5], "radius": 0.25, "velocity": [3, 0, 0] } ],
  "output": { "mesh": "ply" } }
END
    quiet_run stream stream.json
    quiet_run flat flat.json
    quiet_run one one.json
    quiet_run block block.json
    quiet_run stage stage.json
    quiet_run flight flight.json
}
make_runs
