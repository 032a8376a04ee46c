#!/bin/bash
# The full form of validation/martin_moyce.c.
exec "$SPATE_BUILD/tests/validation_martin_moyce" --full
