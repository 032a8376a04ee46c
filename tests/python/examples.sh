#!/bin/bash
# Each example runs, is short, and what it prints is right.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs examples
failures=0
report() { # report NAME STATUS
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "FAIL $1"; failures=1; fi
}
examples=$SPATE_SOURCE/examples/python
for source in "$examples"/*.py; do
    lines=$(wc -l <"$source")
    [ "$lines" -le 80 ]
    report "$(basename "$source") has at most 80 lines (it has $lines)" $?
done
try() { # try EXAMPLE ARGUMENT...
    local name=$1
    shift
    "$PYTHON" -W error::UserWarning "$examples/$name.py" "$@" >"$name" 2>&1
    local code=$?
    [ $code -eq 0 ] || sed 's/^/  /' "$name"
    report "$name runs" $code
}
says() { # says EXAMPLE WHAT SED-SCRIPT AWK-SCRIPT: the numbers that sed takes out of its output satisfy awk
    sed -n "$3" "$1" | awk "$4"
    local code=$?
    [ $code -eq 0 ] || sed 's/^/  /' "$1"
    report "$1: $2" $code
}
has_matplotlib=false
"$PYTHON" -c 'import matplotlib' 2>/dev/null && has_matplotlib=true

try 01_wave_tank $($has_matplotlib && echo wave.png)
says 01_wave_tank "waves are as long as linear theory says, within 5 %" \
    's/wavelength \([0-9.]*\) m, by linear theory \([0-9.]*\) m/\1 \2/p' \
    'END { share = $1 / $2; exit !(NR == 1 && share > 0.95 && share < 1.05) }'
try 02_sweep table.csv
says 02_sweep "FLIP keeps more energy with a higher ratio, and the volume stays" \
    's/^ *\(flip\|apic\) *//p' \
    '{ left[$1 " " $2] += $4; if ($5 < 0.97 || $5 > 1.03) bad++ } END { exit !(NR == 6 && !bad &&
     left["0.99 32"] > left["0.9 32"] && left["0.99 48"] > left["0.9 48"]) }'
"$PYTHON" -c 'import spate; t = spate.read_table("table.csv"); assert len(t) == 6 and t.cells[0] == 32' 2>read_log
report "02_sweep: table.csv is there" $?
try 03_own_force $($has_matplotlib && echo spring.png)
says 03_own_force "the drop is where a mass on a spring is, within 3 mm" \
    's/largest difference on the way: \([0-9.]*\) mm/\1/p' 'END { exit !(NR == 1 && $1 < 3) }'
try 04_learning_data data
says 04_learning_data "100 runs" 's/^\([0-9]*\) runs of .* frames in data, \([0-9]*\) pairs in data.npz/\1 \2/p' \
    'END { exit !(NR == 1 && $1 == 100 && $2 == 1000) }'
"$PYTHON" -c '
import numpy, spate
data = numpy.load("data/data.npz")
assert data["inputs"].shape == data["targets"].shape == (1000, 3, 24, 24) and numpy.isfinite(data["inputs"]).all()
assert (data["inputs"][1] == data["targets"][0]).all() and data["inputs"][:, 0].mean() > 0.05
runs = [spate.read(f"data/run.{k:03d}") for k in range(100)]
assert len({len(run[0]) for run in runs}) > 50 and all(len(run) == 11 and len(run.stats) == 11 for run in runs)'
report "04_learning_data: the folders are runs, and the pairs follow each other" $?
if $has_matplotlib; then
    "$PYTHON" "$SPATE_SOURCE/scripts/run-notebook.py" "$examples/05_notebook.ipynb" --images . >05_notebook 2>&1
    code=$?
    [ $code -eq 0 ] || sed 's/^/  /' 05_notebook
    report "05_notebook runs" $code
    says 05_notebook "the pressure makes the flow free of divergence" 's/^\(forces\|pressure\) *\([0-9.e+-]*\) .*/\2/p' \
        'NR == 1 { before = $1 } END { exit !(NR == 2 && before > 1e-3 && $1 < 2e-4) }'
    grep -q 'StaleView: ' 05_notebook && grep -qx '6 cells, 3 pictures' 05_notebook && [ -s 05_notebook.3.png ]
    report "05_notebook: pictures and a stale view" $?
    "$PYTHON" -c '
import json, sys
cells = [c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
pictures = sum("image/png" in o.get("data", {}) for c in cells for o in c["outputs"])
assert pictures == 3 and all(c["execution_count"] for c in cells)' "$examples/05_notebook.ipynb"
    report "05_notebook holds its pictures" $?
else
    echo "skip 05_notebook"
    echo "  skipped: there is no matplotlib"
fi
exit $failures
