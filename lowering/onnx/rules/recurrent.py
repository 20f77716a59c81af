"""Recurrent layers (RNN, GRU, LSTM): a few steps are unrolled, otherwise they become a loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules._recurrent_functions import Function, activation_functions
from lamina.lowering.onnx.rules._recurrent_layer import Layer, Step, run_steps


@onnx_rule("RNN")
def rnn(node: Node) -> Sequence[SSAValue]:
    """``h = f(x W + h R + b)``."""
    return _recurrent(node, 1, 1, ["Tanh"], _rnn_step)


@onnx_rule("GRU")
def gru(node: Node) -> Sequence[SSAValue]:
    """Gates z and r, and a candidate."""
    return _recurrent(node, 3, 1, ["Sigmoid", "Tanh"], _gru_step)


@onnx_rule("LSTM")
def lstm(node: Node) -> Sequence[SSAValue]:
    """Gates i, o and f, and a candidate; the state is h and c."""
    return _recurrent(node, 4, 2, ["Sigmoid", "Tanh", "Tanh"], _lstm_step)


def _rnn_step(layer: Layer, x: SSAValue, state: list[SSAValue]) -> list[SSAValue]:
    return [layer.functions[0](layer.node.emit("add", x, layer.recurrent(state[0], 0, 1)))]


def _gru_step(layer: Layer, x: SSAValue, state: list[SSAValue]) -> list[SSAValue]:
    node, (f, g), h = layer.node, layer.functions[:2], state[0]
    gates = f(node.emit("add", layer.gate(x, 0, 2), layer.recurrent(h, 0, 2)))
    z, r = layer.gate(gates, 0), layer.gate(gates, 1)
    if node.attribute("linear_before_reset", 0):
        inner = node.emit("mul", r, layer.recurrent(h, 2, 1))
    else:
        inner = layer.recurrent(node.emit("mul", r, h), 2, 1)
    candidate = g(node.emit("add", layer.gate(x, 2), inner))
    kept = node.emit("mul", z, h)
    fresh = node.emit("mul", node.emit("sub", node.constant_like(1, z), z), candidate)
    return [node.emit("add", fresh, kept)]


def _lstm_step(layer: Layer, x: SSAValue, state: list[SSAValue]) -> list[SSAValue]:
    node, (f, g, out), (h, c) = layer.node, layer.functions[:3], state
    gates = node.emit("add", x, layer.recurrent(h, 0, 4))
    i, o, forget, candidate = (layer.gate(gates, k) for k in range(4))
    i = f(_with_peephole(layer, i, c, 0))
    forget = f(_with_peephole(layer, forget, c, 2))
    if node.attribute("input_forget", 0):
        forget = node.emit("sub", node.constant_like(1, i), i)
    c = node.emit("add", node.emit("mul", forget, c), node.emit("mul", i, g(candidate)))
    o = f(_with_peephole(layer, o, c, 1))
    return [node.emit("mul", o, out(c)), c]


def _with_peephole(layer: Layer, gate: SSAValue, c: SSAValue, index: int) -> SSAValue:
    if layer.peepholes is None:
        return gate
    return layer.node.emit("add", gate, layer.node.emit("mul", layer.parameter(layer.peepholes, index), c))


def _recurrent(node: Node, gates: int, states: int, defaults: list[str], step: Step) -> Sequence[SSAValue]:
    """All directions of a layer: the outputs of every step, and the last states."""
    x, batch_first = node.operand(0), bool(node.attribute("layout", 0))
    x = node.emit("transpose", x, permutation=[1, 0, 2]) if batch_first else x
    directions = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[
        node.attribute("direction")
    ]
    functions = activation_functions(node, defaults * len(directions))
    outputs: list[SSAValue] = []
    finals: list[list[SSAValue]] = []
    for d, backwards in enumerate(directions):
        chosen = functions[d * len(defaults) : (d + 1) * len(defaults)]
        layer = _layer(node, d, gates, x, chosen)
        start = [_initial(node, d, layer, 5 + s, batch_first) for s in range(states)]
        steps, last = run_steps(layer, start, step, backwards)
        outputs.append(steps)
        finals.append(last)
    y = node.emit("unsqueeze", outputs[0], axes=[1])
    if len(outputs) == 2:
        y = node.emit("concat", y, node.emit("unsqueeze", outputs[1], axes=[1]), axis=1)
    y = node.emit("transpose", y, permutation=[2, 0, 1, 3]) if batch_first else y
    return [y, *(_stacked(node, [f[s] for f in finals], batch_first) for s in range(states))]


def _stacked(node: Node, values: list[SSAValue], batch_first: bool) -> SSAValue:
    """The states of each direction in one tensor, directions first or second."""
    axis = 1 if batch_first else 0
    parts = [node.emit("unsqueeze", value, axes=[axis]) for value in values]
    return parts[0] if len(parts) == 1 else node.emit("concat", *parts, axis=axis)


def _direction(node: Node, value: SSAValue, d: int) -> SSAValue:
    """A direction's part of a parameter, whose first axis it is."""
    rest = len(shape(value)) - 1
    ends = [2**63 - 1] * rest
    part = node.emit("slice", value, starts=[d, *[0] * rest], ends=[d + 1, *ends], steps=[1] * (rest + 1))
    return node.emit("squeeze", part, axes=[0])


def _layer(node: Node, d: int, gates: int, x: SSAValue, functions: list[Function]) -> Layer:
    w, r = (_direction(node, node.operand(i), d) for i in (1, 2))
    hidden = shape(r)[-1]
    if hidden == DYNAMIC:
        raise Unsupported("the size of its state is dynamic")
    share = node.emit("matmul", x, node.emit("transpose", w, permutation=[1, 0]))
    recurrence = node.emit("transpose", r, permutation=[1, 0])
    recurrent_bias: SSAValue | None = None
    if (b := node.optional(3)) is not None:
        both = _direction(node, b, d)
        half = gates * hidden
        input_bias = node.emit("slice", both, starts=[0], ends=[half], steps=[1])
        recurrent_bias = node.emit("slice", both, starts=[half], ends=[2 * half], steps=[1])
        share = node.emit("add", share, input_bias)
    peepholes = node.optional(7)
    peepholes = None if peepholes is None else _direction(node, peepholes, d)
    return Layer(node, hidden, share, recurrence, recurrent_bias, peepholes, functions)


def _initial(node: Node, d: int, layer: Layer, index: int, batch_first: bool) -> SSAValue:
    """A state before the first step: an operand's part, or zeros."""
    given = node.optional(index)
    if given is not None:
        given = node.emit("transpose", given, permutation=[1, 0, 2]) if batch_first else given
        return _direction(node, given, d)
    batch = shape(layer.x)[1]
    if batch != DYNAMIC:
        return node.constant_like(np.zeros((batch, layer.hidden)), layer.x)
    first = node.emit("gather", layer.x, node.constant_of(np.array(0, np.int64)), axis=0)
    # A product with zeros would keep NaN: the choice between two equal values does not.
    never = node.constant_of(np.array(False))
    part = layer.gate(first, 0)
    return node.emit("select", never, part, node.constant_like(0, part))
