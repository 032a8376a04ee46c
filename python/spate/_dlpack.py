"""DLPack capsules of views, made with ctypes (the layout is that of dlpack.h)."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

CPU, CUDA = 1, 2  # kDLCPU, kDLCUDA
_TYPES = {"<f4": (2, 32), "<u4": (1, 32), "|u1": (1, 8)}  # kDLFloat 2, kDLUInt 1
_READ_ONLY = 1


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _Managed(Structure):
    pass


class _Versioned(Structure):
    pass


_Deleter = CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter)]
_Versioned._fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", _Deleter),
                       ("flags", c_uint64), ("tensor", _Tensor)]

_alive = {}  # address of a struct: the struct and all that it points to, until its deleter is called


@_Deleter
def _delete(address):
    _alive.pop(address, None)


_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))
_NAMES = (b"dltensor", b"dltensor_versioned")


@ctypes.PYFUNCTYPE(None, c_void_p)
def _capsule_dies(capsule):
    """A capsule that nobody has taken (who does renames it) still owns its struct."""
    for name in _NAMES:
        if _is_valid(capsule, name):
            _delete_now(_pointer(capsule, name))


def _delete_now(address):
    _alive.pop(address, None)


def capsule(view, versioned):
    kind = _Versioned if versioned else _Managed
    made = kind()
    count, size = view.ndim, view.itemsize
    shape = (c_int64 * count)(*view.shape)
    strides = (c_int64 * count)(*(step // size for step in view.strides))
    code, bits = _TYPES[view.dtype]
    made.tensor = _Tensor(view.address, view.device, 0, count, code, bits, 1, shape, strides, 0)
    made.deleter = _delete
    if versioned:
        made.major, made.minor, made.flags = 1, 0, 0 if view.writable else _READ_ONLY
    address = ctypes.addressof(made)
    _alive[address] = (made, shape, strides, view._owner)
    return _new(address, _NAMES[versioned], ctypes.cast(_capsule_dies, c_void_p))
