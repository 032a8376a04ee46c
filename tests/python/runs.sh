#!/bin/bash
# runs.py in Debian's Python.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs runs
run_file runs
