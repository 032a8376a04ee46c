# `spate sweep` and `spate plot` of several runs: every combination once, resumed, one table, one page.
. "${0%/*}/lib.sh"
cat >dam.json <<END
{ "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 3, "output": { "preview": false },
  "fill": [ { "min": [0, 0], "max": [0.5, 0.5] } ], "gauges": [ { "name": "H1", "at": [0.2, 0] } ] }
END
values="--set domain.cells=12,16 --set gravity=[0,-5],[0,-9.81]"
spate sweep dam.json $values -o sweep
same sweep 0 "$code"
same folders "cells=12_gravity=0,-5 cells=12_gravity=0,-9.81 cells=16_gravity=0,-5 cells=16_gravity=0,-9.81" \
    "$(cd sweep && echo $(ls -d */ | tr -d /))"
same table_head "run,domain.cells,gravity,status,frames,particles,steps,seconds,volume_change,energy,max_speed,H1 max,H1 mean" \
    "$(head -n 1 sweep/sweep.csv)"
same table_rows "12 done 3;12 done 3;16 done 3;16 done 3;" \
    "$(tail -n +2 sweep/sweep.csv | sed 's/"[^"]*"/G/g' | awk -F, '{ printf "%s %s %s;", $2, $4, $5 }')"
holds page_charts test "$(grep -c '<svg ' sweep/sweep.html)" -ge 6
same page_alone "" "$(grep -oE "(src|href)='[^d][^']{0,60}" sweep/sweep.html)"
third=sweep/cells=16_gravity=0,-5
cp $third/stats.csv before.csv
spate sweep dam.json $values -o sweep --quiet
same again "0 " "$code $err"
holds not_computed_again cmp before.csv $third/stats.csv

# A run that is there with other settings is not touched, and named.
sed 's/0.5, 0.5/0.4, 0.5/' dam.json >other.json
spate sweep other.json --set domain.cells=16 --set 'gravity=[0,-5]' -o sweep --quiet
same other 1 "$code"
holds other_named grep -q 'cells=16_gravity=0,-5: .*fill\[0\].max' <<<"$err"
holds other_kept cmp before.csv $third/stats.csv

# Stopped in the middle, the same command goes on.
"$SPATE" sweep dam.json --set fluid.seed=1,2 --frames 4000 --jobs 2 -o long --quiet 2>/dev/null &
long=$!
for k in $(seq 100); do sleep 0.1; [ "$(ls long/*/checkpoint.spate 2>/dev/null | wc -l)" = 2 ] && break; done
kill -TERM $long
wait $long
same stopped 75 "$?"
holds no_page_yet test ! -e long/sweep.html
spate sweep dam.json --set fluid.seed=1,2 --frames 40 --jobs 2 -o long --quiet
same went_on "0 2" "$code $(grep -c ',done,' long/sweep.csv)"

spate plot sweep/cells=12_gravity=0,-5 $third -o both.html
same plot "0 2 runs are compared in both.html" "$code $err"
same lines 2 "$(awk '/<title>Energy/ { on = 1 } on && /<polyline/ { n++ } /<\/svg>/ { on = 0 } END { print n }' both.html)"
holds gauge_chart grep -q '<title>H1</title>' both.html

refuses no_set 2 "spate: --set: is missing: a sweep needs values to go through" sweep dam.json
refuses twice 2 "spate: --set: domain.cells: 12 stands twice" sweep dam.json --set domain.cells=12,12
refuses empty 2 "spate: --set: domain.cells: a value is empty" sweep dam.json --set domain.cells=12,
refuses bad_value 3 "spate: --set: domain.cells: must be at least 1 (got -3)" sweep dam.json --set domain.cells=12,-3 -o no
holds nothing_made test ! -e no
refuses report_of_many 2 "spate: --report: is for one run" plot a b --report
mkdir none
refuses no_run 4 "spate: none: holds no run (there is no run.json)" plot $third none
finish
