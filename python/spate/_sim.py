"""A simulation: its clock, what can be changed while it runs, checkpoints. _look.py has what can be seen of it."""
from __future__ import annotations

import array
import ctypes
import threading
import weakref
from ctypes import byref, c_double, c_size_t

from . import _api, _dlpack
from ._errors import UsageError
from ._library import encode, fail, lib, numpy, path_bytes, text, vector, words
from ._look import Looks
from ._scene import Scene, floats, is_list, options, settings, shape_of, three, warn

STAGES = [text(lib.spate_stage_name(k)) for k in range(lib.spate_stage_count())]
_step, _frame_of = lib.spate_sim_step, lib.spate_sim_frame


def stages() -> dict[str, str]:
    """The stages of a step, in order: a dict of what each does by its name."""
    return {name: text(lib.spate_stage_what(k)) for k, name in enumerate(STAGES)}


def devices() -> dict[str, tuple[bool, str]]:
    """The devices of this library, "cpu" first: a dict of (available, note) by name."""
    names = (ctypes.c_char_p * 16)()
    found = {}
    for k in range(min(lib.spate_device_list(names, 16), 16)):
        note = ctypes.create_string_buffer(256)
        there = lib.spate_device_available(names[k], note, 256)
        found[text(names[k])] = (there, text(note.value))
    return found


class Solid:
    """A solid of a simulation; sim.solids lists them, sim.add_solid(...) gives the new one."""

    def __init__(self, sim, number, name=""):
        self._sim, self._id, self.name = sim, number, name

    @property
    def index(self) -> int:
        return self._id.index

    def __eq__(self, other):
        return (isinstance(other, Solid) and self._sim is other._sim and
                (self._id.index, self._id.generation) == (other._id.index, other._id.generation))

    def __hash__(self):
        return hash((id(self._sim), self._id.index, self._id.generation))

    def __repr__(self):
        return f"<spate solid {self._id.index}{' ' + repr(self.name) if self.name else ''}>"

    @words("spate_sim_move_solid")
    def move(self, position: Sequence[float], rotation: float | Sequence[float] = 0) -> None:
        """position: m, as many numbers as axes; rotation: degrees, in 2D one number."""
        sim = self._sim
        with sim._lock:
            turn = [0, 0, rotation] if not hasattr(rotation, "__len__") else list(rotation)
            sim._check(lib.spate_sim_move_solid(sim._handle(), self._id, vector(position, "position", sim.dim),
                                                vector(turn, "rotation", 3), sim._error_at))

    @words("spate_sim_remove_solid", "Removes it; the id of a removed solid is refused from then on.")
    def remove(self) -> None:
        sim = self._sim
        with sim._lock:
            sim._changes()
            sim._check(lib.spate_sim_remove_solid(sim._handle(), self._id, sim._error_at))

    @words("spate_sim_solid_force")
    def force(self, about: Sequence[float] | None = None) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Returns (force, torque), tuples of three numbers."""
        sim = self._sim
        force, torque = (c_double * 3)(), (c_double * 3)()
        with sim._lock:
            sim._looks_at_grid()
            point = None if about is None else vector(about, "about", sim.dim)
            sim._check(lib.spate_sim_solid_force(sim._handle(), self._id, point, force, torque, sim._error_at))
        return tuple(force), tuple(torque)


class Sim(Looks):
    """A simulation of a scene.

    device: "cpu", "cuda", or "auto": a GPU if one is there; threads: 0 is one per core; log: a function of (where,
    message) that gets warnings, which are Python warnings (SpateWarning) otherwise.

    Other threads may use it: a call waits for the one under way. Steps leave Python's lock to other threads. Ctrl-C
    comes out after the step that is under way is done, so that the simulation can go on.
    """

    def __init__(self, scene: Scene | SceneDict | str | os.PathLike, device: str = "cpu", threads: int = 0,
                 log: Callable[[str, str], Any] | None = None) -> None:
        if not isinstance(scene, Scene):
            scene = Scene(scene)
        _dlpack.sweep()
        self._sim = None
        self._lock = threading.RLock()
        self._generation, self._settled, self._broken, self._in_callback = 0, False, None, False
        self._device_generation = self._write_generation = 0  # of views in two memories: see View
        self._names = {}  # of solids that were added
        self._error = _api.spate_error()
        self._error_at = ctypes.pointer(self._error)
        self._log, self._messages = log, []
        self._stage_fn, self._raised, self._stage_dt = None, None, 0.0
        messages = self._messages
        self._log_fn = _api.spate_log_fn(  # without a reference to the simulation, which would never end
            lambda user, level, where, message: messages.append((level, text(where), text(message))))
        wanted = options(device, threads)
        wanted.log = self._log_fn
        self._sim = lib.spate_sim_create_versioned(_api.VERSION, scene._pointer, byref(wanted), self._error_at)
        if not self._sim:
            fail(self._error)
        self.dim = lib.spate_sim_dim(self._sim)
        self._columns = self._gauge_columns()
        self._rows = array.array("d")
        self._flush()

    # ---- life

    def close(self) -> None:
        """Frees its memory at once; views of it are stale from then on. The end of a `with` block does so, too."""
        with self._lock:
            if self._in_callback:
                raise UsageError("a simulation cannot end inside of its own step", "close")
            self._generation += 1
            handle, self._sim = self._sim, None
            if handle:
                lib.spate_sim_destroy(handle)

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self):
        handle, self._sim = getattr(self, "_sim", None), None
        if handle:
            lib.spate_sim_destroy(handle)

    def _handle(self):
        if self._sim is None:
            raise UsageError("the simulation was closed", "sim")
        return self._sim

    def _ask(self, function, *arguments):
        with self._lock:
            return function(self._sim or self._handle(), *arguments)

    def _check(self, status):
        if self._messages:
            self._flush()
        if status:
            fail(self._error)

    def _flush(self):
        said, self._messages[:] = list(self._messages), []
        for level, where, message in said:
            if self._log:
                self._log(where, message)
            elif level == _api.SPATE_LOG_WARNING:
                warn(where, message)

    def _changes(self):
        """Before a call that changes particles or grid: views become stale, and the grid is no longer theirs."""
        self._generation += 1
        self._settled = False

    def _looks_at_grid(self):
        """Before a look at the grid, which lays the particles on it if something has changed: that sorts them."""
        if not self._settled and not self._in_callback:
            self._generation += 1

    # ---- clock

    @words("spate_sim_step")
    def step(self, dt: float = 0.0) -> None:
        with self._lock:
            handle = self._sim or self._handle()
            if self._broken:
                raise UsageError(self._broken, "sim")
            if self._columns and not self._rows:
                self._log_gauges()
            self._generation += 1
            status = _step(handle, dt, self._error_at)
            self._generation += 1
            self._settled = True
            if status or self._raised or self._messages:
                self._after(status)
            if self._columns:
                self._log_gauges()

    def _after(self, status):
        """What a step brought beside itself: warnings, an error, an exception of the callback."""
        raised, self._raised = self._raised, None
        if status == _api.SPATE_ERROR_STOPPED:
            self._broken = "its stage callback has ended a step: load a checkpoint, or make it anew"
        if raised is not None:
            raise raised
        self._check(status)

    @words("spate_sim_step_frame")
    def step_frame(self) -> int:
        """Returns the number of frames completed. After Ctrl-C it stands inside the frame, and can go on."""
        frame = self.frame
        while self.frame == frame:
            self.step()
        return self.frame

    def frames(self, count: int | None = None, progress: bool | Callable[[int, int], Any] = False) -> Iterator[int]:
        """Steps frame by frame, `count` more of them or up to the scene's: for frame in sim.frames(120): ...

        progress: True shows a bar, if tqdm is there; or a function of (frame, last frame)."""
        last = self.frame + count if count is not None else self.scene["frames"]
        bar = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
                bar = tqdm(total=last, initial=self.frame, unit="frame")
            except ImportError:
                pass
        try:
            while self.frame < last:
                self.step_frame()
                if bar is not None:
                    bar.update(self.frame - bar.n)
                elif callable(progress):
                    progress(self.frame, last)
                yield self.frame
        finally:
            if bar is not None:
                bar.close()

    @words("spate_sim_run_stage")
    def run_stage(self, name: StageName | str, dt: float | None = None) -> None:
        """dt: s; without it the first stage takes that of the CFL rule, and the others that of the first."""
        stage = lib.spate_stage_find(encode(name, "stage"))
        if stage < 0:
            raise UsageError(f"there is no stage '{name}'; there are: {', '.join(STAGES)}", "stage")
        with self._lock:
            if dt is None:
                dt = self.next_dt if stage == 0 or not self._stage_dt else self._stage_dt
            self._stage_dt = dt
            self._changes()
            self._check(lib.spate_sim_run_stage(self._handle(), stage, dt, self._error_at))
            if stage == len(STAGES) - 1:
                self._settled, self._stage_dt = True, 0.0
                if self._columns:
                    self._log_gauges()

    def on_stage(self, function: Callable[[Sim, str], Any] | None) -> Callable[[Sim, str], Any] | None:
        """function(sim, stage) is called after each stage of every step, with the name of the stage; None: no more.

        It may look at the simulation, but not change it, save by edit_velocity: that is the place for forces of one's
        own. An exception in it ends the step and comes out of step(); the simulation is then inside a step, and is of
        use only after load(). Ctrl-C in it comes out at the end of the step. Can be used as a decorator."""
        with self._lock:
            handle = self._handle()
            if self._in_callback:
                raise UsageError("the callback cannot be changed inside of a step", "on_stage")
            if function is None:
                lib.spate_sim_set_stage_callback(handle, _api.spate_stage_fn(), None)
                self._stage_fn = None
                return None
            self._stage_fn = _stage_callback(self, function)
            lib.spate_sim_set_stage_callback(handle, self._stage_fn, None)
            return function

    @property
    def time(self) -> float:
        """s"""
        return self._ask(lib.spate_sim_time)

    @property
    def frame(self) -> int:
        """Frames completed."""
        return self._ask(_frame_of)

    @property
    def steps(self) -> int:
        """Steps taken in all."""
        return self._ask(lib.spate_sim_steps)

    @property
    @words("spate_sim_at_frame")
    def at_frame(self) -> bool:
        return self._ask(lib.spate_sim_at_frame)

    @property
    @words("spate_sim_next_dt")
    def next_dt(self) -> float:
        return self._ask(lib.spate_sim_next_dt)

    @property
    @words("spate_sim_step_dt")
    def dt(self) -> float:
        return self._ask(lib.spate_sim_step_dt)

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds that each stage took in the frame under way or just completed, by name."""
        return {name: self._ask(lib.spate_sim_stage_seconds, k) for k, name in enumerate(STAGES)}

    @property
    def scene(self) -> Scene:
        """A copy of its scene."""
        made = Scene.__new__(Scene)
        with self._lock:
            made._pointer = lib.spate_scene_copy(lib.spate_sim_scene(self._handle()))
        return made

    @property
    def device(self) -> str:
        return text(self._ask(lib.spate_sim_device))

    @property
    def device_bytes(self) -> int:
        """Memory of a GPU that it holds; 0 on the CPU."""
        return self._ask(lib.spate_sim_device_bytes)

    @property
    def threads(self) -> int:
        return self._ask(lib.spate_sim_threads)

    @property
    @words("spate_sim_hash")
    def hash(self) -> int:
        return self._ask(lib.spate_sim_hash)

    def __repr__(self):
        if self._sim is None:
            return "<spate simulation, closed>"
        return (f"<spate simulation: {self.dim}D on {self.device}, frame {self.frame}, {self.time:g} s, "
                f"{len(self)} particles>")

    def __len__(self) -> int:
        return self._ask(lib.spate_sim_particles_count, b"fluid")

    def __bool__(self):
        return True

    # ---- changes while it runs

    @words("spate_sim_add_particles")
    def add_particles(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> int:
        """positions, velocities: arrays of shape (n, dim). Returns how many were taken."""
        x = three(positions, "positions")
        v = None if velocities is None else three(velocities, "velocities")
        if v is not None and len(v) != len(x):
            raise ValueError(f"velocities: must be as many as positions ({len(x)}, got {len(v)})")
        taken = c_size_t()
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_add_particles(self._handle(), floats(x), floats(v), len(x), byref(taken),
                                                    self._error_at))
        return taken.value

    def add_liquid(self, shape: dict[str, Any]) -> int:
        """Fills a shape with liquid, as `fill` of a scene does at the start, where there is none yet: only cells
        without particles get some. `velocity` in the shape is that of the liquid. Returns how many particles came; a
        call before each step is a source that may move."""
        trial = self.scene
        for name in settings():
            if "[]" not in name and is_list(name):
                trial[name] = []
        trial["fill"] = [shape]
        with self._lock, Sim(trial, threads=1, log=lambda *said: None) as made:
            positions, velocities = made.particles.position(), made.particles.velocity()
            now = self.particles
            occupied = numpy("add_liquid").unique(self._cells(now.position(), now.scale), axis=0)
            taken = {tuple(cell) for cell in occupied}
            cells = self._cells(positions, now.scale)
            free = [tuple(cell) not in taken for cell in cells]
            return self.add_particles(positions[free], velocities[free])

    @staticmethod
    def _cells(positions, size):
        return numpy().floor(positions / size).astype(int)

    @words("spate_sim_remove_particles")
    def remove_particles(self, shape: dict[str, Any]) -> int:
        """shape: a dict as in a scene file. Returns how many were removed."""
        holder, form = shape_of(shape, self.dim)
        taken = c_size_t()
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_remove_particles(self._handle(), byref(form), byref(taken), self._error_at))
        del holder
        return taken.value

    @words("spate_sim_add_solid")
    def add_solid(self, shape: dict[str, Any]) -> Solid:
        """shape: a dict as in a scene file, with "motion" if it is to move by keyframes. Returns a Solid."""
        holder, form = shape_of(shape, self.dim)
        number = _api.spate_solid_id()
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_add_solid(self._handle(), byref(form), byref(number), self._error_at))
            self._names[number.index, number.generation] = shape.get("name", "")
        del holder
        return Solid(self, number, shape.get("name", ""))

    @property
    def solids(self) -> list[Solid]:
        """The solids that there are now, those of the scene first."""
        names = {(k, 1): item["name"] for k, item in enumerate(self.scene.to_dict()["solids"])}
        names.update(self._names)
        found = []
        for k in range(self._ask(lib.spate_sim_solid_count)):
            number = _api.spate_solid_id()
            if self._ask(lib.spate_sim_solid_at, k, byref(number)):
                found.append(Solid(self, number, names.get((number.index, number.generation), "")))
        return found

    def solid(self, name: str) -> Solid:
        """The solid of this name."""
        number = _api.spate_solid_id()
        if not self._ask(lib.spate_sim_solid_find, encode(name, "name"), byref(number)):
            raise UsageError(f"there is no solid '{name}'", "solid")
        return Solid(self, number, name)

    @words("spate_sim_set_gravity", "Acceleration of everything from the next step on, m/s^2.")
    def set_gravity(self, gravity: Sequence[float]) -> None:
        with self._lock:
            self._check(lib.spate_sim_set_gravity(self._handle(), vector(gravity, "gravity", self.dim), self._error_at))

    @words("spate_sim_add_impulse")
    def add_impulse(self, center: Sequence[float], radius: float, velocity: Sequence[float]) -> None:
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_add_impulse(self._handle(), vector(center, "center", self.dim), radius,
                                                  vector(velocity, "velocity", self.dim), self._error_at))

    def _inflow(self, inflow):
        if isinstance(inflow, str):
            names = [item.get("name", "") for item in self.scene.to_dict()["inflows"]]
            if inflow not in names:
                raise UsageError(f"there is no inflow '{inflow}'", "inflow")
            return names.index(inflow)
        return inflow

    @words("spate_sim_set_inflow", "inflow: its number or its name.")
    def set_inflow(self, inflow: int | str, on: bool) -> None:
        with self._lock:
            self._changes()
            self._check(lib.spate_sim_set_inflow(self._handle(), self._inflow(inflow), on, self._error_at))

    def inflow_is_on(self, inflow: int | str) -> bool:
        return self._ask(lib.spate_sim_inflow_is_on, self._inflow(inflow))

    # ---- checkpoints

    @words("spate_sim_checkpoint_write", "Everything that the next step needs, into a file.")
    def save(self, path: str | os.PathLike) -> None:
        with self._lock:
            self._check(lib.spate_sim_checkpoint_write(self._handle(), path_bytes(path), self._error_at))

    @words("spate_sim_load", "From a file of save().")
    def load(self, path: str | os.PathLike) -> None:
        with self._lock:
            self._loads(lambda handle: lib.spate_sim_checkpoint_read(handle, path_bytes(path), self._error_at))

    def _loads(self, read):
        self._changes()
        self._broken = "loading a checkpoint has failed: make the simulation anew"
        self._check(read(self._handle()))
        self._broken, self._stage_dt = None, 0.0
        steps, width = self.steps, len(self._columns) + 2
        if self._columns:  # the rows of steps that are to come
            while self._rows and self._rows[-width + 1] > steps:
                del self._rows[-width:]

    def checkpoint(self) -> bytes:
        """Everything that the next step needs, as bytes; see restore()."""
        parts = []

        @_api.spate_write_fn
        def write(user, address, size):
            parts.append(ctypes.string_at(address, size))
            return _api.SPATE_OK

        with self._lock:
            self._check(lib.spate_sim_save(self._handle(), write, None, self._error_at))
        return b"".join(parts)

    @words("spate_sim_load", "From the bytes of checkpoint().")
    def restore(self, data: bytes) -> None:
        memory, at = memoryview(data).cast("B"), [0]

        @_api.spate_read_fn
        def read(user, address, size):
            part = bytes(memory[at[0] : at[0] + size])
            if len(part) < size:
                return _api.SPATE_ERROR_FILE
            ctypes.memmove(address, part, size)
            at[0] += size
            return _api.SPATE_OK

        with self._lock:
            self._loads(lambda handle: lib.spate_sim_load(handle, read, None, self._error_at))


def _stage_callback(sim, function):
    """As C calls it. It holds the simulation only weakly: the simulation holds it."""
    owner = weakref.ref(sim)

    @_api.spate_stage_fn
    def call(user, handle, stage):
        sim = owner()
        if sim is None:
            return 1
        sim._generation += 1
        sim._in_callback = True
        try:
            function(sim, STAGES[stage])
        except KeyboardInterrupt as pressed:  # after the step
            sim._raised = pressed
        except BaseException as raised:
            sim._raised = raised
            return 1
        finally:
            sim._in_callback = False
            sim._generation += 1
        return 0

    return call


