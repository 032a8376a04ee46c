#!/bin/bash
# The full form of validation/standing_wave.c.
exec "$SPATE_BUILD/tests/validation_standing_wave" --full
