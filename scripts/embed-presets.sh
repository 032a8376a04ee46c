#!/bin/sh
# Turns scenes into C: embed-presets.sh OUT.c scenes/*.json
#
# The result defines sp_presets and sp_preset_count of src/tool/presets.h: one entry per file, named like the file
# without .json, its title the first "name" in it, its text the file as it is.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: embed-presets.sh OUT.c SCENE.json..." >&2
    exit 2
fi
out=$1
shift

# A line of text as a C string literal with its line break.
quote='s/\\/\\\\/g; s/"/\\"/g; s/^/        "/; s/$/\\n"/'

{
    echo '/* Made by scripts/embed-presets.sh from scenes/; do not edit. */'
    echo '#include "tool/presets.h"'
    echo
    echo 'const struct sp_preset sp_presets[] = {'
    for scene in "$@"; do
        name=$(basename "$scene" .json)
        title=$(sed -n 's/^ *"name": *"\([^"\\]*\)".*/\1/p' "$scene" | head -n 1)
        if [ -z "$title" ]; then
            echo "embed-presets.sh: $scene: no line with its \"name\"" >&2
            exit 1
        fi
        printf '    {"%s", "%s",\n' "$name" "$title"
        sed "$quote" "$scene"
        echo '    },'
    done
    echo '};'
    echo "const int sp_preset_count = $#;"
} > "$out.tmp"
mv "$out.tmp" "$out"
