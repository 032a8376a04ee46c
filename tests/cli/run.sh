# `spate run`: the folder it leaves, what it says, occupied and unwritable folders, a full disk.
. "${0%/*}/lib.sh"
scene_2d 3 >dam.json
scene_3d 2 >dam_3d.json

particles="particles.0000.ply particles.0001.ply particles.0002.ply particles.0003.ply"
spate run dam.json --threads 2
same run_says "small dam: 16 x 12 cells, 256 particles, cpu with 2 threads, into out/dam
frame 0/3: 256 particles
frame 1/3: 256 particles, # steps, # iterations, # s, ETA #
frame 2/3: 256 particles, # steps, # iterations, # s, ETA #
frame 3/3: 256 particles, # steps, # iterations, # s, ETA #
256 particles, # steps in # s: # particle-steps per second
everything is in out/dam; out/dam/preview.png shows the last frame
0" "$(no_times <<<"$err" | sed -E 's/[0-9]+ steps?/# steps/; s/[0-9]+ iterations/# iterations/')
$code$out"
same run_leaves "checkpoint.prev.spate checkpoint.spate $particles preview.png report.html \
run.json stats.csv" "$(files out/dam)"
same stats_columns "frame,time,substeps,cfl,particles,flying,seeded,added,added_reseed,removed,removed_open,\
removed_outflow,removed_crushed,removed_user,removed_reseed,liquid_cells,ppc_mean,ppc_max,\
interior_empty,interior_few,interior_low,interior_good,interior_crowded,interior_mean,interior_max,\
volume,volume_particles,\
max_speed,momentum_x,momentum_y,momentum_z,kinetic_energy,potential_energy,divergence_before,divergence_after,\
solver_iterations,density_iterations,solver_residual,solver_failures,converged,momentum_lost,slip_p999,slip_max,\
collisions,long_pushes,in_solid,separate_energy,min_distance,overlaps,spray,foam,bubbles,dust,whitewater_emitted,whitewater_aged,whitewater_merged,whitewater_left,whitewater_crushed,whitewater_thinned,whitewater_off,allocations,background_pressure,\
t_sort,t_solids,t_p2g,t_surface,t_channels,t_forces,t_pressure,\
t_extrapolate,t_midway,t_g2p,t_separate,t_tracers,t_advect,t_emit,t_whitewater,t_other,seconds" "$(head -n 1 out/dam/stats.csv)"
same stats_rows "0 1 2 3" "$(echo $(column out/dam/stats.csv frame))"
same stats_only_numbers "" "$(tail -n +2 out/dam/stats.csv | tr ',' '\n' | grep -vE \
    '^-?([0-9.]+(e[-+][0-9]+)?|inf)$')"
same stats_seconds_add_up "4 rows add up" "$(awk -F, '
    NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /^t_/) stage[k]; next }
    { sum = -$NF; for (k in stage) sum += $k; good += sum * sum < 1e-8 }
    END { print good " rows add up" }' out/dam/stats.csv)"

spate run dam.json
same occupied "4 spate: out/dam: holds another run: go on with it (--resume), replace it \
(--overwrite) or choose another folder (-o DIR)" "$code $err"
echo mine >out/dam/notes.txt
mkdir out/dam/particles.old
touch out/dam/frame.0001.png out/dam/film.mp4 out/dam/plot.x.svg out/dam/particles.0009.ply out/dam/particles.0002.ply.tmp out/dam/particles.12.ply
spate run dam.json --overwrite --frames 1 --quiet
same overwrite_removes_only_its_own "checkpoint.prev.spate checkpoint.spate notes.txt \
particles.0000.ply \
particles.0001.ply particles.12.ply particles.old preview.png report.html run.json stats.csv" "$(files out/dam)"
same quiet "0" "$code$out$err"
mkdir foreign && echo mine >foreign/notes.txt
spate run dam.json --frames 0 --quiet -o foreign/
same foreign_files_are_no_run 0 "$code$err"

spate run dam_3d.json --json --quiet -o 3d
same json_lines 3 "$(wc -l <<<"$out")"
holds json_hash grep -Eq '^\{"frame": 2, "time": 0.0666666667, .*, "hash": "[0-9a-f]{16}"\}$' \
    <<<"$(tail -n 1 <<<"$out")"
if command -v jq >/dev/null; then
    same json_valid "0 1 2" "$(echo $(jq .frame <<<"$out"))"
    same run_json "$version dam_3d.json cpu 512 2" \
        "$(jq -r '"\(.spate) \(.scene_file) \(.device) \(.particles) \(.scene.frames)"' 3d/run.json)"
else
    skip json_valid "needs jq"
fi
spate run dam.json --quiet -o some --set output.every=2 --set output.preview=false
same every_second "checkpoint.prev.spate checkpoint.spate particles.0000.ply particles.0002.ply \
run.json stats.csv" "$(files some)"
spate run dam.json --quiet -o none --set output.particles=none --set output.preview=false
same no_particles "checkpoint.prev.spate checkpoint.spate run.json stats.csv" "$(files none)"

# an empty scene runs
echo '{ "domain": { "size": [1, 1], "cells": 8 }, "frames": 2 }' >empty.json
spate run empty.json --quiet
same empty "0 0 0" "$(echo $(column out/empty/stats.csv particles))"

# on a terminal a bar, which is gone in the end
if command -v script >/dev/null; then
    COLUMNS=80 script -qec "'$SPATE' run dam.json -o bar" /dev/null </dev/null >bar.txt
    holds bar grep -q $'\r\[#*-*\] .*frame [0-9]/3  256 particles  ETA ' bar.txt
    same bar_ends "everything is in bar; bar/preview.png shows the last frame" "$(tail -n 1 \
    bar.txt | tr -d '\r')"
    same bar_wiped $'\r\033[K' "$(tail -n 2 bar.txt | head -n 1 | grep -o $'\r.\\[K' | tail -n 1)"
else
    skip bar "needs script"
fi

# folders that cannot be written
touch file
refuses below_a_file 4 "spate: file/x: the folder cannot be made: Not a directory" run dam.json \
    -o file/x
refuses is_a_file 4 "spate: file: is not a folder" run dam.json -o file
spate run dam.json -o /proc/spate --quiet
same unwritable "4 spate: /proc/spate: the folder cannot be made: No such file or directory" \
    "$code $err"

# The disk fills up while the run goes on: a limit on the size of files does the same to one file,
# for everyone. The particles of frame 0 fit, the checkpoint does not.
limit=$(($(stat -c %s 3d/particles.0000.ply) / 1024 + 1))
(ulimit -f "$limit" && "$SPATE" run dam_3d.json -o full --quiet 2>err)
same file_too_large "4 spate: full/checkpoint.new.spate: cannot be written: File too large" "$? \
$(cat err)"
same nothing_half_written "" "$(cd full && ls | grep -E 'tmp|checkpoint')"
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    spate run dam_3d.json -o disk/run --frames 50 --quiet --set output.preview=false
    last=$(cd disk/run && ls particles.*.ply | tail -n 1)
    holds disk_full_message grep -Eq \
        '^spate: disk/run/[a-z0-9.]+: cannot be (written|created): No space left on device$' <<<"$err"
    same disk_full_code 4 "$code"
    same disk_full_whole_frames "$(stat -c %s disk/run/particles.0000.ply)" "$(stat -c %s \
    "disk/run/$last")"
    same disk_full_no_rest "" "$(cd disk/run && ls | grep tmp)"
    holds disk_full_whole_rows awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' disk/run/stats.csv
    umount disk
else
    skip disk_full "may not mount a small file system"
fi

# someone closes the pipe
"$SPATE" run dam.json -o pipe --frames 40 --json --quiet 2>err | head -n 1 >/dev/null
same closed_pipe "4 spate: standard output: cannot write" "${PIPESTATUS[0]} $(cat err)"
finish
