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
    quiet_run stream stream.json
    quiet_run flat flat.json
    quiet_run one one.json
    quiet_run block block.json
}
make_runs
