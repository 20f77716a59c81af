"""Matrix products."""

from __future__ import annotations

from xdsl.ir import SSAValue

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
    return value if factor == 1 else node.emit("mul", value, node.constant_like(factor, value))
