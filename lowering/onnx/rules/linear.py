"""Matrix products."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import element, rank
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule


@onnx_rule("Gemm")
def gemm(node: Node) -> SSAValue:
    """``alpha * op(a) @ op(b) + beta * c``, where op may transpose and c broadcasts to the product."""
    a, b, c = node.operand(0), node.operand(1), node.optional(2)
    if node.attribute("transA"):
        a = node.emit("transpose", a, permutation=[1, 0])
    if node.attribute("transB"):
        b = node.emit("transpose", b, permutation=[1, 0])
    product = _scaled(node, node.emit("matmul", a, b), node.attribute("alpha"))
    return product if c is None else node.emit("add", product, _scaled(node, c, node.attribute("beta")))


def _scaled(node: Node, value: SSAValue, factor: float) -> SSAValue:
    """factor * value; for integers the product is taken in f32 where the factor is no integer."""
    if factor == 1:
        return value
    kind = element(value)
    if isinstance(kind, AnyFloat) or factor == int(factor):
        return node.emit("mul", value, node.constant_like(factor, value))
    from xdsl.dialects.builtin import f32

    product = node.emit("mul", node.cast(value, f32), node.constant_of(np.array(factor, np.float32)))
    return node.cast(product, kind)


@onnx_rule("MatMul")
def matmul(node: Node) -> SSAValue:
    """NumPy's matmul."""
    return product(node, node.operand(0), node.operand(1))


def product(node: Node, a: SSAValue, b: SSAValue) -> SSAValue:
    """NumPy's matmul, also of vectors: they become a row or a column whose dimension is dropped again."""
    row, column = rank(a) == 1, rank(b) == 1
    a = node.emit("unsqueeze", a, axes=[0]) if row else a
    b = node.emit("unsqueeze", b, axes=[1]) if column else b
    result = node.emit("matmul", a, b)
    axes = ([-2] if row else []) + ([-1] if column else [])
    return node.emit("squeeze", result, axes=axes) if axes else result
