# USD through OpenUSD itself and through tinyusdz, both as WebAssembly from npm. OpenUSD composes the value clips.
. "$SPATE_SOURCE/tests/formats/lib.sh"
modules=${SPATE_NODE_MODULES:-$SPATE_BUILD/formats/node_modules}
if ! has_module numpy; then
    skip usd "needs python3-numpy"
    finish
fi
open_usd() { node "$formats/usd_open.cjs" "$modules" "$1" "$2" 2>/dev/null; }  # FOLDER ROOT
tiny_usd() { node "$formats/usd_tiny.mjs" "$modules" "$1" 2>/dev/null; }       # LAYER
reads() { # reads NAME READER ARGUMENT... -- ARGUMENT-OF-usd_read.py...
    local name=$1 command=()
    shift
    while [ "$1" != -- ]; do command+=("$1"); shift; done
    shift
    "${command[@]}" >text.usda
    judge "$name" "$PYTHON" "$formats/usd_read.py" "$@" <text.usda
}

for run in stream:25 flat:30 one:30; do
    spate export "${run%:*}" --to usd --quiet
    spate export "${run%:*}" --to usd --quiet -o "${run%:*}.usda"
    spate export "${run%:*}" --to usd --quiet -o "${run%:*}.usdc"
done
spate run stream.json -o live --quiet --set output.particles=usd --set output.preview=false --usd live.usdc
same run_writes_what_export_writes "$(cd stream/usd && md5sum *)" "$(cd live/usd && md5sum *)"
holds run_writes_one_file cmp stream.usdc live.usdc
spate run stream.json -o steps --quiet --steps 4 --usd steps.usda --set output.preview=false
same one_sample_per_step 5 "$(sed -n '/point3f\[\] points.timeSamples/,/}/p' steps.usda | grep -c ': \[')"
"$SPATE_BUILD/tests/formats_surfaces" . || fail surfaces
for kind in usda usdc; do spate export stage --to usd --quiet -o stage.$kind; done
spate export stage --to usd --quiet --no-particles
spate run stage.json -o live_stage --quiet --set output.preview=false --usd live_stage.usdc --set output.mesh=none \
    --set output.particles=usd

if [ -d "$modules/usd-viewer" ]; then
    for run in stream:25 flat:30 one:30; do
        name=${run%:*}
        reads "openusd_clips_$name" open_usd "$name/usd" liquid.usda -- "$name" "${run#*:}"
        reads "openusd_text_$name" open_usd . "$name.usda" -- "$name" "${run#*:}"
        reads "openusd_crate_$name" open_usd . "$name.usdc" -- "$name" "${run#*:}"
    done
    reads openusd_solids_layer open_usd stage/usd liquid.usda -- --solids
    reads openusd_solids_text open_usd . stage.usda -- --solids
    reads openusd_solids_crate open_usd . stage.usdc -- --solids
    reads openusd_solids_of_a_run open_usd . live_stage.usdc -- --solids
    reads openusd_solids_beside_a_run open_usd live_stage/usd liquid.usda -- --solids
    for kind in usda usdc; do
        reads openusd_mesh_$kind open_usd . tetrahedron.$kind -- --mesh 3
        reads openusd_polyline_$kind open_usd . outline.$kind -- --mesh 2
        reads openusd_no_mesh_$kind open_usd . nothing.$kind -- --mesh 0
    done
else
    skip openusd "needs npm usd-viewer"
fi
if [ -d "$modules/tinyusdz" ]; then
    for run in stream:25 flat:30 one:30; do
        name=${run%:*}
        reads "tinyusdz_frame_$name" tiny_usd "$name/usd/particles.0001.usdc" -- "$name" "${run#*:}" 1
        # int64 of two digits or more in text come out wrong of tinyusdz 0.9: ids are left to OpenUSD there
        NO_IDS=1 reads "tinyusdz_text_$name" tiny_usd "$name.usda" -- "$name" "${run#*:}"
        reads "tinyusdz_crate_$name" tiny_usd "$name.usdc" -- "$name" "${run#*:}"
    done
    reads tinyusdz_mesh tiny_usd tetrahedron.usdc -- --mesh 3
    reads tinyusdz_solids tiny_usd stage/usd/solids.usdc -- --solids
else
    skip tinyusdz "needs npm tinyusdz"
fi
finish
