# `spate export` and the formats of a run: what they leave, what they refuse, killed runs, a full disk.
. "${0%/*}/lib.sh"
scene_2d 3 >dam.json
scene_3d 2 >dam_3d.json
spate run dam.json --quiet --set output.preview=false
spate run dam_3d.json --quiet --set output.preview=false

spate export out/dam --to vtk
same says "0 4 frames, 1,024 particles in all: open out/dam/vtk/particles.pvd" "$code $err"
same leaves_vtk "particles.0000.vtp particles.0001.vtp particles.0002.vtp particles.0003.vtp particles.pvd" \
    "$(files out/dam/vtk)"
spate export out/dam_3d --to vdb --last 1
same leaves_vdb "open_vdb.py volume.0000.vdb volume.0001.vdb" "$(files out/dam_3d/vdb)"
spate export out/dam_3d --to vdb --first 2
same again_replaces "open_vdb.py volume.0002.vdb" "$(files out/dam_3d/vdb)"
spate export out/dam --to usd --every 2 -o other
same leaves_usd "liquid.manifest.usda liquid.usda particles.0000.usdc particles.0002.usdc" "$(files other)"
spate export out/dam --to usd -o film.usda
same leaves_one_file "open film.usda" "${err##*: }"
spate export out/dam --to blender --quiet
same leaves_cache "config data mesh open.py" "$(files out/dam/blender)"
spate export out/dam --to ply -o same --quiet
holds same_bytes cmp same/particles.0002.ply out/dam/particles.0002.ply
spate export out/dam --to ply -o few --attributes "speed, id" --quiet
same chosen "x y z speed id" "$(echo $(sed -n 's/^property [a-z]* //p; /end_header/q' few/particles.0001.ply))"

# surfaces go along where a run has them
for frame in 0 1 2; do
    {
        echo "ply"; echo "format ascii 1.0"; echo "element vertex 3"
        echo "property float x"; echo "property float y"; echo "property float z"
        echo "element face 1"; echo "property list uchar int vertex_indices"; echo "end_header"
        echo "0 0 0"; echo "1 0 0"; echo "0 $frame 0.5"; echo "3 0 1 2"
    } >out/dam_3d/mesh.000$frame.ply
done
spate export out/dam_3d --to usd
same surfaces_too "0 3 frames, 1,536 particles and 3 surfaces in all: open out/dam_3d/usd/liquid.usda" "$code $err"
same surface_clips 3 "$(grep -o '@./surface.[0-9]*.usdc@' out/dam_3d/usd/liquid.usda | wc -l)"
spate export out/dam_3d --to usd -o both.usda --quiet
same surface_samples "(0, 1, 0.5)" "$(sed -n '/def Mesh/,$p' both.usda | sed -n 's/ *1: .*, \((.*)\)\],$/\1/p' | head -n 1)"
spate export out/dam_3d --to blender --quiet
same surface_cache "fluid_mesh_0001.bobj.gz fluid_mesh_0002.bobj.gz fluid_mesh_0003.bobj.gz lVelMesh_0001.uni \
lVelMesh_0002.uni lVelMesh_0003.uni" "$(files out/dam_3d/blender/mesh)"
sed -i '$ s/.*/3 0 1 7/' out/dam_3d/mesh.0001.ply
refuses bad_surface 4 "spate: out/dam_3d/mesh.0001.ply: names vertices that it has not" export out/dam_3d --to vtk
rm out/dam_3d/mesh.*

# attributes of the scene
spate run dam.json -o bare --quiet --set output.attributes= --set output.preview=false
same no_attributes "x y z" "$(echo $(sed -n 's/^property [a-z]* //p; /end_header/q' bare/particles.0001.ply))"
spate export bare --to vdb
same flat_is_no_volume "2 spate: bare: is a 2D run, and OpenVDB holds volumes: use --to vtk --volume" "$code $err"
refuses unknown_attribute 3 "spate: dam.json: output.attributes: particles have no \"sped\"; did you mean \"speed\"?" \
    run dam.json --set output.attributes=sped -o never
refuses no_such_channel 3 "spate: dam.json: output.attributes: \"age\" is a channel that particles must carry: add \
{ \"name\": \"age\" } to channels" run dam.json --set output.attributes=age -o never
refuses vdb_is_3d 3 "spate: dam.json: output.volume: OpenVDB holds volumes, not planes: use \"vtk\" in a 2D scene" \
    run dam.json --set output.volume=vdb -o never

# slips
refuses no_format 2 "spate: --to: is missing: usd, vtk, vdb, blender or ply" export out/dam
refuses slip 2 "spate: --to: unknown format 'vdk'; did you mean 'vtk'?" export out/dam --to vdk
refuses no_idea 2 "spate: --to: unknown format 'alembic': there are usd, vtk, vdb, blender and ply" \
    export out/dam --to alembic
refuses no_run 4 "spate: few: holds no run (there is no run.json)" export few --to vtk
refuses no_folder 4 "spate: nowhere: cannot be opened: No such file or directory" export nowhere --to vtk
refuses not_there 2 "spate: --attributes: the particle files have no 'age'; they have velocity, id" \
    export out/dam --to vtk --attributes age
refuses no_frames 4 "spate: out/dam: has no particle files to export (particles.NNNN.ply; see output.particles, \
--first, --last and --every)" export out/dam --to vtk --first 9
refuses usd_name 2 "spate: --usd: the name must end in .usd, .usda or .usdc (got 'film.abc')" run dam.json --usd film.abc
spate run dam.json -o one_usd --quiet --usd film.usd --set output.preview=false
same usd_by_content "0 PXR-USDC" "$code $(head -c 8 film.usd)"
spate export one_usd --to usd -o again.usd --quiet
same usd_by_content_again "0 PXR-USDC" "$code $(head -c 8 again.usd)"
refuses usd_resume 2 "spate: --usd: cannot begin in the middle of a run; with --resume, export afterwards: \
spate export DIR --to usd -o film.usdc" run dam.json --resume --usd film.usdc

# a folder of a newer version
cp -r out/dam newer
sed -i "s/\"spate\": \"$version\"/\"spate\": \"0.9.3\"/" newer/run.json
refuses newer_version 4 "spate: newer: was written by spate 0.9.3, which is newer than this one ($version): use that \
version" export newer --to vtk
for command in info render mesh plot; do
    spate $command newer
    same "newer_version_$command" "4 1" "$code $(grep -c 'newer: was written by spate 0.9.3' <<<"$err")"
done

# An incomplete tail is left out and named; damage in the middle is an error.
cp -r out/dam cut
truncate -s -100 cut/particles.0003.ply
spate export cut --to vtk
same tail_left_out "0 spate: warning: cut/particles.0003.ply: holds 252 of the 256 particles that its header \
promises: it is cut short; left out, with 1 frame in all at the end
3 frames, 768 particles in all: open cut/vtk/particles.pvd" "$code $err"
truncate -s 50 cut/particles.0001.ply
cp out/dam/particles.0003.ply cut
spate export cut --to usd
same middle_is_an_error "4 spate: cut/particles.0001.ply: the PLY header has no end_header: the file is cut short" \
    "$code $err"

# a killed run: the frames that it has written are readable, and so is what takes them together
spate run dam.json -o killed --frames 3 --quiet --set output.particles=vtk --set output.preview=false
rm killed/vtk/particles.0003.vtp && touch killed/vtk/particles.0003.vtp.tmp
cp killed/vtk/particles.0001.vtp first.vtp
spate run dam.json -o killed --resume --frames 5 --quiet --set output.particles=vtk --set output.preview=false
same resumed_frames "particles.0000.vtp particles.0001.vtp particles.0002.vtp particles.0004.vtp \
particles.0005.vtp particles.pvd" "$(files killed/vtk)"
same resumed_collection 5 "$(grep -c DataSet killed/vtk/particles.pvd)"
holds resumed_keeps cmp first.vtp killed/vtk/particles.0001.vtp
spate run dam.json -o killed --overwrite --frames 1 --quiet --set output.preview=false
same overwrite_clears "checkpoint.prev.spate checkpoint.spate particles.0000.ply particles.0001.ply run.json \
stats.csv" "$(files killed)"

# steps
spate run dam.json -o steps --quiet --steps 2 --usd steps.usdc --set output.preview=false
same steps_end "0 0 2" "$code $(ls steps | grep -c tmp) $("$SPATE" run dam.json --resume -o steps --quiet --json \
    --set output.preview=false | sed -n 's/.*"frame": 3.*/2/p')"

# a full disk: one file cannot grow, nothing half-written stays, frames before it are whole
for format in ply vtk usd vdb blender; do
    (ulimit -f 1 && "$SPATE" export out/dam_3d --to $format -o "full_$format" --quiet 2>err)
    code=$?
    same "full_disk_$format" "4 File too large 0" "$code $(sed 's/.*: //' err) $(find "full_$format" -name '*.tmp' | wc -l)"
done
(ulimit -f 1 && "$SPATE" export out/dam_3d --to usd -o full.usda --quiet 2>err)
same full_disk_text "4 File too large 0" "$? $(sed 's/.*: //' err) $(ls | grep -c '^full.usda')"

# surfaces and solids alone; a run that has no particle files; solids that do not move are one file
spate run dam_3d.json -o alone --quiet --set output.preview=false --set output.particles=none --set output.mesh=ply \
    --set 'solids[0].shape=sphere' --set 'solids[0].center=[0.8, 0.2, 0.2]' --set 'solids[0].radius=0.1'
spate export alone --to usd
same bare_usd "0 3 frames and 3 surfaces, 1 solid in all: open alone/usd/liquid.usda" "$code $err"
same bare_files "liquid.manifest.usda liquid.usda solids.usdc surface.0000.usdc surface.0001.usdc surface.0002.usdc" \
    "$(files alone/usd)"
spate export alone --to ply --quiet
same bare_ply "0 solids.0000.ply surface.0000.ply surface.0001.ply surface.0002.ply" "$code$err $(files alone/ply)"
spate export alone --to blender --quiet
same bare_blender "0 0 3" "$code$err $(ls alone/blender/data | wc -l) $(ls alone/blender/config | wc -l)"
spate export alone --to vtk --quiet --first 1
same bare_vtk "0 solids.0001.vtp solids.pvd surface.0001.vtp surface.0002.vtp surface.pvd" "$code$err $(files alone/vtk)"
refuses no_surfaces 4 "spate: out/dam: has no surfaces to export (mesh.NNNN.ply; 'spate mesh' makes them; see also \
--first, --last and --every)" export out/dam --to vtk --no-particles -o nowhere
refuses no_particles_vdb 2 "spate: --no-particles: volumes are made of particles" export alone --to vdb --no-particles
refuses no_particles_attributes 2 "spate: --attributes: are of particles, which --no-particles leaves out" \
    export alone --to vtk --no-particles --attributes speed
finish
