# The recipe of docs/formats.md reads a particle file with numpy, and finds what the tests' own reader finds.
. "$SPATE_SOURCE/tests/formats/lib.sh"
if ! has_module numpy; then
    skip ply "needs python3-numpy"
    finish
fi
{
    echo "import numpy"
    sed -n '/^```python/,/^```/p' "$SPATE_SOURCE/docs/formats.md" | grep -v '^```' |
        sed 's|out/dam_break/particles.0042.ply|stream/particles.0003.ply|'
    cat <<'END'
import particles
expected = particles.read("stream/particles.0003.ply")
assert p.dtype.names == ("x", "y", "z", "vx", "vy", "vz", "id", "speed", "vorticity_x", "vorticity_y", "vorticity_z",
                         "age", "source", "dye_0", "dye_1"), p.dtype.names
particles.same("y", expected["position"][:, 1], p["y"])
particles.same("id", expected["id"], p["id"])
assert len(set(p["id"])) == len(p) > 100
assert numpy.allclose(p["speed"], numpy.linalg.norm(expected["velocity"], axis=1), rtol=1e-5)
assert (p["dye_1"] == 0.25).all() and (p["source"] == 0).all() and 0 < p["age"].max() < 3 / 25 + 1e-6
print("ok")
END
} >recipe.py
judge numpy_recipe "$PYTHON" recipe.py
finish
