# A run that is killed at any moment resumes to the same bits: SIGKILL at 20 random moments, each
# followed by --resume.
. "${0%/*}/lib.sh"
scene_2d 30 >dam.json
RANDOM=${KILL_SEED:-1}

start=$(date +%s%N)
"$SPATE" run dam.json -o whole --json --quiet >whole.json
length=$((($(date +%s%N) - start) / 1000000)) # ms
whole=$(last_hash whole.json)
rows=$(steady whole/stats.csv)

# Checkpoints come by time too, inside frames, so that the kill also falls into one that is being
# written.
export SPATE_CHECKPOINT_SECONDS=0.001
kills=0 inside=0
for k in $(seq 20); do
    "$SPATE" run dam.json -o run$k --json --quiet --threads $((k % 3 + 1)) >out.json 2>err &
    process=$!
    moment=$((RANDOM % length))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    kill -KILL $process 2>/dev/null && kills=$((kills + 1))
    { wait $process; } 2>/dev/null
    # killed before there was a folder, or complete: both are fine, and the first has nothing to resume
    if [ -e run$k/run.json ]; then
        [ -e run$k/checkpoint.spate ] && inside=$((inside + 1))
        "$SPATE" run dam.json -o run$k --resume --json --quiet >>out.json 2>err
    else
        "$SPATE" run dam.json -o run$k --overwrite --json --quiet >out.json 2>err
    fi
    same "killed_$k" "0 $whole $(cksum <<<"$rows")$(files whole)" \
        "$? $(last_hash out.json) $(cksum <<<"$(steady run$k/stats.csv)")$(files run$k)$(cat err)"
    rm -rf run$k
done
holds kills_fell_inside_runs [ $inside -ge 5 ]
holds kills_happened [ $kills -ge 10 ]
finish
