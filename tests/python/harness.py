"""harness.py -- runs the functions test_... of a module and prints a line for each, as tests/run reads them."""
import sys
import traceback


class Skip(Exception):
    """A test that needs something that is not here."""


def main(module):
    failed = False
    for name, function in list(vars(module).items()):
        if not name.startswith("test_"):
            continue
        try:
            function()
        except Skip as why:
            print(f"skip {name[5:]}\n  skipped: {why}", flush=True)
        except Exception:
            failed = True
            print("".join("  " + line for line in traceback.format_exc().splitlines(True)), end="")
            print(f"FAIL {name[5:]}", flush=True)
        else:
            print(f"ok {name[5:]}", flush=True)
    sys.exit(failed)


def raises(kind, function, *parts):
    """function() raises this, with all parts in its text; returns the exception."""
    try:
        result = function()
    except kind as raised:
        for part in parts:
            assert part in str(raised), f"{part!r} is not in {raised}"
        return raised
    raise AssertionError(f"{kind.__name__} was not raised; it gave {result!r}")


def tank(**more):
    """A small 2D tank half full; settings by path over it."""
    import spate
    scene = spate.Scene({"name": "tank", "domain": {"size": [1, 0.75], "cells": 16}, "frames": 3,
                         "fill": [{"shape": "box", "min": [0, 0], "max": [0.5, 0.5]}]})
    for path, value in more.items():
        scene[path.replace("__", ".")] = value
    return scene


def block(**more):
    """The same in 3D, with a ball and channels."""
    import spate
    scene = spate.Scene({
        "domain": {"size": [1, 0.75, 0.5], "cells": 16}, "frames": 2,
        "fill": [{"shape": "box", "min": [0, 0, 0], "max": [0.4, 0.5, 0.5]}],
        "solids": [{"name": "ball", "shape": "sphere", "center": [0.7, 0.2, 0.25], "radius": 0.12}],
        "channels": [{"name": "age"}, {"name": "dye", "components": 2, "initial": [0.5, 0.25]}]})
    for path, value in more.items():
        scene[path.replace("__", ".")] = value
    return scene
