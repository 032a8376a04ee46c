# `spate plot` and report.html: the files, what is in them, and folders that are none.
. "${0%/*}/lib.sh"
cat >dam.json <<END
{ "name": "dam & <gauges>", "domain": { "size": [1, 0.75], "cells": 16 }, "frames": 4,
  "fill": [ { "shape": "box", "min": [0, 0], "max": [0.5, 0.5] } ],
  "solids": [ { "name": "post", "shape": "box", "min": [0.7, 0], "max": [0.8, 0.2] } ],
  "gauges": [ { "name": "H1", "kind": "height", "at": [0.2, 0] }, { "name": "F1", "kind": "force", "solid": "post" } ] }
END
spate run dam.json --quiet -o run
same report_of_a_run "report.html" "$(cd run && echo report.*)"
spate plot run
same plot "0 8 charts (plot.*.svg) and report.html are in run" "$code $err"
same plot_files "plot.energy.svg plot.force.svg plot.height.svg plot.momentum.svg plot.solver.svg plot.speed.svg \
plot.time.svg plot.volume.svg" "$(cd run && echo plot.*)"
same force_series "F1_x F1_y" "$(echo $(grep -o 'F1_[xyz]' run/plot.force.svg))"
same height_points "$(($(wc -l <run/gauges.csv) - 1))" \
    "$(grep -o "points='[^']*'" run/plot.height.svg | tr ' ' '\n' | grep -c ,)"
if command -v xmllint >/dev/null; then
    holds well_formed xmllint --noout run/plot.*.svg
elif command -v python3 >/dev/null; then
    holds well_formed python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' run/plot.*.svg
else
    skip well_formed "needs xmllint or python3"
fi
same name_escaped 2 "$(grep -o 'dam &amp; &lt;gauges&gt;' run/report.html | head -n 2 | wc -l)"
same name_not_raw "" "$(grep -o '<gauges>' run/report.html)"
holds has_info grep -q '  frames     4 of 4, 0.133333 s: complete' run/report.html
holds has_picture grep -q "src='data:image/png;base64,iVBORw0KGgo" run/report.html
holds has_scene grep -q '&quot;particles_per_axis&quot;: 2' run/report.html
same stands_alone "" "$(grep -oE "(src|href)='[^d][^']{0,60}" run/report.html)"
same charts_in_it 8 "$(grep -c '<svg ' run/report.html)"

mkdir fewer
cp run/run.json fewer
refuses no_stats 4 "spate: fewer/stats.csv: cannot be opened: No such file or directory" plot fewer
head -n 1 run/stats.csv >fewer/stats.csv
refuses no_rows 4 "spate: fewer/stats.csv: has no rows yet" plot fewer
head -n 2 run/stats.csv >fewer/stats.csv
spate plot fewer --quiet
same one_row "0 6" "$code$err $(ls fewer/plot.*.svg | wc -l)"
same no_nan "" "$(grep -l -E 'nan|inf,' fewer/plot.*.svg)"
mkdir none
refuses no_run 4 "spate: none: holds no run (there is no run.json)" plot none
refuses no_folder 2 "spate: DIR: is missing (see 'spate plot --help')" plot
spate run dam.json --quiet -o bare --set output.preview=false
same no_report_wanted "" "$(ls bare | grep -E 'html|svg')"
finish
