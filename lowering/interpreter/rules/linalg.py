"""``linalg``: structured ops through their indexing maps, vectorised over the parallel loops.

The reduction loops run one after the other, as the loop nest would, so sums are taken in the same order;
every step works on whole arrays over the parallel loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from lamina.dialects.core.diagnostics import error
from lamina.dialects.linalg.packing import pack_array, unpack_array
from lamina.dialects.linalg.structured import StructuredView, as_generic, is_structured, loop_bounds
from lamina.dialects.linalg.winograd import (
    INPUT,
    OUTPUT,
    Winograd,
    input_transform,
    output_transform,
    winograd_of,
)
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets

_loop_indices: list[list[Value]] = []
"""The values of the loop indices of the structured ops that are being run, innermost last."""


@interprets("linalg.*")
def _structured(machine: Interpreter, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
    if not is_structured(op):
        raise error("cannot be interpreted", op)
    view = as_generic(op)
    values = dict(zip(op.operands, operands, strict=True))
    inputs = [values[v] for v in view.inputs]
    on_buffers = any(isinstance(v.type, MemRefType) for v in view.outputs)
    outputs = [values[v] if isinstance(v.type, MemRefType) else np.array(values[v]) for v in view.outputs]
    extents = _extents(view, values)
    if 0 not in extents:
        _run(machine, view, inputs, outputs, extents)
    return [] if on_buffers else outputs


def _extents(view: StructuredView, values: dict[Any, Value]) -> list[int]:
    return [int(np.shape(values[b.operand])[b.dimension]) for b in loop_bounds(view)]


def _run(
    machine: Interpreter,
    view: StructuredView,
    inputs: list[Value],
    outputs: list[np.ndarray],
    extents: list[int],
) -> None:
    parallel = [d for d, kind in enumerate(view.iterator_types) if kind == "parallel"]
    reduced = [d for d in range(len(extents)) if d not in parallel]
    indices: list[Value] = [np.int64(0)] * len(extents)
    for axis, d in enumerate(parallel):
        shape = [1] * len(parallel)
        shape[axis] = extents[d]
        indices[d] = np.arange(extents[d], dtype=np.int64).reshape(shape)
    full = tuple(extents[d] for d in parallel)
    count = len(inputs)
    targets = [_fetch_plan(m.results, indices) for m in view.indexing_maps[count:]]
    accumulators = [
        np.broadcast_to(np.asarray(out)[target], full) if out.ndim else np.asarray(out)[()]
        for out, target in zip(outputs, targets, strict=True)
    ]
    for step in product(*(range(extents[d]) for d in reduced)):
        for d, i in zip(reduced, step, strict=True):
            indices[d] = np.int64(i)
        elements = [
            _fetch(value, m.results, indices, parallel)
            for value, m in zip(inputs, view.indexing_maps[:count], strict=True)
        ]
        _loop_indices.append(indices)
        try:
            accumulators = list(machine.run_block(view.body, [*elements, *accumulators])[0])
        finally:
            _loop_indices.pop()
    for out, target, value in zip(outputs, targets, accumulators, strict=True):
        out[target] = value


def _fetch(value: Value, results: Sequence[AffineExpr], indices: list[Value], parallel: list[int]) -> Value:
    """The elements of an operand for every iteration of the parallel loops, as a broadcastable array."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    simple = _as_view(value, results, indices, parallel)
    return value[_fetch_plan(results, indices)] if simple is None else simple


def _as_view(
    value: np.ndarray, results: Sequence[AffineExpr], indices: list[Value], parallel: list[int]
) -> np.ndarray | None:
    """A view without copying, where each index is one loop index or a constant."""
    picks: list[Any] = []
    axes: list[int] = []
    for expression in results:
        if isinstance(expression, AffineDimExpr) and expression.position in parallel:
            if expression.position in axes:
                return None
            # The loop may be shorter than the operand: windows overlap it only in part.
            picks.append(slice(0, np.size(indices[expression.position])))
            axes.append(expression.position)
        elif isinstance(expression, AffineDimExpr | AffineConstantExpr):
            picks.append(int(_evaluate(expression, indices)))
        else:
            return None
    part = value[tuple(picks)]
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    part = part.transpose(order) if part.ndim else part
    shape = [np.size(indices[d]) if d in axes else 1 for d in parallel]
    return part.reshape(shape) if parallel else part[()]


def _fetch_plan(results: Sequence[AffineExpr], indices: list[Value]) -> tuple[Value, ...]:
    return tuple(_evaluate(expression, indices) for expression in results)


def _evaluate(expression: AffineExpr, indices: list[Value]) -> Value:
    match expression:
        case AffineDimExpr():
            return indices[expression.position]
        case AffineConstantExpr():
            return np.int64(expression.value)
        case AffineBinaryOpExpr():
            a, b = _evaluate(expression.lhs, indices), _evaluate(expression.rhs, indices)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return a + b
                case AffineBinaryOpKind.Mul:
                    return a * b
                case AffineBinaryOpKind.FloorDiv:
                    return a // b
                case AffineBinaryOpKind.CeilDiv:
                    return -(-a // b)
                case AffineBinaryOpKind.Mod:
                    return a % b
        case _:
            pass
    raise error(f"the affine expression '{expression}' cannot be interpreted")


@interprets("linalg.index")
def _index(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [_loop_indices[-1][op.dim.value.data]]


@interprets("linalg.pack")
def _pack(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    padding = operands[2] if op.is_padded() else 0
    return [pack_array(operands[0], *op.layout(), padding=padding)]


@interprets("linalg.unpack")
def _unpack(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [unpack_array(operands[0], *op.layout(), shape=operands[1].shape)]


@interprets(INPUT)
def _winograd_input(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [input_transform(_winograd(op), operands[0])]


@interprets(OUTPUT)
def _winograd_output(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return [output_transform(_winograd(op), operands[0])]


def _winograd(op: Operation) -> Winograd:
    found = winograd_of(op)
    if found is None:
        raise error("cannot be interpreted: it is no F(2, 3) or F(4, 3) over both dimensions", op)
    return found
