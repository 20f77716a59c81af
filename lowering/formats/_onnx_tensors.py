"""ONNX's tensors and types as NumPy arrays and IR types, with external data. Only for `onnx_reader`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.diagnostics import LaminaError, error
from lamina.dialects.onnx.types import MapType, OptionalType, SequenceType, element_type_of, unknown_type
from lamina.lowering.formats.files_read import note_file

_STRING = 8


def type_of(proto: Any) -> Attribute:
    """The type for a ``TypeProto``."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            element = element_type_of(proto.tensor_type.elem_type)
            if not proto.tensor_type.HasField("shape"):
                return UnrankedTensorType(element)
            return TensorType(element, [_extent(d) for d in proto.tensor_type.shape.dim])
        case "sequence_type":
            return SequenceType(type_of(proto.sequence_type.elem_type))
        case "optional_type":
            return OptionalType(type_of(proto.optional_type.elem_type))
        case "map_type":
            return MapType(element_type_of(proto.map_type.key_type), type_of(proto.map_type.value_type))
        case None:
            return unknown_type()
        case other:
            raise error(f"values of ONNX's {other} are not supported")


def dimension_names(proto: Any) -> list[str]:
    """The symbolic names of a tensor type's dimensions, empty where one has none; no list if none has."""
    if proto.WhichOneof("value") != "tensor_type":
        return []
    names = [d.dim_param for d in proto.tensor_type.shape.dim]
    return names if any(names) else []


def _extent(dimension: Any) -> int:
    if dimension.WhichOneof("value") == "dim_value" and dimension.dim_value >= 0:
        return dimension.dim_value
    return DYNAMIC_INDEX


def tensor_attribute(tensor: Any, directory: Path | None, what: str) -> Attribute:
    """A ``TensorProto`` as a constant attribute; strings become ``{shape = …, strings = […]}``.

    ``directory`` is where external data lies; ``what`` names the tensor in messages. Raises
    :class:`LaminaError` where the data is missing, of the wrong size, or of a type with no storage here.
    """
    shape = tuple(tensor.dims)
    if any(extent < 0 for extent in shape):
        raise error(f"{what} has the shape {list(shape)}, with a negative extent")
    if tensor.data_type == _STRING:
        strings = ArrayAttr([StringAttr(s.decode("utf-8", "replace")) for s in tensor.string_data])
        return DictionaryAttr({"shape": DenseArrayBase.from_list(i64, shape), "strings": strings})
    kind = TensorType(element_type_of(tensor.data_type), shape)
    try:
        return constant_attr(_array(tensor, directory, what), kind)
    except LaminaError as problem:
        raise error(f"{what}: {problem.diagnostics[0].message}", hint=problem.diagnostics[0].hint) from None


def _array(tensor: Any, directory: Path | None, what: str) -> np.ndarray:
    from onnx import TensorProto, numpy_helper

    if tensor.data_location == TensorProto.EXTERNAL:
        inline = TensorProto()
        inline.data_type = tensor.data_type
        inline.dims.extend(tensor.dims)
        inline.raw_data = _external_bytes(tensor, directory, what)
        tensor = inline
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError) as problem:
        raise error(f"the data does not fit the type and shape {list(tensor.dims)} ({problem})") from None
    if array.dtype.itemsize == 1 and array.dtype.kind == "V":  # ml_dtypes' 4-bit integers
        array = array.astype(np.uint8 if array.dtype.name.startswith("u") else np.int8)
    return array


def _external_bytes(tensor: Any, directory: Path | None, what: str) -> bytes:
    """The bytes that a tensor keeps in a file beside the model."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if directory is None:
        raise error(
            f"the data lies in the file '{location}', relative to the model",
            hint="load the model by its path, not from bytes",
        )
    path = directory / location
    if not location or not path.resolve().is_relative_to(directory.resolve()):
        raise error(f"the data lies in '{location}', which is outside the model's folder")
    note_file(path)
    try:
        offset = int(entries.get("offset", 0))
        length = int(entries["length"]) if "length" in entries else None
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read() if length is None else file.read(length)
    except ValueError:
        raise error("the offset or length of its external data is no number") from None
    except OSError as problem:
        raise error(
            f"the external data file '{path}' cannot be read: {problem.strerror}",
            hint="an ONNX model with external data needs its data files beside it",
        ) from None
    if length is not None and len(data) != length:
        raise error(
            f"the external data file '{path}' is too short: {length} bytes wanted at offset {offset}, "
            f"{len(data)} found"
        )
    return data
