# gauges.csv: its columns and rows, the same bits after an interruption, and gauges that cannot be read.
. "${0%/*}/lib.sh"

# gauge_scene FRAMES: the small dam with a moving paddle and one gauge of each kind
gauge_scene() {
    cat <<END
{ "name": "small dam", "domain": { "size": [1, 0.75], "cells": 16 }, "frames": $1,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.5, 0.5] } ],
  "solids": [ { "name": "paddle", "shape": "box", "min": [0.7, 0], "max": [0.85, 0.3],
                "motion": [ { "time": 0 }, { "time": 1, "position": [-0.1, 0] } ] } ],
  "gauges": [ { "name": "H1", "at": [0.3, 0] }, { "name": "V", "kind": "velocity", "at": [0.4, 0.1] },
              { "kind": "pressure", "at": [0, 0.1], "radius": 0.1 },
              { "name": "Q", "kind": "flux", "min": [0.5, 0], "max": [0.5, 0.75] },
              { "name": "F", "kind": "force", "solid": "paddle" } ] }
END
}
gauge_scene 20 >dam.json
cat >dam_3d.json <<END
{ "domain": { "size": [1, 0.75, 0.5], "cells": 8 }, "frames": 4,
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } ],
  "gauges": [ { "name": "V", "kind": "velocity", "at": [0.25, 0.2, 0.25] },
              { "name": "Q", "kind": "flux", "min": [0.5, 0, 0], "max": [0.5, 0.75, 0.5] } ] }
END

spate run dam.json -o whole --quiet --threads 1
same runs 0 "$code$err"
columns="H1 [m] at 0.3 0,V_x [m/s] at 0.4 0.1,V_y [m/s] at 0.4 0.1,gauges[2] [Pa] at 0 0.1,\
Q [m^2/s] through 0.5 0 to 0.5 0.75,F_x [N/m] on paddle,F_y [N/m] on paddle"
names="time [s],step,$columns"
same names "$names" "$(head -n 1 whole/gauges.csv)"
same one_row_per_step "$(awk -F, 'NR > 1 { n += $3 } END { print n + 2 }' whole/stats.csv)" \
    "$(wc -l <whole/gauges.csv)"
same steps_count_on "" "$(awk -F, 'NR > 1 && $2 != NR - 2' whole/gauges.csv)"
same starts_at_0 "0,0,0.5,0,0,0,0,0,0" "$(sed -n 2p whole/gauges.csv | awk -F, -v OFS=, '{
    $3 = sprintf("%.1f", $3) } 1')"
same only_numbers "" "$(tail -n +2 whole/gauges.csv | tr ',' '\n' | grep -vE \
    '^-?[0-9.]+(e[-+][0-9]+)?$')"
same last_time "$(tail -n 1 whole/stats.csv | cut -d, -f 2)" \
    "$(tail -n 1 whole/gauges.csv | awk -F, '{ printf "%.9g", $1 }')"
holds flows_right awk -F, 'NR > 1 && $7 > 0.1 { wet = 1 } END { exit !wet }' whole/gauges.csv
holds pushes_right awk -F, 'NR > 1 && $8 > 10 { wet = 1 } END { exit !wet }' whole/gauges.csv

spate run dam_3d.json -o 3d --quiet --set output.preview=false
at="at 0.25 0.2 0.25"
same names_3d "0 time [s],step,V_x [m/s] $at,V_y [m/s] $at,V_z [m/s] $at,Q [m^3/s] through 0.5 0 0 to 0.5 0.75 0.5" \
    "$code$err $(head -n 1 3d/gauges.csv)"

# moments and fronts: columns, and that the front of a dam goes on; planes and lines in every frame
cat >kinds.json <<END
{ "domain": { "size": [1, 0.5, 0.25], "cells": 16 }, "frames": 6,
  "fill": [ { "shape": "box", "min": [0, 0, 0], "max": [0.4, 0.3, 0.25] } ],
  "solids": [ { "name": "a, \"b\" [c]", "shape": "box", "min": [0.8, 0, 0], "max": [1, 0.2, 0.25] } ],
  "gauges": [ { "name": "M", "kind": "moment", "at": [0.8, 0, 0], "solid": "a, \"b\" [c]" },
              { "name": "X", "kind": "front", "depth": 0.05 }, { "name": "B", "kind": "front", "axis": "-x",
                "min": [0, 0, 0.1], "max": [1, 0.5, 0.2] },
              { "name": "cut", "kind": "slice", "min": [0, 0, 0.125], "max": [1, 0.5, 0.125] },
              { "kind": "slice", "min": [0.1, 0, 0.1], "max": [0.1, 0.5, 0.1] } ] }
END
spate run kinds.json -o kinds --quiet --set output.preview=false
on='on a_ _b__[c] about 0.8 0 0'
same names_kinds "0 time [s],step,M_x [N m] $on,M_y [N m] $on,M_z [N m] $on,X [m] along +x at depth 0.05,B [m] along -x \
in 0 0 0.1 to 1 0.5 0.2" "$code$err $(head -n 1 kinds/gauges.csv)"
holds front_goes_on awk -F, 'NR > 1 && $6 < last - 0.02 { back = 1 } { last = $6 } NR == 2 { first = $6 }
    END { exit !(!back && first > 0.38 && first < 0.42 && last > first + 0.1) }' kinds/gauges.csv
same slices "slice.cut.0000.vti slice.cut.0006.vti slice.gauges4.0000.csv slice.gauges4.0006.csv" \
    "$(cd kinds && echo slice.*.000[06].*)"
same slice_columns "x [m],y [m],z [m],velocity_x [m/s],velocity_y [m/s],velocity_z [m/s],pressure [Pa],surface [m]" \
    "$(head -n 1 kinds/slice.gauges4.0006.csv)"
same slice_rows 10 "$(wc -l <kinds/slice.gauges4.0006.csv)"
holds slice_is_wet awk -F, 'NR == 2 { exit !($7 > 1000 && $8 < 0) }' kinds/slice.gauges4.0006.csv
spate plot kinds
holds plots_new_kinds test -s kinds/plot.front.svg -a -s kinds/plot.moment.svg
spate run kinds.json -o kinds --quiet --set output.preview=false --overwrite --frames 2
same slices_removed "slice.cut.0000.vti slice.cut.0001.vti slice.cut.0002.vti" "$(cd kinds && echo slice.cut.*)"

scene_2d 1 >plain.json
spate run plain.json -o plain --quiet
holds no_gauges_no_file test ! -e plain/gauges.csv

# other threads, stopped inside a frame, gone on
: >stop.json
"$SPATE" run dam.json -o stop --json --quiet --threads 2 --set time.cfl=0.05 >stop.json 2>stop.err &
process=$!
while [ "$(wc -l <stop.json)" -lt 3 ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
kill -TERM $process 2>/dev/null
wait $process
same stopped 75 $?
holds stopped_early [ "$(tail -n 1 stop/gauges.csv | cut -d, -f 2)" -gt 0 ]
spate run dam.json -o fine --quiet --set time.cfl=0.05
spate run --resume -o stop --quiet
same resumed 0 "$code$err"
same resume_same_rows "$(cksum <fine/gauges.csv)" "$(cksum <stop/gauges.csv)"

# rows after the checkpoint, and a torn one, are made again
spate run dam.json -o cut --quiet --frames 12
cp cut/checkpoint.prev.spate older
spate run dam.json -o cut --quiet --resume --frames 15
cp older cut/checkpoint.spate
printf '0.5,99' >>cut/gauges.csv
spate run dam.json -o cut --quiet --resume
same cut_back "0 $(cksum <whole/gauges.csv)" "$code$err $(cksum <cut/gauges.csv)"

# killed outright
"$SPATE" run dam.json -o killed --quiet --set time.cfl=0.05 --set output.checkpoint_every=2 &
process=$!
while [ ! -e killed/particles.0005.ply ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
kill -KILL $process
{ wait $process; } 2>/dev/null
spate run --resume -o killed --quiet
same killed "0 $(cksum <fine/gauges.csv)" "$code$err $(cksum <killed/gauges.csv)"

# at a fixed rate: times, impulse and volume kept, the same after an interruption
rate="--set output.gauge_rate=100"
spate run dam.json -o rate --quiet --set time.cfl=0.3 --set fps=40 $rate
same rate_names "0 time [s],$columns" "$code$err $(head -n 1 rate/gauge_samples.csv)"
same rate_times "" "$(awk -F, 'NR > 1 && $1 != (NR - 2) / 100' rate/gauge_samples.csv)"
same rate_rows 52 "$(wc -l <rate/gauge_samples.csv)"
for column in 5 6 7; do # of the samples, which have no `step`
    same "rate_keeps_$column" \
        "$(awk -F, -v c=$((column + 1)) 'NR > 2 { s += $c * ($1 - t) } { t = $1 } END { printf "%.5g", s }' rate/gauges.csv)" \
        "$(awk -F, -v c=$column 'NR > 2 { s += $c / 100 } END { printf "%.5g", s }' rate/gauge_samples.csv)"
done
spate run dam.json -o part --quiet --set time.cfl=0.3 --set fps=40 $rate --frames 12
spate run dam.json -o part --quiet --set time.cfl=0.3 --set fps=40 $rate --resume
same rate_resumed "0 $(cksum <rate/gauge_samples.csv)" "$code$err $(cksum <part/gauge_samples.csv)"
holds no_rate_no_file test ! -e whole/gauge_samples.csv
spate run plain.json -o none --quiet $rate
same rate_without_gauges "0 spate: warning: plain.json: output.gauge_rate: means nothing without gauges and is ignored" "$code $err"
spate run dam.json -o bad --quiet --set output.gauge_rate=-1
holds rate_negative [ "$code" = 3 ]
spate run dam.json -o bad --quiet --set output.gauge_rate=1e9
holds rate_absurd [ "$code" = 3 ]

# the file is gone: the run goes on, and says so
spate run dam.json -o lost --quiet --frames 2
steps=$(tail -n 1 lost/gauges.csv | cut -d, -f 2)
rm lost/gauges.csv
spate run dam.json -o lost --quiet --frames 3 --resume
same lost "0 spate: warning: lost/gauges.csv: has 0 of the $((steps + 1)) rows up to step $steps: \
it was changed since" "$code $err"
same lost_rows "$names $((steps + 1))" \
    "$(head -n 1 lost/gauges.csv) $(sed -n 2p lost/gauges.csv | cut -d, -f 2)"

spate run plain.json -o lost --quiet --overwrite
holds overwrite_removes_it test ! -e lost/gauges.csv
spate run dam.json -o closed --quiet --frames 0
rm closed/gauges.csv
mkdir closed/gauges.csv
spate run dam.json -o closed --quiet --frames 1 --resume
same unreadable 4 "$code"
holds unreadable_says_which grep -q "^spate: closed/gauges.csv: " <<<"$err"

# gauges that cannot be read
refuses unknown_solid 3 "spate: dam.json: gauges[4].solid: there is no solid \"padle\"; did you mean \
\"paddle\"?" check dam.json --set "gauges[4].solid=padle"
refuses outside 3 "spate: dam.json: gauges[0].at: is outside the domain along x: must be 0 to 1 \
(got 1.5)" check dam.json --set "gauges[0].at=[1.5, 0]"
refuses slanted 3 "spate: dam.json: gauges[3].max: must be equal to min along exactly one axis, the one \
that the flux goes along (it is along 0): the two are the ends of a line parallel to an axis" check \
    dam.json --set "gauges[3].max=[0.6, 0.7]"
refuses same_name 3 "spate: dam.json: gauges[3].name: there is a column \"H1\" of gauges[0] already: \
choose another name" check dam.json --set "gauges[3].name=H1"
refuses unknown_kind 3 "spate: --set: gauges[0].kind: must be one of height, pressure, velocity, flux, \
force, moment, front, slice, channel (got \"hight\"; did you mean \"height\"?)" check dam.json --set "gauges[0].kind=hight"
refuses other_gauge 3 "spate: dam.json: gauges[0].at: was [0.3,0] in the run in fine and is [0.2,0] \
now: to resume, only frames, output, threads and device may change" run dam.json -o fine --resume \
    --set time.cfl=0.05 --set "gauges[0].at=[0.2, 0]"
finish
