"""spate, a PIC/FLIP fluid simulator: scenes and simulations of liquids in 2D and 3D.

    import spate
    scene = spate.Scene.preset("dam_break_2d")
    scene["fluid.flip_ratio"] = 0.9
    sim = spate.Sim(scene)
    for frame in sim.frames(60):
        print(frame, sim.particles.x[0].max())   # no copy
    spate.plot.particles(sim)

Units are SI; in 2D amounts are per metre of depth. docs/python.md tells the rest.
"""
# Annotations in this package are for the type stubs, which have their names (SceneDict, numpy, ...): stubs.py.
from ._library import lib as _lib  # first: it says what is missing
from ._errors import (DeviceError, Error, FileError, OutOfMemoryError, SceneError, SimulationError, SpateWarning,
                      StaleView, StoppedError, UsageError)
from ._look import ChannelSums, Field, Particles, Samples, Surface
from ._read import Frame, Run, Volume, read, read_ply, read_table, read_vti
from ._record import run
from ._scene import Mesh, Points, Scene, Setting, presets, settings
from ._sim import Sim, Solid, devices, stages
from ._stats import Stat, Stats, statistics, table
from ._view import View

__version__ = _lib.spate_version().decode()
instruction_set = _lib.spate_instruction_set().decode()

__all__ = [
    "ChannelSums", "DeviceError", "Error", "Field", "FileError", "Frame", "Mesh", "OutOfMemoryError", "Particles", "Points", "Run",
    "Samples", "Scene", "SceneError", "Setting", "Sim", "SimulationError", "Solid", "SpateWarning", "StaleView", "Stat",
    "Stats", "StoppedError", "Surface", "UsageError", "View", "Volume", "devices", "instruction_set", "plot", "presets", "read",
    "read_ply", "read_table", "read_vti", "run", "settings", "stages", "statistics", "table",
]


def __getattr__(name):
    if name == "plot":  # matplotlib only where it is used
        import importlib
        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module 'spate' has no attribute '{name}'")
