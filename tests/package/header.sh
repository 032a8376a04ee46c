#!/bin/bash
# spate.h and spate_io.h compile alone, and links, as C11 and as C++17, with every compiler that is here.
set -u
failures=0
# what the static library needs, as its users are told
libraries=$(sed -n "s/^Libs.private: //p" "$SPATE_BUILD/spate.pc")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

try() { # try COMPILER LANGUAGE STANDARD WARNINGS...
    local name="header as $3 with $1"
    if ! command -v "$1" >/dev/null; then
        echo "skip $name (no $1)"
        return
    fi
    local compile=("$1" -x "$2" "-std=$3" -pedantic-errors -Wall -Wextra -Werror -I"$SPATE_SOURCE/include")
    shift 3
    if "${compile[@]}" "$@" -fsyntax-only "$scratch/alone" && "${compile[@]}" "$@" -fsyntax-only "$scratch/alone_io" &&
        "${compile[@]}" "$SPATE_SOURCE/tests/unit/test_header.c" \
            -x none "$SPATE_BUILD/libspate.a" $libraries -o "$scratch/program" &&
        "$scratch/program" >"$scratch/log"; then
        echo "ok $name"
    else
        [ -f "$scratch/log" ] && grep -v '^ok ' "$scratch/log" | sed 's/^/  /'
        echo "FAIL $name"
        failures=1
    fi
    rm -f "$scratch/log"
}

printf '#include <spate/spate.h>\n' >"$scratch/alone"
printf '#include <spate/spate_io.h>\n' >"$scratch/alone_io"
for compiler in gcc clang; do
    try $compiler c c11 -Wstrict-prototypes -Wmissing-prototypes
done
for compiler in g++ clang++; do
    try $compiler c++ c++17 -Wold-style-cast
done
exit $failures
