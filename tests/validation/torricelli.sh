#!/bin/bash
# The full form of validation/torricelli.c.
exec "$SPATE_BUILD/tests/validation_torricelli" --full
