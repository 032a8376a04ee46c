"""Particle files of a run as a dictionary of numpy arrays: what all other formats are compared with."""
import glob
import os
import re

import numpy


def read(path):
    with open(path, "rb") as file:
        head = b""
        while not head.endswith(b"end_header\n"):
            head += file.readline()
        names = re.findall(r"property (float|uint) (\w+)", head.decode())
        rows = numpy.fromfile(file, [(name, {"float": "<f4", "uint": "<u4"}[kind]) for kind, name in names])
    assert len(rows) == int(re.search(r"element vertex (\d+)", head.decode()).group(1))
    groups = {}
    for _, name in names:
        stem = {"x": "position", "y": "position", "z": "position",
                "vx": "velocity", "vy": "velocity", "vz": "velocity"}.get(name) or re.sub(r"_[0-3xyz]$", "", name)
        groups.setdefault(stem, []).append(rows[name])
    return {name: columns[0] if len(columns) == 1 else numpy.stack(columns, 1) for name, columns in groups.items()}


def frames(run):
    """(number, attributes) of every frame."""
    for path in sorted(glob.glob(os.path.join(run, "particles.*.ply"))):
        yield int(path.split(".")[-2]), read(path)


def same(name, expected, found):
    found = numpy.asarray(found)
    assert found.size == expected.size, f"{name}: {found.size} values, expected {expected.size}"
    found = found.reshape(expected.shape)
    assert numpy.array_equal(found, expected), f"{name} differs: {found.ravel()[:6]}, expected {expected.ravel()[:6]}"
