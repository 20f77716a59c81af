"""Constants as buffers: splats of one element, small dense literals, and resources for the rest.

A splat is a dense attribute whose storage holds one element. Above :data:`RESOURCE_THRESHOLD` bytes a
constant is ``dense_resource<key>``; its blob is an immutable, 64-byte-aligned buffer in one process-wide
table, and lives as long as an attribute has a key that :func:`add_resource` gave. Passes see all three forms
through :func:`as_array`.
"""

from __future__ import annotations

import hashlib
import math
import threading
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakValueDictionary

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import Attribute, OpResult, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.dtypes import element_type, numpy_dtype
from lamina.dialects.core.later import np
from lamina.dialects.core.memory import note_bytes

RESOURCE_THRESHOLD = 1024
"""Bytes above which a constant that is no splat becomes a resource."""
ALIGNMENT = 64


@dataclass(frozen=True, eq=False)
class Blob:
    """The bytes of a resource: a read-only 1-d uint8 array that starts at a multiple of 64."""

    data: np.ndarray = field(repr=False)
    alignment: int = ALIGNMENT
    """The alignment that its text asks for."""

    @cached_property
    def digest(self) -> str:
        """A content digest, computed once."""
        return _digest(self.data)


def _digest(array: np.ndarray) -> str:
    # Most CPUs have instructions for SHA-2; it is the longest work on a large model's constants.
    return hashlib.sha256(array.data).hexdigest()[:24]


NO_DATA_HINT = "the text was printed without its constants, or lacks its `{-# dialect_resources #-}`"


class ResourceKey(str):
    """The key of a resource, which keeps its data. Another string of the same characters only finds it."""

    blob: Blob

    @classmethod
    def of(cls, key: str, blob: Blob) -> ResourceKey:
        """A key for a blob."""
        made = cls(key)
        made.blob = blob
        return made


_blobs: WeakValueDictionary[str, Blob] = WeakValueDictionary()
_lock = threading.Lock()


def aligned_bytes(count: int) -> np.ndarray:
    """Uninitialised bytes at a 64-byte-aligned address."""
    storage = np.empty(count + ALIGNMENT, np.uint8)
    start = -storage.ctypes.data % ALIGNMENT
    return storage[start : start + count]


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A read-only C-contiguous copy of an array at a 64-byte-aligned address."""
    copy = aligned_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    copy.flags.writeable = False
    return copy


def _as_blob(array: np.ndarray, alignment: int) -> Blob:
    """A blob over the array's bytes, shared where they are immutable, contiguous and aligned already."""
    shareable = array.flags.c_contiguous and not array.flags.writeable
    if not (shareable and array.ctypes.data % ALIGNMENT == 0):
        array = aligned_copy(array)
    return Blob(array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8), alignment)


def add_resource(array: np.ndarray, key: str | None = None, alignment: int = ALIGNMENT) -> ResourceKey:
    """Put an array's bytes into the table; returns the key under which they are found while it is kept.

    Without a key it is derived from the content, so equal arrays share one blob. A key that is taken
    by other bytes gets the content's digest appended. ``alignment`` is what a text says of it.
    """
    blob = _as_blob(array, alignment)
    with _lock:
        key = key or f"const_{blob.digest}"
        held = _blobs.get(key)
        if held is not None and held.digest != blob.digest:
            key = f"{key}_{blob.digest}"
        kept = _blobs.setdefault(str(key), blob)
    if kept is blob:
        note_bytes(blob.data.nbytes)
    return ResourceKey.of(key, kept)


def resource(key: str) -> Blob:
    """The blob of a key; a key without one is a :class:`LaminaError`."""
    blob = _blobs.get(key)
    if blob is None:
        raise error(f"the resource '{key}' has no data", hint=NO_DATA_HINT)
    return blob


def has_resource(key: str) -> bool:
    """Whether the table holds data for a key."""
    return key in _blobs


def as_array(attribute: Attribute) -> np.ndarray:
    """The value of a constant attribute as a read-only NumPy array (rank 0 for scalar attributes).

    Takes dense literals, splats, resources, integer and float attributes; a splat is a broadcast view,
    a resource a view of its blob: nothing is copied. Anything else raises :class:`LaminaError`.
    """
    match attribute:
        case DenseResourceAttr():
            kind = attribute.type
            dtype = numpy_dtype(kind.get_element_type())  # pyright: ignore[reportAttributeAccessIssue]
            shape = kind.get_shape()
            data = resource(attribute.resource_handle.data).data
            if data.nbytes != math.prod(shape) * dtype.itemsize:
                raise error(
                    f"the resource '{attribute.resource_handle.data}' holds {data.nbytes} bytes, "
                    f"its type {kind} needs {math.prod(shape) * dtype.itemsize}"
                )
            return data.view(dtype).reshape(shape)
        case DenseIntOrFPElementsAttr():
            dtype = numpy_dtype(attribute.get_element_type())
            shape = attribute.get_shape()
            data = np.frombuffer(attribute.data.data, dtype)
            if dtype == np.bool_:
                data = _read_only(data.view(np.uint8) != 0)  # xDSL's parser writes true as 255
            if data.size == 1 and math.prod(shape) != 1:
                return np.broadcast_to(data.reshape(()), shape)
            return data.reshape(shape)
        case IntegerAttr():
            return _read_only(np.asarray(attribute.value.data).astype(numpy_dtype(attribute.type)))
        case FloatAttr():
            return _read_only(np.asarray(attribute.value.data).astype(numpy_dtype(attribute.type)))
        case _:
            raise error(f"'{attribute}' is not a constant with known elements")


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def constant_attr(
    array: np.ndarray, type: Attribute | None = None, key: str | None = None
) -> DenseIntOrFPElementsAttr | DenseResourceAttr:
    """The attribute for an array: a splat where all elements have the same bits, a resource where large.

    ``type`` is the tensor (or vector, memref) type, by default the tensor type of the array's dtype and
    shape; ``key`` names the resource if it becomes one.
    """
    array = np.asarray(array)
    if type is None:
        type = TensorType(element_type(array.dtype), array.shape)
    dtype = numpy_dtype(type.get_element_type())  # pyright: ignore[reportAttributeAccessIssue]
    array = np.asarray(array, dtype)
    if array.size > 1 and _is_splat(array):
        return DenseIntOrFPElementsAttr(type, BytesAttr(array.flat[0].tobytes()))  # pyright: ignore[reportArgumentType]
    if array.nbytes > RESOURCE_THRESHOLD:
        return DenseResourceAttr.from_params(add_resource(array, key), type)  # pyright: ignore[reportArgumentType]
    return DenseIntOrFPElementsAttr(type, BytesAttr(array.tobytes()))  # pyright: ignore[reportArgumentType]


def splat_attr(value: float | int | bool, type: Attribute) -> DenseIntOrFPElementsAttr:
    """A constant of a shaped type with one value everywhere, held as one element."""
    dtype = numpy_dtype(type.get_element_type())  # pyright: ignore[reportAttributeAccessIssue]
    size = math.prod(type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
    data = np.asarray(value).astype(dtype).tobytes() if size else b""
    return DenseIntOrFPElementsAttr(type, BytesAttr(data))  # pyright: ignore[reportArgumentType]


def _is_splat(array: np.ndarray) -> bool:
    """All elements have the same bits (so 0.0 and -0.0 differ, and equal NaNs are the same)."""
    if is_uniform_view(array):
        return True
    first = array.flat[0].tobytes()
    if array.flat[-1].tobytes() != first:
        return False
    bits = np.ascontiguousarray(array).view(np.uint8).reshape(array.size, array.dtype.itemsize)
    return bool((bits == np.frombuffer(first, np.uint8)).all())


def is_uniform_view(array: np.ndarray) -> bool:
    """Whether an array is one element seen many times, which costs nothing to tell."""
    return array.size > 0 and all(
        stride == 0 or n == 1 for stride, n in zip(array.strides, array.shape, strict=True)
    )


def is_splat(attribute: Attribute) -> bool:
    """Whether a dense attribute holds its value as a splat."""
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        return False
    return len(attribute) == 1


def _raw(array: np.ndarray) -> np.ndarray:
    """The bytes of an array; a buffer of NumPy's cannot hold element types such as bf16."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def content_digest(attribute: Attribute) -> str:
    """A digest of a constant's type and bytes: equal constants have equal digests, whatever their form."""
    if isinstance(attribute, DenseResourceAttr):
        payload = resource(attribute.resource_handle.data).digest
    else:
        payload = _digest(_raw(as_array(attribute)))
    kind = str(getattr(attribute, "type", ""))
    return hashlib.blake2b(f"{payload}:{kind}".encode(), digest_size=8).hexdigest()


CONSTANT_OPS = ("nn.constant", "arith.constant")


def constant_attribute(value: SSAValue) -> Attribute | None:
    """The attribute of the constant op that defines a value, or None."""
    if isinstance(value, OpResult) and value.op.name in CONSTANT_OPS:
        return value.op.properties.get("value")
    return None


def constant_value(value: SSAValue) -> np.ndarray | None:
    """The array of the constant op that defines a value, or None where it is no constant with known data."""
    attribute = constant_attribute(value)
    if attribute is None:
        return None
    if isinstance(attribute, DenseResourceAttr) and not has_resource(attribute.resource_handle.data):
        return None
    return as_array(attribute)
