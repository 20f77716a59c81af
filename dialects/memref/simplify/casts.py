"""memref.cast: chains of casts, and users that do as well with the value before the cast."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern

DYNAMIC = DYNAMIC_INDEX


def layout_of(type: MemRefType) -> tuple[list[int | None], int | None] | None:
    """Strides and offset of a memref type (None where not known statically), or None for other layouts."""
    if isinstance(type.layout, NoneAttr):
        strides: list[int | None] = []
        stride: int | None = 1
        for size in reversed(type.get_shape()):
            strides.append(stride)
            stride = None if stride is None or size == DYNAMIC else stride * size
        return strides[::-1], 0
    if isinstance(type.layout, StridedLayoutAttr):
        known = [getattr(s, "data", None) for s in type.layout.strides]
        offset = type.layout.offset
        return known, 0 if offset is None else getattr(offset, "data", None)
    return None


def only_forgets(source: Attribute, target: Attribute) -> bool:
    """Whether a cast to ``target`` only forgets sizes, strides or the offset that ``source`` tells."""
    if not isinstance(source, MemRefType) or not isinstance(target, MemRefType):
        return False
    if source.element_type != target.element_type or source.memory_space != target.memory_space:
        return False
    if len(source.get_shape()) != len(target.get_shape()):
        return False
    pairs = zip(source.get_shape(), target.get_shape(), strict=True)
    if any(a != b and b != DYNAMIC for a, b in pairs):
        return False
    if source.layout == target.layout:
        return True
    before, after = layout_of(source), layout_of(target)
    if before is None or after is None:
        return False
    known = zip([*before[0], before[1]], [*after[0], after[1]], strict=True)
    return all(b is None or a == b for a, b in known)


def uncast_operands(op: Operation, rewriter: Rewriter) -> bool:
    """Use memrefs as they were before casts that only forget; returns whether there were any."""
    changed = False
    stores = op.name.endswith("store") or op.name == "vector.transfer_write"
    for index, value in enumerate(op.operands):
        if stores and index == 0 and "masked" not in op.name:
            continue  # the value that is stored
        cast = defining_op(value, "memref.cast")
        if cast is not None and only_forgets(cast.operands[0].type, value.type):
            op.operands[index] = cast.operands[0]
            rewriter.note_change(cast)
            changed = True
    if changed:
        rewriter.note_change(op)
    return changed


@fold("memref.cast")
def fold_cast(op: Operation) -> Folded:
    """A cast to the same type; a cast of a cast that only forgets."""
    (source,) = op.operands
    if source.type == op.results[0].type:
        return source
    inner = defining_op(source, "memref.cast")
    if inner is not None and only_forgets(inner.operands[0].type, source.type):
        if inner.operands[0].type == op.results[0].type:
            return inner.operands[0]
        op.operands[0] = inner.operands[0]
        return True
    return None


_USERS = (
    *("memref.load", "memref.store", "memref.dim", "memref.dealloc", "memref.copy", "memref.dma_start"),
    *("memref.atomic_rmw", "memref.prefetch", "memref.rank", "memref.extract_strided_metadata"),
    *("memref.reinterpret_cast", "memref.extract_aligned_pointer_as_index", "memref.dma_wait"),
    *("vector.load", "vector.store", "vector.maskedload", "vector.maskedstore", "vector.gather"),
    *("vector.scatter", "vector.expandload", "vector.compressstore", "memref.reshape"),
    *("vector.transfer_read", "vector.transfer_write"),
)


@pattern(*_USERS)
def use_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Memory is accessed as it was before a cast that only forgets."""
    return uncast_operands(op, rewriter)
