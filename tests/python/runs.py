"""Run folders, by the command and by spate.run, and pictures of them."""
import os
import subprocess
import sys
from pathlib import Path

import harness
import numpy as np
import spate
from harness import Skip, block, raises, tank

COMMAND = os.environ["SPATE"]
GAUGES = [{"name": "H", "kind": "height", "at": [0.25, 0]}, {"kind": "velocity", "at": [0.25, 0.2]}]


def _command(*words):
    if not os.access(COMMAND, os.X_OK):
        raise Skip("the command is not built")
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def _run(scene, folder, *words):
    scene.save(f"{folder}.json")
    _command("run", f"{folder}.json", "-o", folder, "--quiet", "--set", "output.preview=false", *words)
    return spate.read(folder)


def test_frames_of_a_run():
    scene = block(output__mesh="ply", output__attributes="velocity id speed vorticity channels")
    run = _run(scene, "block")
    assert len(run) == 3 and run.numbers == [0, 1, 2] and run.dim == 3 and run.scene["solids[0].name"] == "ball"
    sim = spate.Sim(scene, threads=1)
    list(sim.frames(2))
    frame, now = run[2], sim.particles
    assert frame._rows is None  # nothing is read yet
    order, other = np.argsort(frame.id), np.argsort(now.id)
    assert (frame.position[order] == now.position()[other]).all()
    assert (frame.velocity[order] == now.velocity()[other]).all()
    assert (frame["age"][order] == np.asarray(now["age"])[other]).all() and frame["dye"].shape == (len(frame), 2)
    assert frame["vorticity"].shape == (len(frame), 3)
    assert np.allclose(frame["speed"], np.linalg.norm(frame.velocity, axis=1))
    assert {"x", "vx", "id", "age", "dye", "speed"} <= set(frame.keys()) and isinstance(frame.particles.base, np.memmap)
    raises(spate.FileError, lambda: frame["colour"], "has no colour", "dye_1")
    assert abs(frame.time - 2 / 30) < 1e-12 and frame.stats.frame == 2 and frame.stats.particles == len(frame)
    surface = frame.surface
    assert surface["indices"].max() == len(surface["positions"]) - 1
    assert surface["velocities"].shape == surface["normals"].shape
    sim.stats()  # sorts the particles, as a run does before output
    exact = sim.surface()
    assert (surface["positions"] == exact.positions).all() and (surface["indices"] == exact.indices).all()
    assert run[-1].number == 2 and [f.number for f in run] == [0, 1, 2] and [f.number for f in run[1:]] == [1, 2]
    raises(IndexError, lambda: run[7], "0 .. 2")
    flat = _run(tank(output__mesh="ply"), "flat")
    assert flat[3].position.shape[1] == 2 and flat[3].surface["indices"].shape[1] == 2


def test_frames_are_read_lazily():
    run = _run(tank(frames=2), "lazy")
    frames = list(run)
    os.truncate("lazy/particles.0001.ply", 300)
    Path("lazy/particles.0002.ply").unlink()
    assert frames[0].position.shape == (256, 2)
    raises(spate.FileError, lambda: frames[1].position, "not complete")
    assert run.reload().numbers == [0, 1]
    Path("lazy/stats.csv").write_text(Path("lazy/stats.csv").read_text()[:-20])  # a torn line
    assert list(run.stats.frame) == [0, 1]
    raises(spate.FileError, lambda: run.gauges, "the run has none")
    raises(spate.FileError, lambda: spate.read("."), "no run.json")
    Path("lazy/run.json").write_text("{}")
    raises(spate.FileError, lambda: spate.read("lazy"), "is not the run.json")


def test_python_writes_what_the_command_writes():
    scene = tank(gauges=GAUGES, output__every=2, frames=4)
    theirs = _run(scene, "theirs", "--threads", "1")
    ours = spate.run(scene, "ours", threads=1)
    assert ours.numbers == theirs.numbers == [0, 2, 4]
    for number in ours.numbers:
        assert ours[number].path.read_bytes() == theirs[number].path.read_bytes()
    assert Path("ours/gauges.csv").read_bytes() == Path("theirs/gauges.csv").read_bytes()
    assert ours.stats.dtype.names == theirs.stats.dtype.names
    timed = [name for name in ours.stats.dtype.names if name.startswith("t_") or name in ("seconds", "allocations")]
    for name in ours.stats.dtype.names:
        assert name in timed or (ours.stats[name] == theirs.stats[name]).all(), name
    assert (ours.gauges["H"] == theirs.gauges["H"]).all() and ours.gauges.dtype["step"] == "i8"
    assert "4" in _command("info", "ours")
    assert ours.scene.to_dict()["gauges"] == theirs.scene.to_dict()["gauges"]
    before = sorted(os.listdir("ours"))
    raises(spate.FileError, lambda: spate.run(scene, "ours"), "is not empty")
    assert sorted(os.listdir("ours")) == before
    seen = []
    spate.run(scene, "short", frames=1, threads=1, each=lambda sim: seen.append(sim.frame))
    assert seen == [1] and len(spate.read("short").stats) == 2


def test_plots():
    try:
        import matplotlib
    except ImportError:
        raise Skip("there is no matplotlib") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    run = _run(block(output__mesh="ply", frames=1), "plots")
    flat = spate.Sim(tank(gauges=GAUGES), threads=1)
    rows = [flat.stats() for _ in flat.frames()]
    deep = spate.Sim(block(), threads=1)
    list(deep.frames(1))
    drawn = [spate.plot.particles(flat), spate.plot.particles(run[1], color="age"),
             spate.plot.particles(deep, color="red"), spate.plot.field(flat, "p"),
             spate.plot.field(deep, "u", at=0.2), spate.plot.field(flat, "type"), spate.plot.surface(flat), spate.plot.surface(run[1]),
             spate.plot.surface(deep), spate.plot.stats(run, "volume"), spate.plot.stats(spate.table(rows)), spate.plot.gauges(flat)]
    for k, ax in enumerate(drawn):
        ax.figure.savefig(f"{k}.png", dpi=40)
        picture = plt.imread(f"{k}.png")
        assert picture[..., :3].std() > 0.01, k  # something is on it
        plt.close(ax.figure)
    points = drawn[0].collections[0].get_offsets()
    assert len(points) == 256 and drawn[0].get_xlim() == (0, 1)
    raises(TypeError, lambda: spate.plot.particles(3))
    raises(spate.FileError, lambda: spate.plot.surface(_run(tank(frames=1), "bare")[1]), "has no surface")


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
