"""Run folders: spate.read(DIR) opens what `spate run` or spate.run has left, every frame lazily."""
from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from ._errors import FileError, UsageError
from ._library import numpy
from ._scene import Scene

_KINDS = {"float": "<f4", "float32": "<f4", "double": "<f8", "uint": "<u4", "uint32": "<u4", "int": "<i4",
          "int32": "<i4", "uchar": "|u1", "uint8": "|u1", "char": "|i1", "short": "<i2", "ushort": "<u2"}


def read_ply(path: str | os.PathLike) -> dict[str, numpy.recarray]:
    """A binary PLY file as a dict of record arrays by element, each a look into the file (numpy.memmap)."""
    np = numpy("reading a PLY file")
    path, elements = Path(path), []
    with open(path, "rb") as file:
        if file.readline().strip() != b"ply":
            raise FileError("is not a PLY file", str(path))
        for raw in file:
            line = raw.decode("ascii", "replace").split()
            if line[:1] == ["format"] and line[1] != "binary_little_endian":
                raise FileError(f"is a PLY file of the kind {line[1]}; only binary_little_endian is read", str(path))
            if line[:1] == ["element"]:
                elements.append((line[1], int(line[2]), []))
            elif line[:2] == ["property", "list"]:  # all of one length: of triangles, or the file is refused below
                elements[-1][2].extend([(f"{line[4]}_count", _KINDS[line[2]]), (line[4], _KINDS[line[3]], 3)])
            elif line[:1] == ["property"]:
                elements[-1][2].append((line[2], _KINDS[line[1]]))
            elif line[:1] == ["end_header"]:
                break
        else:
            raise FileError("its header has no end", str(path))
        at = file.tell()
    size, found = path.stat().st_size, {}
    for name, count, kinds in elements:
        kind = np.dtype(kinds)
        if at + count * kind.itemsize > size:
            raise FileError(f"is not complete: {count} of {name} do not fit", str(path))
        rows = np.memmap(path, kind, "r", at, (count,)) if count else np.zeros(0, kind)
        for column in kind.names:
            if column.endswith("_count") and kind.fields.get(column[:-6]) and (rows[column] != 3).any():
                raise FileError("has faces that are no triangles", str(path))
        found[name] = rows.view(np.recarray) if count else np.rec.array(rows)
        at += count * kind.itemsize
    return found


class Volume(dict):
    """The arrays of a volume file by name: indices are [i, j] or [i, j, k] along x, y, z, then the component of those
    that have several. Each is a look into the file (numpy.memmap).

    origin: the position (m) of the first value; cell_size: the distance of neighbours (m); time: s
    axis(d): the positions of the values along axis d, a numpy array
    """

    def axis(self, d: int) -> numpy.ndarray:
        """The positions (m) of the values along axis d."""
        return self.origin[d] + self.cell_size * numpy("an axis").arange(self.shape[d])


_ARRAY = re.compile(r'<DataArray type="(\w+)" Name="([^"]+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"')
_VTK = {"Float32": "<f4", "UInt8": "|u1"}


def read_vti(path: str | os.PathLike) -> Volume:
    """A volume or slice (.vti) that spate has written."""
    np, path = numpy("reading a volume"), Path(path)
    with open(path, "rb") as file:
        head, mark, _ = file.read(1 << 16).partition(b'<AppendedData encoding="raw">\n_')
    said, begin = head.decode("ascii", "replace"), len(head) + len(mark)
    extent = re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)" Origin="(\S+) (\S+) (\S+)" Spacing="(\S+) ', said)
    time = re.search(r'Name="TimeValue"[^>]*>([^<]+)<', said)
    if not mark or not extent or not time:
        raise FileError("is no volume that spate has written", str(path))
    count = [int(extent.group(k)) + 1 for k in (1, 2, 3)]
    dim = 3 if count[2] > 1 else 2
    found, size = Volume(), path.stat().st_size
    found.shape, found.origin = tuple(count[:dim]), tuple(float(extent.group(k)) for k in (4, 5, 6))[:dim]
    found.cell_size, found.time = float(extent.group(7)), float(time.group(1))
    for kind, name, components, offset in _ARRAY.findall(said):
        shape = (*reversed(count[:dim]), int(components))
        at, kind = begin + int(offset) + 8, np.dtype(_VTK[kind])
        if at + int(np.prod(shape)) * kind.itemsize > size:
            raise FileError(f"is not complete: {name} does not fit", str(path))
        values = np.memmap(path, kind, "r", at, shape)  # x is fastest
        values = values.transpose(*reversed(range(dim)), dim)
        found[name] = values[..., 0] if shape[-1] == 1 else values[..., :dim] if name == "vel" else values
    return found


def read_table(path: str | os.PathLike) -> numpy.recarray:
    """A CSV file with a line of names as a record array; units and places behind names (" [m] at ...") are cut off.
    A last line without an end is left out."""
    np = numpy("reading a table")
    said = Path(path).read_text(encoding="utf-8")
    lines = list(csv.reader(said[: said.rfind("\n") + 1].splitlines()))
    if not lines:
        raise FileError("is empty", str(path))
    names, rows = [name.rsplit(" [", 1)[0] for name in lines[0]], [line for line in lines[1:] if len(line) == len(lines[0])]
    made = np.empty(len(rows), [(name, _kind([row[k] for row in rows])) for k, name in enumerate(names)])
    for k, name in enumerate(names):
        made[name] = [row[k] for row in rows] if rows else []
    return np.rec.array(made)


def _kind(cells):
    if cells and all(re.fullmatch(r"-?\d{1,18}", cell) for cell in cells):
        return "i8"
    try:
        [float(cell) for cell in cells]
        return "f8"
    except ValueError:
        return f"U{max(map(len, cells))}"


class Rows:
    """The particles of a set in one frame of a run. The file is opened when something of it is asked for.

    particles: the record array of the file (a look into it); position, velocity: (n, dim); id;
    rows["age"] is a column, of shape (n,) or (n, components)
    """

    def __init__(self, run, number, stem="particles"):
        self.run, self.number, self._stem = run, number, stem
        self._rows = None

    @property
    def time(self) -> float:
        """s"""
        return self.number / self.run.fps

    @property
    def path(self) -> Path:
        return self.run.path / f"{self._stem}.{self.number:04d}.ply"

    @property
    def particles(self) -> numpy.recarray:
        """The record array of the particle file, a look into it."""
        if self._rows is None and not self.path.exists():
            raise FileError("is not there: the run wrote no particles (output.particles)", str(self.path))
        if self._rows is None:
            self._rows = read_ply(self.path)["vertex"]
        return self._rows

    def __len__(self):
        return len(self.particles)

    def _columns(self, names):
        np, rows = numpy("a frame"), self.particles
        missing = [name for name in names if name not in rows.dtype.names]
        if missing:
            raise FileError(f"has no {missing[0]}; there are: {', '.join(rows.dtype.names)}", str(self.path))
        return np.stack([rows[name] for name in names], 1)

    @property
    def position(self) -> numpy.ndarray:
        """(n, dim), m"""
        return self._columns(("x", "y", "z")[: self.run.dim])

    @property
    def velocity(self) -> numpy.ndarray:
        """(n, dim), m/s"""
        return self._columns(("vx", "vy", "vz")[: self.run.dim])

    @property
    def id(self) -> numpy.ndarray:
        return self["id"]

    def keys(self) -> list[str]:
        """The columns, those of several components by their common name."""
        return list(dict.fromkeys(re.sub(r"_[0-3xyz]$", "", name) for name in self.particles.dtype.names))

    def __getitem__(self, name: str) -> numpy.ndarray:
        names = self.particles.dtype.names
        if name in names:
            return numpy().asarray(self.particles[name])
        parts = [part for part in names if re.fullmatch(re.escape(name) + r"_[0-3xyz]", part)]
        return self._columns(parts or [name])

    def __repr__(self):
        return f"<{self._stem} of frame {self.number} of {self.run.path}>"


class Frame(Rows):
    """One frame of a run. Files are opened when something of them is asked for.

    number, time; particles: the record array of the file (a look into it); position, velocity: (n, dim); id;
    frame["age"] is a column, of shape (n,) or (n, components); particle_set("whitewater"): the same of another set;
    surface: a dict of arrays, if the run has surfaces; volume: the arrays of the grid by name, if the run has volumes
    (a gas has); stats: the row of stats.csv
    """

    @property
    def particle_sets(self) -> list[str]:
        """The names of the sets of particles that have a file; "fluid" is the liquid."""
        names = [path.name.split(".")[0] for path in sorted(self.run.path.glob(f"*.{self.number:04d}.ply"))]
        return ["fluid"] * ("particles" in names) + [name for name in names if name not in ("particles", "mesh", "solids")]

    def particle_set(self, name: str) -> Rows:
        """The particles of one set."""
        if name not in self.particle_sets:
            raise UsageError(f"there is no set '{name}'; there are: {', '.join(self.particle_sets) or 'none'}", "set")
        return self if name == "fluid" else Rows(self.run, self.number, name)

    @property
    def surface(self) -> dict[str, numpy.ndarray] | None:
        """positions, normals, velocities (n, 3) and indices of the surface of this frame; None if there is none."""
        np, path = numpy("a surface"), self.run.path / f"mesh.{self.number:04d}.ply"
        if not path.exists():
            return None
        found = read_ply(path)
        rows = found["vertex"]
        made = {name: np.stack([rows[c] for c in columns], 1) for name, columns in
                (("positions", ("x", "y", "z")), ("normals", ("nx", "ny", "nz")), ("velocities", ("vx", "vy", "vz")))
                if columns[0] in rows.dtype.names}
        if "edge" in found:
            made["indices"] = np.stack([found["edge"].vertex1, found["edge"].vertex2], 1)
        else:
            faces = found["face"]
            made["indices"] = np.array(faces[faces.dtype.names[-1]])
        return made

    @property
    def volume(self) -> Volume | None:
        """The arrays of the grid: of a gas vel, pressure, type and the channels. None if there are none."""
        path = self.run.path / "vtk" / f"volume.{self.number:04d}.vti"
        return read_vti(path) if path.exists() else None

    @property
    def stats(self) -> numpy.record | None:
        """The row of stats.csv; None if there is none yet."""
        rows = self.run.stats
        at = numpy().flatnonzero(rows["frame"] == self.number)
        return rows[at[-1]] if len(at) else None

    def __repr__(self):
        return f"<frame {self.number} of {self.run.path}, {self.time:g} s>"


class Run:
    """A run folder: run[42] is frame 42, for frame in run: ..., len(run) how many have particles or volumes; stats, gauges and
    gauge_samples are record arrays; scene is the scene. A run that goes on can be looked at: reload() looks again."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        info = self.path / "run.json"
        if not info.is_file():
            raise FileError("is no folder of a run: it has no run.json", str(self.path))
        try:
            self.info = json.loads(info.read_text(encoding="utf-8"))
            scene = self.info["scene"]
            self.dim, self.fps = len(scene["domain"]["size"]), scene["fps"]
        except (ValueError, KeyError, TypeError):
            raise FileError("is not the run.json of a spate run", str(info)) from None
        self.reload()

    def reload(self) -> Run:
        """Looks again which frames there are, and forgets the tables."""
        names = [path.name for path in self.path.iterdir()]
        if (self.path / "vtk").is_dir():
            names += [path.name for path in (self.path / "vtk").iterdir() if path.suffix == ".vti"]
        found = (re.fullmatch(r"(?:particles\.(\d{4,})\.ply|volume\.(\d{4,})\.vti)", name) for name in names)
        self.numbers = sorted({int(match.group(1) or match.group(2)) for match in found if match})
        self._tables = {}
        return self

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        return Scene(self.info["scene"], folder=self.path)

    def __len__(self):
        return len(self.numbers)

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self, number) for number in self.numbers)

    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        if isinstance(number, slice):
            return [Frame(self, n) for n in self.numbers[number]]
        if number < 0:  # from the end
            return Frame(self, self.numbers[number])
        if number not in self.numbers:
            last = f"{self.numbers[0]} .. {self.numbers[-1]}" if self.numbers else "none"
            raise IndexError(f"there are no files of frame {number}; there are: {last}")
        return Frame(self, number)

    def _table(self, name):
        if name not in self._tables:
            path = self.path / name
            if not path.is_file():
                raise FileError("is not there: the run has none", str(path))
            self._tables[name] = read_table(path)
        return self._tables[name]

    stats = property(lambda self: self._table("stats.csv"), doc="stats.csv, a row per frame")
    gauges = property(lambda self: self._table("gauges.csv"), doc="gauges.csv, a row per step")
    gauge_samples = property(lambda self: self._table("gauge_samples.csv"), doc="gauge_samples.csv, at a fixed rate")

    def __repr__(self):
        return f"<spate run {self.path}: '{self.info['scene'].get('name', '')}', {len(self)} frames>"


def read(path: str | os.PathLike) -> Run:
    """Opens a run folder: see Run."""
    return Run(path)
