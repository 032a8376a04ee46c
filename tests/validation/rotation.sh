#!/bin/bash
# The full form of validation/rotation.c.
exec "$SPATE_BUILD/tests/validation_rotation" --full
