# Stopping and going on: the same bits as without a stop, and clear words where that cannot be.
. "${0%/*}/lib.sh"
scene_2d 20 >dam.json
scene_3d 4 | sed 's/"frames"/"output": { "preview": false }, "frames"/' >dam_3d.json # pictures are not the subject

"$SPATE" run dam.json -o whole --json --quiet --threads 1 >whole.json
whole=$(last_hash whole.json)
rows=$(steady whole/stats.csv)

# stop NAME SIGNAL OPTION...: starts dam.json, waits for a few frames, sends the signal; the exit
# code is in $code
stop() {
    local folder=$1 signal=$2
    shift 2
    : >"$folder.json"
    "$SPATE" run dam.json -o "$folder" --json --quiet "$@" >"$folder.json" 2>"$folder.err" &
    local process=$!
    while [ "$(wc -l <"$folder.json")" -lt 3 ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    kill -"$signal" $process 2>/dev/null
    wait $process
    code=$?
}

for signal in INT TERM; do
    for try in 1 2 3 4; do # on a busy machine the run may be over before the signal comes
        rm -rf s$signal
        stop s$signal $signal --threads 2 --set time.cfl=0.05
        [ $code -eq 0 ] || break
    done
    same "stopped_$signal" "75 spate: stopped at frame" "$code $(cut -c 1-23 s$signal.err)"
    holds "stopped_${signal}_picture" test -s s$signal/preview.png
    holds "stopped_${signal}_rows" [ "$(column s$signal/stats.csv frame | tail -n 1)" -lt 20 ]
done
"$SPATE" run dam.json -o fine --json --quiet --set time.cfl=0.05 >fine.json
"$SPATE" run dam.json -o sINT --json --quiet --set time.cfl=0.05 --threads 3 --resume >rest.json
same resume_other_threads "0 $(last_hash fine.json)" "$? $(last_hash rest.json)"
same resume_same_rows "$(steady fine/stats.csv)" "$(steady sINT/stats.csv)"
"$SPATE" run --resume -o sTERM --json --quiet >rest.json
same resume_without_scene "0 $(last_hash fine.json)" "$? $(last_hash rest.json)"
same resume_same_files "$(files fine)" "$(files sTERM)"
same resume_same_particles "$(cksum <fine/particles.0020.ply)" "$(cksum <sTERM/particles.0020.ply)"

# fewer frames first, more later; in 3D too
spate run dam_3d.json -o long --quiet --json
long=$(tail -n 1 <<<"$out" | grep -o '"hash.*')
spate run dam_3d.json -o short --quiet --frames 2
spate run dam_3d.json -o short --quiet --resume --json
same resume_longer "$long" "$(tail -n 1 <<<"$out" | grep -o '"hash.*')"
same resume_longer_rows "$(steady long/stats.csv)" "$(steady short/stats.csv)"
spate run dam_3d.json -o short --resume
holds resume_complete grep -qx 'all 4 frames are there already (--frames N for more)' <<<"$err"
same resume_complete_rows "$(cat short/stats.csv | wc -l)" 6

# rows and files after the checkpoint are made again
spate run dam.json -o cut --quiet --frames 12
cp cut/checkpoint.prev.spate older
spate run dam.json -o cut --quiet --resume --frames 15
cp older cut/checkpoint.spate
printf '16,0.5' >>cut/stats.csv
touch cut/particles.0030.ply cut/particles.0031.ply.tmp cut/checkpoint.new.spate
spate run dam.json -o cut --quiet --resume --json
same cut_back "0 $whole" "$code $(last_hash .out)"
same cut_back_rows "$rows" "$(steady cut/stats.csv)"
same cut_back_files "$(files whole)" "$(files cut)"

# damaged checkpoints
damage() { printf 'damage' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc \
    2>/dev/null; }
spate run dam.json -o bad --quiet --frames 12
cp -r bad both
cp -r bad cropped
damage bad/checkpoint.spate
spate run dam.json -o bad --quiet --resume --json
same damaged_falls_back "0 $whole" "$code $(last_hash .out)"
holds damaged_warns grep -Eqx \
    'spate: warning: bad/checkpoint.spate: .*; using the checkpoint before it' <<<"$err"
same damaged_rows "$rows" "$(steady bad/stats.csv)"
truncate -s -1 cropped/checkpoint.spate
spate run dam.json -o cropped --quiet --resume --frames 13
same cropped "0 spate: warning: cropped/checkpoint.spate: is damaged: it ends too early; using \
the checkpoint before it" "$code $err"
echo more >>both/checkpoint.spate
damage both/checkpoint.prev.spate
cp -r both before
spate run dam.json -o both --quiet --resume
same both_damaged 4 "$code"
same both_damaged_first "spate: warning: both/checkpoint.spate: is damaged: it goes on after its \
end; using the checkpoint before it" \
    "$(head -n 1 <<<"$err")"
same both_damaged_last "spate: no usable checkpoint in both: start it again with --overwrite" \
    "$(tail -n 1 <<<"$err")"
holds both_damaged_untouched diff -rq before both

# a checkpoint of version 0.2
cp -r before old
for file in old/checkpoint.spate old/checkpoint.prev.spate; do
    printf 'spatecp3' | dd of=$file conv=notrunc status=none
done
spate run dam.json -o old --quiet --resume
same old_version 4 "$code"
same old_version_first "spate: warning: old/checkpoint.spate: made by version 0.2 or an older one: it \
cannot be continued by this version; using the checkpoint before it" "$(head -n 1 <<<"$err")"
same old_version_last "spate: no usable checkpoint in old: start it again with --overwrite" \
    "$(tail -n 1 <<<"$err")"

# nothing to resume
refuses no_folder 4 "spate: no checkpoint in out/dam: start it without --resume" run dam.json --resume
mkdir empty
refuses no_checkpoint 4 "spate: no checkpoint in empty: start it without --resume" run dam.json \
    -o empty --resume
rm before/checkpoint*
refuses lost_checkpoints 4 "spate: no checkpoint in before: start it again with --overwrite" run \
    dam.json -o before --resume
holds lost_checkpoints_untouched test -e before/particles.0012.ply

# killed before the first checkpoint: nothing is lost by beginning anew
spate run dam.json -o begun --quiet --frames 0
rm begun/checkpoint* begun/preview.png
spate run dam.json -o begun --quiet --resume --json
same begins_anew "0 $whole" "$code$err $(last_hash .out)"
same begins_anew_rows "$rows" "$(steady begun/stats.csv)"
rm -r begun/[!r]*
spate run --resume -o begun --quiet --json
same begins_anew_from_run_json "0 $whole" "$code$err $(last_hash .out)"

# a run that is complete stays as it is, whatever number of frames is asked for
spate run dam.json -o complete --quiet --frames 3
before=$(cd complete && cksum *)
for frames in 3 2; do
    spate run dam.json -o complete --resume --frames $frames --json --quiet
    same "complete_$frames" "0 $before" "$code $out$(cd complete && cksum *)"
done

# another scene
spate run dam.json -o other --quiet --frames 1
refuses other_setting 3 "spate: dam.json: fluid.flip_ratio: was 0.97 in the run in other and is \
0.5 now: to resume, only \
frames, output, threads and device may change" run dam.json -o other --resume --set \
    fluid.flip_ratio=0.5
refuses other_vector 3 "spate: --set: gravity: was [0,-9.81] in the run in other and is [0,-1] \
now: to resume, only \
frames, output, threads and device may change" run --resume -o other --set "gravity=[0,-1]"
sed 's/"shape": "box"/"shape": "box", "velocity": [1, 0]/' dam.json >moved.json
refuses other_shape 3 "spate: moved.json: fill[0].velocity: was [0,0] in the run in other and is \
[1,0] now: to resume, \
only frames, output, threads and device may change" run moved.json -o other --resume
spate run dam.json -o other --resume --quiet --frames 2 --set output.every=2 --set \
    output.checkpoint_every=1
same output_may_change "0 2" "$code$err $(column other/stats.csv frame | tail -n 1)"

# stats.csv is empty, or torn in its first line: it gets its names again
for content in "" "frame,ti"; do
    rm -rf hollow
    spate run dam.json -o hollow --quiet --frames 2
    printf %s "$content" >hollow/stats.csv
    spate run dam.json -o hollow --quiet --frames 3 --resume
    same "hollow_stats_$content" "0 frame 3" \
        "$code $(sed 's/,.*//' hollow/stats.csv | tr '\n' ' ' | sed 's/ $//')"
done
echo other,columns >hollow/stats.csv
refuses other_columns 4 "spate: hollow/stats.csv: has other columns than this version of spate writes: move it away to \
go on" run dam.json -o hollow --quiet --frames 4 --resume

# stats.csv is gone: the run goes on, and says so
spate run dam.json -o lost --quiet --frames 2
rm lost/stats.csv
spate run dam.json -o lost --quiet --frames 3 --resume
same lost_stats "0 spate: warning: lost/stats.csv: has 0 of the 3 rows up to frame 2: it was \
changed since" "$code $err"
same lost_stats_rows 3 "$(column lost/stats.csv frame)"

# a second signal does not wait for the step
sed 's/"cells": 8/"cells": 80/' dam_3d.json >large.json
"$SPATE" run large.json -o large --json --quiet >large.out 2>large.err &
process=$!
while [ ! -e large/checkpoint.spate ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
kill -INT $process
kill -TERM $process
{ wait $process; } 2>/dev/null
code=$? # of the one that came second, whichever that was
same second_signal "1 stopped" "$(wc -l <large.out) $([ $code = 130 ] || [ $code = 143 ] && echo \
    stopped)$(cat large.err)"

# two runs in one folder
"$SPATE" run dam.json -o busy --quiet --set time.cfl=0.05 &
process=$!
while [ ! -e busy/particles.0001.ply ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
refuses busy 4 "spate: busy: another run or export is working in this folder: wait for it, or choose \
another one with -o" \
    run dam.json -o busy --overwrite
spate info busy
same busy_may_be_looked_at 0 "$code"
kill -KILL $process
{ wait $process; } 2>/dev/null
spate run dam.json -o busy --resume --quiet --frames 3 --set time.cfl=0.05
same lock_ends_with_the_process 0 "$code$err"
finish
