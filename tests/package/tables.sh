#!/bin/bash
# The tables of docs/code.md are those that the lists under src/state say.
if sh "$SPATE_SOURCE/scripts/make-tables.sh" --check; then
    echo "ok tables of docs/code.md"
else
    echo "FAIL tables of docs/code.md: run scripts/make-tables.sh"
    exit 1
fi
