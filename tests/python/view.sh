#!/bin/bash
# view.py in Debian's Python.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs view
run_file view
