# The fluid cache and OpenVDB files through Blender itself, without a window.
. "$SPATE_SOURCE/tests/formats/lib.sh"
if ! command -v blender >/dev/null; then
    skip blender "needs blender"
    finish
fi
in_blender() {
    blender -b --factory-startup --python-exit-code 1 --python "$formats/blender_read.py" -- "$@" 2>&1 |
        grep -vE '^(Blender |Read prefs|$)'
}
for name in stream flat one; do
    spate export $name --to blender --quiet
    [ $name = flat ] || spate export $name --to vdb --quiet
    judge "blender_$name" in_blender $name
done
mkdir -p surface/blender
"$SPATE_BUILD/tests/formats_surfaces" . surface/blender && judge blender_surface in_blender surface surface
finish
