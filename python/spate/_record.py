"""spate.run: a scene into a run folder, with the files of `spate run` that hold numbers."""
from __future__ import annotations

import json
import os
import time
from pathlib import Path

from ._errors import FileError
from ._library import lib
from ._read import Run
from ._scene import Scene
from ._sim import STAGES, Sim
from ._stats import statistics


def _number(stat, value):
    return f"{value:.9g}" if stat.dtype == "f8" else str(value)


def _write(path, said):
    """Complete under its name, or not there."""
    part = path.with_name(path.name + ".part")
    part.write_text(said, encoding="utf-8")
    os.replace(part, path)


class _Folder:
    def __init__(self, path, sim, scene):
        self.path, self.sim, self.table = Path(path), sim, statistics()
        self.every = scene["output.every"]
        self.particles = scene["output.particles"] == "ply"
        self.volumes = scene["fluid.kind"] == "gas" and scene["output.volume"] == "vtk"
        self.channels = [(channel["name"], part, f"{channel['name']}_{part}" if channel["components"] > 1 else channel["name"])
                         for channel in scene.to_dict()["channels"] if channel["transfer"] != "none"
                         for part in range(channel["components"])]
        self.path.mkdir(parents=True, exist_ok=True)
        if any(self.path.iterdir()):
            raise FileError("is not empty: nothing in it is replaced", str(path))
        _write(self.path / "run.json", json.dumps({
            "spate": lib.spate_version().decode(), "scene_file": "", "device": sim.device, "threads": sim.threads,
            "particles": len(sim), "scene": json.loads(scene.to_json())}, indent=2) + "\n")
        self._append("stats.csv", list(self.table) + [f"t_{name}" for name in STAGES] + ["t_other", "seconds"] +
                     [name + suffix for _, _, name in self.channels
                      for suffix in ("", "_cells", "_start", "_sources", "_booked")])
        if sim._columns:
            self._append("gauges.csv", ["time [s]", "step"] + sim._gauge_headings())
        self.rows = 0

    def _append(self, name, cells):
        with open(self.path / name, "a", encoding="utf-8") as file:
            file.write(",".join(cells) + "\n")

    def frame(self, seconds):
        """The files of the frame just completed. Gauges first: statistics sort the particles."""
        sim = self.sim
        if sim._columns:
            table = sim.gauge_table()
            for row in table[self.rows:]:
                self._append("gauges.csv", [f"{row[0]:.12g}", str(row[1])] + [f"{v:.9g}" for v in list(row)[2:]])
            self.rows = len(table)
        stages = list(sim.stage_seconds.values())
        stats = sim.stats()
        if self.particles and sim.frame % self.every == 0:  # in the order that statistics leave
            sim.write_particles(self.path / f"particles.{sim.frame:04d}.ply")
        if self.volumes and sim.frame % self.every == 0:
            (self.path / "vtk").mkdir(exist_ok=True)
            sim.write_volume(self.path / "vtk" / f"volume.{sim.frame:04d}.vti")
        rest = max(seconds - sum(stages), 0)
        times = stages + [rest, max(seconds, sum(stages))]
        self._append("stats.csv", [_number(stat, stats[name]) for name, stat in self.table.items()] +
                     [f"{t:.6f}" for t in times] + self._sums())

    def _sums(self):
        """The cells of the channels: amounts, and what the ledger says of the first."""
        cells = []
        for name, part, _ in self.channels:
            sums = self.sim.channel_sums(name, part)
            booked = sums.dissipated + sums.mixed + sums.came + sums.left
            cells += [f"{value:.15g}" for value in (sums.particles, sums.cells, sums.start, sums.sources, booked)]
        return cells


def run(scene: Scene | SceneDict | str | os.PathLike, folder: str | os.PathLike, frames: int | None = None,
        device: str = "cpu", threads: int = 0, progress: bool | Callable[[int, int], Any] = False,
        each: Callable[[Sim], Any] | None = None) -> Run:
    """Runs a scene into a new or empty folder, and returns it as spate.read does.

    It holds run.json, stats.csv, gauges.csv and the particles of every frame, or the volumes of a gas (as
    output.particles, output.volume and output.every of the scene say), so that `spate info`, `render`, `plot` and `mesh` take it; pictures, films, volumes, surfaces and
    checkpoints are those of the command `spate run`. frames: instead of the scene's; each: a function of the
    simulation that is called after every frame. Needs numpy for gauges and to read.
    """
    scene = Scene(scene)
    if frames is not None:
        scene["frames"] = frames
    with Sim(scene, device=device, threads=threads) as sim:
        out = _Folder(folder, sim, sim.scene)
        out.frame(0)
        start = time.perf_counter()
        for _ in sim.frames(progress=progress):
            out.frame(time.perf_counter() - start)
            if each:
                each(sim)
            start = time.perf_counter()
    return Run(folder)
