# OpenVDB files through OpenVDB: vdb_print and Debian's Python module.
. "$SPATE_SOURCE/tests/formats/lib.sh"
if ! has_module pyopenvdb || ! has_module vtkmodules.vtkIOXML; then
    skip vdb "needs python3-openvdb, python3-vtk9 and python3-numpy"
    finish
fi
for name in stream one block; do
    spate export "$name" --to vdb --quiet
    spate export "$name" --to vtk --volume --quiet
    kind=any
    [ $name != block ] || kind=ball
    judge "vdb_$name" "$PYTHON" "$formats/vdb_read.py" $name $kind
done
spate run stream.json -o live --quiet --set output.volume=vdb --set output.preview=false
same run_writes_what_export_writes "$(cd stream/vdb && md5sum *)" "$(cd live/vdb && md5sum *)"
if command -v vdb_print >/dev/null; then
    printed=$(vdb_print -l block/vdb/volume.0001.vdb 2>&1)
    same vdb_print "surface Tree_float_5_4_3 vel Tree_vec3s_5_4_3" \
        "$(echo $(sed -nE 's/^(Name|  Type): //p' <<<"$printed"))"
else
    skip vdb_print "needs libopenvdb-tools"
fi
refuses no_planes 2 "spate: flat: is a 2D run, and OpenVDB holds volumes: use --to vtk --volume" export flat --to vdb
finish
