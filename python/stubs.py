"""stubs.py -- writes the type stubs of the package, spate/__init__.pyi and spate/plot.pyi.

    PYTHONPATH=FOLDER python3 stubs.py OUT_FOLDER

Settings and statistics come from the library's own tables, signatures and words from the package, whose words are those
of the headers.
"""
import importlib
import inspect
import sys
import textwrap
from pathlib import Path

HEAD = '''"""{what} Made by stubs.py; do not edit."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import numpy
from numpy.typing import ArrayLike
'''
TYPES = {"number": "float", "integer": "int", "bool": "bool", "string": "str", "vector": "Sequence[float]",
         "rotation": "float | Sequence[float]"}


def words(thing, indent):
    said = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if not said:
        return []
    lines = [part for line in said.replace("\\", "\\\\").replace('"""', "'''").splitlines()
             for part in textwrap.wrap(line, 116 - len(indent)) or [""]]
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    return [f'{indent}"""{lines[0]}'] + [f"{indent}{line}".rstrip() for line in lines[1:]] + [f'{indent}"""']


class _Bare(str):
    """Text that is shown without quotes."""

    def __repr__(self):
        return str(self)


def function(name, value, indent, decorators=()):
    try:
        found = inspect.signature(value)
        signature = str(found.replace(parameters=[  # annotations are texts here, and must not be quoted
            p.replace(annotation=_Bare(p.annotation) if isinstance(p.annotation, str) else p.annotation)
            for p in found.parameters.values()],
            return_annotation=_Bare(found.return_annotation) if isinstance(found.return_annotation, str) else
            found.return_annotation))
    except (TypeError, ValueError):
        signature = "(*args: Any, **kwargs: Any)"
    if "->" not in signature:
        signature += " -> None" if name == "__init__" else " -> Any"
    lines = [f"{indent}@{decorator}" for decorator in decorators] + [f"{indent}def {name}{signature}:"]
    said = words(value, indent + "    ")
    return lines + said + [f"{indent}    ..."]


KEPT = ("__init__", "__len__", "__getitem__", "__setitem__", "__enter__", "__exit__", "__iter__", "__array__",
        "__dlpack__", "__dlpack_device__", "__add__", "__sub__", "__mul__", "__truediv__", "__pow__", "__neg__",
        "__abs__")


def members(kind):
    """Those that it has itself, and those of bases that are not public."""
    found = {}
    for base in reversed(kind.__mro__):
        if base is not object and (base is kind or base.__name__ in ("Looks", "_Handle")):
            found.update(vars(base))
    return found


def class_lines(name, kind, public):
    bases = [base.__name__ for base in kind.__bases__ if base is not object and (base.__name__ in public or
             base.__module__ == "builtins")]
    lines = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"] + words(kind, "    ")
    for member, value in members(kind).items():
        if member.startswith("_") and member not in KEPT:
            continue
        if isinstance(value, property):
            lines += function(member, value.fget, "    ", ["property"]) if value.fget.__name__ != "<lambda>" else [
                "    @property", f"    def {member}(self) -> numpy.ndarray: ..."]
        elif isinstance(value, classmethod):
            lines += function(member, value.__func__, "    ", ["classmethod"])
        elif isinstance(value, staticmethod):
            lines += function(member, value.__func__, "    ", ["staticmethod"])
        elif inspect.isfunction(value):
            lines += function(member, value, "    ")
        elif inspect.ismemberdescriptor(value):
            lines.append(f"    {member}: Any")
    return lines + ([] if len(lines) > 1 else ["    ..."]) + [""]


# what instances have that is set in __init__
ATTRIBUTES = {
    "Error": ["where: str", "message: str", "problems: list[tuple[str, str]]", "status: int | None"],
    "Particles": ["count: int", "scale: float", "origin: tuple[float, ...]", "x: tuple[View, ...]",
                  "v: tuple[View, ...]", "id: View"],
    "Sim": ["dim: int"], "Surface": ["dim: int"], "Solid": ["name: str"],
    "Run": ["path: Path", "info: dict[str, Any]", "dim: int", "fps: float", "numbers: list[int]"],
    "Frame": ["run: Run", "number: int"],
    "Volume": ["shape: tuple[int, ...]", "origin: tuple[float, ...]", "cell_size: float", "time: float"],
    "Setting": ["path: str", "type: str", "default: str", "unit: str", "low: float", "high: float",
                "choices: list[str]", "help: str"],
    "Stat": ["name: str", "unit: str", "help: str", "dtype: str"],
}


def settings_lines(settings):
    """A TypedDict for each group and list of a scene, from the table."""
    groups = {}
    for path, row in settings.items():
        owner, _, key = path.replace("[]", "").rpartition(".")
        groups.setdefault(owner, []).append((key, row))
        while owner:  # groups are members of those above them
            above, _, key = owner.rpartition(".")
            rows = groups.setdefault(above, [])
            if owner not in settings and all(known != key for known, _ in rows):
                rows.append((key, None))
            owner = above

    def title(owner):
        return "".join(word.capitalize() for word in (owner or "scene").replace(".", "_").split("_")) + "Dict"

    lines = []
    for owner in sorted(groups, key=lambda name: -name.count(".") if name else 1):
        lines.append(f'{title(owner)} = TypedDict("{title(owner)}", {{')
        for key, row in groups[owner]:
            path = f"{owner}.{key}" if owner else key
            if row is None:
                kind, note = title(path), ""
            elif row.type == "enum":
                kind, note = "Literal[" + ", ".join(f'"{c}"' for c in row.choices) + "]", row.help
            elif row.type == "list":
                kind, note = f"list[{title(path)}]", row.help
            else:
                kind, note = TYPES[row.type], row.help
            unit = f"{row.unit}: " if row is not None and row.unit else ""
            lines.append(f'    "{key}": {kind},' if kind.startswith("Literal") else f'    "{key}": "{kind}",')
            if note:
                lines[-1] += f"  # {unit}{note}"
        lines += ["}, total=False)", ""]
    return lines


def main(out):
    here = str(Path(__file__).resolve().parent)  # the sources of the package, which lack what is made
    sys.path[:] = [folder for folder in sys.path if str(Path(folder or ".").resolve()) != here]
    import spate
    out = Path(out)
    public = set(spate.__all__)
    lines = [HEAD.format(what="spate, a PIC/FLIP fluid simulator."), "from . import plot as plot", "",
             "__version__: str", "instruction_set: str", ""]
    settings = spate.settings()
    lines += ["SettingPath = Literal["] + [f'    "{path}",' for path in settings if "[]" not in path] + ["]", ""]
    lines += ["StageName = Literal[" + ", ".join(f'"{name}"' for name in spate.stages()) + "]", ""]
    lines += settings_lines(settings)
    order = sorted((name for name in spate.__all__ if inspect.isclass(getattr(spate, name))),
                   key=lambda name: len(getattr(spate, name).__mro__))
    for name in order:
        kind = getattr(spate, name)
        if name == "Samples":
            lines += ["class Samples(NamedTuple):", "    velocity: numpy.ndarray", "    pressure: numpy.ndarray",
                      "    phi: numpy.ndarray", ""]
            continue
        made = class_lines(name, kind, public)
        made = [line for line in made if line.strip() != "..." or len(made) == 3 or line.startswith("        ")]
        made[-1:] = [f"    {attribute}" for attribute in ATTRIBUTES.get(name, [])]
        if name == "Stats":
            for stat in spate.statistics().values():
                kind_of = "float" if stat.dtype == "f8" else "int"
                unit = f"{stat.unit}: " if stat.unit else ""
                made.append(f"    {stat.name}: {kind_of}  # {unit}{stat.help}")
        if len(made) == 1:
            made.append("    ...")
        lines += made + [""]
    for name in spate.__all__:
        value = getattr(spate, name) if name != "plot" else None
        if inspect.isfunction(value):
            lines += function(name, value, "") + [""]
    (out / "__init__.pyi").write_text("\n".join(lines) + "\n", encoding="utf-8")

    plot = importlib.import_module("spate.plot")
    lines = [HEAD.format(what="Quick looks with matplotlib."), "from . import Frame, Run, Sim", ""]
    for name, value in vars(plot).items():
        if inspect.isfunction(value) and value.__module__ == "spate.plot" and not name.startswith("_"):
            lines += function(name, value, "") + [""]
    (out / "plot.pyi").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "py.typed").write_text("")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: PYTHONPATH=FOLDER python3 stubs.py OUT_FOLDER")
    main(sys.argv[1])
