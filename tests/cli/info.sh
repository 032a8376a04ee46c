# `spate info`: what it says of a run that is complete, one that is not, and folders that are none.
. "${0%/*}/lib.sh"
scene_2d 2 >dam.json
spate run dam.json --quiet -o run --threads 1

spate info run
same info "small dam (2D) in run
  scene      dam.json
  made by    spate $version on cpu, 1 thread
  frames     2 of 2, 0.0666667 s: complete
  particles  256 = 256 seeded + 0 added - 0 removed
  removed    0 by open sides, 0 by outflows, 0 crushed, 0 by the user
0" "$(head -n 6 <<<"$out")
$code$err"
same info_labels "time volume momentum max solver" "$(echo $(sed -n '7,/^$/p' <<<"$out" | awk \
    '{ print $1 }'))"
same info_verdicts "good volume, good particles per cell, good solver, good time step, good solids" \
    "$(sed -nE 's/^  (good|watch|bad) +([a-z ]+): .*/\1 \2/p' <<<"$out" | grep -vE \
    'spacing|momentum|energy' | paste -sd, | sed 's/,/, /g')"
holds info_solver grep -Eq \
    '^  solver     [0-9,]+ iterations \([0-9.]+ per step\), 0 solves without convergence$' <<<"$out"
spate info run --json
holds info_json_verdicts grep -qE \
    '"verdicts": \[\{"quantity": "volume", "level": "good", "text": ".*", "help": ""\}' <<<"$out"
holds info_json grep -q '"frame": 2, "frames": 2, "complete": true, .*"particles": 256, ' <<<"$out"

sed -i 's/"frames": 2/"frames": 5/' run/run.json
spate info run
holds incomplete grep -q '^  frames     2 of 5, 0.0666667 s: incomplete$' <<<"$out"
printf '3,0.1,2,tor' >>run/stats.csv
spate info run
holds torn_row_ignored grep -q '^  frames     2 of 5' <<<"$out"
echo 'n,x' >>run/stats.csv
columns=$(head -n 1 run/stats.csv | tr , "\n" | wc -l)
refuses damaged_stats 4 "spate: run/stats.csv: line 5 is not a row of $columns numbers" info run
sed -i '$d' run/stats.csv
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k }
    NR == 4 { $c["volume"] *= 0.5; $c["in_solid"] = 2; $c["interior_empty"] = 999; $c["overlaps"] = 0.5
              $c["solver_failures"] = 1; $c["cfl"] = 30; $c["momentum_lost"] = 3
              $c["kinetic_energy"] *= 9 } 1' run/stats.csv >bad.csv
mv bad.csv run/stats.csv
spate info run
same bad_verdicts "bad volume, bad particles per cell, bad spacing, bad momentum, bad energy, \
bad solver, bad time step, bad solids" "$(sed -nE 's/^  (good|watch|bad) +([a-z ]+): .*/\1 \2/p' \
    <<<"$out" | paste -sd, | sed 's/,/, /g')"
same bad_verdicts_help 8 "$(grep -cE '^         [a-z].*' <<<"$out")"
rm run/stats.csv
spate info run
holds just_begun grep -q '^  frames     none of 5: incomplete$' <<<"$out"
echo '{' >run/run.json
spate info run
holds damaged_run_json grep -q '^spate: run/run.json: is damaged: line 2, column 0: ' <<<"$err"
echo '{}' >run/run.json
refuses foreign_run_json 4 "spate: run/run.json: is not the run.json of a spate run" info run
mkdir empty
refuses no_run 4 "spate: empty: holds no run (there is no run.json)" info empty
refuses no_folder 4 "spate: nowhere: cannot be opened: No such file or directory" info nowhere
refuses no_folder_file 4 "spate: dam.json: is not a folder" info dam.json
finish
