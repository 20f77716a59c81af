"""How each op computes on tensors held channels-last: one rule for each, by name.

A rule rewrites an op through a :class:`Propagation`, or leaves it as it is; an op without a rule keeps its
operands in their logical order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC, NnOp
from lamina.dialects.nn.elementwise import ElementwiseOp
from lamina.passes.nn._layout import (
    Last,
    Propagation,
    elements,
    extents,
    held_axis,
    moves_nothing,
    permuted_type,
    to_first,
    to_last,
)

Rule: TypeAlias = "Callable[[Propagation, NnOp], None]"
_RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops by name."""

    def register(function: Rule) -> Rule:
        _RULES.update(dict.fromkeys(names, function))
        return function

    return register


def rewrite(state: Propagation, op: Operation) -> None:
    """Let an op compute channels-last if it can and its operands are held so."""
    found = _RULES.get(op.name)
    if found is None and isinstance(op, ElementwiseOp):
        found = _elementwise
    if found is not None and isinstance(op, NnOp):
        found(state, op)


def convert_window(state: Propagation, op: NnOp) -> None:
    """A convolution or pooling in layout NCHW becomes one in NHWC."""
    held = [state.held(op.operands[0], 4, 1, op, full_rank=True)]
    if op.name == "nn.conv2d":
        held += [state.weight(op.operands[1], (2, 3, 1, 0), op), *op.operands[2:]]
    kind = permuted_type(op.results[0].type, to_last(4))
    made = state.emit(op, op.name, held, [kind], **{**op.properties, "layout": "NHWC"})
    state.replace(op, [Last(made.results[0])])


@rule("nn.conv_transpose2d", "nn.max_pool2d_gradient", "nn.avg_pool2d_gradient")
def _(state: Propagation, op: NnOp) -> None:
    """Gradients by images: of convolutions always (as these), of poolings where an operand is held so."""
    if op.attribute("layout") != "NCHW":
        return
    images = op.operands[:1] if op.name == "nn.conv_transpose2d" else op.operands
    if op.name != "nn.conv_transpose2d" and not any(state.form(v, 4) for v in images):
        return
    held = [state.held(v, 4, 1, op, full_rank=True) for v in images]
    held += [state.weight(v, (2, 3, 1, 0), op) for v in op.operands[len(images) :]]
    kind = permuted_type(op.results[0].type, to_last(4))
    made = state.emit(op, op.name, held, [kind], **{**op.properties, "layout": "NHWC"})
    state.replace(op, [Last(made.results[0])])


@rule("nn.conv2d_filter_gradient")
def _(state: Propagation, op: NnOp) -> None:
    """Channels-last as the convolution; the filter's gradient goes back to the filter's order."""
    if op.attribute("layout") != "NCHW":
        return
    held = [state.held(v, 4, 1, op, full_rank=True) for v in op.operands]
    kind = permuted_type(op.results[0].type, (2, 3, 1, 0))
    made = state.emit(op, op.name, held, [kind], **{**op.properties, "layout": "NHWC"})
    state.replace(op, [state.transposed(made.results[0], (3, 2, 0, 1), op)])


def _like(state: Propagation, op: NnOp, operands: Sequence[SSAValue], channels: int, **changed: Any) -> None:
    """Replace an op by itself on held operands, with results held likewise."""
    kinds = [permuted_type(r.type, to_last(len(extents(r)), channels)) for r in op.results]
    made = state.emit(op, op.name, operands, kinds, **{**op.properties, **changed})
    state.replace(op, [Last(r, channels) for r in made.results])


def _chosen(state: Propagation, op: NnOp, rank: int) -> int | None:
    """The channels of the form to compute in: that of the largest operand that has one.

    None where the operands that would have to be transposed outweigh those that are held channels-last.
    """
    forms = [(elements(v), form.channels) for v in op.operands if (form := state.form(v, rank)) is not None]
    if not forms:
        return None
    channels = max(forms)[1]
    gain = sum(size for size, c in forms if c == channels)
    cost = sum(elements(v) for v in op.operands if _has_to_move(state, v, rank, channels))
    return channels if gain >= cost else None


def _has_to_move(state: Propagation, value: SSAValue, rank: int, channels: int) -> bool:
    form = state.form(value, rank)
    if (form is not None and form.channels == channels) or constant_value(value) is not None:
        return False
    shape = (1,) * (rank - len(extents(value))) + extents(value)
    return not moves_nothing(shape, to_last(rank, channels))


def _elementwise(state: Propagation, op: NnOp) -> None:
    rank = len(extents(op.results[0]))
    channels = _chosen(state, op, rank)
    if channels is not None:
        _like(state, op, [state.held(v, rank, channels, op) for v in op.operands], channels)


@rule("nn.concat")
def _(state: Propagation, op: NnOp) -> None:
    rank = len(extents(op.results[0]))
    channels = _chosen(state, op, rank)
    if channels is not None:
        held = [state.held(v, rank, channels, op, full_rank=True) for v in op.operands]
        _like(state, op, held, channels, axis=held_axis(op.attribute("axis"), rank, channels))


@rule("nn.softmax", "nn.log_softmax", "nn.split", "nn.batch_norm")
def _(state: Propagation, op: NnOp) -> None:
    form = state.form(op.operands[0])
    if form is not None:
        axis = held_axis(op.attribute("axis"), len(extents(op.operands[0])), form.channels)
        _like(state, op, [form.value, *op.operands[1:]], form.channels, axis=axis)


@rule("nn.pad", "nn.slice", "nn.tile")
def _(state: Propagation, op: NnOp) -> None:
    form = state.form(op.operands[0])
    if form is None:
        return
    order = to_last(len(extents(op.operands[0])), form.channels)
    lists = {
        name: [op.attribute(name)[d] for d in order]
        for name in ("low", "high", "starts", "ends", "steps", "repeats")
        if name in op.properties
    }
    _like(state, op, [form.value], form.channels, **lists)


@rule("nn.broadcast_to")
def _(state: Propagation, op: NnOp) -> None:
    shape = op.attribute("shape")
    form = state.form(op.operands[0], len(shape))
    if form is not None:
        order = to_last(len(shape), form.channels)
        _like(state, op, [form.value], form.channels, shape=[shape[d] for d in order])


@rule("nn.gather")
def _(state: Propagation, op: NnOp) -> None:
    """Indices of rank 1 keep the number of dimensions."""
    data, indices = op.operands
    form = state.form(data)
    if form is not None and len(extents(indices)) == 1:
        axis = held_axis(op.attribute("axis"), len(extents(data)), form.channels)
        _like(state, op, [form.value, indices], form.channels, axis=axis)


@rule("nn.max_pool2d", "nn.avg_pool2d")
def _(state: Propagation, op: NnOp) -> None:
    form = state.form(op.operands[0], 4)
    if form is not None and form.channels == 1 and op.attribute("layout") == "NCHW":
        convert_window(state, op)


@rule(*(f"nn.reduce_{kind}" for kind in ("sum", "mean", "prod", "max", "min", "and", "or")))
def _(state: Propagation, op: NnOp) -> None:
    axes = [axis % len(extents(op.operands[0])) for axis in op.attribute("axes")]
    _reduce(state, op, axes, lambda held: {"axes": sorted(held)})


@rule("nn.argmax", "nn.argmin")
def _(state: Propagation, op: NnOp) -> None:
    axis = op.attribute("axis") % len(extents(op.operands[0]))
    _reduce(state, op, [axis], lambda held: {"axis": held[0]})


def _reduce(
    state: Propagation, op: NnOp, axes: list[int], attributes: Callable[[list[int]], dict[str, Any]]
) -> None:
    """Reduce over the held axes; what is left is in channels-last order, in logical order, or transposed."""
    form = state.form(op.operands[0])
    if form is None:
        return
    rank = len(extents(op.operands[0]))
    changed = attributes([held_axis(axis, rank, form.channels) for axis in axes])
    if op.attribute("keepdims"):
        _like(state, op, [form.value], form.channels, **changed)
        return
    left = [d for d in to_last(rank, form.channels) if d not in axes]
    place = [sorted(left).index(d) for d in left]
    kind = permuted_type(op.results[0].type, place)
    made = state.emit(op, op.name, [form.value], [kind], **{**op.properties, **changed})
    channels = sum(1 <= d <= form.channels for d in left)
    if 0 in left and channels and place == to_last(len(left), channels) and place != sorted(place):
        state.replace(op, [Last(made.results[0], channels)])
    else:
        state.replace(op, [state.transposed(made.results[0], [place.index(d) for d in sorted(place)], op)])


@rule("nn.transpose")
def _(state: Propagation, op: NnOp) -> None:
    """Transposes of held values compose with the order they are held in; the usual ones vanish."""
    x, permutation = op.operands[0], list(op.attribute("permutation"))
    rank = len(permutation)
    form = state.form(x)
    if form is None:
        if rank == 4 and permutation == to_first(4):
            state.last[op.results[0]] = Last(x)
        return
    logical = to_first(rank, form.channels)
    composed = [logical[d] for d in permutation]
    within = permutation[0] == 0 and sorted(permutation[1 : form.channels + 1]) == [
        *range(1, form.channels + 1)
    ]
    if rank > 4 or within:
        channels = form.channels if within else 1
        order = [composed[d] for d in to_last(rank, channels)]
        state.replace(op, [Last(state.transposed(form.value, order, op), channels)])
    else:
        state.replace(op, [state.transposed(form.value, composed, op)])


@rule("nn.reshape", "nn.squeeze", "nn.unsqueeze")
def _(state: Propagation, op: NnOp) -> None:
    """A reshape that mixes neither batch, channels nor spatial dimensions happens within each."""
    form = state.form(op.operands[0])
    if form is None:
        return
    shape = list(extents(op.results[0]))
    channels = _split_point(list(extents(op.operands[0])), form.channels, shape)
    if channels is None:
        return
    kind = permuted_type(op.results[0].type, to_last(len(shape), channels))
    wanted = [-1 if e == DYNAMIC else e for e in kind.get_shape()]
    made = state.emit(op, "nn.reshape", [form.value], [kind], shape=wanted)
    state.replace(op, [Last(made.results[0], channels)])


def _split_point(before: list[int], channels: int, after: list[int]) -> int | None:
    """How many dimensions after the first of ``after`` hold exactly the channels of ``before``, or None."""
    if (
        len(after) < 3
        or before[0] != after[0]
        or DYNAMIC in (*before[1:], *after[1:])
        or 0 in (*before, *after)
    ):
        return None
    wanted = _product(before[1 : channels + 1])
    for count in range(1, len(after) - 1):
        if _product(after[1 : count + 1]) == wanted:
            return count
    return None


def _product(numbers: Sequence[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def is_window(op: Operation, name: str) -> bool:
    """Whether an op is the named one, on the usual rank, with channels first."""
    if op.name != name or not isinstance(op, NnOp):
        return False
    return isinstance(op.operands[0].type, TensorType) and op.attribute("layout") == "NCHW"
