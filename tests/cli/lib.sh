# lib.sh -- functions for the tests of the command line; read by each script with `. "${0%/*}/lib.sh"`.
#
# SPATE is the command, SPATE_SOURCE the source folder. Each script works in a folder of its own,
# which goes away with it. A test prints `ok NAME`, `FAIL NAME` (and why) or `skip NAME`.
set -u
SPATE=${SPATE:?is the path of the command}
SPATE_SOURCE=${SPATE_SOURCE:?is the source folder}
export LC_ALL=C
# No films, which take longer than most of these runs, but where they are the subject (film.sh).
export SPATE_FFMPEG=/nowhere/ffmpeg
[ -x "$SPATE" ] || { echo "FAIL no_command"; echo "  $SPATE is no program"; exit 1; }
work=$(mktemp -d) || exit 1
trap '[ $BASHPID != $$ ] || { cd / && rm -rf "$work"; }' EXIT
cd "$work" || exit 1

version=$(sed -n 's/^#define SPATE_VERSION "\(.*\)"/\1/p' "$SPATE_SOURCE/include/spate/spate.h")
failures=0
ok() { echo "ok $1"; }
fail() { # fail NAME [WHY]
    echo "FAIL $1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/  /'
    failures=$((failures + 1))
}
skip() { # skip NAME WHY
    echo "skip $1"
    echo "  skipped: $2"
}
finish() { exit $((failures > 0)); }

# same NAME EXPECTED ACTUAL: two texts
same() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        fail "$1" "$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -40)"
    fi
}

# holds NAME COMMAND...: the command succeeds
holds() {
    local name=$1
    shift
    if "$@"; then ok "$name"; else fail "$name" "not true: $*"; fi
}

# spate ARGUMENT...: runs it; stdout, stderr and the exit code are then in $out, $err and $code
spate() {
    "$SPATE" "$@" >"$work/.out" 2>"$work/.err"
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

# refuses NAME CODE STDERR ARGUMENT...: exactly this message and exit code, and nothing on stdout
refuses() {
    local name=$1 expected_code=$2 expected=$3
    shift 3
    spate "$@"
    same "$name" "exit $expected_code"$'\n'"$expected" "exit $code"$'\n'"$err${out:+$'\n'stdout: $out}"
}

# prints NAME STDOUT ARGUMENT...: exactly this on stdout, nothing on stderr, exit code 0
prints() {
    local name=$1 expected=$2
    shift 2
    spate "$@"
    same "$name" "exit 0"$'\n'"$expected" "exit $code"$'\n'"$out${err:+$'\n'stderr: $err}"
}

# Times differ from run to run.
no_times() {
    sed -E 's/[0-9]+\.[0-9]+ s/# s/; s/ETA [0-9:?]+/ETA #/
        s/: [0-9.,]+( million)? particle-steps/: # particle-steps/'
}

# column FILE NAME: a column of a stats.csv
column() {
    awk -F, -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next } { print $c }' "$1"
}

# The columns of a stats.csv that do not depend on the machine or on interruptions.
steady() {
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) keep[k] = $k !~ /^(t_.*|seconds|allocations)$/ }
             { line = ""; for (k = 1; k <= NF; k++) if (keep[k]) line = line "," $k; print line }' "$1"
}

# The hash of the last frame in the output of --json.
last_hash() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1" | tail -n 1; }

# The files of a folder on one line.
files() { (cd "$1" && echo *); }

# scene_2d FRAMES, scene_3d FRAMES: a small dam break, cells of 1/16 m and 1/8 m
scene_2d() {
    cat <<END
{ "name": "small dam", "domain": { "size": [1, 0.75], "cells": 16 }, "frames": $1,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.5, 0.5] } ] }
END
}
scene_3d() {
    cat <<END
{ "name": "small dam", "domain": { "size": [1, 0.75, 0.5], "cells": 8 }, "frames": $1,
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } ] }
END
}
