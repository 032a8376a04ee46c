# Scenes of the PIC-FLIP course: `spate import`, `spate run` with the options of the course's solver, and the messages.
. "${0%/*}/lib.sh"
cp "$SPATE_SOURCE"/tests/data/course/*.json .

note() { echo "spate: note: $1: a scene of the PIC-FLIP course; its solver may lose particles through walls, spate keeps them inside"; }
never="spate: warning: column.json: particle_events[1].frame: 25 is no multiple of frames_per_output (10): the event never acts"
spate import column.json
same import "0 $never"$'\n'"$(note column.json)" "$code $err"
printf '%s\n' "$out" >scene.json
holds import_kernel grep -q '"kernel_to_grid": "quadratic"' scene.json
spate import scene.json
same import_of_our_own "3 spate: scene.json: is no scene of the PIC-FLIP course (it has no key n_grid), but one of spate: run it" "$code $err"
spate check scene.json
same check_counts "  particles  729" "$(printf '%s\n' "$out" | grep -o '  particles  729')"

# One sample per output, the event of frame 20 before the third one.
spate run column.json --num_steps 30 --usd_output column.usda -o run --set output.preview=false
same run 0 "$code"
same told_once 1 "$(printf '%s\n' "$err" | grep -c 'may lose particles')"
same counts "729 729 1729 1729" "$(echo $(tail -n +2 run/stats.csv | cut -d, -f5))"
same steps "0 10 10 10" "$(echo $(tail -n +2 run/stats.csv | cut -d, -f3))"
holds usd_prim grep -q 'def Points "Particles"' column.usda
holds usd_world grep -q 'defaultPrim = "World"' column.usda
holds usd_up grep -q 'upAxis = "Y"' column.usda
holds usd_ten grep -q '0: \[(1, 1, 2), (1.5, 1, 2)' column.usda
same usd_samples "4 points 4 velocities" "$(awk '/timeSamples/ { name = $2; sub(/\..*/, "", name) }
    /^ *[0-9]+: \[/ { n[name]++ } END { print n["points"], "points", n["velocities"], "velocities" }' column.usda)"
holds closing_volume grep -q 'at the end    0.148 m^3 in boxes' <<<"$err"
holds closing_advice grep -q 'volume.method density' <<<"$err"
spate run pool.json --num_steps 5 --usd_output alone.usda -o alone --quiet --set output.preview=false --set output.particles=none
same usd_without_files "0 2071 2071" "$code $(echo $(awk '/points.timeSamples/ { on = 1 } on && /^ *[0-9]+: \[/ { print gsub(/\(/, "") }
    /velocities/ { on = 0 }' alone.usda))"
spate run column.json --num_steps 15 -o odd --quiet --set output.preview=false
same odd_steps "0 2" "$code $(tail -n +2 odd/stats.csv | wc -l)"

# The printed scene and the file itself are the same run, to the bit.
spate run scene.json --frames 1 -o ours --json --quiet --set output.preview=false
first=$(printf '%s\n' "$out" | grep -o '"hash": *"[^"]*"')
spate run column.json --frames 1 -o theirs --json --quiet --set output.preview=false
same same_bits "$first" "$(printf '%s\n' "$out" | grep -o '"hash": *"[^"]*"')"
holds bits_there test -n "$first"

# spate's own way with the same boxes keeps the volume.
spate import pool.json --own
printf '%s\n' "$out" >own.json
spate run own.json --frames 1 -o own --quiet --set output.preview=false
same own "0" "$code"

echo '{ "n_grid": 8, "gravty": [0, 0, 0] }' >typo.json
spate run typo.json --num_steps 0 -o typo --quiet --set output.preview=false
same typo_warned "0 spate: warning: typo.json: gravty: is no key of a course scene and is ignored; did you mean gravity?" \
    "$code $(printf '%s\n' "$err" | head -n 1)"
echo '{ "domain": { "size": [1, 1] }, "gravty": [0, 0] }' >ours.json
spate check ours.json
same typo_of_ours_refused 3 "$code"
refuses steps_twice 2 "spate: --steps and --num_steps say the same: give one of them" run column.json --steps 3 --num_steps 3
refuses usd_name 2 "spate: --usd_output: the name must end in .usd, .usda or .usdc (got 'x.abc')" run column.json --usd_output x.abc
finish
