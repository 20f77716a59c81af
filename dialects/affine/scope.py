"""What may stand as a dimension or a symbol in affine maps: upstream's rules for values."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from lamina.dialects.core.constants import constant_attribute
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.groups import values
from lamina.dialects.core.verifying.shapes import shape_of

_LOOPS = {"affine.for": 1, "affine.parallel": None}
"""How many of the first arguments of the body are induction variables (None: all)."""
_DIMS = ("memref.dim", "tensor.dim")


def _has(op: Operation | None, trait: str) -> bool:
    spec = spec_of(op.name) if op is not None else None
    return spec is not None and trait in spec.traits


def affine_scope(op: Operation) -> Region | None:
    """The region around an op in which values of the top level are symbols: that of a function or module."""
    current: Operation | None = op
    while current is not None:
        parent = current.parent_op()
        if _has(parent, "AffineScope"):
            return current.parent_region()
        current = parent
    return None


def _region_of(value: SSAValue) -> Region | None:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    return block.parent if block is not None else None


def _is_top_level(value: SSAValue) -> bool:
    """Whether a value is defined directly in a scope."""
    region = _region_of(value)
    return region is not None and _has(region.parent, "AffineScope")


def _is_induction_variable(value: SSAValue) -> bool:
    if not isinstance(value, BlockArgument):
        return False
    parent = value.block.parent_op()
    if parent is None or parent.name not in _LOOPS:
        return False
    count = _LOOPS[parent.name]
    return count is None or value.index < count


class Scope:
    """The rules within one region; what has been found of a value is remembered."""

    def __init__(self, region: Region | None) -> None:
        self.region = region
        self._symbols: dict[tuple[int, int], bool] = {}
        self._dims: dict[int, bool] = {}

    def is_dim(self, value: SSAValue) -> bool:
        """Whether a value may be a dimension."""
        found = self._dims.get(id(value))
        if found is None:
            found = self._dims[id(value)] = self._is_dim(value)
        return found

    def _is_dim(self, value: SSAValue) -> bool:
        if not isinstance(value.type, IndexType):
            return False
        if self.is_symbol(value):
            return True
        if not isinstance(value, OpResult):
            return _is_induction_variable(value)
        op = value.op
        if op.name == "affine.apply" or op.name in ("affine.delinearize_index", "affine.linearize_index"):
            return all(self.is_dim(operand) for operand in op.operands)
        return op.name in _DIMS and _is_top_level(op.operands[0])

    def is_symbol(self, value: SSAValue) -> bool:
        """Whether a value may be a symbol."""
        return self._is_symbol(value, self.region)

    def _is_symbol(self, value: SSAValue, region: Region | None) -> bool:
        key = id(value), id(region)
        found = self._symbols.get(key)
        if found is None:
            self._symbols[key] = False  # where a value depends on itself
            found = self._symbols[key] = self._find_symbol(value, region)
        return found

    def _find_symbol(self, value: SSAValue, region: Region | None) -> bool:
        if not isinstance(value.type, IndexType):
            return False
        if region is not None and _region_of(value) is region:
            return True
        if isinstance(value, OpResult):
            op = value.op
            if constant_attribute(value) is not None or _has(op, "ConstantLike"):
                return True
            if _has(op, "Pure") and all(self._is_symbol(operand, region) for operand in op.operands):
                return True
            if op.name in _DIMS:
                return self._is_symbol_of_shape(op, region)
        # What is visible from outside of the scope is as good there as here.
        outer = region.parent if region is not None else None
        if outer is not None and not _has(outer, "IsolatedFromAbove"):
            around = outer.parent_region()
            return around is not None and self._is_symbol(value, around)
        return False

    def _is_symbol_of_shape(self, op: Operation, region: Region | None) -> bool:
        """Whether an extent is known in the scope: that of a memref made with such a size."""
        source = op.operands[0]
        if _is_top_level(source):
            return True
        index: Any = constant_attribute(op.operands[1])
        if index is None or not isinstance(source, OpResult):
            return False
        maker = source.op
        while maker.name == "memref.cast":
            inner = maker.operands[0]
            if not isinstance(inner.type, MemRefType) or not isinstance(inner, OpResult):
                return False
            maker = inner.op
        sizes = {"memref.view": "sizes", "memref.subview": "sizes", "memref.alloc": "dynamicSizes"}
        if maker.name not in sizes:
            return False
        shape, number = shape_of(maker.results[0].type), index.value.data
        if not 0 <= number < len(shape):
            return False
        if shape[number] != DYNAMIC_INDEX:
            return True
        place = shape[:number].count(DYNAMIC_INDEX)
        return self._is_symbol(values(maker, sizes[maker.name])[place], region)
