"""Activation functions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule


@onnx_rule("Relu")
def relu(node: Node) -> SSAValue:
    """max(x, 0)."""
    return node.emit("relu", node.operand(0))


@onnx_rule("Sigmoid")
def sigmoid(node: Node) -> SSAValue:
    """1 / (1 + exp(-x))."""
    return node.emit("sigmoid", node.operand(0))
