"""The structs, enums and functions of the binding are those of the C compiler and of the libraries."""
import ctypes
import os
import subprocess
import sys
import shutil
from pathlib import Path

import harness
from harness import Skip
from spate import _api

SOURCE = Path(os.environ["SPATE_SOURCE"])


def _place(kind):
    """(struct, member) of a struct without a name of its own, as ("spate_scene", "whitewater.spray"); else (name, "")."""
    for parent in _api.STRUCTS:
        for field, type_ in parent._fields_:
            if type_ is kind and kind.__name__ == f"{parent.__name__}_{field}":
                owner, above = _place(parent)
                return owner, f"{above}.{field}" if above else field
    return kind.__name__, ""


def _from_compiler():
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise Skip("there is no C compiler")
    lines = ['#include <spate/spate_io.h>', '#include <stdio.h>', 'int main(void) {']
    for kind in _api.STRUCTS:
        name = kind.__name__
        owner, member = _place(kind)
        whole = f"(({owner} *)0)->{member}" if member else None
        lines.append(f'printf("{name} %zu\\n", sizeof({whole or name}));')
        for field, _ in kind._fields_:
            path = f"{member}.{field}" if member else field
            base = f" - offsetof({owner}, {member})" if member else ""
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({owner}, {path}){base}, '
                         f'sizeof((({owner} *)0)->{path}));')
    for values in _api.ENUMS.values():
        lines += [f'printf("{name} %d\\n", (int){name});' for name in values]
    lines += ['printf("VERSION %d\\n", SPATE_VERSION_NUMBER);', "return 0; }"]
    Path("layout.c").write_text("\n".join(lines) + "\n")
    subprocess.run([compiler, "-std=c11", f"-I{SOURCE / 'include'}", "layout.c", "-o", "layout"], check=True)
    said = subprocess.run(["./layout"], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: tuple(map(int, line.split()[1:])) for line in said.splitlines()}


def _from_binding():
    found = {"VERSION": (_api.VERSION,)}
    for kind in _api.STRUCTS:
        found[kind.__name__] = (ctypes.sizeof(kind),)
        for field, _ in kind._fields_:
            place = getattr(kind, field)
            found[f"{kind.__name__}.{field}"] = (place.offset, place.size)
    for values in _api.ENUMS.values():
        found.update({name: (value,) for name, value in values.items()})
    return found


def test_layouts_are_the_compilers():
    theirs, ours = _from_compiler(), _from_binding()
    wrong = {name: (value, ours.get(name)) for name, value in theirs.items() if ours.get(name) != value}
    assert not wrong and set(ours) == set(theirs), wrong
    assert len(theirs) > 250


def test_a_moved_member_is_noticed():
    """The comparison above can fail: a struct with a member too many differs in size and offsets."""
    kind = next(k for k in _api.STRUCTS if k.__name__ == "spate_options")
    fields = [("size", ctypes.c_uint32), ("new", ctypes.c_double)] + list(kind._fields_[1:])
    grown = type("spate_options", (ctypes.Structure,), {"_fields_": fields})
    assert ctypes.sizeof(grown) != ctypes.sizeof(kind) and grown.device.offset != kind.device.offset


def test_all_functions_of_the_libraries_are_bound():
    if not shutil.which("nm"):
        raise Skip("there is no nm")
    exported = set()
    for name in ("libspate.so", "libspate_io.so"):
        said = subprocess.run(["nm", "-D", "--defined-only", str(Path(os.environ["SPATE_BUILD"]) / name)], check=True,
                              capture_output=True, text=True).stdout
        exported |= {word.split("@")[0] for line in said.splitlines() for word in line.split()[-1:]
                     if word.startswith("spate_")}
    assert exported == set(_api.FUNCTIONS), exported ^ set(_api.FUNCTIONS)


def test_every_function_has_words():
    silent = [name for name in _api.FUNCTIONS if not _api.WORDS.get(name) and not _api.WORDS.get(name[:-6])]
    assert len(silent) < 30, silent
    assert _api.WORDS["spate_sim_step"].startswith("One step of dt seconds")


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
