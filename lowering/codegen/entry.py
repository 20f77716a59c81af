"""The signature of an entry, read from the attributes of its arguments in the llvm dialect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    TensorType,
)
from xdsl.dialects.llvm import LLVMFunctionType, LLVMVoidType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.lowering.codegen.signature import (
    ARENA,
    DONATED,
    DTYPE,
    NAME,
    RESULT,
    TYPE,
    UPDATES,
    ArrayInfo,
    Signature,
)


def entry_signature(function: Operation) -> Signature:
    """The signature of an ``llvm.func``; a missing or dynamic type is a :class:`LaminaError`."""
    kind = function.properties["function_type"]
    assert isinstance(kind, LLVMFunctionType)
    if not isinstance(kind.output, LLVMVoidType):
        raise error(
            "is an entry that returns a value; results are written to arguments with 'lamina.result'",
            function,
            hint="bufferize with `one-shot-bufferize{bufferize-function-boundaries}` and `plan-arena`",
        )
    inputs: list[ArrayInfo] = []
    outputs: dict[int, ArrayInfo] = {}
    roles: list[tuple[int, int]] = []
    updates: list[tuple[int, int]] = []
    arena_bytes = 0
    for index, attributes in enumerate(_argument_attributes(function, len(kind.inputs.data))):
        element, shape = _shape(function, index, attributes)
        if ARENA in attributes:
            arena_bytes = math.prod(shape)
            roles.append((2, 0))
            continue
        number = attributes.get(RESULT)
        default = f"out{number.value.data}" if isinstance(number, IntegerAttr) else f"arg{len(inputs)}"
        info = ArrayInfo(
            _string(attributes.get(NAME)) or default,
            shape,
            dtype_of(element, attributes),
            DONATED in attributes,
        )
        if isinstance(number, IntegerAttr):
            roles.append((1, number.value.data))
            outputs[number.value.data] = info
        else:
            roles.append((0, len(inputs)))
            updated = attributes.get(UPDATES)
            if isinstance(updated, IntegerAttr):
                updates.append((updated.value.data, len(inputs)))
            inputs.append(info)
    updates = [(result, place) for result, place in updates if result not in outputs]
    outputs |= {result: replace(inputs[place], donated=False) for result, place in updates}
    starts = (0, len(inputs), len(inputs) + len(outputs))
    order = tuple(starts[role] + place for role, place in roles)
    return Signature(
        tuple(inputs), tuple(outputs[n] for n in sorted(outputs)), arena_bytes, order, tuple(updates)
    )


def _argument_attributes(function: Operation, count: int) -> list[Mapping[str, Attribute]]:
    found = function.properties.get("arg_attrs")
    if not isinstance(found, ArrayAttr):
        return [{}] * count
    return [entry.data if isinstance(entry, DictionaryAttr) else {} for entry in found.data]


def _shape(
    function: Operation, index: int, attributes: Mapping[str, Attribute]
) -> tuple[Attribute, tuple[int, ...]]:
    """Element type and static shape of an argument."""
    kind = attributes.get(TYPE)
    if not isinstance(kind, TensorType | MemRefType):
        raise error(
            f"has an argument #{index} without '{TYPE}', so its shape is not known",
            function,
            hint="run `annotate-entry` before `finalize-memref-to-llvm`",
        )
    shape = kind.get_shape()
    if DYNAMIC_INDEX in shape:
        raise error(
            f"has an argument #{index} of dynamic shape {kind}",
            function,
            hint="give the shapes with `nn-set-shapes` before lowering",
        )
    return kind.get_element_type(), tuple(shape)


def _string(attribute: Attribute | None) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def dtype_of(element: Attribute, attributes: Mapping[str, Attribute]) -> np.dtype:
    """The dtype of the model's element type, which ``nn.dtype`` gives as text (``ui8``) or as a type."""
    named = attributes.get(DTYPE)
    text = _string(named)
    if text:
        digits = text.lstrip("usi")
        if not digits.isdigit():
            raise error(f"'{text}' is no integer type, as '{DTYPE}' has to be")
        sign = Signedness.UNSIGNED if text.startswith("ui") else Signedness.SIGNLESS
        element = IntegerType(int(digits), sign)
    elif named is not None:
        element = named
    return numpy_dtype(element)
