"""One direction of a recurrent layer, and its steps: unrolled, or as a loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Block, SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, element, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rules._recurrent_functions import Function
from lamina.lowering.onnx.rules.shapes import expanded

MAX_STEPS = 32
"""Steps up to which a layer is unrolled; otherwise it becomes a loop."""


@dataclass
class Layer:
    """One direction of a recurrent layer."""

    node: Node
    hidden: int
    x: SSAValue
    """The steps' shares of all gates, bias included: ``[steps, batch, gates * hidden]``."""
    recurrence: SSAValue
    """``[hidden, gates * hidden]``."""
    bias: SSAValue | None
    """The recurrence's bias: ``[gates * hidden]``."""
    peepholes: SSAValue | None
    functions: list[Function]
    _parts: dict[tuple[SSAValue, int, int], SSAValue] = field(default_factory=dict)

    def gate(self, value: SSAValue, index: int, count: int = 1) -> SSAValue:
        """A slice of the last axis, ``count`` gates from the given one on."""
        last = len(shape(value)) - 1
        starts, ends = [0] * last, [2**63 - 1] * last
        return self.node.emit(
            "slice",
            value,
            starts=[*starts, index * self.hidden],
            ends=[*ends, (index + count) * self.hidden],
            steps=[1] * (last + 1),
        )

    def parameter(self, value: SSAValue, index: int, count: int = 1) -> SSAValue:
        """A slice of a parameter, which is taken once, in front of all steps."""
        key = value, index, count
        if key not in self._parts:
            with self.node.within(None):
                self._parts[key] = self.gate(value, index, count)
        return self._parts[key]

    def recurrent(self, h: SSAValue, first: int, count: int) -> SSAValue:
        """The state's share of some gates, with the recurrence's bias."""
        node = self.node
        result = node.emit("matmul", h, self.parameter(self.recurrence, first, count))
        return (
            result if self.bias is None else node.emit("add", result, self.parameter(self.bias, first, count))
        )


Step = Callable[[Layer, SSAValue, list[SSAValue]], list[SSAValue]]


def run_steps(
    layer: Layer, state: list[SSAValue], step: Step, backwards: bool
) -> tuple[SSAValue, list[SSAValue]]:
    """The outputs of all steps in the order of time, and the last state."""
    few = 0 <= shape(layer.x)[0] <= MAX_STEPS
    return (_unrolled if few else _looped)(layer, state, step, backwards)


def _lengths(layer: Layer, backwards: bool) -> SSAValue | None:
    """The sequences' lengths, unless all of them have all steps."""
    lengths, known = layer.node.optional(4), layer.node.constant(4)
    steps = shape(layer.x)[0]
    if lengths is None or (known is not None and (known == steps).all()):
        return None
    if backwards:
        raise Unsupported("sequence_lens of a reversed direction are not supported")
    return lengths


def _stepped(
    layer: Layer, step: Step, state: list[SSAValue], t: SSAValue, lengths: SSAValue | None
) -> tuple[SSAValue, list[SSAValue]]:
    """The output and the state after step t (an i64 scalar); sequences that have ended keep their state."""
    node = layer.node
    fresh = step(layer, node.emit("gather", layer.x, t, axis=0), state)
    if lengths is None:
        return fresh[0], fresh
    running = node.emit("greater", lengths, node.cast(t, element(lengths)))
    running = node.emit("unsqueeze", running, axes=[1])
    output = node.emit("select", running, fresh[0], node.constant_like(0, fresh[0]))
    return output, [node.emit("select", running, new, old) for new, old in zip(fresh, state, strict=True)]


def _unrolled(
    layer: Layer, state: list[SSAValue], step: Step, backwards: bool
) -> tuple[SSAValue, list[SSAValue]]:
    """The outputs of all steps in the order of time, and the last state: each step by itself."""
    node, lengths, steps = layer.node, _lengths(layer, backwards), shape(layer.x)[0]
    outputs: list[SSAValue] = [state[0]] * steps
    for t in reversed(range(steps)) if backwards else range(steps):
        output, state = _stepped(layer, step, state, node.constant_of(np.array(t, np.int64)), lengths)
        outputs[t] = node.emit("unsqueeze", output, axes=[0])
    if not outputs:
        raise Unsupported("it has no steps")
    return (outputs[0] if len(outputs) == 1 else node.emit("concat", *outputs, axis=0)), state


def _looped(
    layer: Layer, state: list[SSAValue], step: Step, backwards: bool
) -> tuple[SSAValue, list[SSAValue]]:
    """The same by ``scf.for``, which carries the state and the outputs so far."""
    node, lengths = layer.node, _lengths(layer, backwards)
    steps, batch, _ = shape(layer.x)
    sizes = node.emit("shape_of", layer.x)
    extents = node.emit("slice", sizes, starts=[0], ends=[2], steps=[1])
    extents = node.emit("concat", extents, node.integers([layer.hidden]), axis=0)
    zero = node.constant_like(0, layer.x)
    outputs = expanded(node, zero, extents)
    zeros, one = (node.insert(arith.ConstantOp(IntegerAttr(n, IndexType()))).results[0] for n in (0, 1))
    count = node.insert(tensor.DimOp(layer.x, zeros)).results[0]
    carried = [outputs, *state]
    types = [TensorType(element(zero), [steps, batch, layer.hidden])]
    types += [TensorType(element(zero), shape(value)) for value in state]
    block = Block(arg_types=[IndexType(), *types])
    with node.within(block):
        t = block.args[0]
        if backwards:
            last = node.insert(arith.SubiOp(count, one)).results[0]
            t = node.insert(arith.SubiOp(last, t)).results[0]
        number = node.insert(arith.IndexCastOp(t, i64)).results[0]
        scalar = node.insert(
            tensor.FromElementsOp.create(operands=[number], result_types=[TensorType(i64, [])])
        )
        output, after = _stepped(layer, step, list(block.args[2:]), scalar.results[0], lengths)
        places = [t, *_batch_sizes(node, layer.x, batch)]
        inserted = node.insert(
            tensor.InsertSliceOp.get(
                output,
                block.args[1],
                static_sizes=[1, batch, layer.hidden],
                static_offsets=[DYNAMIC, 0, 0],
                offsets=places[:1],
                sizes=places[1:],
                static_strides=[1, 1, 1],
            )
        )
        block.add_op(scf.YieldOp(inserted.results[0], *after))
    loop = node.insert(scf.ForOp(zeros, count, one, carried, block))
    return loop.results[0], list(loop.results[1:])


def _batch_sizes(node: Node, x: SSAValue, batch: int) -> list[SSAValue]:
    """The size of the batch as an index where the type does not tell it."""
    if batch != DYNAMIC:
        return []
    axis = node.insert(arith.ConstantOp(IntegerAttr(1, IndexType())))
    return [node.insert(tensor.DimOp(x, axis.results[0])).results[0]]
