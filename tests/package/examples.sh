#!/bin/bash
# Each example is short, and runs; and what it prints is right.
set -u
failures=0
report() { # report NAME STATUS
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "FAIL $1"; failures=1; fi
}
work=$(mktemp -d)
trap 'cd / && rm -rf "$work"' EXIT
cd "$work" || exit 1

for source in "$SPATE_SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    lines=$(wc -l <"$source")
    [ "$lines" -le 80 ]
    report "$name has at most 80 lines (it has $lines)" $?
    "$SPATE_BUILD/examples/$name" >"$name" 2>&1
    code=$?
    [ $code -eq 0 ] || cat "$name"
    report "$name runs" $code
done

says() { # says EXAMPLE WHAT SED-SCRIPT AWK-SCRIPT: the numbers that sed takes out of its output satisfy awk
    sed -n "$3" "$1" | awk "$4"
    local code=$?
    [ $code -eq 0 ] || cat "$1"
    report "$1: $2" $code
}
says 01_hello "the front goes from 0.8 m to the wall and no particle is lost" \
    's/.* \([0-9]*\) particles, front at \([0-9.]*\) m$/\1 \2/p' \
    'NR == 1 { count = $1; first = $2 } { same += $1 == count; last = $2 }
     END { exit !(NR == 7 && same == 7 && count > 0 && first > 0.75 && first <= 0.8 && last > 1.9) }'
says 02_floating_ball "it floats half in water, within 12 mm" \
    's/it floats with its centre at \([0-9.]*\) m; at \([0-9.]*\) m half is.*/\1 \2/p' \
    'END { off = $1 - $2; exit !(NR == 1 && off < 0.012 && off > -0.012) }'
says 03_dragged_obstacle "water holds it back, at rest carries its volume, and stays outside" \
    's/.*drag *\([-0-9.]*\) N, lift *\([0-9.]*\) N.* \([0-9]*\) particles inside/\1 \2 \3/p' \
    'NR == 1 { rest = $1 * $1 < 0.25 && $2 > 14.9 && $2 < 16.5 } NR > 1 { drag += $1 > 0.5 } { inside += $3 }
     END { exit !(NR == 6 && rest && drag == 5 && inside == 0) }'
says 03_dragged_obstacle "no particle is lost" 's/mean drag \([0-9.]*\) N, \([0-9]*\) of.*/\1 \2/p' \
    'END { exit !(NR == 1 && $1 > 1 && $2 == 0) }'
says 04_two_simulations "the same bits alone and beside another; FLIP keeps more energy" \
    's/^\(FLIP\|PIC\|PIC again\)  *.* \([0-9.]*\) J per metre; hash \([0-9a-f]*\)$/\2 \3/p' \
    '{ energy[NR] = $1; hash[NR] = $2 }
     END { exit !(NR == 3 && energy[1] > 1.2 * energy[2] && hash[2] == hash[3] && hash[1] != hash[2]) }'
says 05_surface_to_file "the surface holds the volume of the particles" \
    's/\([0-9.]*\) litres inside the surface, \([0-9.]*\) litres of particles/\1 \2/p' \
    'END { share = $1 / $2; exit !(NR == 1 && share > 0.99 && share < 1.01) }'
head -n 1 surface.ply | grep -qx ply
report "05_surface_to_file: surface.ply is there" $?
exit $failures
