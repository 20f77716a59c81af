"""Reductions over axes, and the places of extreme values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, static_shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.shapes import axes_of

Reduction = Callable[[Node, SSAValue, list[int], bool], SSAValue]


def _plain(name: str) -> Reduction:
    return lambda node, x, axes, keepdims: node.emit(name, x, axes=axes, keepdims=keepdims)


def _sum_of_squares(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    return node.emit("reduce_sum", node.emit("mul", x, x), axes=axes, keepdims=keepdims)


def _norm1(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    return node.emit("reduce_sum", node.emit("abs", x), axes=axes, keepdims=keepdims)


def _norm2(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    return node.emit("sqrt", _sum_of_squares(node, x, axes, keepdims))


def _logarithm_of_sum(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    return node.emit("log", node.emit("reduce_sum", x, axes=axes, keepdims=keepdims))


def _logarithm_of_exponentials(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    """``m + log(sum of exp(x - m))`` with the maximum m, or 0 where that is infinite."""
    largest = node.emit("reduce_max", x, axes=axes, keepdims=True)
    zero = node.constant_like(0, x)
    largest = node.emit("select", node.emit("isinf", largest), zero, largest)
    exponentials = node.emit("exp", node.emit("sub", x, largest))
    total = node.emit("log", node.emit("reduce_sum", exponentials, axes=axes, keepdims=keepdims))
    return node.emit("add", total, largest if keepdims else node.emit("squeeze", largest, axes=axes))


def _extreme(name: str, of_booleans: str) -> Reduction:
    def reduce(node: Node, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
        return node.emit(of_booleans if element(x) == i1 else name, x, axes=axes, keepdims=keepdims)

    return reduce


_REDUCTIONS: dict[str, Reduction] = {
    "ReduceL1": _norm1,
    "ReduceL2": _norm2,
    "ReduceLogSum": _logarithm_of_sum,
    "ReduceLogSumExp": _logarithm_of_exponentials,
    "ReduceMax": _extreme("reduce_max", "reduce_or"),
    "ReduceMean": _plain("reduce_mean"),
    "ReduceMin": _extreme("reduce_min", "reduce_and"),
    "ReduceProd": _plain("reduce_prod"),
    "ReduceSum": _plain("reduce_sum"),
    "ReduceSumSquare": _sum_of_squares,
}


def _rule(reduction: Reduction) -> Callable[[Node], SSAValue]:
    """Over the axes of an attribute or operand; without any over all, or with noop_with_empty_axes none."""

    def rule(node: Node) -> SSAValue:
        x = node.operand(0)
        axes = axes_of(node, 1)
        if not axes and not node.attribute("noop_with_empty_axes", 0):
            axes = list(range(rank(x)))
        axes = [axis_of(axis, rank(x)) for axis in axes or ()]
        return reduction(node, x, axes, bool(node.attribute("keepdims")))

    return rule


for _op_type, _reduction in _REDUCTIONS.items():
    onnx_rule(_op_type)(_rule(_reduction))


@onnx_rule("ArgMax")
def argmax(node: Node) -> SSAValue:
    """The place of the largest element along an axis."""
    return _place(node, "argmax")


@onnx_rule("ArgMin")
def argmin(node: Node) -> SSAValue:
    """The place of the smallest element along an axis."""
    return _place(node, "argmin")


def _place(node: Node, name: str) -> SSAValue:
    return node.emit(
        name,
        node.operand(0),
        axis=node.attribute("axis"),
        keepdims=bool(node.attribute("keepdims")),
        select_last_index=bool(node.attribute("select_last_index", 0)),
    )


@onnx_rule("CumSum")
def cumulative_sum(node: Node) -> SSAValue:
    """Running sums along an axis: a product with a triangular matrix of ones."""
    x = node.operand(0)
    axis = axis_of(int(node.required_constant(1, "axis")), rank(x))
    extent = static_shape(x)[axis]
    ones = np.tri(extent, extent, -1 if node.attribute("exclusive") else 0)
    if node.attribute("reverse"):
        ones = ones.T
    last = rank(x) - 1
    if extent == 0 or last < 0:
        raise Unsupported("its operand is empty or a scalar")
    swap = [last if d == axis else axis if d == last else d for d in range(rank(x))]
    matrix = node.constant_like(ones.T, x)
    rows = x if axis == last else node.emit("transpose", x, permutation=swap)
    rows = rows if rank(x) > 1 else node.emit("unsqueeze", rows, axes=[0])
    sums = node.emit("matmul", rows, matrix)
    sums = sums if rank(x) > 1 else node.emit("squeeze", sums, axes=[0])
    return sums if axis == last else node.emit("transpose", sums, permutation=swap)
