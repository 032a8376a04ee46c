# particles = seeded + added - removed in every row, with each cause of removal counted; the scene
# has an inflow, an outflow and an open side.
. "${0%/*}/lib.sh"
cat >channel.json <<'END'
{ "name": "channel", "domain": { "size": [2, 0.5], "cells": 32, "sides": { "top": "open", "right": "open" } },
  "frames": 30,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [2, 0.15], "velocity": [1, 0] } ],
  "inflows": [ { "shape": "box", "min": [0, 0], "max": [0.15, 0.2], "velocity": [1.5, 0] } ],
  "outflows": [ { "shape": "box", "min": [1.5, 0], "max": [1.75, 0.13] } ] }
END
cat >channel_3d.json <<'END'
{ "name": "channel", "domain": { "size": [1, 0.5, 0.25], "cells": 16, "sides": { "right": "open" } },
  "frames": 20,
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [1, 0.15, 0.25], "velocity": [1, 0, 0] } ],
  "inflows": [ { "shape": "box", "min": [0, 0, 0], "max": [0.15, 0.2, 0.25], "velocity": [1.5, 0, 0] } ],
  "outflows": [ { "shape": "box", "min": [0.7, 0, 0], "max": [0.85, 0.13, 0.25] } ] }
END
for name in channel channel_3d; do
    spate run $name.json --quiet -o $name
    same "${name}_runs" 0 "$code$err"
    rows=$(($(column $name/stats.csv frame | tail -n 1) + 1))
    same "${name}_ledger" "$rows rows add up" "$(awk -F, '
        NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k; next }
        {
            causes = $c["removed_open"] + $c["removed_outflow"] + $c["removed_crushed"]
            causes += $c["removed_user"] + $c["removed_reseed"]
            balance = $c["seeded"] + $c["added"] - $c["removed"]
            good += $c["particles"] == balance && $c["removed"] == causes
        }
        END { print good " rows add up" }' $name/stats.csv)"
    for what in added removed_open removed_outflow; do
        holds "${name}_$what" [ "$(column $name/stats.csv $what | tail -n 1)" -gt 0 ]
    done
    same "${name}_in_solid" "0" "$(column $name/stats.csv in_solid | sort -u)"
    last=$(cd $name && ls particles.*.ply | tail -n 1)
    same "${name}_file" "$(column $name/stats.csv particles | tail -n 1)" \
        "$(sed -n 's/^element vertex //p; /^end_header/q' $name/$last)"
done
finish
