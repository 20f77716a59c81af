"""Constants, and values that are passed on."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule


@onnx_rule("Constant")
def constant(node: Node) -> SSAValue:
    """A constant, whose buffer is shared with the `onnx` op."""
    value = node.op.attributes.get("value")
    if isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        return node.constant_of(value)
    for name, dtype in (("value_float", np.float32), ("value_int", np.int64)):
        if node.has(name):
            return node.constant_of(np.array(node.attribute(name), dtype))
    for name, dtype in (("value_floats", np.float32), ("value_ints", np.int64)):
        if node.has(name):
            return node.constant_of(np.array(node.attribute(name), dtype))
    raise Unsupported("it is a constant of strings or a sparse one")


@onnx_rule("Identity")
def identity(node: Node) -> SSAValue:
    """The operand."""
    return node.operand(0)
