# `spate bench`: what it prints adds up, in text and JSON, of a case by name and of a scene file; the scripts
# that read it; and what it refuses.
. "${0%/*}/lib.sh"
scene_2d 3 >dam.json

spate bench 2d-20 dam.json --frames 2 --repeats 2 --warmup 0 --threads 1,2 --json
same lines "0 4" "$code $(wc -l <<<"$out")"
same cases '"2d-20" 1
"2d-20" 2
"dam.json" 1
"dam.json" 2' "$(sed -E 's/.*"case": ("[^"]*").*"threads": ([0-9]+),.*/\1 \2/' <<<"$out")"
same particles "256 256" "$(sed -nE 's/.*"case": "(2d-20|dam.json)".*"threads": 1, "particles": ([0-9]+),.*/\2/p' \
    <<<"$out" | tr '\n' ' ' | sed 's/ $//')"
# rate x seconds = particles x steps, low <= rate <= high, and the stages make up the time of a step
holds adds_up awk '
function number(key) { match($0, "\"" key "\": [-+.e0-9]+"); return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) + 0 }
{
    rate = number("rate")
    work = number("particles") * number("steps") / (rate * number("seconds"))
    text = $0; sub(/.*"ns": \{/, "", text); sub(/\}.*/, "", text)
    count = split(text, parts, ", "); sum = 0
    for (k = 1; k <= count; k++) { split(parts[k], pair, ": "); sum += pair[2] }
    sum *= rate / 1e9
    if (work < 0.999 || work > 1.001 || number("rate_low") > rate || number("rate_high") < rate ||
        sum < 0.99 || sum > 1.05 || count < 11 || number("bytes_per_particle") < 40 || number("triad") < 1e8)
        exit 1
}' <<<"$out"
printf '%s\n' "$out" >bench.json

spate bench dam.json --frames 1 --repeats 1 --threads 1
holds text grep -Eq '^dam.json: 256 particles, [0-9.]+ simulated seconds, [0-9]+ steps, 1 thread, ' <<<"$out"
holds text_stage grep -Eq '^  pressure +[0-9.]+ %  +[0-9.]+ ns per particle and step$' <<<"$out"

if "$SPATE_SOURCE/bench/chart" <bench.json >chart.svg; then
    same chart_bars "2d-20, 1 thread; 2d-20, 2 threads; dam.json, 1 thread; dam.json, 2 threads; " \
        "$(sed -nE 's/.*text-anchor="end">(.*)<\/text>/\1; /p' chart.svg | tr -d '\n')"
    holds chart_legend grep -q '>pressure<' chart.svg
    same chart_end "</svg>" "$(tail -n 1 chart.svg)"
else
    fail chart
fi
holds chart_nothing test "$("$SPATE_SOURCE/bench/chart" </dev/null 2>&1)" = \
    "bench/chart: no lines of spate bench --json on standard input"
out=$("$SPATE_SOURCE/bench/compare" -n 2 -f 1 "$SPATE" "$SPATE" dam.json)
holds compare_rate grep -Eq '^  million particle-steps per second +[0-9.]+ +[0-9.]+  x [0-9.]+$' <<<"$out"
holds compare_steps grep -Eq '^  steps +([0-9]+) +\1  x 1.000$' <<<"$out"

refuses no_case 4 "spate: 4d-10: cannot be opened: No such file or directory" bench 4d-10
refuses bad_threads 2 \
    "spate: --threads: must be 'all' or up to 16 numbers from 1 to 256 such as 1,2,4 (got '1,,2')" \
    bench dam.json --threads 1,,2
refuses no_repeats 2 \
    "spate: --repeats: must be a whole number of at least 1 (got '0') (see 'spate bench --help')" \
    bench dam.json --repeats 0
refuses many_repeats 2 "spate: --repeats: must be at most 99 (got 100)" bench dam.json --repeats 100
finish
