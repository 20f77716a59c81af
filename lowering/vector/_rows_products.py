"""Contractions, outer products and reductions on rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.vector.contraction import ADD, ContractOp, MultiReductionOp, OuterProductOp
from lamina.lowering.vector._combiner import FLOAT_OPERATIONS, INTEGER_OPERATIONS
from lamina.lowering.vector._rows import Rows, lowers, positions, row_type, shape_of

_REASSOCIATED = arith.FastMathFlagsAttr([FastMathFlag.REASSOC])


def element_type(type_: Attribute) -> Attribute:
    """The element type of a vector, a scalar type itself."""
    return type_.element_type if isinstance(type_, VectorType) else type_


def combine(rows: Rows, kind: CombiningKindFlag, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Two scalars or two rows under a combining kind."""
    table = FLOAT_OPERATIONS if isinstance(element_type(lhs.type), AnyFloat) else INTEGER_OPERATIONS
    return rows.value(table[kind].create(operands=[lhs, rhs], result_types=[lhs.type]))


def multiply_add(rows: Rows, lhs: SSAValue, rhs: SSAValue, acc: SSAValue) -> SSAValue:
    """``lhs * rhs + acc`` on scalars or rows, rounded once for floats."""
    if isinstance(element_type(acc.type), AnyFloat):
        fused = vector.FMAOp if isinstance(acc.type, VectorType) else math.FmaOp
        return rows.value(fused(lhs, rhs, acc))
    return rows.value(arith.AddiOp(rows.value(arith.MuliOp(lhs, rhs)), acc))


class _Factor:
    """One factor of a contraction: its rows, and the iterators that index it."""

    def __init__(self, rows: Rows, value: SSAValue, iterators: Sequence[int], element: Attribute) -> None:
        self.rows = rows
        self.iterators = iterators
        leading = positions(shape_of(value.type)[:-1])
        self.held = {
            at: _widened(rows, row, element) for at, row in zip(leading, rows.of(value), strict=True)
        }
        self._repeated: dict[tuple[int, ...], SSAValue] = {}

    def scalar(self, at: dict[int, int]) -> SSAValue:
        """The element at a point."""
        *leading, last = (at[i] for i in self.iterators)
        return self.rows.element(self.held[tuple(leading)], last)

    def along(self, iterator: int, size: int, at: dict[int, int]) -> SSAValue:
        """The elements along an iterator, as a row; repeated if it does not index the factor."""
        if self.iterators[-1] == iterator:
            return self.held[tuple(at[i] for i in self.iterators[:-1])]
        if iterator in self.iterators:
            return self.rows.row([self.scalar({**at, iterator: i}) for i in range(size)])
        key = tuple(at[i] for i in self.iterators)
        if key not in self._repeated:
            element = self.scalar(at)
            repeated = vector.BroadcastOp(element, VectorType(element.type, [size]))
            self._repeated[key] = self.rows.value(repeated)
        return self._repeated[key]


def _widened(rows: Rows, row: SSAValue, element: Attribute) -> SSAValue:
    """A factor's row in the accumulator's element type (integers as signed ones)."""
    if element_type(row.type) == element:
        return row
    assert isinstance(row.type, VectorType)
    target = VectorType(element, row.type.shape)
    extension = arith.ExtSIOp if isinstance(element, IntegerType) else arith.ExtFOp
    return rows.value(extension.create(operands=[row], result_types=[target]))


@lowers(ContractOp)
def _contract(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, ContractOp)
    maps: list[list[int]] = []
    for attr in op.indexing_maps:
        maps.append([e.position for e in attr.data.results if isinstance(e, AffineDimExpr)])
        if len(maps[-1]) != len(attr.data.results):
            return False
    if (op.kind or ADD) != ADD:
        return False
    element, sizes = element_type(op.acc.type), op.sizes()
    lhs, rhs = (_Factor(rows, op.operands[i], maps[i], element) for i in range(2))
    reduced = [i for i in range(len(sizes)) if i not in maps[2]]
    steps = [dict(zip(reduced, at, strict=True)) for at in product(*(range(sizes[i]) for i in reduced))]
    made: list[SSAValue] = []
    for at, acc in zip(positions([sizes[i] for i in maps[2][:-1]]), rows.of(op.acc), strict=True):
        place = dict(zip(maps[2][:-1], at, strict=True))
        for step in steps:
            here = place | step
            if maps[2]:
                inner = maps[2][-1]
                a, b = (factor.along(inner, sizes[inner], here) for factor in (lhs, rhs))
            else:
                a, b = (factor.scalar(here) for factor in (lhs, rhs))
            acc = multiply_add(rows, a, b, acc)
        made.append(acc)
    rows.define(op.result, made)
    return True


@lowers(OuterProductOp)
def _outer_product(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, OuterProductOp)
    if (op.kind or ADD) != ADD:
        return False
    type_ = row_type(op.result.type)
    if isinstance(op.rhs.type, VectorType):
        scalars = rows.elements(op.lhs)
        pairs = [(rows.value(vector.BroadcastOp(scalar, type_)), op.rhs) for scalar in scalars]
    else:
        pairs = [(op.lhs, rows.value(vector.BroadcastOp(op.rhs, type_)))]
    if op.acc is None:
        floats = isinstance(element_type(op.result.type), AnyFloat)
        kind = arith.MulfOp if floats else arith.MuliOp
        made = [rows.value(kind(lhs, rhs)) for lhs, rhs in pairs]
    else:
        held = rows.of(op.acc)
        made = [multiply_add(rows, lhs, rhs, acc) for (lhs, rhs), acc in zip(pairs, held, strict=True)]
    rows.define(op.result, made)
    return True


@lowers(MultiReductionOp)
def _multi_reduction(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, MultiReductionOp)
    shape, reduced = shape_of(op.source.type), op.reduction_dims.get_values()
    kind, last = op.kind.data, len(shape) - 1
    grouped: dict[tuple[int, ...], list[SSAValue]] = {}
    for at, row in zip(positions(shape[:-1]), rows.of(op.source), strict=True):
        grouped.setdefault(tuple(i for d, i in enumerate(at) if d not in reduced), []).append(row)
    combined = [_tree(rows, kind, group) for group in grouped.values()]
    if last not in reduced:
        made = [combine(rows, kind, acc, row) for acc, row in zip(rows.of(op.acc), combined, strict=True)]
    else:
        start = rows.elements(op.acc) if isinstance(op.acc.type, VectorType) else [op.acc]
        scalars = [_across(rows, kind, row, acc) for row, acc in zip(combined, start, strict=True)]
        made = rows.rows_from(scalars, shape_of(op.acc.type))
    rows.define(op.dest, made)
    return True


def _tree(rows: Rows, kind: CombiningKindFlag, values: Sequence[SSAValue]) -> SSAValue:
    """All values combined pairwise, so that no chain of operations is longer than it must be."""
    while len(values) > 1:
        paired = [combine(rows, kind, a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = paired + list(values[len(paired) * 2 :])
    return values[0]


def _across(rows: Rows, kind: CombiningKindFlag, row: SSAValue, acc: SSAValue) -> SSAValue:
    """The elements of a row and an accumulator combined into one scalar, in any order."""
    return rows.value(
        vector.ReductionOp.build(
            operands=[row, [acc]],
            result_types=[acc.type],
            properties={
                "kind": CombiningKindAttr(kind),
                "fastmath": _REASSOCIATED if isinstance(acc.type, AnyFloat) else None,
            },
        )
    )
