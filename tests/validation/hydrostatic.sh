#!/bin/bash
# The full form of validation/hydrostatic.c.
exec "$SPATE_BUILD/tests/validation_hydrostatic" --full
