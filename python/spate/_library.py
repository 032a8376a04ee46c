"""The two shared libraries: where they are, their functions, and what failed calls become."""
import ctypes
import inspect
import os
import textwrap
from pathlib import Path

try:
    from . import _api, _where
except ImportError as missing:
    raise ImportError(
        "this folder holds the sources of the package alone: `make build` completes it in build/release/python "
        "(PYTHONPATH=build/release/python), `pip install --no-build-isolation --no-index .` installs it") from missing
from ._errors import BY_STATUS, Error

PACKAGE = Path(__file__).resolve().parent


def _folder():
    """Of the libraries: SPATE_LIBRARY in the environment, or the one that this package was made for."""
    return Path(os.environ.get("SPATE_LIBRARY") or PACKAGE / _where.LIBRARY)


def _load(name):
    path = _folder() / f"{name}.so.{_where.ABI}"
    try:
        return ctypes.CDLL(str(path))
    except OSError as why:
        raise ImportError(f"{path} cannot be loaded: {why}. It comes with the package, the installation or the build "
                          f"that this package belongs to; SPATE_LIBRARY names another folder.") from None


_libraries = {"spate": _load("libspate"), "spate_io": _load("libspate_io")}


class _Functions:
    """lib.spate_sim_step(...): the functions of the headers, with their types."""


lib = _Functions()
for _name, (_result, _arguments, _names, _header) in _api.FUNCTIONS.items():
    _function = getattr(_libraries[_header], _name)
    _function.restype, _function.argtypes = _result, _arguments
    setattr(lib, _name, _function)
if lib.spate_version_number() // 100 != _api.VERSION // 100:
    raise ImportError(f"the package was made for spate {_api.VERSION // 10000}.{_api.VERSION // 100 % 100}, "
                      f"but the library is {lib.spate_version().decode()}")


def text(data):
    return data.decode("utf-8", "replace")


def encode(value, what):
    """Text as C takes it."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: must be a string (got {type(value).__name__})")
    if "\0" in value:
        raise ValueError(f"{what}: must not hold a zero byte")
    return value.encode()


def path_bytes(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path must not hold a zero byte")
    return encoded


def fail(error):
    """Raises the exception of an error that a function has filled."""
    kind = BY_STATUS.get(error.status, Error)
    raise kind(text(error.message), text(error.where))


def check(status, error):
    if status != _api.SPATE_OK:
        fail(error)


def vector(values, what, count=None):
    """Up to three numbers as double[3]."""
    numbers = list(values)
    if count is not None and len(numbers) not in (count, 3):
        raise ValueError(f"{what}: must be {count} numbers (got {len(numbers)})")
    return (ctypes.c_double * 3)(*numbers[:3])


def numpy(what="this"):
    """The module, if it is there."""
    try:
        import numpy as module
    except ImportError:
        raise ImportError(f"{what} needs numpy: install it (Debian: apt-get install python3-numpy; or pip install "
                          "numpy)") from None
    return module


def words(name, own=""):
    """A decorator: the docstring is what Python has to add, and the header's own words about a C function."""
    def give(function):
        said = textwrap.fill(_api.WORDS.get(name) or _api.WORDS.get(name + "_sized") or "", 110)
        mine = inspect.cleandoc(own or function.__doc__ or "")
        function.__doc__ = "\n\n".join(part for part in (mine, said) if part)
        return function
    return give
