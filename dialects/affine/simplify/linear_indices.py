"""affine.linearize_index and affine.delinearize_index: known sizes, sizes of 1, and one undoing the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, IndexType, UnitAttr, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.folding import defining_op, int_of, integer
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_NUMBER, are_equal, are_same, known
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.scf.simplify.structure import segments

_SPLIT, _JOIN = "affine.delinearize_index", "affine.linearize_index"
Sizes = "list[int | SSAValue]"


@dataclass(frozen=True)
class Layout:
    """Several indices and the sizes of their dimensions; the first size may be left open."""

    outer: int | SSAValue | None
    inner: list[int | SSAValue]

    @staticmethod
    def of(op: Operation) -> Layout:
        """The sizes that an op tells."""
        static = static_values(op, "static_basis")
        values = iter(operand_groups(op)[1])
        sizes = [next(values) if v == DYNAMIC_NUMBER else v for v in static]
        count = len(op.results) if op.name == _SPLIT else len(operand_groups(op)[0])
        return Layout(sizes[0], sizes[1:]) if len(sizes) == count else Layout(None, sizes)

    @property
    def sizes(self) -> list[int | SSAValue]:
        """The sizes as an op lists them."""
        return self.inner if self.outer is None else [self.outer, *self.inner]

    def strides(self) -> list[int] | None:
        """By how much each index counts, where that is known."""
        sizes = [size for size in self.inner if isinstance(size, int)]
        if len(sizes) < len(self.inner):
            return None
        return [math.prod(sizes[i:]) for i in range(len(sizes) + 1)]

    def without(self, positions: Sequence[int]) -> Layout:
        """The sizes of the other indices; the first of them becomes the outer one."""
        kept = [i for i in range(len(self.inner) + 1) if i not in positions]
        sizes = [self.outer, *self.inner]
        found = [sizes[i] for i in kept]
        return Layout(found[0] if found else None, [size for size in found[1:] if size is not None])

    def first(self, count: int) -> Layout:
        """The sizes of the first indices."""
        return Layout(self.outer, self.inner[: count - 1])

    def properties(self) -> dict[str, Attribute]:
        """The sizes that are numbers, as an op holds them."""
        static = [size if isinstance(size, int) else DYNAMIC_NUMBER for size in self.sizes]
        return {"static_basis": DenseArrayBase.from_list(i64, static)}

    def operands(self) -> list[SSAValue]:
        """The sizes that are operands."""
        return [size for size in self.sizes if not isinstance(size, int)]


def split(rewriter: Rewriter, value: SSAValue, layout: Layout) -> list[SSAValue]:
    """The indices of a linear index; the only one of a single dimension is that itself."""
    if not layout.inner:
        return [value]
    types = [IndexType()] * (len(layout.inner) + 1)
    return list(rewriter.create(_SPLIT, [value, *layout.operands()], types, layout.properties()).results)


def join(rewriter: Rewriter, indices: Sequence[SSAValue], layout: Layout, *, disjoint: bool) -> SSAValue:
    """The linear index of indices; that of a single one is itself."""
    if len(indices) == 1:
        return indices[0]
    properties = {**layout.properties(), **segments(indices, layout.operands())}
    if disjoint:
        properties["disjoint"] = UnitAttr()
    return rewriter.value(_JOIN, [*indices, *layout.operands()], IndexType(), properties)


def is_disjoint(op: Operation) -> bool:
    """Whether every index but the first is surely less than the size of its dimension."""
    return op.get_attr_or_prop("disjoint") is not None


@pattern(_SPLIT, _JOIN)
def index_by_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the op."""
    layout = Layout.of(op)
    sizes = known(layout.sizes, least=0)
    if are_same(sizes, layout.sizes):
        return False
    better = Layout(sizes[0], sizes[1:]) if layout.outer is not None else Layout(None, sizes)
    if op.name == _SPLIT:
        return rewriter.replace(op, split(rewriter, op.operands[0], better))
    indices = operand_groups(op)[0]
    return rewriter.replace(op, join(rewriter, indices, better, disjoint=is_disjoint(op)))


@fold(_JOIN)
def fold_join(op: Operation) -> Folded:
    """A single index; indices that are all constants."""
    indices = operand_groups(op)[0]
    if len(indices) == 1:
        return indices[0]
    numbers = [int_of(value) for value in indices]
    strides = Layout.of(op).strides()
    if strides is None:
        return None
    terms = [n * s for n, s in zip(numbers, strides, strict=True) if n is not None]
    return integer(sum(terms), IndexType()) if len(terms) == len(numbers) else None


@fold(_SPLIT)
def fold_split(op: Operation) -> Folded:
    """A single dimension; a linear index that is a constant."""
    if len(op.results) == 1:
        return op.operands[0]
    number = int_of(op.operands[0])
    strides = Layout.of(op).strides()
    if number is None or strides is None or 0 in strides:
        return None
    found: list[Attribute] = []
    for stride in strides:
        index, number = divmod(number, stride)
        found.append(integer(index, IndexType()))
    return found


@pattern(_SPLIT)
def split_without_units(op: Operation, rewriter: Rewriter) -> bool:
    """The index of a dimension of size 1 is zero."""
    layout = Layout.of(op)
    units = [i for i, size in enumerate([layout.outer, *layout.inner]) if size == 1 and isinstance(size, int)]
    if not units:
        return False
    rest = iter(
        split(rewriter, op.operands[0], layout.without(units)) if len(units) < len(op.results) else ()
    )
    zero = rewriter.value("arith.constant", [], IndexType(), {"value": integer(0, IndexType())})
    return rewriter.replace(op, [zero if i in units else next(rest) for i in range(len(op.results))])


@pattern(_JOIN)
def join_without_units(op: Operation, rewriter: Rewriter) -> bool:
    """The index zero of the first dimension, or of one of size 1, adds nothing."""
    layout = Layout.of(op)
    indices = operand_groups(op)[0]
    dropped: list[int] = []
    for i, (index, size) in enumerate(zip(indices, [layout.outer, *layout.inner], strict=True)):
        is_unit = isinstance(size, int) and size == 1
        is_first = len(dropped) == i
        if (int_of(index) == 0 and (is_unit or is_first)) or (is_unit and i > 0 and is_disjoint(op)):
            dropped.append(i)
    if not dropped:
        return False
    if len(dropped) == len(indices):
        return rewriter.replace(op, indices[0])
    kept = [value for i, value in enumerate(indices) if i not in dropped]
    return rewriter.replace(op, join(rewriter, kept, layout.without(dropped), disjoint=is_disjoint(op)))


@pattern(_SPLIT)
def split_what_was_joined(op: Operation, rewriter: Rewriter) -> bool:
    """The last indices are those that the linear index was made of with the same last sizes."""
    inner = defining_op(op.operands[0], _JOIN)
    if inner is None or not is_disjoint(inner):
        return False
    made, wanted = Layout.of(inner), Layout.of(op)
    indices = list(operand_groups(inner)[0])
    count = 0
    while count < min(len(made.inner), len(wanted.inner)) and are_equal(
        [made.inner[-1 - count]], [wanted.inner[-1 - count]]
    ):
        count += 1
    left = len(indices) - count
    if count == 0:
        return _split_last(op, rewriter, inner)
    rest = join(rewriter, indices[:left], made.first(left), disjoint=True)
    results = split(rewriter, rest, wanted.first(len(op.results) - count))
    return rewriter.replace(op, [*results, *indices[left:]])


def _split_last(op: Operation, rewriter: Rewriter, inner: Operation) -> bool:
    """The last of the joined indices is split itself, where the last sizes together are its size."""
    made, wanted = Layout.of(inner), Layout.of(op)
    size = made.inner[-1] if made.inner else None
    product = 1
    for count in range(1, len(wanted.inner) + 1):
        last = wanted.inner[-count]
        if not isinstance(last, int) or not isinstance(size, int) or last < 1:
            return False
        product *= last
        if product == size and count > 1:
            *firsts, index = operand_groups(inner)[0]
            parts = split(rewriter, index, Layout(last, wanted.inner[len(wanted.inner) - count + 1 :]))
            rest = join(rewriter, firsts, made.first(len(firsts)), disjoint=True)
            results = split(rewriter, rest, wanted.first(len(op.results) - count))
            return rewriter.replace(op, [*results, *parts])
    return False


@pattern(_JOIN)
def join_what_was_split(op: Operation, rewriter: Rewriter) -> bool:
    """All indices of a linear index, side by side with the sizes by which it was split, are that again."""
    layout = Layout.of(op)
    indices = list(operand_groups(op)[0])
    sizes = [layout.outer, *layout.inner]
    for start, value in enumerate(indices):
        inner = defining_op(value, _SPLIT)
        if inner is None or not isinstance(value, OpResult) or value.index or len(inner.results) < 2:
            continue
        split_sizes = Layout.of(inner)
        stop = start + len(inner.results)
        if indices[start:stop] != list(inner.results):
            continue
        if not are_equal(split_sizes.inner, [size for size in sizes[start + 1 : stop] if size is not None]):
            continue
        numbers = [size for size in sizes[start:stop] if isinstance(size, int)]
        size = math.prod(numbers) if len(numbers) == stop - start else None
        if start and (size is None or not _fits(sizes[start], split_sizes.outer, disjoint=is_disjoint(op))):
            continue
        merged = [*sizes[:start], size, *sizes[stop:]]
        better = Layout(merged[0], [s for s in merged[1:] if s is not None])
        kept = [*indices[:start], inner.operands[0], *indices[stop:]]
        return rewriter.replace(op, join(rewriter, kept, better, disjoint=is_disjoint(op)))
    return False


def _fits(size: int | SSAValue | None, outer: int | SSAValue | None, *, disjoint: bool) -> bool:
    """Whether the first of the split indices is surely less than the size that it is joined with."""
    if outer is None:
        return disjoint
    return size is not None and are_equal([size], [outer])
