#!/bin/sh
# iteration-chart.sh -- turns the output of spate_bench_pressure (stdin) into a bar chart (SVG, stdout): iterations of the
# pressure solve with multigrid and with MIC(0), one pair of bars per system.
#
#     build/release/spate_bench_pressure 64 128 | scripts/iteration-chart.sh >docs/images/iterations.svg
set -eu
awk 'BEGIN { n = 0 }
# rows: system  cells  multigrid  MIC(0)  unknowns  ...
$2 + 0 > 0 {
    label[n] = $1 " " $2 "³"
    multigrid[n] = $3 + 0
    mic[n] = $4 + 0
    most = mic[n] > most ? mic[n] : most
    most = multigrid[n] > most ? multigrid[n] : most
    n++
}
function bar(x, value, colour) {
    tall = value * high / most
    printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"%s\"/>\n", x, top + high - tall, wide, tall, colour
    printf "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%d</text>\n", x + wide / 2, top + high - tall - 6, value
}
END {
    if (n == 0) {
        print "iteration-chart.sh: no rows of spate_bench_pressure on standard input" >"/dev/stderr"
        exit 1
    }
    wide = 42; step = 3 * wide; left = 24; top = 64; high = 230
    width = 2 * left + n * step
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", \
        width, top + high + 40, width, top + high + 40
    print "<style>text{font:15px sans-serif;fill:#222}</style>"
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    printf "<text x=\"%d\" y=\"26\">Iterations to max|r| = 1e-4 max|b|, from zero</text>\n", left
    printf "<rect x=\"%d\" y=\"14\" width=\"14\" height=\"14\" fill=\"#1763bd\"/>", width - 230
    printf "<text x=\"%d\" y=\"26\">multigrid</text>\n", width - 210
    printf "<rect x=\"%d\" y=\"14\" width=\"14\" height=\"14\" fill=\"#b8c0cc\"/>", width - 110
    printf "<text x=\"%d\" y=\"26\">MIC(0)</text>\n", width - 90
    for (k = 0; k < n; k++) {
        x = left + k * step + wide / 2
        bar(x, multigrid[k], "#1763bd")
        bar(x + wide, mic[k], "#b8c0cc")
        printf "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", x + wide, top + high + 24, label[k]
    }
    printf "<path d=\"M%d %dH%d\" stroke=\"#222\"/>\n</svg>\n", left, top + high, width - left
}'
