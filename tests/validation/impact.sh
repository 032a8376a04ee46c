#!/bin/bash
# The full form of validation/impact.c.
exec "$SPATE_BUILD/tests/validation_impact" --full
