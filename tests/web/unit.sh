# The unit tests of the core, compiled to WebAssembly and run by node (tests/web/unit.txt lists them).
folder=$SPATE_SOURCE/build/wasm/tests
[ -d "$folder" ] || { echo "skip wasm_unit"; echo "  skipped: no build/wasm, run make web"; exit 0; }
failures=0
while read -r program _; do
    case $program in '' | '#'*) continue ;; esac
    # emscripten 3.1 takes a node that has fetch for a browser
    if ! node -e 'delete globalThis.fetch; require(process.argv[1])' "$folder/$program.js" >"/tmp/spate-$$.log" 2>&1; then
        grep -q '^FAIL ' "/tmp/spate-$$.log" || echo "FAIL $program"
        failures=1
    fi
    sed -E "s/^(ok|FAIL|skip) /\1 wasm_${program}_/" "/tmp/spate-$$.log"
done <"$SPATE_SOURCE/tests/web/unit.txt"
rm -f "/tmp/spate-$$.log"
exit $failures
