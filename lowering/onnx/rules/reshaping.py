"""Operators that change the shape but not the order of elements."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.onnx.node import Node, Unsupported, axis_of, rank, shape
from lamina.lowering.onnx.rule_table import onnx_rule


@onnx_rule("Flatten")
def flatten(node: Node) -> SSAValue:
    """A matrix: the dimensions before the axis, and those from it on."""
    x = node.operand(0)
    axis = node.attribute("axis")
    axis = axis if axis == rank(x) else axis_of(axis, rank(x))
    extents = shape(x)
    parts = [extents[:axis], extents[axis:]]
    target = [DYNAMIC if DYNAMIC in part else math.prod(part) for part in parts]
    if target == [DYNAMIC, DYNAMIC]:
        raise Unsupported("both halves of the shape are dynamic")
    return node.emit("reshape", x, shape=target)
