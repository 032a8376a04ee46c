#!/bin/bash
# mesh.sh -- surfaces: `spate mesh DIR`, and those that a run writes as it goes.
. "${0%/*}/lib.sh"

# header FILE: the text of a PLY header
header() { sed -n '1,/end_header/p' "$1" | tr -d '\000'; }

scene_3d 4 >dam.json
scene_2d 2 >dam_2d.json

# ---- a run that writes them, and the command, agree to the bit
spate run dam.json -o a --quiet --set output.mesh=ply --threads 2
same run_writes_meshes "0 mesh.0000.ply mesh.0001.ply mesh.0002.ply mesh.0003.ply mesh.0004.ply" \
    "$code $(cd a && echo mesh.*)"
mkdir kept && cp a/mesh.* kept
rm a/mesh.*
spate mesh a --quiet --threads 1
same mesh_makes_the_same "0 " "$code $(for f in kept/*; do cmp "$f" "a/${f#kept/}" 2>&1; done)"
same nothing_but_errors_when_quiet "" "$out$err"

# ---- the same with a solid that moves: each frame has it where it is then
sed 's/"frames"/"solids": [ { "shape": "sphere", "center": [0.6, 0.2, 0.25], "radius": 0.15, "velocity": [-1.5, 0, 0] } ], "frames"/' \
    dam.json >ball.json
spate run ball.json -o ball --quiet --set output.mesh=ply
mkdir kept_ball && cp ball/mesh.* kept_ball
spate mesh ball --quiet
same solids_as_in_the_run "0 " "$code $(for f in kept_ball/*; do cmp "$f" "ball/${f#kept_ball/}" 2>&1; done)"
sed -i 's/"radius": *0.15/"radius": 0.05/' ball/run.json
spate mesh ball --quiet --frame 4
holds solids_end_the_surface sh -c '! cmp -s ball/mesh.0004.ply kept_ball/mesh.0004.ply'

# ---- what is in the file
same header_3d "ply
format binary_little_endian 1.0
comment spate, m and m/s
element vertex N
property float x
property float y
property float z
property float nx
property float ny
property float nz
property float vx
property float vy
property float vz
element face N
property list uchar int vertex_indices
end_header" "$(header a/mesh.0004.ply | sed -E 's/spate [0-9.]+/spate/; s/(vertex|face) [0-9]+/\1 N/')"
# a solid made of it must be a closed mesh, or the scene is refused
sed 's/"frames"/"solids": [ { "shape": "mesh", "file": "a\/mesh.0004.ply" } ], "frames"/
     s/"fill".*/"fill": [] }/' dam.json >solid.json
spate check solid.json
same mesh_is_a_closed_solid 0 "$code"

# ---- options
rm a/mesh.*
spate mesh a --frame 3 --resolution 1
same one_frame "0 mesh.0003.ply" "$code $(cd a && echo mesh.*)"
coarse=$(wc -c <a/mesh.0003.ply)
spate mesh a --frame 3 --resolution 3
holds resolution_counts [ "$(wc -c <a/mesh.0003.ply)" -gt $((4 * coarse)) ]
holds says_what_it_made grep -qE '^a/mesh.0003.ply: [0-9,]+ vertices, [0-9,]+ triangles$' <<<"$err"
spate mesh a --frame 3 --gap 0.05
same gap_is_taken 0 "$code"
spate mesh a --frame 3 --gap 0.2
same gap_of_a_hair "2 spate: --gap: must be 0 .. 0.1 (got '0.2')" "$code $err"

# ---- 2D
spate run dam_2d.json -o b --quiet --set output.mesh=ply --set output.mesh_resolution=1
holds edges_2d grep -q '^element edge [1-9]' <(header b/mesh.0002.ply)

# ---- resuming removes and makes again what comes after the checkpoint
spate run dam.json -o c --quiet --set output.mesh=ply --frames 2 --set output.checkpoint_every=1
touch c/mesh.0009.ply c/mesh.0001.ply.tmp c/mesh.txt
spate run --resume -o c --quiet --frames 4
same resumed "0 mesh.0000.ply mesh.0001.ply mesh.0002.ply mesh.0003.ply mesh.0004.ply mesh.txt" \
    "$code $(cd c && echo mesh.*)"
same resumed_same_bits "" "$(for f in kept/*; do cmp "$f" "c/${f#kept/}" 2>&1; done)"
spate run dam_2d.json -o c --quiet --overwrite
same overwrite_removes_meshes "0 mesh.txt" "$code $(cd c && echo mesh.*)"

# ---- a frame without particles
sed 's/"fill".*/"fill": [] }/' dam.json >dry.json
spate run dry.json -o dry --quiet --frames 1 --set output.mesh=ply
same dry "0 element vertex 0 element face 0" "$code $(header dry/mesh.0001.ply | grep element | tr '\n' ' ' | sed 's/ $//')"

# ---- bad cases
refuses not_a_run 4 "spate: kept: holds no run (there is no run.json)" mesh kept
refuses no_folder 4 "spate: nowhere: cannot be opened: No such file or directory" mesh nowhere
refuses no_such_frame 4 "spate: a: has no particles.0077.ply" mesh a --frame 77
refuses too_fine 2 "spate: --resolution: must be 1 .. 4 (got 9)" mesh a --resolution 9
refuses bad_setting 3 "spate: --set: output.mesh: must be one of none, ply (got \"plyy\"; did you mean \"ply\"?)" \
    run dam.json -o d --set output.mesh=plyy
spate run dam.json -o e --quiet --set output.particles=none --frames 1
refuses no_particles 4 "spate: e: has no particle files (output.particles was \"none\")" mesh e
head -c 2000 a/particles.0002.ply >a/cut && mv a/cut a/particles.0002.ply
spate mesh a --quiet --frame 2
same cut_particles "4 1" "$code $(grep -c 'a/particles.0002.ply: .*cut short' <<<"$err")"
if [ -w /dev/full ] && (ulimit -f 1) 2>/dev/null; then
    rm -f a/mesh.*
    (ulimit -f 1; trap '' XFSZ; "$SPATE" mesh a --frame 3 >/dev/null 2>.err)
    same full_disk "4 0" "$? $(ls a | grep -c '^mesh')"
else
    skip full_disk "no limit on files here"
fi
finish
