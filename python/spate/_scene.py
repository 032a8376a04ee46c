"""Scenes: from dicts, files and presets, every setting checked by the library's own table."""
from __future__ import annotations

import ctypes
import json
import os
import re
import warnings
from ctypes import byref
from pathlib import Path

from . import _api, _where
from ._errors import SceneError, SpateWarning
from ._library import PACKAGE, check, encode, fail, lib, numpy, path_bytes, text, words

LISTS = {"fill": _api.SPATE_LIST_FILL, "solids": _api.SPATE_LIST_SOLIDS, "inflows": _api.SPATE_LIST_INFLOWS,
         "outflows": _api.SPATE_LIST_OUTFLOWS}


class Setting:
    """One row of the table of settings: path, type, default (JSON text), unit, low, high, choices, help."""

    def __init__(self, row):
        for name in ("path", "type", "unit", "help"):
            setattr(self, name, text(getattr(row, name)))
        self.default = text(row.fallback)
        self.low, self.high = row.low, row.high
        self.choices = text(row.choices).split("|") if row.choices else []

    def __repr__(self):
        unit = f" {self.unit}" if self.unit else ""
        return f"<setting {self.path}: {self.type}{unit}, default {self.default or 'none'}; {self.help}>"


def settings() -> dict[str, Setting]:
    """The table of settings of a scene, a dict by path; items of lists as "solids[].radius"."""
    return dict(_table)


_table = {row.path: row for row in (Setting(lib.spate_setting_at(k).contents) for k in range(lib.spate_setting_count()))}


def is_list(path):
    """Whether a setting is a list, by the table: "solids", "solids[2].motion"."""
    row = _table.get(re.sub(r"\[\d+\]", "[]", path))
    return row is not None and row.type == "list"


def presets() -> dict[str, str]:
    """The preset scenes: a dict of titles by name."""
    found = {}
    for path in sorted((PACKAGE / _where.SCENES).glob("*.json")):
        found[path.stem] = json.loads(path.read_text(encoding="utf-8")).get("name", path.stem)
    return found


def _plain(value):
    """numpy's numbers and arrays as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value


class _Handle:
    """Memory of the library that ends with the object."""

    _pointer = None
    _end = None

    def __del__(self):
        pointer, self._pointer = self._pointer, None
        if pointer and self._end:
            self._end(pointer)


class Mesh(_Handle):
    """A closed triangle mesh for a solid or a fill: {"shape": "mesh", "mesh": Mesh(vertices, triangles)}.

    vertices: (n, 3) in metres; triangles: (m, 3) indices of vertices. Mesh.read(path) takes OBJ, STL and PLY files.
    """

    _end = staticmethod(lib.spate_mesh_destroy)

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike) -> None:
        np = numpy("a mesh from arrays")
        vertices = np.ascontiguousarray(vertices, "f8").reshape(-1, 3)
        triangles = np.asarray(triangles)
        if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise ValueError(f"triangles: indices must be 0 .. {len(vertices) - 1}")
        triangles = np.ascontiguousarray(triangles, "u4").reshape(-1, 3)
        error = _api.spate_error()
        self._pointer = lib.spate_mesh_create(
            vertices.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(vertices),
            triangles.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32)), len(triangles), byref(error)) or fail(error)

    @classmethod
    def read(cls, path: str | os.PathLike) -> Mesh:
        """Triangle meshes: OBJ, STL (binary and ASCII) and PLY, told apart by their content."""
        error, made = _api.spate_error(), cls.__new__(cls)
        made._pointer = lib.spate_mesh_read(path_bytes(path), byref(error)) or fail(error)
        return made


class Points(_Handle):
    """Particles as they are, for a fill: {"shape": "particles", "points": Points(positions, velocities)}.

    positions: (n, dim) in metres; velocities: (n, dim) in m/s, or None for rest. Points.read(path) takes a PLY file.
    """

    _end = staticmethod(lib.spate_points_destroy)

    def __init__(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        x, v = three(positions, "positions"), velocities if velocities is None else three(velocities, "velocities")
        if v is not None and len(v) != len(x):
            raise ValueError(f"velocities: must be as many as positions ({len(x)}, got {len(v)})")
        error = _api.spate_error()
        self._pointer = lib.spate_points_create(floats(x), floats(v), len(x), byref(error)) or fail(error)

    @classmethod
    def read(cls, path: str | os.PathLike) -> Points:
        """A PLY file with vertex properties x y z and, if there, vx vy vz."""
        error, made = _api.spate_error(), cls.__new__(cls)
        made._pointer = lib.spate_points_read(path_bytes(path), byref(error)) or fail(error)
        return made


def three(values, what):
    """(n, 2) or (n, 3) as float32 (n, 3)."""
    np = numpy(what)
    values = np.asarray(values, "f4")
    if values.ndim == 1 and values.size == 0:
        values = values.reshape(0, 3)
    if values.ndim != 2 or values.shape[1] not in (2, 3):
        raise ValueError(f"{what}: must be an array of shape (n, 2) or (n, 3) (got {values.shape})")
    whole = np.zeros((len(values), 3), "f4")
    whole[:, : values.shape[1]] = values
    return whole


def floats(array):
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def _take_objects(source):
    """A dict without its Mesh and Points objects, and these as (list, index, object)."""
    taken = []
    plain = dict(source)
    for name in LISTS:
        items = plain.get(name)
        if not isinstance(items, (list, tuple)):
            continue
        plain[name] = [dict(item) if isinstance(item, dict) else item for item in items]
        for k, item in enumerate(plain[name]):
            for key, kind in (("mesh", Mesh), ("points", Points)):
                if isinstance(item, dict) and isinstance(item.get(key), kind):
                    taken.append((name, k, item.pop(key)))
    return plain, taken


class Scene:
    """A scene: what is to be simulated.

    Scene({"domain": {"size": [2, 1]}, ...}), Scene("my.json"), Scene.preset("dam_break") or, with all defaults,
    Scene(). Settings are those of a scene file; scene["fluid.flip_ratio"] = 0.9 changes one. What is wrong raises
    SceneError, a ValueError, in the words of the table of settings, spate.settings().
    """

    def __init__(self, source: Scene | SceneDict | str | os.PathLike | None = None,
                 folder: str | os.PathLike | None = None) -> None:
        """source: a dict, the path of a file, or another scene; folder: where names of files in a dict start."""
        error = _api.spate_error()
        self._pointer = None
        if source is None:
            self._pointer = lib.spate_scene_create()
            if not self._pointer:
                raise MemoryError("no memory for a scene")
        elif isinstance(source, Scene):
            self._pointer = lib.spate_scene_copy(source._pointer)
            if not self._pointer:
                raise MemoryError("no memory for a scene")
        elif isinstance(source, dict):
            plain, taken = _take_objects(source)
            self._parse(_json(plain), folder)
            for name, k, value in taken:
                self._give(name, k, value)
        elif isinstance(source, (str, bytes, os.PathLike)):
            self._pointer = lib.spate_scene_read(path_bytes(source), byref(error))
            if not self._pointer:
                fail(error)
        else:
            raise TypeError(f"a scene comes from a dict, a path or a scene (got {type(source).__name__})")

    def _parse(self, said, folder):
        error = _api.spate_error()
        encoded = said.encode()
        self._pointer = lib.spate_scene_parse(encoded, len(encoded), path_bytes(folder) if folder else None,
                                              byref(error)) or None
        if not self._pointer:
            fail(error)

    @classmethod
    def parse(cls, said: str, folder: str | os.PathLike | None = None) -> Scene:
        """From JSON text; `folder` is where relative names of files start."""
        made = cls.__new__(cls)
        made._pointer = None
        made._parse(said, folder)
        return made

    @classmethod
    def preset(cls, name: str) -> Scene:
        """One of the scenes that come with spate; spate.presets() lists them."""
        path = PACKAGE / _where.SCENES / f"{name}.json"
        if not re.fullmatch(r"\w+", str(name)) or not path.is_file():
            raise ValueError(f"there is no preset '{name}'; there are: {', '.join(presets())}")
        return cls(path)

    def __del__(self):
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            lib.spate_scene_destroy(pointer)

    # ---- settings

    def to_dict(self) -> SceneDict:
        """The whole scene, every setting written out."""
        return json.loads(self.to_json())

    @words("spate_scene_text")
    def to_json(self) -> str:
        address = lib.spate_scene_text(self._pointer)
        if not address:
            raise MemoryError("no memory for the text of a scene")
        try:
            return text(ctypes.string_at(address))
        finally:
            lib.spate_free(address)

    def save(self, path: str | os.PathLike) -> None:
        """Writes it as a scene file, for `spate run`."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def copy(self) -> Scene:
        return Scene(self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return Scene(self)

    def __reduce__(self):
        for name in LISTS:
            shapes = getattr(self._pointer.contents, name)
            for k in range(shapes.count):
                if (shapes.items[k].mesh or shapes.items[k].points) and not shapes.items[k].file:
                    raise TypeError(f"{name}[{k}] has a mesh or points without a file: such a scene cannot be pickled")
        return Scene.parse, (self.to_json(),)

    def __setitem__(self, path: SettingPath | str, value: Any) -> None:
        self.set(path, value)

    @words("spate_scene_set")
    def set(self, path: SettingPath | str, value: Any) -> None:
        """`value`: a number, a bool, a string, a vector, or a dict or list of dicts as in a scene file."""
        error, value, given = _api.spate_error(), _plain(value), _api.spate_value()
        encoded = encode(path, "the path of a setting")
        is_vector = isinstance(value, (list, tuple)) and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) for v in value) and len(value) <= 8
        if isinstance(value, bool):
            given.kind, given.number = _api.SPATE_VALUE_BOOL, value
        elif isinstance(value, (int, float)):
            given.kind, given.number = _api.SPATE_VALUE_NUMBER, value
        elif isinstance(value, str) and not path.endswith(".file"):
            given.kind, given.string = _api.SPATE_VALUE_STRING, encode(value, path)
        elif is_vector and not is_list(path):
            given.kind, given.count = _api.SPATE_VALUE_VECTOR, len(value)
            given.vector[: len(value)] = value
        else:
            self._assign(path, value)
            return
        check(lib.spate_scene_set(self._pointer, encoded, byref(given), byref(error)), error)

    def _assign(self, path, value):
        """What is more than one value goes by JSON. A list takes the place of the one before, if all is well."""
        error, taken = _api.spate_error(), []
        if path in LISTS:
            plain, taken = _take_objects({path: value})
            value = plain[path]
        trial = Scene(self)
        assignment = encode(f"{path}={_json(value)}", path)
        check(lib.spate_scene_assign(trial._pointer, assignment, byref(error)), error)
        self._pointer, trial._pointer = trial._pointer, self._pointer
        for name, k, given in taken:
            self._give(name, k, given)

    def _give(self, name, k, value):
        """Shape k of a list gets a mesh or points of its own."""
        shape = getattr(self._pointer.contents, name).items[k]
        if isinstance(value, Mesh):
            shape.mesh = lib.spate_mesh_retain(value._pointer)
        else:
            shape.points = lib.spate_points_retain(value._pointer)

    def __getitem__(self, path: SettingPath | str) -> Any:
        encode(path, "the path of a setting")
        found = self.to_dict()
        for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
            try:
                found = found[int(index)] if index else found[name]
            except (KeyError, IndexError, TypeError):
                self._refuse(path)
        return found

    def _refuse(self, path):
        """Why there is no such setting: the table's words, with what was meant."""
        error, nothing = _api.spate_error(), _api.spate_value()
        trial = Scene(self)
        if lib.spate_scene_set(trial._pointer, path.encode(), byref(nothing), byref(error)) == _api.SPATE_ERROR_SCENE:
            if "unknown" in text(error.message) or "no such" in text(error.message):
                fail(error)
        raise SceneError("is not given here", path)

    def update(self, values: dict[str, Any]) -> None:
        """Sets all of a dict of paths and values."""
        for path, value in values.items():
            self[path] = value

    def add(self, name: str, item: dict[str, Any] | None = None, /, **members: Any) -> int:
        """Appends an item to a list: scene.add("solids", shape="sphere", center=[1, 0.5], radius=0.2). Returns its
        index. Its members may also come as a dict, as they must where a name is a word of Python ("from")."""
        given = {**(item or {}), **members}
        objects = [value for value in given.values() if isinstance(value, (Mesh, Points))]
        plain = {key: _plain(value) for key, value in given.items() if not isinstance(value, (Mesh, Points))}
        if name not in self.to_dict():
            self._refuse(name)
        index = len(self[name])
        self._assign(f"{name}[{index}]", plain)
        for value in objects:
            self._give(name, index, value)
        return index

    # ---- what it means

    @words("spate_scene_check")
    def check(self) -> list[tuple[str, str]]:
        """Returns the warnings, a list of (setting, message); raises SceneError if the scene is wrong."""
        found, error = [], _api.spate_error()

        @_api.spate_log_fn
        def log(user, level, where, message):
            if level == _api.SPATE_LOG_WARNING:
                found.append((text(where), text(message)))

        check(lib.spate_scene_check(self._pointer, log, None, byref(error)), error)
        return found

    @words("spate_forecast")
    def forecast(self, device: str = "cpu", threads: int = 0) -> dict[str, Any]:
        """A dict: cells, cell_size, domain, particles, memory, checkpoint_bytes, device_memory."""
        error, needs = _api.spate_error(), _api.spate_forecast()
        wanted = options(device, threads)
        check(lib.spate_scene_forecast_sized(self._pointer, byref(wanted), byref(needs), ctypes.sizeof(needs),
                                             byref(error)), error)
        found = {name: getattr(needs, name) for name, _ in needs._fields_ if name != "size"}
        return {name: list(value)[: self.dim] if hasattr(value, "__len__") else value for name, value in found.items()}

    @property
    def dim(self) -> int:
        """2 or 3."""
        return self._pointer.contents.dim

    @property
    def name(self) -> str:
        """A title, for people."""
        return text(self._pointer.contents.name)

    def __repr__(self):
        scene = self._pointer.contents
        size = " x ".join(f"{scene.domain.size[d]:g}" for d in range(scene.dim))
        return f"<spate scene '{self.name}': {scene.dim}D, {size} m, {scene.domain.cells} cells, {scene.frames} frames>"


def _json(value):
    def other(thing):
        if hasattr(thing, "tolist"):
            return thing.tolist()
        if isinstance(thing, os.PathLike):
            return os.fspath(thing)
        if isinstance(thing, (Mesh, Points)):
            raise TypeError("a Mesh or Points object stands in a shape as \"mesh\" or \"points\"")
        raise TypeError(f"a scene cannot hold a {type(thing).__name__}")
    return json.dumps(value, default=other)


def options(device, threads):
    made = _api.spate_options()
    lib.spate_options_default_sized(byref(made), ctypes.sizeof(made))
    made.device, made.threads = encode(device, "device"), threads
    return made


def shape_of(value, dim):
    """A scene that holds one solid, and the spate_shape in it: shapes are checked by the same table everywhere."""
    if not isinstance(value, dict):
        raise TypeError(f"a shape is a dict as in a scene file (got {type(value).__name__})")
    try:
        holder = Scene({"domain": {"size": [1] * dim}, "solids": [value]})
    except SceneError as wrong:
        raise SceneError(wrong.message.replace("solids[0].", ""), wrong.where.replace("solids[0].", "")) from None
    return holder, holder._pointer.contents.solids.items[0]


def warn(where, message):
    warnings.warn(f"{where}: {message}" if where else message, SpateWarning, stacklevel=4)


