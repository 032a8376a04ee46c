# The stages on the GPU against the CPU, under the tools that find bad accesses and races.
. "$SPATE_SOURCE/tests/cli/lib.sh"
export SPATE_TEST_DEVICE=cuda
tests=$SPATE_BUILD/tests/spate_tests

"$tests" gpu/ gpu_pressure/ || failures=1
hashes() { "$SPATE" run "$SPATE_SOURCE/scenes/pillars.json" --device cuda --frames 2 -o "$1" --quiet --json \
    --set output.particles=none | grep -o '"hash": *"[^"]*"'; }
same loops_of_graphs_and_of_the_host "$(hashes graphs)" "$(SPATE_NO_GRAPHS=1 hashes host)"

clean() { # clean NAME TOOL TEST: the tool finds nothing
    if ! command -v compute-sanitizer >/dev/null; then
        skip "$1" "there is no compute-sanitizer here"
        return
    fi
    # it fails in graphs with loops, which the host runs then
    if SPATE_NO_GRAPHS=1 compute-sanitizer --tool "$2" --error-exitcode 9 "$tests" --no-fork "gpu/$3" >"$work/log" 2>&1; then
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
