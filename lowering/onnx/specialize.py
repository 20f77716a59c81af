"""Fixing what an ONNX model leaves open before its conversion: shapes of inputs, and inputs as constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.onnx import Onnx
from lamina.dialects.onnx.types import AnyType


def set_input_shapes(module: ModuleOp, shapes: Mapping[str, Sequence[int]]) -> None:
    """Give inputs of ``@main``, by name, static shapes, as conversions need that depend on extents.

    Raises :class:`LaminaError` for a name that is no input's, and for a shape that contradicts its type.
    """
    if not shapes:
        return
    function, names = _entry(module)
    for name, extents in shapes.items():
        argument = _argument(function, names, name)
        element = getattr(argument.type, "element_type", AnyType())
        if not _fits(argument.type, extents):
            raise error(
                f"the input '{name}' has type {argument.type}, it cannot have the shape {list(extents)}",
                function,
            )
        Rewriter.replace_value_with_new_type(argument, TensorType(element, list(extents)))
    results = list(function.function_type.outputs.data)
    function.function_type = FunctionType.from_lists([a.type for a in function.args], results)


def bind_inputs(module: ModuleOp, values: Mapping[str, np.ndarray]) -> None:
    """Let inputs of ``@main``, by name, have known values: axes, sizes or a rate that a model takes.

    The inputs stay in the signature; what is passed for them does not matter any more.
    """
    if not values:
        return
    function, names = _entry(module)
    constant = next(op for op in Onnx.operations if op.name == "onnx.Constant")
    for name, value in values.items():
        argument = _argument(function, names, name)
        element = getattr(argument.type, "element_type", AnyType())
        array = np.asarray(value)
        attribute = constant_attr(
            array if isinstance(element, AnyType) else array.astype(numpy_dtype(element))
        )
        op = constant.create(result_types=[attribute.get_type()], attributes={"value": attribute})
        op.location = function.location
        Rewriter.insert_op(op, InsertPoint.at_start(function.body.blocks[0]))
        argument.replace_all_uses_with(op.results[0])


def _fits(kind: Attribute, extents: Sequence[int]) -> bool:
    """Whether a tensor of a type may have a shape."""
    if not isinstance(kind, TensorType):
        return True
    shape = kind.get_shape()
    return len(shape) == len(extents) and all(
        a in (DYNAMIC_INDEX, b) for a, b in zip(shape, extents, strict=True)
    )


def _entry(module: ModuleOp) -> tuple[FuncOp, list[str]]:
    """``@main`` and the names of its inputs."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            attributes = op.arg_attrs.data if op.arg_attrs else [DictionaryAttr({})] * len(op.args)
            given = (entry.data.get("nn.name") for entry in attributes)
            return op, [a.data if isinstance(a, StringAttr) else f"arg{i}" for i, a in enumerate(given)]
    raise error("the module has no function @main")


def _argument(function: FuncOp, names: Sequence[str], name: str) -> BlockArgument:
    if name not in names:
        hint = did_you_mean(name, names) or f"its inputs are {', '.join(names)}"
        raise error(f"the model has no input '{name}'", function, hint=hint)
    return function.args[names.index(name)]
