#!/bin/bash
# tidy.sh -- looks for mistakes with clang-tidy, by the list of checks in .clang-tidy.
#
#     scripts/tidy.sh                   all sources
#     scripts/tidy.sh FILE...           these
#     scripts/tidy.sh --changed BASE    those that differ from the commit BASE, or are not committed yet
#
# A source that is compiled several times (2D and 3D, instruction sets, devices) is looked at once, as 3D for the base
# instruction set, and the .cu files as the C of the device `check`. The last line is `N passed, M failed, K skipped`, of sources.
set -u
cd "$(dirname "$0")/.." || exit 2
build=build/release tidy=build/tidy
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}

if ! command -v clang-tidy >/dev/null; then
    echo "tidy.sh: there is no clang-tidy here: sh scripts/install-deps.sh tidy" >&2
    exit 2
fi
# sources may have come or gone since the last build
if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset release >/dev/null || exit 2
mkdir -p $tidy

# CMake writes an entry as lines of their own: { directory command file output }
awk -v root="$PWD/" -v build="$PWD/build/" '
    /^{/ { entry = ""; next }
    /^}/ {
        if (entry !~ /-march=/ && entry !~ /-DDIM=2/ && entry !~ /--generate-code/ && index(file, root) == 1 && index(file, build) != 1 && !seen[file]++) {
            all = all (all ? ",\n" : "") "{\n" entry "}"
            print substr(file, length(root) + 1) >list
        }
        next
    }
    /"file":/ { file = $0; sub(/.*"file": "/, "", file); sub(/",?$/, "", file) }
    /^ / { entry = entry $0 "\n" }
    END { print "[\n" all "\n]" }' list=$tidy/sources $build/compile_commands.json >$tidy/compile_commands.json
sort -o $tidy/sources $tidy/sources

case "${1:-}" in
--changed)
    [ $# -eq 2 ] && git rev-parse --verify --quiet "$2^{commit}" >/dev/null ||
        { echo "tidy.sh: --changed wants a commit" >&2; exit 2; }
    { git diff --name-only "$2"; git ls-files --others --exclude-standard; } | sort -u >$tidy/wanted
    comm -12 $tidy/wanted $tidy/sources >$tidy/chosen
    ;;
-*) sed -n '4,6s/^# *//p' "$0" >&2; exit 2 ;;
"") cp $tidy/sources $tidy/chosen ;;
*) printf '%s\n' "$@" | sed "s|^$PWD/||; s|^\./||" | sort -u | comm -12 - $tidy/sources >$tidy/chosen ;;
esac

# one source: what it reports, and its name in `failed` if it does
look() {
    clang-tidy --quiet -p "$1" "$2" >"$1/log.${2//\//_}" 2>/dev/null || echo "$2" >>"$1/failed"
    grep -v '^$' "$1/log.${2//\//_}"
    rm -f "$1/log.${2//\//_}"
}
export -f look
rm -f $tidy/failed
xargs -r -d '\n' -n 1 -P "$jobs" bash -c 'look "$0" "$1"' $tidy <$tidy/chosen
total=$(wc -l <$tidy/chosen)
failed=0
[ ! -f $tidy/failed ] || failed=$(wc -l <$tidy/failed)
echo "$((total - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
