#!/bin/bash
# Each example is short, and runs; the first one shows a dam break whose front reaches the far wall.
set -u
failures=0
report() { # report NAME STATUS
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "FAIL $1"; failures=1; fi
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

for source in "$SPATE_SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    lines=$(wc -l <"$source")
    [ "$lines" -le 80 ]
    report "$name has at most 80 lines (it has $lines)" $?
    "$SPATE_BUILD/examples/$name" >"$out" 2>&1
    code=$?
    [ $code -eq 0 ] || cat "$out"
    report "$name runs" $code
done

"$SPATE_BUILD/examples/01_hello" >"$out" 2>&1
sed -n 's/.* \([0-9]*\) particles, front at \([0-9.]*\) m$/\1 \2/p' "$out" |
    awk 'NR == 1 { count = $1; first = $2 } { same += $1 == count; last = $2 }
         END { exit !(NR == 7 && same == 7 && count > 0 && first > 0.75 && first <= 0.8 && last > 1.9) }'
code=$?
[ $code -eq 0 ] || grep front "$out"
report "01_hello: the front goes from 0.8 m to the wall and no particle is lost" $code
exit $failures
