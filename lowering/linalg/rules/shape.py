"""Lowering of changes of shape: views where the elements stay in place, and shapes that are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, TensorType, i64
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC, NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, Size
from lamina.lowering.linalg._gather import read_at, size_in
from lamina.lowering.linalg._reshape import reshape
from lamina.lowering.linalg._scalars import Scalars
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.movement import copied


@linalg_rule("nn.reshape")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    sizes = _with_rest(builder, list(op.attribute("shape")), x)
    return reshape(builder, x, _known(op, sizes))


def _with_rest(builder: LinalgBuilder, wanted: list[Size], x: SSAValue) -> list[Size]:
    """The wanted extents with -1 replaced by what is left of the number of elements."""
    if -1 not in [n for n in wanted if isinstance(n, int)]:
        return wanted
    place = next(i for i, n in enumerate(wanted) if isinstance(n, int) and n == -1)
    others = [*wanted[:place], *wanted[place + 1 :]]
    return [*wanted[:place], _rest(builder, builder.sizes(x), others), *wanted[place + 1 :]]


def _rest(builder: LinalgBuilder, own: Sequence[Size], others: Sequence[Size]) -> Size:
    """The number of elements divided by the other extents; equal unknown extents cancel."""
    left, right = list(own), list(others)
    for size in list(right):
        if isinstance(size, SSAValue) and size in [n for n in left if isinstance(n, SSAValue)]:
            left.remove(size)
            right.remove(size)
    total, known = builder.product(left), builder.product(right)
    if isinstance(total, int) and isinstance(known, int):
        return total // known if known else 0
    if known == 1:
        return total
    return builder.arithmetic().div(builder.index(total), builder.index(known))


def _known(op: NnOp, sizes: Sequence[Size]) -> list[Size]:
    """Sizes with the extents that the op's result type states."""
    kind = op.results[0].type
    assert isinstance(kind, TensorType)
    return [size if n == DYNAMIC else n for n, size in zip(kind.get_shape(), sizes, strict=True)]


@linalg_rule("nn.squeeze", "nn.unsqueeze")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    own, axes = list(builder.sizes(x)), op.attribute("axes")
    if op.name == "nn.squeeze":
        dropped = {axis % len(own) for axis in axes}
        return reshape(builder, x, [size for i, size in enumerate(own) if i not in dropped])
    for axis in sorted(axis % (len(own) + len(axes)) for axis in axes):
        own.insert(axis, 1)
    return reshape(builder, x, own)


@linalg_rule("nn.broadcast_to")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    [x] = operands
    wanted = op.attribute("shape")
    own = (1,) * (len(wanted) - len(builder.sizes(x))) + builder.sizes(x)
    sizes = [have if want == -1 else want for have, want in zip(own, wanted, strict=True)]
    return copied(builder, x, builder.broadcast_exprs(x, sizes), sizes)


@linalg_rule("nn.shape_of")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    sizes = builder.sizes(operands[0])
    if not sizes:
        return builder.empty([0], i64)
    entries = [
        builder.value(arith.IndexCastOp(n, i64)) if isinstance(n, SSAValue) else builder.scalar(n, i64)
        for n in sizes
    ]
    return builder.value(tensor.FromElementsOp(*entries, result_type=TensorType(i64, [len(sizes)])))


def _entries(builder: LinalgBuilder, shape: SSAValue) -> list[SSAValue]:
    """The entries of a shape operand as indices."""
    s = builder.arithmetic()
    [count] = builder.sizes(shape)
    assert isinstance(count, int)
    places = [s.constant(i, IndexType()) for i in range(count)]
    return [s.index(s.emit(tensor.ExtractOp(shape, [place], i64))) for place in places]


@linalg_rule("nn.dynamic_reshape")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, shape = operands
    own = builder.sizes(x)
    s = builder.arithmetic()
    entries = _entries(builder, shape)
    if not op.attribute("allowzero"):
        entries = [
            s.select(s.compare("eq", n, 0), size_in(s, own[i]), n) if i < len(own) else n
            for i, n in enumerate(entries)
        ]
    others = s.constant(1, IndexType())
    for n in entries:
        others = s.mul(others, s.select(s.compare("eq", n, -1), 1, n))
    total = builder.index(builder.product(own))
    rest = s.div(total, s.maximum(others, 1))
    return reshape(builder, x, _known(op, [s.select(s.compare("eq", n, -1), rest, n) for n in entries]))


@linalg_rule("nn.dynamic_broadcast_to")
def _(op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> SSAValue:
    x, shape = operands
    entries: list[Size] = list(_entries(builder, shape))
    own = list(builder.sizes(x))
    rank = max(len(entries), len(own))
    entries = [1] * (rank - len(entries)) + entries
    aligned = [1] * (rank - len(own)) + own
    s = builder.arithmetic()
    sizes = _known(op, [_wider(s, have, want) for have, want in zip(aligned, entries, strict=True)])

    def places(s: Scalars, loops: Sequence[SSAValue]) -> list[SSAValue]:
        pairs = zip(loops[rank - len(own) :], own, strict=True)
        return [s.select(s.compare("eq", size_in(s, n), 1), 0, loop) for loop, n in pairs]

    return read_at(builder, x, sizes, places)


def _wider(s: Scalars, have: Size, want: Size) -> Size:
    """The extent of x unless that is 1, which gives way to the wanted one."""
    if isinstance(have, int):
        return want if have == 1 else have
    return s.select(s.compare("eq", have, 1), size_in(s, want), have)
