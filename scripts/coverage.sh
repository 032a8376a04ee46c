#!/bin/bash
# coverage.sh -- which share of the lines under src/ the tests have run: by folder, and the files with the least.
#
#     scripts/coverage.sh BUILD
#
# BUILD is a build by gcc with --coverage (PRESET=coverage) whose tests have run. A source that is compiled several times
# (2D and 3D) counts once: a line is covered if one of its compilations ran it. make coverage does all of it.
set -u
[ $# -eq 1 ] && [ -d "$1" ] || { sed -n '4s/^# */usage: /p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
gcov=${GCOV:-gcov}

# gcov -t prints an annotated source: count:line:text, count is - (no code), ##### or ===== (never), or a number with
# marks behind it. Lines of all compilations, merged: file line ran
find "$build" -path '*/CMakeFiles/spate_*' -name '*.gcno' -print0 | sort -z |
    xargs -0 -n 16 "$gcov" -t -r -s "$PWD" 2>/dev/null |
    awk -F: -v OFS=: '
        $2 + 0 == 0 { if ($3 == "Source") file = $4; next }
        file !~ /^src\// { next }
        { count = $1; gsub(/[ \t]/, "", count) }
        count == "-" { next }
        { key = file ":" ($2 + 0); if (count !~ /^[#=]/) ran[key] = 1; lines[key] = 1 }
        END {
            for (key in lines) {
                split(key, part, ":")
                total[part[1]]++
                covered[part[1]] += ran[key]
            }
            for (file in total) print file, covered[file], total[file]
        }' | sort >"$build/coverage.txt"
[ -s "$build/coverage.txt" ] && [ -n "$(find "$build" -name "*.gcda" -print -quit)" ] || { echo "coverage.sh: $build has no counts: run its tests first" >&2; exit 1; }

awk -F: '{ folder = $1; sub(/\/[^\/]*$/, "", folder); c[folder] += $2; t[folder] += $3; C += $2; T += $3 }
    END {
        for (f in t) printf "%-28s %6d of %6d lines  %5.1f %%\n", f, c[f], t[f], 100 * c[f] / t[f] | "sort"
        close("sort")
        printf "%-28s %6d of %6d lines  %5.1f %%\n", "all", C, T, 100 * C / T
    }' "$build/coverage.txt"
echo
echo "The 20 files with the smallest share:"
awk -F: '{ printf "%5.1f %%  %5d of %5d lines  %s\n", 100 * $2 / $3, $2, $3, $1 }' "$build/coverage.txt" | sort -n | head -n 20
