#!/bin/bash
# What a new array, statistic and stage cost, in a scratch copy (tests/house.sh prove).
exec bash "$SPATE_SOURCE/tests/house.sh" prove
