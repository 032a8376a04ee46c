#!/bin/bash
# The full form of validation/plates.c.
exec "$SPATE_BUILD/tests/validation_plates" --full
