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


def test_sets_of_a_frame():
    wild = {f"whitewater__{name}": value for name, value in
            (("on", True), ("rate", 1e5), ("spacing", 0.01), ("detail", 0.125), ("speed_low", 0.01), ("speed_high", 0.02))}
    frame = _run(block(output__mesh="ply", frames=8, **wild), "white")[8]
    assert frame.particle_sets == ["fluid", "whitewater"]
    white = frame.particle_set("whitewater")
    assert len(white) > 10 and white.position.shape == white.velocity.shape == (len(white), 3)
    assert (white["type"] < 4).all() and (white["age"] <= white["life"]).all() and white.time == frame.time
    assert white.keys()[-4:] == ["type", "age", "life", "radius"] and "whitewater" in repr(white)


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
    assert frame.particle_sets == ["fluid"] and frame.particle_set("fluid") is frame
    raises(spate.UsageError, lambda: frame.particle_set("whitewater"), "no set 'whitewater'", "fluid")
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


def air(size=(1, 0.75), **more):
    """A small box of gas with a source of smoke that is warm."""
    scene = spate.Scene({"name": "air", "domain": {"size": list(size), "cells": 16}, "frames": 3,
                         "fluid": {"kind": "gas"}, "channels": [{"name": "dye", "components": 2, "initial": [1, 2]}],
                         "sources": [{"shape": "sphere", "center": [0.5, 0.2, 0.25][: len(size)], "radius": 0.15,
                                      "temperature": 330, "smoke": 0.01}]})
    for path, value in more.items():
        scene[path.replace("__", ".")] = value
    return scene


def test_runs_of_a_gas():
    run = _run(air(), "air", "--threads", "1")
    assert run.numbers == [0, 1, 2, 3]
    volume = run[3].volume
    assert list(volume) == ["vel", "pressure", "type", "dye", "temperature", "smoke"]
    assert volume["smoke"].shape == volume.shape == (16, 12) and volume["vel"].shape == (16, 12, 2)
    assert volume["dye"].shape == (16, 12, 2) and abs(volume["dye"][3, 4] - (1, 2)).max() < 1e-5
    assert isinstance(volume["smoke"].base, np.memmap) and abs(volume.time - 0.1) < 1e-6
    assert abs(volume["temperature"][0, 11] - 293.15) < 1e-3 and abs(volume["temperature"].max() - 330) < 0.5
    assert abs(volume["smoke"].max() - 0.01) < 1e-4 and (volume["type"] == 1).all()
    assert abs(volume.axis(0)[0] - 1 / 32) < 1e-12 and volume.cell_size == 1 / 16
    sim = spate.Sim(air(), threads=1)
    list(sim.frames(3))
    sim.stats()
    assert (np.asarray(sim.field("smoke")) == volume["smoke"]).all() and sim.field("smoke").unit == "kg/m^3"
    assert (np.asarray(sim.field("temperature")) + np.float32(293.15) == volume["temperature"]).all()
    assert (np.asarray(sim.field("dye[1]")) == volume["dye"][..., 1]).all()
    raises(spate.UsageError, lambda: sim.field("soot"), "type, dye, temperature, smoke")
    sums = sim.channel_sums("smoke")
    assert sums.particles > 0 and abs(sums.particles - sums.start - sums.sources) < 1e-9 * sums.particles
    assert run.stats.smoke[-1] == float(f"{sums.particles:.15g}") and run.stats.dye_1[0] > run.stats.dye_0[0]
    raises(spate.UsageError, lambda: sim.channel_sums("smoke", 1), "no channel")
    raises(spate.FileError, lambda: run[3].particles, "the run wrote no particles")
    assert _run(tank(frames=1), "no_volume")[1].volume is None
    os.truncate("air/vtk/volume.0001.vti", 2000)
    raises(spate.FileError, lambda: run[1].volume, "not complete")
    raises(spate.FileError, lambda: spate.read_vti("air/run.json"), "no volume")
    deep = _run(air((1, 0.75, 0.5), domain__cells=8, output__particles="ply", frames=1), "deep_air")
    assert deep[1].volume["vel"].shape == (8, 6, 4, 3)
    assert abs(deep[1]["temperature"].max() - 330) < 0.5 and deep[1]["temperature"].min() > 293


def test_python_writes_what_the_command_writes_of_a_gas():
    theirs = _run(air(), "their_air", "--threads", "1")
    ours = spate.run(air(), "our_air", threads=1)
    assert ours.stats.dtype.names == theirs.stats.dtype.names and ours.numbers == theirs.numbers
    for number in ours.numbers:
        name = f"vtk/volume.{number:04d}.vti"
        assert (ours.path / name).read_bytes() == (theirs.path / name).read_bytes(), name
    for name in ours.stats.dtype.names:
        timed = name.startswith("t_") or name in ("seconds", "allocations")
        assert timed or (ours.stats[name] == theirs.stats[name]).all(), name


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
             spate.plot.field(_run(air(), "plot_air")[3], "smoke"),
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
