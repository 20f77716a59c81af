"""Binding arguments of a function to values: from parameters and data to a model of data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.constant import ConstantOp
from lamina.passes.general._symbols import symbols_of
from lamina.passes.general.inline import inline_calls
from lamina.passes.nn.nn_set_shapes import find_function


def bind(module: ModuleOp, function: str, values: Mapping[int, Any], name: str = "main") -> ModuleOp:
    """A new module with one function: a copy of ``function`` in which arguments, by number, are constants.

    What it calls is inlined. So trained parameters become part of a model. Raises :class:`LaminaError` where
    a value has another shape or element type than its argument.
    """
    source = find_function(module, function)
    copy = source.clone()
    copy.properties["sym_name"] = StringAttr(name)
    copy.properties.pop("sym_visibility", None)
    result = ModuleOp([copy])
    while inline_calls(copy, symbols_of(module)):
        pass
    block = copy.body.block
    for index in sorted(values, reverse=True):
        if not 0 <= index < len(block.args):
            raise error(f"has no argument {index} to bind", source)
        constant = _constant(source, index, np.asarray(values[index]))
        constant.location = source.location
        assert block.first_op is not None
        block.insert_op_before(constant, block.first_op)
        constant.result.name_hint = block.args[index].name_hint
        block.args[index].replace_all_uses_with(constant.result)
        block.erase_arg(block.args[index])
    _drop_attributes(copy, set(values))
    copy.properties["function_type"] = FunctionType.from_lists(
        [a.type for a in block.args], list(copy.function_type.outputs)
    )
    return result


def _constant(function: FuncOp, index: int, value: np.ndarray) -> ConstantOp:
    kind = function.body.block.args[index].type
    if not isinstance(kind, TensorType):
        raise error(f"argument {index} has type {kind}, which is no tensor", function)
    if value.dtype != numpy_dtype(kind.element_type) or value.shape != tuple(kind.get_shape()):
        given = f"{value.dtype.name}{list(value.shape)}"
        raise error(f"argument {index} has type {kind}, and cannot be {given}", function)
    return ConstantOp.of(constant_attr(value, kind))


def _drop_attributes(function: FuncOp, bound: set[int]) -> None:
    if function.arg_attrs is not None:
        kept = [d for i, d in enumerate(function.arg_attrs.data) if i not in bound]
        function.properties["arg_attrs"] = ArrayAttr(kept)
