#!/bin/bash
# device.py: on a GPU if there is one, else on the device check.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs device
if "$PYTHON" -c 'import spate, sys; sys.exit(not spate.devices().get("cuda", (False,))[0])' 2>/dev/null; then
    export SPATE_TEST_DEVICE=cuda
else
    export SPATE_TEST_DEVICE=check SPATE_LIBRARY=$SPATE_BUILD/tests/check
    [ -d "$SPATE_LIBRARY" ] || { echo "skip device"; echo "  skipped: this build has no library with the device check"; exit 0; }
fi
run_file device
