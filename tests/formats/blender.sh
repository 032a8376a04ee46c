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
    judge "blender_$name" in_blender $name particles
done
mkdir -p surface/blender
"$SPATE_BUILD/tests/formats_surfaces" . surface/blender && judge blender_surface in_blender surface tetrahedron
spate export block --to vdb --quiet
judge blender_volume_in_place in_blender block volume
spate export stage --to blender --quiet --no-particles
holds no_particles test ! -e stage/blender/data/pp_0001.uni
judge blender_stage in_blender stage stage
sed 's/"size": .2, 1, 1.,/"size": [5, 2.5, 2.5],/; s/"fps": 24/"fps": 60/; s/0.8, 0.5, 0.5/2, 1.25, 1.25/; s/0.25,/0.6,/
    s/.3, 0, 0./[-11, 0, 0]/' flight.json >far.json
quiet_run far far.json
for name in flight far; do # 2 m and 24 frames per second, 5 m and 60
    spate export $name --to blender --quiet
    judge blender_streak_$name in_blender $name streak
done
finish
