#!/bin/bash
# The binding against the C compiler and the libraries (layout.py).
. "$SPATE_SOURCE/tests/python/lib.sh"
needs layout
run_file layout
