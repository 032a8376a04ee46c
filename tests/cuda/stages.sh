# The stages on the GPU against the CPU, under the tools that find bad accesses and races.
. "$SPATE_SOURCE/tests/cli/lib.sh"
export SPATE_TEST_DEVICE=cuda
test=$SPATE_BUILD/tests/test_gpu

"$test" || failures=1

clean() { # clean NAME TOOL TEST: the tool finds nothing
    if ! command -v compute-sanitizer >/dev/null; then
        skip "$1" "there is no compute-sanitizer here"
        return
    fi
    if compute-sanitizer --tool "$2" --error-exitcode 9 "$test" "$3" >"$work/log" 2>&1; then
        ok "$1"
    else
        fail "$1" "$(grep -A 12 -m 3 '=========' "$work/log")"
    fi
}
clean memcheck_2d memcheck stages_2d
clean memcheck_3d memcheck stages_3d
clean racecheck_2d racecheck stages_2d
clean racecheck_3d racecheck stages_3d
finish
