"""memref.expand_shape and collapse_shape of casts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.reshapes import groups_of
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, known, mixed, size_in_type, spelled
from lamina.dialects.memref.simplify.casts import only_forgets


def _before_cast(op: Operation) -> SSAValue | None:
    """The dense memref before a cast that only forgets, or None."""
    cast = defining_op(op.operands[0], "memref.cast")
    if cast is None or not only_forgets(cast.operands[0].type, op.operands[0].type):
        return None
    source = cast.operands[0]
    dense = isinstance(source.type, MemRefType) and isinstance(source.type.layout, NoneAttr)
    return source if dense else None


@pattern("memref.collapse_shape")
def collapse_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """What is known before the cast is known of the collapsed memref."""
    source = _before_cast(op)
    if source is None or not isinstance(source.type, MemRefType):
        return False
    sizes = source.type.get_shape()
    shape = [_product([sizes[i] for i in group]) for group in groups_of(op)]
    return _again(op, rewriter, [source], shape)


def _product(sizes: Sequence[int]) -> int:
    return DYNAMIC_SIZE if DYNAMIC_SIZE in sizes else math.prod(sizes)


@pattern("memref.expand_shape")
def expand_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """What is known before the cast is known of the expanded memref."""
    source = _before_cast(op)
    if source is None or not isinstance(source.type, MemRefType):
        return False
    sizes = known(mixed(op, "output_shape"), least=0)
    for size, group in zip(source.type.get_shape(), groups_of(op), strict=True):
        unknown = [i for i in group if not isinstance(sizes[i], int)]
        numbers = [size_in_type(sizes[i]) for i in group if isinstance(sizes[i], int)]
        if size == DYNAMIC_SIZE:
            continue
        product = math.prod(numbers)
        if len(unknown) > 1 or not product or size % product or (not unknown and size != product):
            return False  # the known size would have to be split among several
        for i in unknown:
            sizes[i] = size // product
    operands, properties = spelled(op, {"output_shape": sizes}, {"src": source})
    return _again(op, rewriter, operands, [size_in_type(size) for size in sizes], properties)


def _again(
    op: Operation,
    rewriter: Rewriter,
    operands: Sequence[SSAValue],
    shape: Sequence[int],
    properties: dict[str, Attribute] | None = None,
) -> bool:
    old, source = op.results[0].type, operands[0].type
    assert isinstance(old, MemRefType) and isinstance(source, MemRefType)
    type = MemRefType(old.element_type, shape, source.layout, old.memory_space)
    if not only_forgets(type, old):
        return False
    made = rewriter.value(op.name, operands, type, properties or dict(op.properties))
    return rewriter.replace(op, made if type == old else rewriter.value("memref.cast", [made], old))
