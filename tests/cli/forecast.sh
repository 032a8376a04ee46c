# `spate check` against what a run takes, on every preset: the particles are exact, and the memory is
# within 20 % of the measured peak (films included, ffmpeg itself left out). The runs are coarse in time (long frames, few steps), so that the
# liquid spreads as far as in a full run.
. "${0%/*}/lib.sh"

if grep -aq -e __asan_init -e __tsan_init "$SPATE"; then
    skip forecast_memory "this build has a sanitizer, which takes memory of its own"
    finish
fi
if ! "${CC:-cc}" -O1 -o peak "$SPATE_SOURCE/tests/cli/peak.c"; then
    fail forecast_peak "peak.c does not compile"
    finish
fi

# Films are drawn, but the memory of ffmpeg is its own: this stands for it.
cat >encoder <<'EOF'
#!/bin/sh
cat >/dev/null
for last; do :; done
: >"$last"
EOF
chmod +x encoder
export SPATE_FFMPEG=$PWD/encoder

number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; } # number NAME: of a JSON object on stdin

for scene in "$SPATE_SOURCE"/scenes/*.json; do
    name=$(basename "$scene" .json)
    forecast=$("$SPATE" check "$scene" --json --threads 2)
    # the particles of the first frame, before any step
    seeded=$("$SPATE" run "$scene" -o start --overwrite --quiet --json --frames 0 \
        --set output.preview=false 2>/dev/null | head -n 1 | number particles)
    same "particles_$name" "$(number particles <<<"$forecast")" "$seeded"
    peak=$(./peak "$SPATE" run "$scene" -o out --overwrite --quiet --threads 2 --frames 14 --set fps=10 \
        --set time.max_substeps=3) || { fail "memory_$name" "the run failed"; continue; }
    told=$(number memory <<<"$forecast")
    # per mille of the peak
    share=$((told / 1024 * 1000 / peak))
    if [ $share -ge 800 ] && [ $share -le 1200 ]; then
        ok "memory_$name"
    else
        fail "memory_$name" "told $((told / 1024)) kB, peak $peak kB: $((share / 10)) %"
    fi
done
finish
