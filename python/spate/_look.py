"""What can be seen of a simulation: particles, fields, values at points, the surface, gauges, statistics, files."""
from __future__ import annotations

import collections
import ctypes
from ctypes import byref, c_double, c_float, sizeof

from . import _api, _stats
from ._errors import UsageError
from ._library import encode, fail, lib, numpy, path_bytes, text, vector, words
from ._scene import floats
from ._view import CUDA, HOST, View, address_of, array_over

Samples = collections.namedtuple("Samples", "velocity pressure phi")
Samples.__doc__ = "Values at points: velocity (n, dim) in m/s, pressure (n) in Pa, phi (n) in m."

ChannelSums = collections.namedtuple("ChannelSums", "particles cells start sources dissipated mixed came left")
ChannelSums.__doc__ = ("What a channel amounts to over the particles and over the cells, and what changed the amount: "
                       "start + sources + dissipated + mixed + came + left is that of the particles.")

UNITS = {"u": "m/s", "v": "m/s", "w": "m/s", "p": "Pa", "phi": "m", "solid": "m", "smoke": "kg/m^3",
         "temperature": "K"}
VALUES = c_double * 16  # of a gauge, with room for kinds that have more than three
CELLS = {name[len("SPATE_CELL_"):].lower(): value for name, value in _api.ENUMS["spate_cell"].items()}


class Particles:
    """The particles as they are, without a copy.

    x, v: a view for each axis, in cells from the domain corner and in m/s; id: a view
    origin, scale: the position in metres along axis d is origin[d] + scale * x[d]
    position(), velocity(): copies in m and m/s, of shape (n, dim)
    particles["age"]: a column, a view for one component and a tuple of views for more; a channel of the liquid may be
    written to
    columns, classes: the names of the columns, and of the classes that the column "type" numbers
    """

    def __init__(self, sim, on_device=False, name="fluid"):
        self._sim, self._on_device, self.name = sim, on_device, name
        self._set = encode(name, "set")
        view = _api.spate_particles_view()
        call = lib.spate_sim_particles_device_view_sized if on_device else lib.spate_sim_particles_view_sized
        if not call(sim._handle(), self._set, byref(view), sizeof(view)):
            if name not in sim.particle_sets:
                raise UsageError(f"there is no set '{name}'; there are: {', '.join(sim.particle_sets)}", "set")
            sim._no_device_view("particles")
        self._device = CUDA if on_device else HOST
        self.count, self.scale = view.count, view.scale
        self.origin = tuple(view.origin)[: sim.dim]
        self.x = tuple(self._column(view.x[d], "<f4", f"x[{d}] of the particles") for d in range(sim.dim))
        self.v = tuple(self._column(view.v[d], "<f4", f"v[{d}] of the particles") for d in range(sim.dim))
        self.id = self._column(view.id, "<u4", "the particles' ids")

    def _column(self, pointer, typestr, what, writable=False):
        return View(self._sim, address_of(pointer), (self.count,), typestr, what, writable=writable,
                    device=self._device)

    def __len__(self) -> int:
        return self.count

    def __repr__(self):
        return f"<{self.count} particles of a spate simulation{' on the GPU' if self._on_device else ''}>"

    def _read(self, which):
        self.id._check()
        np = numpy("a copy of the particles")
        found = np.empty((self.count, 3), "f4")
        pointers = [None, None, None]
        pointers[which] = floats(found)
        with self._sim._lock:
            lib.spate_sim_particles_read(self._sim._handle(), self._set, *pointers)
        return np.ascontiguousarray(found[:, : self._sim.dim])

    def position(self) -> numpy.ndarray:
        """A copy: (n, dim), m."""
        return self._read(0)

    def velocity(self) -> numpy.ndarray:
        """A copy: (n, dim), m/s."""
        return self._read(1)

    @words("spate_sim_channel_view")
    def channel(self, name: str) -> tuple[View, ...]:
        """Returns a tuple of views, one per component."""
        self.id._check()
        columns = (ctypes.POINTER(c_float) * 4)()
        call = lib.spate_sim_channel_device_view if self._on_device else lib.spate_sim_channel_view
        with self._sim._lock:
            self._sim._two_memories(not self._on_device)
            count = call(self._sim._handle(), encode(name, "channel"), columns)
        if count == 0:
            names = [channel["name"] for channel in self._sim.scene.to_dict()["channels"]]
            raise UsageError(f"there is no channel '{name}'; there are: {', '.join(names) or 'none'}", "channel")
        return tuple(self._column(columns[c], "<f4", f"channel {name}", not self._on_device) for c in range(count))

    def _names(self, call):
        found = []
        while (name := call(self._sim._handle(), self._set, len(found))) is not None:
            found.append(text(name))
        return found

    @property
    def columns(self) -> list[str]:
        """The names of the columns beside x, v and id."""
        with self._sim._lock:
            return self._names(lib.spate_sim_particles_column_name)

    @property
    def classes(self) -> list[str]:
        """The names of the classes, by their number in the column "type"."""
        with self._sim._lock:
            return self._names(lib.spate_sim_particles_class_name)

    @words("spate_sim_particles_column_sized", "Returns a tuple of views, one per component, which may only be read.")
    def column(self, name: str) -> tuple[View, ...]:
        self.id._check()
        view = _api.spate_column_view()
        with self._sim._lock:
            there = lib.spate_sim_particles_column_sized(self._sim._handle(), self._set, encode(name, "column"),
                                                         byref(view), sizeof(view))
        if not there:
            raise UsageError(f"there is no column '{name}'; there are: {', '.join(self.columns) or 'none'}", "column")
        kind = "<u4" if view.integer else "<f4"
        return tuple(self._column(view.values[c], kind, f"column {name}") for c in range(view.components))

    def __getitem__(self, name: str) -> View | tuple[View, ...]:
        views = self.channel(name) if self.name == "fluid" else self.column(name)
        return views[0] if len(views) == 1 else views


class Field(View):
    """A field of the grid, without a copy: indices are [i, j] or [i, j, k] along x, y, z.

    origin: the position (m) of the first value; cell_size: the distance of neighbours (m); unit
    axis(d): the positions of the values along axis d, a numpy array
    """

    __slots__ = ("origin", "cell_size", "unit", "name")

    def axis(self, d: int) -> numpy.ndarray:
        """The positions (m) of the values along axis d."""
        return self.origin[d] + self.cell_size * numpy("an axis").arange(self.shape[d])


def make_field(sim, name, view, pointer, writable, device):
    size = 1 if view.bytes else 4
    dim = sim.dim
    made = Field(sim, address_of(pointer), tuple(view.count)[:dim], "|u1" if size == 1 else "<f4", f"field {name}",
                 tuple(step * size for step in view.stride[:dim]), writable, device)
    made.origin, made.cell_size, made.name = tuple(view.origin)[:dim], view.cell_size, name
    made.unit = UNITS.get(name, "")
    return made


class Surface:
    """The surface of the liquid: closed, with the volume of the particles. Its arrays live as long as somebody has one.

    positions, normals, velocities: (n, 3), m, of length 1, m/s (velocities may be None); indices: (m, 3) triangles,
    counter-clockwise from outside, in 2D (m, 2) segments
    """

    def __init__(self, pointer):
        self._pointer = pointer
        found = pointer.contents
        self.dim = found.dim
        self._shapes = {"positions": (found.vertices, 3), "normals": (found.vertices, 3),
                        "velocities": (found.vertices, 3), "indices": (found.triangles, found.dim)}

    def __del__(self):
        pointer, self._pointer = self._pointer, None
        if pointer:
            lib.spate_surface_destroy(pointer)

    def _array(self, name):
        return array_over(self, address_of(getattr(self._pointer.contents, name)), self._shapes[name],
                          "<u4" if name == "indices" else "<f4", "a surface")

    positions = property(lambda self: self._array("positions"), doc="(n, 3), m")
    normals = property(lambda self: self._array("normals"), doc="(n, 3), of length 1, out of the liquid")
    indices = property(lambda self: self._array("indices"), doc="(m, 3) triangles, or (m, 2) segments in 2D")

    @property
    def velocities(self) -> numpy.ndarray | None:
        """(n, 3), m/s; None if there are none"""
        return self._array("velocities") if self._pointer.contents.velocities else None

    def volume(self) -> float:
        """What it encloses: m^3, in 2D m^2."""
        x, corner = self.positions.astype("f8"), self.indices
        if self.dim == 2:
            a, b = x[corner[:, 0]], x[corner[:, 1]]
            return abs(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2))
        a, b, c = x[corner[:, 0]], x[corner[:, 1]], x[corner[:, 2]]
        return abs(float((a * numpy().cross(b, c)).sum() / 6))

    @words("spate_sim_particles_write", "Writes it to a file.")
    def write(self, path: str | os.PathLike) -> None:
        error = _api.spate_error()
        if lib.spate_surface_write(self._pointer, path_bytes(path), byref(error)):
            fail(error)

    def __repr__(self):
        kind = "triangles" if self.dim == 3 else "segments"
        return f"<spate surface: {self._shapes['positions'][0]} vertices, {self._shapes['indices'][0]} {kind}>"


class Looks:
    """The part of Sim that looks and changes nothing."""

    # ---- particles and fields

    @property
    def particles(self) -> Particles:
        """The particles of the liquid, without a copy: see Particles. On a GPU, a copy in the host's memory."""
        with self._lock:
            return Particles(self)

    @property
    def particle_sets(self) -> list[str]:
        """The names of the sets of particles; "fluid" is the liquid."""
        with self._lock:
            count = lib.spate_sim_particle_set_count(self._handle())
            return [text(lib.spate_sim_particle_set_name(self._handle(), k)) for k in range(count)]

    def particle_set(self, name: str) -> Particles:
        """The particles of one set, without a copy."""
        with self._lock:
            return Particles(self, name=name)

    @property
    @words("spate_sim_particles_device_view_sized")
    def device_particles(self) -> Particles:
        with self._lock:
            self._needs_device("particles")
            self._two_memories(False)
            return Particles(self, on_device=True)

    @words("spate_cell")
    def field(self, name: str) -> Field:
        return self._field(name, lib.spate_sim_field_view_sized, HOST)

    @words("spate_sim_particles_device_view_sized")
    def device_field(self, name: str) -> Field:
        with self._lock:
            self._needs_device(f"field {name}")
            self._two_memories(False)
            return self._field(name, lib.spate_sim_field_device_view_sized, CUDA)

    def _two_memories(self, write):
        """On a device: memory of the host that may be written to takes the device's out of date, and a look at the
        device's ends that."""
        if write:
            self._device_generation += 1
        else:
            self._write_generation += 1

    def _field(self, name, call, device):
        view = _api.spate_field_view()
        with self._lock:
            if not call(self._handle(), encode(name, "field"), byref(view), sizeof(view)):
                known = [*("u", "v", "w")[: self.dim], "p", "phi", "solid", "type", *self._grid_channels()]
                raise UsageError(f"there is no field '{name}' here; there are: {', '.join(known)}", "field")
            return make_field(self, name, view, view.bytes if view.bytes else view.values, False, device)

    def _grid_channels(self):
        return [channel["name"] for channel in self.scene.to_dict()["channels"] if channel["transfer"] != "none"]

    def _needs_device(self, what):
        if self.device == "cpu":
            self._no_device_view(what)

    def _no_device_view(self, what):
        raise UsageError(f"{what}: the simulation is on the device {self.device}, whose memory has no such view; take "
                         "that of the host", "device")

    @words("spate_sim_velocity_edit")
    def edit_velocity(self, axis: int) -> Field:
        """Returns a Field that can be written to, good until the next stage."""
        with self._lock:
            name = ("u", "v", "w")[axis] if axis in range(self.dim) else "u"
            view = _api.spate_field_view()
            lib.spate_sim_field_view_sized(self._handle(), name.encode(), byref(view), sizeof(view))
            self._two_memories(True)
            pointer = lib.spate_sim_velocity_edit(self._handle(), axis, self._error_at)
            if not pointer:
                fail(self._error)
            return make_field(self, name, view, pointer, True, HOST)

    @words("spate_sim_sample")
    def sample(self, points: ArrayLike) -> Samples:
        """points: (n, dim), m. Returns Samples(velocity, pressure, phi)."""
        np = numpy("sample")
        points = np.asarray(points, "f8")
        single = points.ndim == 1
        points = np.atleast_2d(points)
        if points.ndim != 2 or points.shape[1] not in (self.dim, 3):
            raise ValueError(f"points: must be of shape (n, {self.dim}) (got {points.shape})")
        where, count = np.zeros((len(points), 3)), len(points)
        where[:, : points.shape[1]] = points
        velocity, pressure, phi = np.empty((count, 3)), np.empty(count), np.empty(count)
        doubles = [a.ctypes.data_as(ctypes.POINTER(c_double)) for a in (where, velocity, pressure, phi)]
        with self._lock:
            self._looks_at_grid()
            self._check(lib.spate_sim_sample(self._handle(), doubles[0], count, *doubles[1:], self._error_at))
        found = Samples(velocity[:, : self.dim], pressure, phi)
        return Samples(*(values[0] for values in found)) if single else found

    @words("spate_sim_solid_distance")
    def solid_distance(self, point: Sequence[float]) -> float:
        return self._ask(lib.spate_sim_solid_distance, vector(point, "point", self.dim), None)

    @words("spate_sim_surface")
    def surface(self, resolution: int | None = None) -> Surface:
        """resolution: lattice cells along a cell, 1 .. 4; None: that of the scene. Returns a Surface."""
        with self._lock:
            wanted = _api.spate_surface_options()
            lib.spate_surface_options_default_sized(byref(wanted), lib.spate_sim_scene(self._handle()), sizeof(wanted))
            if resolution is not None:
                wanted.resolution = resolution
            found = lib.spate_sim_surface(self._handle(), byref(wanted), self._error_at)
            if not found:
                fail(self._error)
            return Surface(found)

    # ---- gauges

    def _gauge_columns(self):
        """The columns of gauges.csv: (gauge, component, name)."""
        found, name = [], ctypes.create_string_buffer(128)
        for gauge in range(lib.spate_sim_gauge_count(self._handle())):
            value = 0
            while lib.spate_sim_gauge_column(self._handle(), gauge, value, name, len(name)):
                found.append((gauge, value, text(name.value)))
                value += 1
        return found

    def _gauge_headings(self):
        """The same columns with unit and place, as gauges.csv begins."""
        found = []
        for gauge, value, _ in self._columns:
            heading = ctypes.create_string_buffer(288)
            lib.spate_sim_gauge_heading(self._handle(), gauge, value, heading, len(heading))
            found.append(text(heading.value))
        return found

    def _log_gauges(self):
        handle, values, last = self._sim, VALUES(), -1
        self._rows.append(lib.spate_sim_time(handle))
        self._rows.append(lib.spate_sim_steps(handle))
        for gauge, part, _ in self._columns:
            if gauge != last:
                lib.spate_sim_gauge_read(handle, gauge, values)
                last = gauge
            self._rows.append(values[part])

    @words("spate_sim_gauge_count")
    def gauges(self) -> dict[str, float]:
        """Returns a dict by the names of gauges.csv."""
        with self._lock:
            handle = self._handle()
            self._looks_at_grid()
            found, values = {}, VALUES()
            for gauge, part, name in self._columns:
                lib.spate_sim_gauge_read(handle, gauge, values)
                found[name] = values[part]
            return found

    def gauge_table(self) -> numpy.recarray:
        """The gauges at every step so far: a record array with the columns of gauges.csv."""
        np = numpy("a table of gauges")
        with self._lock:
            if self._columns and not self._rows:
                self._looks_at_grid()
                self._log_gauges()
            width = len(self._columns) + 2
            rows = np.array(self._rows).reshape(-1, width) if self._columns else np.zeros((0, width))
        kinds = [("time", "f8"), ("step", "u8")] + [(name, "f8") for _, _, name in self._columns]
        made = np.empty(len(rows), kinds)
        for k, (name, _) in enumerate(kinds):
            made[name] = rows[:, k]
        return np.rec.array(made)

    # ---- statistics

    @words("spate_sim_stats")
    def stats(self) -> Stats:
        """Returns Stats. Views become stale: the particles are sorted."""
        with self._lock:
            self._changes()
            measured, found = _stats.read(lib.spate_sim_stats_sized, self._handle())
            if not measured:
                raise UsageError("particles are not measured inside of a step; progress() has the rest", "stats")
            return found

    @words("spate_sim_progress")
    def progress(self) -> Stats:
        """Returns Stats."""
        with self._lock:
            return _stats.read(lib.spate_sim_progress_sized, self._handle())[1]

    @words("spate_channel_sums")
    def channel_sums(self, name: str, component: int = 0) -> ChannelSums:
        """Returns ChannelSums; particles and cells are those of the last stats()."""
        sums = _api.spate_channel_sums()
        if not self._ask(lib.spate_sim_channel_sums_sized, encode(name, "channel"), component, byref(sums), sizeof(sums)):
            raise UsageError(f"there is no channel '{name}' with a component {component}", "channel")
        return ChannelSums(*(getattr(sums, part) for part in ChannelSums._fields))

    # ---- files

    @words("spate_sim_particles_write")
    def write_particles(self, path: str | os.PathLike) -> None:
        with self._lock:
            self._check(lib.spate_sim_particles_write(self._handle(), path_bytes(path), self._error_at))

    @words("spate_sim_volume_write", "Level set and velocity on the grid, .vdb (3D) or .vti; of a gas its fields, .vti.")
    def write_volume(self, path: str | os.PathLike) -> None:
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_volume_write(self._handle(), path_bytes(path), self._error_at))

    @words("spate_sim_preview_write_png")
    def write_picture(self, path: str | os.PathLike, width: int = 960, height: int = 540) -> None:
        with self._lock:
            if self.scene["fluid.kind"] == "gas":
                self._changes()  # what is drawn of it comes from the particles as they are, which are sorted
            self._check(lib.spate_sim_preview_write_png(self._handle(), path_bytes(path), width, height,
                                                        self._error_at))


