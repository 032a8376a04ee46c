#!/bin/sh
# make-tables.sh -- makes the tables of docs/code.md, between the lines <!-- begin NAME --> and <!-- end NAME -->, from
# the lists under src/kernels. With --check it changes nothing, and fails if a table is not what the list says.
set -eu
cd "$(dirname "$0")/.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT

arrays() {
    echo '| array | what | values | zero outside the active tiles | group | on the host | on a device |'
    echo '|---|---|---|---|---|---|---|'
    sed -En 's/^(FIELDS|TILES|SYSTEM)\((.*), *"(.*)"\)$/\1, \2|\3/p' src/kernels/grid.def | awk -F'|' '{
        n = split($1, c, / *, */)
        name = (c[1] == "TILES" ? "tiles." : c[1] == "SYSTEM" ? "system." : "") c[2]
        count = c[3] == "ONE" ? "" : c[3] == "AXES" ? "DIM " : "2 "
        outside = c[6] == "STAYS" ? "" : c[6] == "SAVED" ? "yes; saved" : "yes"
        group = c[7] == "NONE" ? "" : c[7]
        printf "| `%s` | %s | %s%s, %s | %s | %s | %s | %s |\n", name, $2, count, c[4], tolower(c[5]), outside, group,
            tolower(c[8]), tolower(c[10]) }'
    echo
    echo '| second name | of the memory of | on a device | from | to the end of | what |'
    echo '|---|---|---|---|---|---|'
    sed -En 's/^(FIELDS|SYSTEM)_ALIAS\((.*), *"(.*)"\)$/\1, \2|\3/p' src/kernels/grid.def | awk -F'|' '{
        split($1, c, / *, */)
        printf "| `%s%s` | `%s` | `%s` | %s | %s | %s |\n", c[1] == "SYSTEM" ? "system." : "", c[2], c[5], c[6], c[7],
            c[8], $2 }'
}

columns() {
    echo '| column | what | components | when |'
    echo '|---|---|---|---|'
    sed -En 's/^FIELD\((.*), *"(.*)"\)$/\1|\2/p' src/kernels/fields.def | awk -F'|' '{
        split($1, c, / *, */)
        printf "| `%s` | %s | %s, %s | %s |\n", c[1], $2, c[2], c[3], tolower(c[4]) }'
}

whitewater() {
    echo '| column of whitewater | what | components | in files |'
    echo '|---|---|---|---|'
    sed -En 's/^COLUMN\((.*), *"(.*)"\)$/\1|\2/p' src/kernels/whitewater.def | awk -F'|' '{
        split($1, c, / *, */)
        gsub(/"/, "`", c[4])
        printf "| `%s` | %s | %s, %s | %s |\n", c[1], $2, c[2] == "ONE" ? "1" : "DIM", c[3], c[4] == "NULL" ? "" : c[4] }'
}

sets() { # sets PLACE: the stages of the sets that are there
    sed -n '/^SET(/,/")$/p' src/kernels/sets.def | sed -E ':a; /"\)$/!{N; ba}; s/\n */ /g' |
        sed -nE "s/^SET\(([A-Z0-9]+), *(\w+), *$1, *(\w+), *[^,]*,/STAGE(\1, \2, \3, \1, NOTHING,/p"
}

stages() {
    echo '| stage | what | by | when | reads | writes |'
    echo '|---|---|---|---|---|---|'
    { # a row SET(NAME, name, place, by, on, reads, ...) is STAGE(NAME, name, by, NAME, NOTHING, reads, ...)
        sed -n '/^STAGE(/,/")$/p' src/kernels/stages.def | sed '/^STAGE(ADVECT/,$d'
        sets WITH_FLUID
        sed -n '/^STAGE(/,/")$/p' src/kernels/stages.def | sed -n '/^STAGE(ADVECT/,$p'
        sets AFTER_EMIT
    } | sed -E ':a; /"\)$/!{N; ba}; s/\n */ /g' |
        sed -E 's/^STAGE\((.*), *"(.*)"\)$/\1|\2/; s/GROUP_NONE//g; s/GROUP_//g' | awk -F'|' '{
        what = $NF
        sub(/\|[^|]*$/, "", $0)
        n = split($0, c, / *, */)
        gsub(/ *\| */, ", ", c[6]); gsub(/ *\| */, ", ", c[7])
        printf "| %s | %s | %s | %s | %s | %s |\n", c[1], what, tolower(c[3]), tolower(c[4]), tolower(c[6]), tolower(c[7]) }'
}

# Each table takes the place of the lines between its marks.
awk '/^<!-- end / { skip = 0 }
     !skip { print }
     /^<!-- begin / { skip = 1; print "@" $3 }' docs/code.md |
    while IFS= read -r line; do
        case $line in
        @arrays) arrays ;;
        @columns) columns ;;
        @whitewater) whitewater ;;
        @stages) stages ;;
        *) printf '%s\n' "$line" ;;
        esac
    done >"$new"

if [ "${1-}" = --check ]; then
    diff docs/code.md "$new"
else
    cat "$new" >docs/code.md
fi
