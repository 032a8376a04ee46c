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
same volume_too "$(cd stream/vtk && md5sum volume.*)" "$(cd live/vtk && md5sum volume.*)"
"$SPATE_BUILD/tests/formats_surfaces" . || fail surfaces
judge vtk_mesh "$PYTHON" "$formats/vtk_read.py" --mesh tetrahedron.vtp 3
judge vtk_polyline "$PYTHON" "$formats/vtk_read.py" --mesh outline.vtp 2
finish
