#!/bin/bash
# sim.py in Debian's Python.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs sim
run_file sim
