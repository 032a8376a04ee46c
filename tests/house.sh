#!/bin/bash
# tests/house.sh -- keeps the plan of the house (docs/code.md), and shows what a change in it costs.
#
#     tests/house.sh             the plan: which room includes which, where #if DIM may stand, ... (seconds)
#     tests/house.sh prove       in a scratch copy: one grid array, one statistic and one stage more, each in as many
#                                files as docs/code.md says; builds the preset dev and runs the tests of the device,
#                                of resume and of the forecast (minutes)
# Prints `ok NAME` or `FAIL NAME` with the lines that break the plan, as the other tests do.
set -u
cd "$(dirname "$0")/.." || exit 2
failed=0

# verdict NAME TEXT: passes if TEXT is empty
verdict() {
    if [ -z "$2" ]; then
        echo "ok $1"
    else
        printf '%s\n' "$2" | head -20 | sed 's/^/  /'
        echo "FAIL $1"
        failed=1
    fi
}

# A file without its comments and strings' insides, so that words in them do not count.
code() { sed -E 's://.*$::; s:"[^"]*":"":g' "$1" | sed -E ':a; s:/\*[^*]*\*+([^/*][^*]*\*+)*/::g; /\/\*/{N; ba}'; }

# ---- the plan

# ROOM: the rooms that it may include, besides itself
rooms='base:
kernels: base
scene: kernels base
state: kernels scene base
sim: state kernels scene base
stages: kernels base
cpu: stages state kernels scene base
cuda: stages state kernels scene base
check: cuda base
mesh: sim state kernels scene base
io: mesh sim state scene base
render: io mesh sim state scene base
tool: io render mesh sim state scene base'

includes_point_one_way() {
    local file room target allowed
    git ls-files 'src/*.c' 'src/*.h' 'src/*.cu' 'src/*.def' | while read -r file; do
        room=${file#src/} room=${room%%/*}
        allowed=$(printf '%s\n' "$rooms" | sed -n "s/^$room://p")
        grep -oE '^#include "[a-z0-9_]+/[^"]*"' "$file" | sed -E 's/.*"([a-z0-9_]+)\/.*/\1/' | sort -u |
            while read -r target; do
                [ "$target" = "$room" ] || [ ! -d "src/$target" ] || [[ " $allowed " == *" $target "* ]] ||
                    echo "$file includes $target/, which $room may not"
            done
    done
}

dimensions_stand_in_one_file() {
    git grep -nE '^ *# *(if|ifdef|ifndef|elif).*\bDIM\b' -- 'src/*' ':!src/kernels/dim.h'
}

# Only the registry knows the devices by name.
sim_names_no_device() {
    local file
    for file in src/sim/*.c src/sim/*.h src/state/*.c src/state/*.h; do
        [ "$file" = src/sim/devices.c ] || code "$file" | grep -nE '\b(DEV\(|cuda|CUDA|[a-z_]*gpu_[a-z_]*\()' | sed "s:^:$file\::"
    done | grep -v 'struct X(gpu)'
}

# What is written once for each device stands in state/device.h with its reason. Every file of src/cuda is in that list,
# or serves the others, which is said there too.
twins_are_listed() {
    local file name list
    list=$(sed -n '/ twins (/,/\*\//p' src/state/device.h)
    for file in src/cuda/*.cu src/cuda/pressure/*.cu; do
        name=$(basename "$file" .cu)
        printf '%s\n' "$list" | grep -qE "(^|[^a-z_])$name([^a-z_]|$)" || echo "$file: not in the lists of src/state/device.h"
    done
}

# The list has a row for each algorithm, says how many there are, and never gets longer.
twins_only_fall() {
    local said count commit earlier
    said=$(sed -nE 's/^ \*  twins \(([0-9]+)\):$/\1/p' src/state/device.h)
    count=$(sed -n '/ twins (/,/ served by:/p' src/state/device.h | grep -cE '^ \*  [a-z_0-9]+   ')
    [ "$said" = "$count" ] || echo "src/state/device.h: says that there are ${said:-no} twins and lists $count"
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || return
    for commit in $(git log --format=%h -- src/state/device.h); do
        earlier=$(git show "$commit:src/state/device.h" | sed -nE 's/^ \*  twins \(([0-9]+)\):$/\1/p')
        [ -z "$earlier" ] || [ "$count" -le "$earlier" ] ||
            echo "src/state/device.h lists $count twins, in $commit there were $earlier: write a stage once, in src/stages"
    done
}

# The comment at the top of step.c shows the stages of stages.def in their order.
step_shows_the_stages() {
    diff <(sed -nE 's/^STAGE\(([A-Z0-9]+),.*/\1/p' src/kernels/stages.def |
        while read -r stage; do
            [ "$stage" != ADVECT ] || sed -nE 's/^SET\(([A-Z0-9]+),.*WITH_FLUID,.*/\1/p' src/kernels/sets.def
            echo "$stage"
        done
        sed -nE 's/^SET\(([A-Z0-9]+),.*AFTER_EMIT,.*/\1/p' src/kernels/sets.def) \
        <(sed -nE '1,/\*\//s/^ \*     ([A-Z0-9]+)  +.*/\1/p' src/sim/step.c)
}

# A stage is written once, in src/stages, or once for each device.
stages_have_no_namesakes() {
    local file name
    for file in src/stages/*.c; do
        name=$(basename "$file" .c)
        ls src/cpu/"$name".c src/cuda/"$name".cu src/cuda/"$name".c 2>/dev/null | sed "s:\$: has the name of $file:"
    done
}

threads_start_in_one_file() {
    git grep -nE 'omp parallel|pthread_create|thrd_create' -- 'src/*' ':!src/base/parallel.c'
}

instruction_sets_stand_in_one_file() {
    git grep -nE '__builtin_ia32|defined\(__(AVX|SSE)' -- 'src/*' ':!src/cpu/simd.h' ':!src/base'
}

# Known misses of `make validate`: each row stands in every earlier version of the table too, with no lower ceiling.
misses_only_shrink() {
    local table=tests/validation/misses.csv commit
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || return
    for commit in $(git log --format=%h -- $table); do
        git show "$commit:$table" 2>/dev/null | awk -F, -v commit="$commit" '
            /^#/ { next }
            FNR == NR { ceiling[$1] = $2; next }
            !($1 in ceiling) { print $1 ": has no row in " commit ": mend the cause instead of adding a row" }
            $1 in ceiling && $2 > ceiling[$1] { print $1 ": ceiling " $2 ", in " commit " it was " ceiling[$1] }' - $table
    done
}

plan() {
    verdict misses_only_shrink "$(misses_only_shrink)"
    verdict includes_point_one_way "$(includes_point_one_way)"
    verdict dimensions_stand_in_one_file "$(dimensions_stand_in_one_file)"
    verdict sim_names_no_device "$(sim_names_no_device)"
    verdict twins_are_listed "$(twins_are_listed)"
    verdict twins_only_fall "$(twins_only_fall)"
    verdict step_shows_the_stages "$(step_shows_the_stages)"
    verdict stages_have_no_namesakes "$(stages_have_no_namesakes)"
    verdict threads_start_in_one_file "$(threads_start_in_one_file)"
    verdict instruction_sets_stand_in_one_file "$(instruction_sets_stand_in_one_file)"
}

case "${1:-plan}" in
plan) plan ;;
prove) . tests/house_prove.sh ;;
*)
    sed -n '4,7p' "$0" | sed 's/^# *//' >&2
    exit 2
    ;;
esac
exit $failed
