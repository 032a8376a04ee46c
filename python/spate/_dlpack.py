"""DLPack capsules of views, made with ctypes (the layout is that of dlpack.h).

Who takes a capsule calls its deleter in the end, from any thread and in the middle of anything, an exception that is
under way included. So the deleter is a function of C that only leaves a mark, and no capsule has a destructor: what has
ended is let go by sweep(), before the next capsule or simulation is made.
"""
import ctypes
import sys
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from ._library import lib

CPU, CUDA = 1, 2  # kDLCPU, kDLCUDA
_TYPES = {"<f4": (2, 32), "<u4": (1, 32), "|u1": (1, 8)}  # kDLFloat 2, kDLUInt 1
_READ_ONLY = 1
_NAMES = (b"dltensor", b"dltensor_versioned")


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _Managed(Structure):
    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("tensor", _Tensor)]


def _loan_of(kind):
    """What is lent, right behind the mark that spate_loan_end sets."""
    return type(f"_Loan{kind.__name__}", (Structure,), {"_fields_": [("ended", c_int64), ("lent", kind)]})


_LOANS = [_loan_of(_Managed), _loan_of(_Versioned)]
_end = ctypes.cast(lib.spate_loan_end, c_void_p).value
_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))

_loans = {}  # id of a capsule: the loan, what it points to, the owner of the memory, the capsule


def sweep():
    """Lets go of loans that have ended, and of capsules that nobody has taken (who does renames them) or holds."""
    for key in list(_loans):
        found = _loans.get(key)
        if found is None:
            continue
        loan, capsule = found[0], found[-1]
        # held by the tuple, here, and by the call
        unused = sys.getrefcount(capsule) <= 3 and any(_is_valid(capsule, name) for name in _NAMES)
        if loan.ended or unused:
            _loans.pop(key, None)


def capsule(view, versioned):
    sweep()
    loan = _LOANS[versioned]()
    made = loan.lent
    count, size = view.ndim, view.itemsize
    shape = (c_int64 * count)(*view.shape)
    strides = (c_int64 * count)(*(step // size for step in view.strides))
    code, bits = _TYPES[view.dtype]
    made.tensor = _Tensor(view.address, view.device, 0, count, code, bits, 1, shape, strides, 0)
    made.deleter = _end
    if versioned:
        made.major, made.minor, made.flags = 1, 0, 0 if view.writable else _READ_ONLY
    found = _new(ctypes.addressof(made), _NAMES[versioned], None)
    _loans[id(found)] = (loan, shape, strides, view._owner, found)
    return found
