#!/bin/bash
# The full form of validation/rough.c.
exec "$SPATE_BUILD/tests/validation_rough" --full
