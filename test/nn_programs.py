"""One `nn` op as a program, interpreted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp

import lamina
from lamina.dialects.core.dtypes import element_type
from lamina.dialects.nn.base import make


def program(name: str, *arrays: np.ndarray, types: Any = None, **attributes: Any) -> ModuleOp:
    """``@main`` with an op on arguments of the arrays' types."""
    kinds = [TensorType(element_type(array.dtype), array.shape) for array in arrays]
    function = FuncOp("main", (kinds, []))
    block = function.body.block
    op = make(name, block.args, types, **attributes)
    block.add_op(op)
    block.add_op(ReturnOp(*op.results))
    function.update_function_type()
    return ModuleOp([function])


def interpreted(name: str, *arrays: np.ndarray, types: Any = None, **attributes: Any) -> Any:
    """The op's value by its reference."""
    return lamina.interpret(program(name, *arrays, types=types, **attributes), *arrays)


def compiled(name: str, *arrays: np.ndarray, types: Any = None, **attributes: Any) -> Any:
    """The op's value by native code."""
    return lamina.compile(program(name, *arrays, types=types, **attributes))(*arrays)
