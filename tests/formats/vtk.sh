# VTK files through VTK's own readers (python3-vtk9, the library inside ParaView).
. "$SPATE_SOURCE/tests/formats/lib.sh"
if ! has_module vtkmodules.vtkIOXML; then
    skip vtk "needs python3-vtk9 and python3-numpy"
    finish
fi
for run in stream:25 flat:30 one:30; do
    name=${run%:*}
    spate export "$name" --to vtk --quiet
    judge "vtk_$name" "$PYTHON" "$formats/vtk_read.py" "$name" "${run#*:}"
done
spate run stream.json -o live --quiet --set output.particles=vtk --set output.volume=vtk --set output.preview=false
same run_writes_what_export_writes "$(cd stream/vtk && md5sum particles.*)" "$(cd live/vtk && md5sum particles.*)"
spate export stream --to vtk --volume --quiet
same volume_too "$(cd stream/vtk && md5sum volume.pvd)" "$(cd live/vtk && md5sum volume.pvd)"
judge grid_of_a_run "$PYTHON" "$formats/vtk_read.py" --grid stage
judge solids_of_a_run "$PYTHON" "$formats/vtk_read.py" --solids stage/vtk vtp
spate export stage --to vtk --quiet -o stage_vtk
judge solids_vtk "$PYTHON" "$formats/vtk_read.py" --solids stage_vtk vtp
spate export stage --to ply --quiet
judge solids_ply "$PYTHON" "$formats/vtk_read.py" --solids stage/ply ply
spate export stage --to vtk --quiet --no-particles -o alone
same no_particles "solids.0000.vtp solids.0001.vtp solids.0002.vtp solids.pvd surface.0000.vtp surface.0001.vtp \
surface.0002.vtp surface.pvd" "$(echo $(ls alone))"
mv wedge.obj gone.obj
refused=$("$SPATE" export stage --to ply -o without 2>&1 >/dev/null)
holds solids_left_out grep -q "warning: stage: the solids are left out: .*wedge.obj" <<<"$refused"
mv gone.obj wedge.obj
"$SPATE_BUILD/tests/formats_surfaces" . || fail surfaces
judge vtk_mesh "$PYTHON" "$formats/vtk_read.py" --mesh tetrahedron.vtp 3
judge vtk_polyline "$PYTHON" "$formats/vtk_read.py" --mesh outline.vtp 2
finish
