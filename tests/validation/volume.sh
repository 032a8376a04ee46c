#!/bin/bash
# The full form of validation/volume.c.
exec "$SPATE_BUILD/tests/validation_volume" --full
