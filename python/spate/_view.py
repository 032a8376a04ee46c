"""Views: memory of a simulation without a copy, as numpy, DLPack and CUDA programs take it.

A view knows the address, shape and type of an array, holds the simulation, and knows of which state of it it is: after
the next call that changes the simulation every use of it raises StaleView.
"""
from __future__ import annotations

import ctypes
import operator

from . import _dlpack
from ._errors import StaleView
from ._library import numpy

HOST, CUDA = _dlpack.CPU, _dlpack.CUDA
_SIZES = {"<f4": 4, "<u4": 4, "|u1": 1}


class _Memory:
    """What numpy keeps as the base of an array: the memory's owner lives as long as the array."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, owner, interface):
        self.owner, self.__array_interface__ = owner, interface


def array_over(owner, address, shape, typestr, what="this", strides=None, readonly=False):
    """A numpy array over memory that `owner` keeps alive."""
    if 0 in shape or not address:
        return numpy(what).zeros(shape, typestr)
    return numpy(what).asarray(_Memory(owner, {"version": 3, "data": (address, readonly), "shape": shape,
                                              "typestr": typestr, "strides": strides}))


class View:
    """An array in the memory of a simulation, without a copy.

    numpy.asarray(view) has the same address; arithmetic, indexing and the usual methods (sum, mean, max, copy, ...)
    work on the view itself; torch.from_dlpack(view) and others take it by DLPack, CuPy and Numba take views of a GPU
    by the CUDA array interface. Once the simulation has changed, every use of the view raises StaleView. What
    numpy.asarray gave is not watched: it is good for as long as the view is.
    """

    __slots__ = ("_owner", "_generation", "_also", "_address", "shape", "strides", "dtype", "writable", "what", "device",
                 "__weakref__")
    __array_priority__ = 10

    def __init__(self, owner, address, shape, typestr, what, strides=None, writable=False, device=HOST):
        self._owner, self._generation = owner, owner._generation
        # arrays in two memories: those of the device end when the host is to write, and the other way round
        self._also = owner._device_generation if device == CUDA else owner._write_generation if writable else None
        self._address = address or 0
        self.shape, self.dtype, self.what, self.writable, self.device = tuple(shape), typestr, what, writable, device
        if strides is None:
            strides, step = [], _SIZES[typestr]
            for size in reversed(self.shape):
                strides.insert(0, step)
                step *= size
        self.strides = tuple(strides)

    # ---- what it is

    @property
    def stale(self) -> bool:
        """Whether the simulation has changed since the view was taken."""
        owner = self._owner
        return owner._generation != self._generation or self._also is not None and self._also != (
            owner._device_generation if self.device == CUDA else owner._write_generation)

    def _check(self):
        if self._also is not None and self.stale or self._owner._generation != self._generation:
            raise StaleView(f"this view of {self.what} is of an earlier state of the simulation: take it again after "
                            "each change (a step, statistics, ...), or keep a copy")

    @property
    def address(self) -> int:
        """Of the first value; on a GPU, in its memory."""
        self._check()
        return self._address

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

    @property
    def itemsize(self) -> int:
        return _SIZES[self.dtype]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self):
        state = "stale" if self.stale else f"at {self._address:#x}"
        where = "" if self.device == HOST else " on the GPU"
        return f"<spate view of {self.what}{where}: {self.dtype} {self.shape}, {state}>"

    # ---- as others take it

    @property
    def __array_interface__(self):
        self._check()
        if self.device != HOST:
            raise AttributeError("__array_interface__")
        return {"version": 3, "data": (self._address, not self.writable), "shape": self.shape, "typestr": self.dtype,
                "strides": self.strides}

    def __array__(self, dtype: Any = None, copy: Any = None) -> numpy.ndarray:
        self._check()
        if self.device != HOST:
            raise TypeError(f"{self.what} is in the memory of a GPU: take the view of the host, without `device_`, or "
                            "hand this one to CuPy, Numba or torch")
        if 0 in self.shape:  # numpy wants an address
            found = numpy("a view").zeros(self.shape, self.dtype)
        else:
            found = numpy("a view").asarray(_Memory(self._owner, self.__array_interface__))
        if dtype is not None and found.dtype != dtype:
            if copy is False:
                raise ValueError("another type needs a copy")
            return found.astype(dtype)
        return found.copy() if copy else found

    @property
    def __cuda_array_interface__(self):
        if self.device != CUDA:
            raise AttributeError("__cuda_array_interface__: this view is of the host's memory")
        self._check()
        # stream 1, the default one: spate has waited for all work on the array
        return {"version": 3, "data": (self._address, True), "shape": self.shape, "typestr": self.dtype,
                "strides": self.strides, "stream": 1}

    def __dlpack_device__(self):
        self._check()
        return (self.device, 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        """The DLPack capsule. Arrays that are not `writable` must not be written to."""
        self._check()
        if copy:
            raise BufferError("DLPack: a view makes no copies")
        if dl_device is not None and tuple(dl_device) != (self.device, 0):
            raise BufferError("DLPack: a view stays on its device")
        versioned = max_version is not None and max_version[0] >= 1
        return _dlpack.capsule(self, versioned)

    # ---- as an array

    def _array(self):
        return self.__array__()

    def _part(self, array):
        """A part of the array that is no copy is a view again."""
        interface = array.__array_interface__
        return View(self._owner, interface["data"][0], array.shape, self.dtype, self.what, array.strides,
                    self.writable)._of(self)

    def _of(self, other):
        self._generation, self._also = other._generation, other._also
        return self

    def __getitem__(self, key: Any) -> Any:
        array = self._array()
        found = array[key]
        if getattr(found, "ndim", 0) and numpy().may_share_memory(found, array):
            return self._part(found)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array()[key] = value.__array__() if isinstance(value, View) else value

    def __iter__(self):
        return iter(self[k] for k in range(len(self)))

    @property
    def T(self) -> View:
        """The transposed array, without a copy."""
        self._check()
        return View(self._owner, self._address, self.shape[::-1], self.dtype, self.what, self.strides[::-1],
                    self.writable, self.device)._of(self)


def _method(name):
    def method(self, *args, **kwargs):
        return getattr(self._array(), name)(*args, **kwargs)
    method.__name__ = name
    method.__doc__ = f"As numpy.ndarray.{name}."
    return method


for _name in ("all any argmax argmin argsort astype clip copy cumsum dot max mean min nonzero prod round std sum "
              "tobytes tolist var").split():
    setattr(View, _name, _method(_name))


def _operator(name, function, mirrored, in_place):
    def forward(self, other):
        return function(self._array(), other)

    def backward(self, other):
        return function(other, self._array())

    def change(self, other):
        array = self._array()
        array[...] = function(array, other)
        return self

    setattr(View, f"__{name}__", forward)
    if mirrored:
        setattr(View, f"__r{name}__", backward)
    if in_place:
        setattr(View, f"__i{name}__", change)


for _name in "add sub mul truediv floordiv mod pow".split():
    _operator(_name, getattr(operator, _name), True, True)
for _name in "lt le eq ne gt ge".split():
    _operator(_name, getattr(operator, _name), False, False)
View.__hash__ = object.__hash__
View.__neg__ = lambda self: -self._array()
View.__abs__ = lambda self: abs(self._array())
View.__contains__ = lambda self, value: value in self._array()


def address_of(pointer):
    return ctypes.cast(pointer, ctypes.c_void_p).value
