"""vector.transfer_read and transfer_write: known bounds and masks, and values that pass through a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, MemRefType, TensorType, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.facts import operands_of
from lamina.dialects.core.folding import defining_op, int_of
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE
from lamina.dialects.scf.simplify.structure import segments
from lamina.dialects.tensor.simplify.casts import uncast
from lamina.dialects.vector.simplify.common import shape_of
from lamina.dialects.vector.simplify.masks import mask_is, scales
from lamina.dialects.vector.simplify.shapes import broadcast_and_transpose

_READ, _WRITE = "vector.transfer_read", "vector.transfer_write"


def vector_type(op: Operation) -> VectorType:
    """The type of the vector that is read or written."""
    type = op.results[0].type if op.name == _READ else op.operands[0].type
    assert isinstance(type, VectorType)
    return type


def base_of(op: Operation) -> SSAValue:
    """The tensor or memref."""
    return op.operands[0 if op.name == _READ else 1]


def dimensions_of(op: Operation) -> list[int | None]:
    """For each dimension of the vector that of the base along which it lies; None where it is a broadcast."""
    map = op.get_attr_or_prop("permutation_map")
    assert isinstance(map, AffineMapAttr)
    return [e.position if isinstance(e, AffineDimExpr) else None for e in map.data.results]


def bounds_of(op: Operation) -> list[bool]:
    """For each dimension of the vector, whether the op says that it lies in the base."""
    flags = op.get_attr_or_prop("in_bounds")
    return [bool(flag.value.data) for flag in flags] if isinstance(flags, ArrayAttr) else []  # pyright: ignore[reportAttributeAccessIssue]


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(value.type.get_shape()) if isinstance(value.type, TensorType | MemRefType) else ()


@fold(_READ, _WRITE)
def know_bounds(op: Operation) -> Folded:
    """A dimension that surely lies in the base, as the index and the sizes are known, is marked so."""
    shape, indices = _shape(base_of(op)), operands_of(op, "indices")
    type = vector_type(op)
    if not shape or not _is_of_elements(op):
        return None
    before = bounds_of(op)
    after: list[bool] = []
    for known, dimension, size, scaled in zip(
        before, dimensions_of(op), shape_of(type), scales(type), strict=True
    ):
        if known or dimension is None:
            after.append(True)
            continue
        index, bound = int_of(indices[dimension]), shape[dimension]
        fits = index is not None and index >= 0 and bound != DYNAMIC_SIZE and index + size <= bound
        after.append(fits and not scaled)
    if after == before:
        return None
    op.properties["in_bounds"] = ArrayAttr([BoolAttr.from_bool(flag) for flag in after])
    return True


@pattern(_READ, _WRITE)
def without_needless_mask(op: Operation, rewriter: Rewriter) -> bool:
    """A mask that is true everywhere."""
    masks = operands_of(op, "mask")
    if not masks or mask_is(masks[0]) is not True:
        return False
    base, indices = base_of(op), operands_of(op, "indices")
    if op.name == _READ:
        padding = operands_of(op, "padding")
        groups: tuple[Sequence[SSAValue], ...] = ([base], indices, padding, ())
    else:
        groups = (operands_of(op, "valueToStore"), [base], indices, ())
    op.properties.update(segments(*groups))
    return rewriter.set_operands(op, [value for group in groups for value in group])


@pattern(_READ)
def read_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A tensor is read as it was before a cast that only forgets sizes."""
    source = uncast(op.operands[0])
    return source is not None and rewriter.set_operands(op, [source, *list(op.operands)[1:]])


def _is_masked(op: Operation) -> bool:
    parent = op.parent_op()
    return bool(operands_of(op, "mask")) or (parent is not None and parent.name == "vector.mask")


def _is_whole(op: Operation) -> bool:
    """Whether an access has no mask and surely lies in the base."""
    return not _is_masked(op) and all(bounds_of(op)) and _is_of_elements(op)


def _is_of_elements(op: Operation) -> bool:
    """Whether the base holds the elements of the vector, and no vectors itself."""
    return len(dimensions_of(op)) == len(shape_of(vector_type(op)))


def _same_indices(a: Operation, b: Operation) -> bool:
    pairs = zip(operands_of(a, "indices"), operands_of(b, "indices"), strict=True)
    return all(x is y or (int_of(x) is not None and int_of(x) == int_of(y)) for x, y in pairs)


def _same_place(a: Operation, b: Operation) -> bool:
    return _same_indices(a, b) and vector_type(a) == vector_type(b) and dimensions_of(a) == dimensions_of(b)


def _are_apart(a: Operation, b: Operation) -> bool:
    """Whether two accesses of one tensor surely share no element: along a dimension the one ends first."""
    first, second = _extents(a), _extents(b)
    for (start, size), (other, length) in zip(first, second, strict=True):
        if start is None or other is None or size is None or length is None:
            continue
        if start + size <= other or other + length <= start:
            return True
    return False


def _extents(op: Operation) -> Iterator[tuple[int | None, int | None]]:
    """Along each dimension of the base, where the access starts and how long it is, where that is known."""
    type = vector_type(op)
    sizes = dict(zip(dimensions_of(op), zip(shape_of(type), scales(type), strict=True), strict=True))
    for dimension, index in enumerate(operands_of(op, "indices")):
        size, scaled = sizes.get(dimension, (1, False))
        yield int_of(index), None if scaled else size


def _written_before(op: Operation, base: SSAValue) -> Iterator[Operation]:
    """The writes into a tensor before ``op``, from the last, as long as those behind touch other elements."""
    write = defining_op(base, _WRITE)
    while write is not None:
        yield write
        if not _are_apart(op, write):
            return
        write = defining_op(write.operands[1], _WRITE)


@pattern(_READ)
def read_what_was_written(op: Operation, rewriter: Rewriter) -> bool:
    """A vector that was just written into the tensor, as it was or broadcast."""
    if not isinstance(op.operands[0].type, TensorType) or not _is_whole(op):
        return False
    for write in _written_before(op, op.operands[0]):
        if not _is_whole(write):
            return False
        if _same_place(op, write) and None not in dimensions_of(op):
            return rewriter.replace(op, write.operands[0])
        if _same_indices(op, write) and _broadcast_instead(op, write, rewriter):
            return True
        if not _are_apart(op, write):
            return False
    return False


def _broadcast_instead(op: Operation, write: Operation, rewriter: Rewriter) -> bool:
    """What is read has all that was written, and more dimensions along which it is the same."""
    wanted, given = dimensions_of(op), dimensions_of(write)
    type = vector_type(op)
    order: list[int | None] = [given.index(d) if d is not None and d in given else None for d in wanted]
    if sorted(i for i in order if i is not None) != list(range(len(given))):
        return False
    written = list(zip(shape_of(vector_type(write)), scales(vector_type(write)), strict=True))
    for dimension, index, size, scaled in zip(wanted, order, shape_of(type), scales(type), strict=True):
        if index is not None and written[index] != (size, scaled):
            return False
        if index is None and dimension is not None and (size != 1 or scaled):
            return False
    return broadcast_and_transpose(op, rewriter, write.operands[0], order)


@fold(_WRITE)
def write_what_was_read(op: Operation) -> Folded:
    """What was just read from the place; all of a tensor that was read from another one."""
    read = defining_op(op.operands[0], _READ)
    base = op.operands[1]
    if read is None or not op.results or not isinstance(base.type, TensorType):
        return None
    if _is_masked(read) or _is_masked(op) or read.operands[0].type != base.type:
        return None
    if None in dimensions_of(read) or not _same_place(op, read):
        return None
    if read.operands[0] is base:
        return base
    whole = all(int_of(index) == 0 for index in operands_of(op, "indices"))
    in_order = dimensions_of(op) == list(range(len(_shape(base))))
    same = shape_of(vector_type(op)) == _shape(base) and not any(scales(vector_type(op)))
    return read.operands[0] if whole and in_order and same and _shape(base) else None


@pattern(_WRITE)
def drop_overwritten(op: Operation, rewriter: Rewriter) -> bool:
    """A write into a tensor at a place that is written again before anybody reads it."""
    if not op.results or not isinstance(op.operands[1].type, TensorType) or not _is_whole(op):
        return False
    for write in _written_before(op, op.operands[1]):
        if not write.results[0].has_one_use():
            return False
        if _same_place(op, write):
            return rewriter.replace(write, write.operands[1])
    return False
