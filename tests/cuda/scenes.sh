# Every scene of scenes/ on the GPU: it ends well, the ledger is exact, nothing is inside a solid, and after
# a while it stands where the CPU's run stands.
. "$SPATE_SOURCE/tests/cli/lib.sh"

column() { # column NAME FILE: the values of a column of stats.csv, one per line
    awk -F, -v name="$1" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next } { print $c }' "$2"
}
last() { column "$1" "$2" | tail -n 1; }

close_to() { # close_to NAME A B SHARE: two numbers differ by at most a share of the larger one
    if awk -v a="$2" -v b="$3" -v s="$4" \
        'BEGIN { d = a - b; d = d < 0 ? -d : d; m = a < 0 ? -a : a; n = b < 0 ? -b : b
                 m = n > m ? n : m; exit !(d <= s * m) }'; then
        ok "$1"
    else
        fail "$1" "$2 on the CPU, $3 on the GPU"
    fi
}

for file in "$SPATE_SOURCE"/scenes/*.json; do
    name=$(basename "$file" .json)
    frames=10
    [ "$name" = dam_break_2d ] && frames=30 # a second
    for device in cpu cuda; do
        spate run "$file" --device $device --frames $frames -o "$name.$device" --quiet \
            --set output.particles=none --set output.preview=false
        holds "${name}_$device" [ "$code" -eq 0 ]
        [ "$code" -eq 0 ] || printf '%s\n' "$err"
    done
    cpu=$name.cpu/stats.csv gpu=$name.cuda/stats.csv
    [ -f "$gpu" ] || continue
    same "${name}_solid" 0 "$(column in_solid "$gpu" | sort -n | tail -n 1)"
    same "${name}_ledger" "$(last particles "$gpu")" \
        "$(($(column particles "$gpu" | head -n 1) + $(last added "$gpu") - $(last removed "$gpu")))"
    close_to "${name}_volume" "$(last volume "$cpu")" "$(last volume "$gpu")" 0.01
    close_to "${name}_energy" \
        "$(awk "BEGIN { print $(last kinetic_energy "$cpu") + $(last potential_energy "$cpu") }")" \
        "$(awk "BEGIN { print $(last kinetic_energy "$gpu") + $(last potential_energy "$gpu") }")" 0.01
done

# the state goes from one device to the other
scene=$SPATE_SOURCE/scenes/dam_break_2d.json
for pair in "cpu cuda" "cuda cpu"; do
    read -r one two <<<"$pair"
    spate run "$scene" --device "$one" --frames 5 -o swap --overwrite --quiet
    spate run "$scene" --device "$two" --frames 10 -o swap --resume --quiet
    holds "resume_${one}_${two}" [ "$code" -eq 0 ]
    same "resume_${one}_${two}_frames" 10 "$(last frame swap/stats.csv)"
done
# the same bits each time
for turn in 1 2; do
    "$SPATE" run "$SPATE_SOURCE/scenes/pillars.json" --device cuda --frames 3 -o "turn$turn" --quiet --json \
        --set output.particles=none | grep -o '"hash": *"[^"]*"' >"hash$turn"
done
same same_bits "$(cat hash1)" "$(cat hash2)"
holds same_bits_there [ -s hash1 ]

refuses no_pcg 6 "spate: $scene: pressure.solver: pcg works on the cpu only; use multigrid, which is \
faster everywhere" run "$scene" --device cuda --set pressure.solver=pcg -o none
finish
