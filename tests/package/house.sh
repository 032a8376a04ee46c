#!/bin/bash
# The plan of the house: which room includes which, twins, dimensions (tests/house.sh).
exec bash "$SPATE_SOURCE/tests/house.sh"
