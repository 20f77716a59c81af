"""Objects whose call goes from the interpreter straight to native code.

CPython calls an object of a type with ``Py_TPFLAGS_HAVE_VECTORCALL`` through a function pointer that the
object holds. :data:`CallableBase` is such a type; :func:`attach` points an object at ``lamina_call``
(:mod:`fast_call_ir`), compiled once a process, and at a description of its entry. A call whose arguments pass
the checks costs a fraction of a microsecond; all others arrive in the object's method ``_call``. On another
interpreter, or one without a lock, :data:`CallableBase` is an ordinary class that calls ``_call`` always.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lamina.lowering.codegen import fast_call_ir as ir
from lamina.lowering.codegen.jit import LoadedCode, load_object
from lamina.lowering.codegen.memory import Arena
from lamina.lowering.codegen.signature import ArrayInfo, Signature
from lamina.lowering.codegen.support import support_object

_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
_EMPTY = 184
"""The place of ``PyArray_Empty`` in NumPy's table of functions, fixed by its ABI."""
_ARENAS = 4
"""Calls at the same time that find an arena here; pages that no call touches take no memory."""
_METHOD, _OUT = sys.intern("_call"), sys.intern("out")


class _State(ctypes.Structure):
    _fields_ = [
        ("thunk", ctypes.c_void_p),
        ("entry", ctypes.c_void_p),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("infos", ctypes.c_void_p),
        ("arena_count", ctypes.c_int64),
        ("arenas", ctypes.c_void_p),
    ]


class _Info(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("extents", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
    ]


class _Arena(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("busy", ctypes.c_int64)]


def _arrays_are_as_known() -> bool:
    """Whether NumPy's array objects have the layout that the code reads: probed, not assumed."""
    probes = (
        np.zeros(3),
        np.zeros((4, 5), np.int8)[1:, 2:],
        np.zeros((0, 2), np.float16),
        np.zeros((), bool),
    )
    return all(_is_as_known(probe) for probe in probes)


def _is_as_known(array: np.ndarray) -> bool:
    def field(kind: Any, offset: int) -> int:
        return kind.from_address(id(array) + offset).value or 0

    extents = field(ctypes.c_void_p, ir.EXTENTS)
    shape = tuple(ctypes.c_int64.from_address(extents + 8 * i).value for i in range(array.ndim))
    bits = {_C_CONTIGUOUS: array.flags.c_contiguous, _ALIGNED: array.flags.aligned}
    flags = field(ctypes.c_int32, ir.FLAGS)
    return (
        field(ctypes.c_void_p, ir.DATA) == array.ctypes.data
        and field(ctypes.c_int32, ir.RANK) == array.ndim
        and field(ctypes.c_void_p, ir.DTYPE) == id(array.dtype)
        and shape == array.shape
        and all(bool(flags & bit) == on for bit, on in {**bits, _WRITEABLE: True}.items())
    )


def is_available() -> bool:
    """Whether this interpreter and this NumPy are those that the code knows: 64-bit CPython with its lock."""
    return (
        sys.implementation.name == "cpython"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and not hasattr(sys, "getobjects")  # a build that traces references has larger objects
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and _arrays_are_as_known()
    )


class _Member(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    ]


_SSIZE, _READ_ONLY = 19, 1
_TP_CALL, _TP_MEMBERS = 50, 72
_FLAGS = 1 << 10 | 1 << 11 | 1 << 18  # a base type; has a vector call; the default


def _vectorcall_type() -> type:
    """A new type whose objects hold a function pointer and a state behind the object head."""
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, ir.VECTORCALL, _READ_ONLY, None))
    call = ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p).value
    slots = (_Slot * 3)(_Slot(_TP_CALL, call), _Slot(_TP_MEMBERS, ctypes.addressof(members)))
    spec = _Spec(b"lamina.CallableBase", ir.OBJECT_BYTES, 0, _FLAGS, ctypes.addressof(slots))
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
    made = cast(type, make(ctypes.addressof(spec)))
    _kept.append((members, slots, spec))
    return made


_kept: list[object] = []
"""What C structures point to must stay."""


class _PlainCallable:
    """The base where there is no fast path."""

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        return self._call(*args, out=out, **named)

    def _call(self, *args: Any, out: Any = None, **named: Any) -> Any:
        raise NotImplementedError


if TYPE_CHECKING:
    CallableBase = _PlainCallable
else:
    CallableBase = _vectorcall_type() if is_available() else _PlainCallable


def attach(target: CallableBase, signature: Signature, entry: int) -> object:
    """Let calls of an object run the entry at an address; returns what the object has to keep alive."""
    if CallableBase is _PlainCallable:
        return None
    call, thunk = _call_code(), _thunk(signature.order)
    extents: list[Any] = []
    infos = [_info(info, True, extents) for info in signature.inputs]
    infos += [_info(info, False, extents) for info in signature.outputs]
    table = (_Info * len(infos))(*infos)
    owners = [Arena(signature.arena_bytes) for _ in range(_ARENAS if signature.has_arena else 0)]
    arenas = [_Arena(owner.address, 0) for owner in owners]
    shelf = (_Arena * max(1, len(arenas)))(*arenas)
    state = _State(
        thunk.addresses[ir.THUNK],
        entry,
        # No call has a negative number of inputs: where inputs are updated, all go to the method `_call`.
        -1 if signature.updates else len(signature.inputs),
        len(signature.outputs),
        ctypes.addressof(table),
        len(arenas),
        ctypes.addressof(shelf),
    )
    ctypes.c_void_p.from_address(id(target) + ir.STATE).value = ctypes.addressof(state)
    ctypes.c_void_p.from_address(id(target) + ir.VECTORCALL).value = call.addresses[ir.FAST_CALL]
    return call, thunk, extents, table, owners, shelf, state, signature


def _info(info: ArrayInfo, is_input: bool, extents: list[Any]) -> _Info:
    shape = (ctypes.c_int64 * max(1, len(info.shape)))(*info.shape)
    extents.append(shape)
    flags = _C_CONTIGUOUS | _ALIGNED | (0 if is_input and not info.donated else _WRITEABLE)
    return _Info(id(info.dtype), len(info.shape), ctypes.addressof(shape), flags, info.nbytes)


@cache
def _call_code() -> LoadedCode:
    symbols = {
        "lamina_ndarray": id(np.ndarray),
        "lamina_tuple": id(tuple),
        "lamina_out": id(_OUT),
        "lamina_method": id(_METHOD),
        "lamina_empty": _numpy_function(_EMPTY),
    }
    for name in ir.PYTHON_FUNCTIONS:
        symbols[name] = ctypes.cast(ctypes.pythonapi[name], ctypes.c_void_p).value or 0
    return _load(ir.FAST_CALL_IR, ir.FAST_CALL, symbols)


@cache
def _thunk(order: Sequence[int]) -> LoadedCode:
    return _load(ir.thunk_ir(order), ir.THUNK, {})


def _load(text: str, name: str, symbols: dict[str, int]) -> LoadedCode:
    return load_object(support_object(text), [name], symbols)


def _numpy_function(place: int) -> int:
    """The address of a function of NumPy's C interface."""
    from numpy._core import _multiarray_umath  # pyright: ignore[reportAttributeAccessIssue]

    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = read(_multiarray_umath._ARRAY_API, None)
    return ctypes.c_void_p.from_address(table + 8 * place).value or 0
