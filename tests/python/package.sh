#!/bin/bash
# The package as users get it: by pip in a venv of Debian's Python, by CMake's install, from the build folder; without
# numpy; type stubs.
. "$SPATE_SOURCE/tests/python/lib.sh"
needs package
failures=0
check() { # check NAME COMMAND...: the output is shown when the command fails
    local name=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        echo "ok $name"
    else
        sed 's/^/  /' "$scratch/log"
        echo "FAIL $name"
        failures=1
    fi
}

cat >small.py <<'END'
import os, sys, numpy, spate
place = os.path.dirname(spate.__file__)
assert place.startswith(sys.argv[1]), place
sim = spate.Sim(spate.Scene.preset("dam_break_2d"), threads=1)
sim.step()
assert numpy.asarray(sim.particles.x[0]).size == len(sim) > 1000 and len(spate.presets()) > 9
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libspate" in line}
assert len(mapped) == 2 and all(path.startswith(os.path.realpath(sys.argv[2])) for path in mapped), mapped
print(spate.__version__)
END

check "from the build folder" "$PYTHON" small.py "$SPATE_BUILD/python" "$SPATE_BUILD"

if "$PYTHON" -m venv --system-site-packages venv >"$scratch/log" 2>&1; then
    # the libraries of this build are packed, so that nothing is compiled again; nothing comes from the network
    for place in "$SPATE_SOURCE" "$SPATE_SOURCE/python"; do
        check "pip install in ${place##*/}" env -u PYTHONPATH SPATE_BUILD="$SPATE_BUILD" venv/bin/python -m pip install \
            --no-build-isolation --no-index --force-reinstall --no-deps "$place"
        check "installed by pip in ${place##*/}" env -u PYTHONPATH venv/bin/python small.py "$scratch/venv" \
            "$scratch/venv"
    done
    check "a wheel is the same bytes from the same files" env -u PYTHONPATH SPATE_BUILD="$SPATE_BUILD" \
        PYTHONPATH="$SPATE_SOURCE/python" "$PYTHON" -c '
import os, spate_build
os.makedirs("a"); os.makedirs("b")
name = spate_build.build_wheel("a")
spate_build.build_wheel("b")
assert open("a/" + name, "rb").read() == open("b/" + name, "rb").read() and name.startswith("spate-") and "linux" in name'
    check "pip uninstall" env -u PYTHONPATH venv/bin/python -m pip uninstall -y spate
    check "nothing is left" bash -c '! find venv -path "*spate*" | grep .'
else
    echo "skip pip"
    echo "  skipped: there is no python3-venv"
fi

check "cmake --install" cmake --install "$SPATE_BUILD" --prefix "$scratch/prefix"
modules=$(dirname "$(dirname "$(find "$scratch/prefix" -name _where.py)")")
check "installed by CMake" env PYTHONPATH="$modules" "$PYTHON" small.py "$scratch/prefix" "$scratch/prefix"
mv prefix elsewhere
check "an installation that was moved" env PYTHONPATH="${modules/prefix/elsewhere}" "$PYTHON" small.py \
    "$scratch/elsewhere" "$scratch/elsewhere"
check "no compiled files are installed" bash -c '! find elsewhere -name "__pycache__" -o -name "*.pyc" | grep .'

# a Python that has no numpy and no matplotlib
mkdir without
echo 'raise ImportError("hidden")' | tee without/numpy.py >without/matplotlib.py
cat >without.py <<'END'
import spate, sys
scene = spate.Scene.preset("dam_break_2d")
scene["domain.cells"] = 24
sim = spate.Sim(scene, threads=1)
list(sim.frames(1))
view = sim.particles.x[0]
assert view.shape == (len(sim),) and view.address and sim.field("p").shape == (24, 12) and sim.stats().volume > 0
assert sim.solids == [] and sim.gauges() == {} and sim.hash and len(sim.checkpoint()) > 1000
sim.write_particles("p.ply")
view = sim.particles.x[0]
for need in (lambda: view[0], lambda: view.sum(), sim.particles.position, lambda: sim.surface().positions,
             lambda: sim.sample([0.1, 0.1]), lambda: spate.read_ply("p.ply"), sim.gauge_table,
             lambda: spate.Mesh([], [])):
    try:
        need()
    except ImportError as why:
        assert "needs numpy" in str(why) and "python3-numpy" in str(why), why
    else:
        raise AssertionError("no message")
try:
    spate.plot.particles(sim)
except ImportError as why:
    assert "numpy" in str(why) or "matplotlib" in str(why)
END
check "without numpy" env PYTHONPATH="$scratch/without:$SPATE_BUILD/python" "$PYTHON" without.py

check "the sources alone say what to do" bash -c "
    cd / && PYTHONPATH='$SPATE_SOURCE/python' '$PYTHON' -c 'import spate' 2>&1 | grep -q 'PYTHONPATH=build/release/python'"
check "a missing library is named" bash -c "
    SPATE_LIBRARY=/nowhere '$PYTHON' -c 'import spate' 2>&1 | grep -q '/nowhere/libspate.so.*SPATE_LIBRARY'"

# stubs: every public name is in them, with every setting and statistic, and they parse
cat >stubs.py <<'END'
import ast, os, spate
folder = os.path.dirname(spate.__file__)
text = open(os.path.join(folder, "__init__.pyi")).read()
names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
ast.parse(open(os.path.join(folder, "plot.pyi")).read())
missing = set(spate.__all__) - names - {"plot", "instruction_set"}
assert not missing, missing
for name in vars(spate.Sim):
    assert name.startswith("_") or name in names, name
for path, row in spate.settings().items():
    assert f'"{path.rsplit(".")[-1]}"' in text and row.help[:30] in text, path
for name, row in spate.statistics().items():
    assert f"    {name}: " in text and row.help in text, name
assert "One step of dt seconds" in spate.Sim.step.__doc__ and "One step of dt seconds" in text
undocumented = [f"{kind.__name__}.{name}" for kind in (spate.Sim, spate.Scene, spate.Solid, spate.Surface)
                for name, value in vars(kind).items() if not name.startswith("_") and callable(value) and not value.__doc__]
assert len(undocumented) < 4, undocumented
END
check "type stubs" "$PYTHON" stubs.py
if "$PYTHON" -m mypy --version >/dev/null 2>&1; then
    cat >client.py <<'END'
import spate
scene = spate.Scene({"domain": {"size": [1, 1]}, "fill": [{"shape": "box", "min": [0, 0], "max": [0.5, 0.5]}]})
sim = spate.Sim(scene, threads=1)
for frame in sim.frames(2):
    print(frame + 1, sim.stats().volume * 2.0, sim.particles.x[0].mean())
END
    check "mypy takes a program" env -u PYTHONPATH MYPYPATH="$SPATE_BUILD/python" "$PYTHON" -m mypy --follow-imports=silent client.py
    sed 's/frames(2)/frames("2")/; s/\.volume/.volumes/; s/"box"/"bocks"/' client.py >wrong.py
    check "mypy finds three mistakes" bash -c "env -u PYTHONPATH MYPYPATH='$SPATE_BUILD/python' '$PYTHON' -m mypy \
        --follow-imports=silent wrong.py | tee /dev/stderr | grep -q 'Found 3 errors'"
fi
exit $failures
