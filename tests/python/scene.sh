#!/bin/bash
# scene.py in Debian's Python.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs scene
run_file scene
