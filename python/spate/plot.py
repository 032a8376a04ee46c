"""Quick looks with matplotlib: particles, fields, surfaces, statistics and gauges.

Each function takes a simulation, a frame of a run or a run, draws into `ax` (a new one without it) and returns it.
"""
from __future__ import annotations

from ._errors import FileError
from ._library import numpy
from ._look import CELLS, UNITS
from ._read import Frame, Run
from ._sim import Sim
from ._stats import statistics


def _axes(ax):
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("spate.plot needs matplotlib: install it (Debian: apt-get install python3-matplotlib; or pip "
                          "install matplotlib)") from None
    return ax if ax is not None else pyplot.subplots(figsize=(7, 4), constrained_layout=True)[1]


def _frame_axes(ax, size, title):
    ax.set_aspect("equal")
    ax.set_xlim(0, size[0])
    ax.set_ylim(0, size[1])
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    ax.set_title(title)
    return ax


def _what(source):
    """positions, velocities (or None), size of the domain, title; and a function that gives a channel."""
    if isinstance(source, Sim):
        particles = source.particles
        return (particles.position(), particles.velocity(), source.scene["domain.size"], f"{source.time:.3g} s",
                lambda name: numpy().asarray(particles[name]))
    if isinstance(source, Frame):
        size = source.run.info["scene"]["domain"]["size"]
        velocity = source.velocity if "vx" in source.particles.dtype.names else None
        return source.position, velocity, size, f"{source.time:.3g} s", source.__getitem__
    raise TypeError("give a simulation or a frame of a run (spate.read(DIR)[42])")


def particles(source: Sim | Frame, color: Any = "speed", ax: Any = None, size: float | None = None,
              cmap: str = "viridis", **options: Any) -> Any:
    """The particles, seen along z. color: "speed", "vx", "vy", "x", "y", a channel, an array, or a colour's name."""
    np, ax = numpy("spate.plot"), _axes(ax)
    position, velocity, domain, title, column = _what(source)
    known = {"x": position[:, 0], "y": position[:, 1]}
    if velocity is not None:
        known.update(speed=np.linalg.norm(velocity, axis=1), vx=velocity[:, 0], vy=velocity[:, 1])
    values, label = color, None
    if isinstance(color, str):
        from matplotlib.colors import is_color_like
        unit = f"{color} (m/s)" if color in ("speed", "vx", "vy") else color
        if color in known:
            values, label = known[color], unit
        elif not is_color_like(color):
            values, label = column(color), unit
    order = np.argsort(position[:, 2], kind="stable") if position.shape[1] == 3 else slice(None)
    if not isinstance(values, str):
        values = np.asarray(values)[order]
    size = size if size is not None else max(0.3, min(30.0, 3e4 / max(len(position), 1)))
    colours = {"color": values} if isinstance(values, str) else {"c": values, "cmap": cmap}
    drawn = ax.scatter(position[order, 0], position[order, 1], s=size, linewidths=0, **colours, **options)
    if label is not None:
        ax.figure.colorbar(drawn, ax=ax, label=label, shrink=0.8)
    return _frame_axes(ax, domain, title)


def field(source: Sim | Frame, name: str, ax: Any = None, at: float | None = None, cmap: str = "viridis",
          **options: Any) -> Any:
    """A field of a simulation, or of the volume file of a frame, as colours. In 3D the layer at z = `at` (m), without it the middle one. Where nothing is
    computed, p, phi, u, v and w are left blank."""
    np, ax = numpy("spate.plot"), _axes(ax)
    if isinstance(source, Frame):
        view = source.volume
        if view is None or name not in view:
            raise FileError(f"frame {source.number} has no volume with '{name}' (output.volume)", str(source.run.path))
        values, unit, dim = np.array(view[name], dtype=float), UNITS.get(name, ""), source.run.dim
        domain = source.run.info["scene"]["domain"]["size"]
    else:
        view = source.field(name)
        values, unit, dim, domain = np.array(view, dtype=float), view.unit, source.dim, source.scene["domain.size"]
    x, y = view.axis(0), view.axis(1)
    if name in ("p", "phi", "u", "v", "w"):
        values[values == 0] = np.nan
    if name == "type":
        options = {"vmin": min(CELLS.values()), "vmax": max(CELLS.values()), **options}
    if dim == 3:
        z = view.axis(2)
        values = values[:, :, len(z) // 2 if at is None else int(np.abs(z - at).argmin())]
    drawn = ax.pcolormesh(x, y, values.T, shading="nearest", cmap=cmap, **options)
    bar = ax.figure.colorbar(drawn, ax=ax, label=f"{name} ({unit})" if unit else name, shrink=0.8)
    if name == "type":
        bar.set_ticks(list(CELLS.values()), labels=list(CELLS))
    return _frame_axes(ax, domain, f"{source.time:.3g} s")


def surface(source: Sim | Frame, ax: Any = None, color: Any = "tab:blue", **options: Any) -> Any:
    """The surface of the liquid, in 2D as a line, in 3D as triangles."""
    if isinstance(source, Frame):
        found = source.surface
        if found is None:
            raise FileError(f"frame {source.number} has no surface (output.mesh, or `spate mesh`)",
                            str(source.run.path))
        x, corners, domain = found["positions"], found["indices"], source.run.info["scene"]["domain"]["size"]
    else:
        made = source.surface()
        x, corners, domain = made.positions, made.indices, source.scene["domain.size"]
    if corners.shape[1] == 2:
        from matplotlib.collections import LineCollection
        ax = _axes(ax)
        ax.add_collection(LineCollection(x[corners][:, :, :2], colors=color, **options))
        return _frame_axes(ax, domain, f"{source.time:.3g} s")
    if ax is None:
        _axes("any")
        import matplotlib.pyplot as pyplot
        ax = pyplot.figure(figsize=(7, 5), constrained_layout=True).add_subplot(projection="3d")
    if len(corners):
        ax.plot_trisurf(x[:, 0], x[:, 2], x[:, 1], triangles=corners, color=color, linewidth=0, **options)
    ax.set_box_aspect((domain[0], domain[2], domain[1]))
    ax.set_xlim(0, domain[0])
    ax.set_ylim(domain[2], 0)
    ax.set_zlim(0, domain[1])
    ax.set_xlabel("x (m)")
    ax.set_ylabel("z (m)")
    ax.set_zlabel("y (m)")
    ax.set_title(f"{source.time:.3g} s")
    return ax


def stats(source: Run | numpy.recarray, names: str | Sequence[str] = ("kinetic_energy", "potential_energy"),
          ax: Any = None) -> Any:
    """Statistics over time, of a run or of a table (spate.table)."""
    rows, ax, known = source.stats if isinstance(source, Run) else source, _axes(ax), statistics()
    names = [names] if isinstance(names, str) else list(names)
    units = {known[name].unit if name in known else "s" for name in names}
    for name in names:
        ax.plot(rows["time"], rows[name], label=name.replace("_", " "))
    ax.set_xlabel("time (s)")
    ax.set_ylabel(units.pop() if len(units) == 1 else "")
    ax.legend()
    return ax


def gauges(source: Sim | Run | numpy.recarray, names: str | Sequence[str] | None = None, ax: Any = None) -> Any:
    """Gauges over time, of a simulation, a run or a table."""
    rows = source.gauge_table() if isinstance(source, Sim) else source.gauges if isinstance(source, Run) else source
    ax = _axes(ax)
    names = [names] if isinstance(names, str) else names
    for name in names or [name for name in rows.dtype.names if name not in ("time", "step")]:
        ax.plot(rows["time"], rows[name], label=name)
    ax.set_xlabel("time (s)")
    ax.legend()
    return ax
