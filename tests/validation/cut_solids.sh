#!/bin/bash
# The full form of validation/cut_solids.c.
exec "$SPATE_BUILD/tests/validation_cut_solids" --full
