"""Builds linalg operations on tensors where a lowering rule needs them.

A size is an ``int`` or, where it is only known at run time, an SSA value of type ``index``. Sizes of values
that rules make are remembered, so ``tensor.dim`` asks the values that came in, not intermediate results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, LocationAttr, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.linalg._scalars import Scalars, scalar_attribute

Size: TypeAlias = "int | SSAValue"
Body: TypeAlias = "Callable[..., SSAValue | Sequence[SSAValue]]"
"""``body(scalars, *arguments) -> value(s) to yield``."""
Sizes: TypeAlias = "dict[SSAValue, tuple[Size, ...]]"

PARALLEL = "parallel"
REDUCTION = "reduction"


class LinalgBuilder:
    """Inserts operations at the end of a block, all with one location."""

    def __init__(self, block: Block, location: LocationAttr, sizes: Sizes, factors: Sizes) -> None:
        """``sizes`` holds those of tensors, ``factors`` what sizes that are products are made of."""
        self.block = block
        self.location = location
        self._sizes = sizes
        self._factors = factors

    def insert(self, op: Operation) -> Operation:
        """Append an operation to the block."""
        op.location = self.location
        self.block.add_op(op)
        return op

    def value(self, op: Operation) -> SSAValue:
        """Append an operation; returns its first result."""
        return self.insert(op).results[0]

    def scalar(self, value: float | int | bool, kind: Attribute) -> SSAValue:
        """A scalar constant."""
        return self.value(arith.ConstantOp(scalar_attribute(value, kind)))

    def constant(self, array: np.ndarray, kind: TensorType | None = None) -> SSAValue:
        """A tensor constant."""
        return self.value(arith.ConstantOp(constant_attr(array, kind)))

    def index(self, size: Size) -> SSAValue:
        """A size as a value of type index."""
        return (
            size
            if isinstance(size, SSAValue)
            else self.value(arith.ConstantOp(IntegerAttr(size, IndexType())))
        )

    def arithmetic(self) -> Scalars:
        """Scalar arithmetic at this place, for example on sizes."""
        return Scalars(self.block, self.location)

    def sizes(self, value: SSAValue) -> tuple[Size, ...]:
        """The sizes of a tensor. Unknown ones are read right behind the value's definition, once."""
        if value not in self._sizes:
            shape = shape_of(value)
            self._sizes[value] = tuple(
                self._read(value, i) if n == DYNAMIC else n for i, n in enumerate(shape)
            )
        return self._sizes[value]

    def _read(self, value: SSAValue, dim: int) -> SSAValue:
        position = arith.ConstantOp(IntegerAttr(dim, IndexType()))
        read = tensor.DimOp(value, position)
        position.location = read.location = self.location
        owner = value.owner
        point = InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)
        Rewriter.insert_op([position, read], point)
        return read.result

    def remember(self, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
        """Note the sizes of a value that was just made, where its type does not say them."""
        known = zip(shape_of(value), sizes, strict=True)
        self._sizes[value] = tuple(size if n == DYNAMIC else n for n, size in known)
        return value

    def remember_like(self, value: SSAValue, other: SSAValue) -> SSAValue:
        """Note that a value has the sizes of another tensor; nothing for a scalar."""
        return self.remember(value, self.sizes(other)) if isinstance(other.type, TensorType) else value

    def within(self, block: Block) -> LinalgBuilder:
        """A builder at the end of another block, which knows the same sizes."""
        return LinalgBuilder(block, self.location, self._sizes, self._factors)

    def product(self, sizes: Sequence[Size]) -> Size:
        """The product of sizes, computed at run time where one is unknown."""
        parts = self.factors(sizes)
        known = math.prod(n for n in parts if isinstance(n, int))
        unknown = [n for n in parts if isinstance(n, SSAValue)]
        if not unknown or known == 0:
            return known
        total = unknown[0]
        for factor in [*unknown[1:], *([] if known == 1 else [self.index(known)])]:
            total = self.value(arith.MuliOp(total, factor))
        self._factors[total] = parts
        return total

    def factors(self, sizes: Sequence[Size]) -> tuple[Size, ...]:
        """What a product of sizes is made of: products among them are taken apart."""
        return tuple(
            part for n in sizes for part in (self._factors.get(n, (n,)) if isinstance(n, SSAValue) else (n,))
        )

    def empty(self, sizes: Sequence[Size], element: Attribute) -> SSAValue:
        """A tensor of unspecified contents."""
        kind = TensorType(element, static_shape(sizes))
        unknown = [size for size in sizes if isinstance(size, SSAValue)]
        return self.remember(self.value(tensor.EmptyOp(unknown, kind)), sizes)

    def fill(self, value: float | int, sizes: Sequence[Size], element: Attribute) -> SSAValue:
        """A tensor that holds one value everywhere."""
        into = self.empty(sizes, element)
        return self.remember(self.value(linalg.FillOp([self.scalar(value, element)], [into])), sizes)

    def named(self, op: Operation, sizes: Sequence[Size]) -> SSAValue:
        """Append a named operation of one result, whose sizes are given."""
        return self.remember(self.value(op), sizes)

    def generic(
        self,
        inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]],
        outputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]],
        iterators: Sequence[str],
        body: Body,
        unsigned: bool = False,
    ) -> list[SSAValue]:
        """A ``linalg.generic``: operands with the expressions that index them, and the body over scalars."""
        operands = [*inputs, *outputs]
        block = Block(arg_types=[element(value.type) for value, _ in operands])
        scalars = Scalars(block, self.location, unsigned)
        yielded = body(scalars, *block.args)
        end = linalg.YieldOp(*([yielded] if isinstance(yielded, SSAValue) else yielded))
        end.location = self.location
        block.add_op(end)
        maps = [AffineMapAttr(AffineMap(len(iterators), 0, tuple(exprs))) for _, exprs in operands]
        op = linalg.GenericOp(
            [value for value, _ in inputs],
            [value for value, _ in outputs],
            Region(block),
            maps,
            [ITERATORS[name] for name in iterators],
            [value.type for value, _ in outputs],
        )
        self.insert(op)
        return [
            self.remember(r, self.sizes(value)) for r, (value, _) in zip(op.results, outputs, strict=True)
        ]

    def map(
        self,
        inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]],
        sizes: Sequence[Size],
        result_element: Attribute,
        body: Body,
        unsigned: bool = False,
    ) -> SSAValue:
        """An all-parallel generic over new memory; the body sees the inputs only."""
        into = self.empty(sizes, result_element)

        def without_output(scalars: Scalars, *arguments: BlockArgument) -> SSAValue | Sequence[SSAValue]:
            return body(scalars, *arguments[:-1])

        outputs = [(into, dims(len(sizes)))]
        return self.generic(inputs, outputs, [PARALLEL] * len(sizes), without_output, unsigned)[0]

    def pointwise(
        self,
        operands: Sequence[SSAValue],
        result_element: Attribute,
        body: Body,
        unsigned: bool = False,
    ) -> SSAValue:
        """An all-parallel generic over operands that broadcast against each other as in NumPy."""
        sizes = self.broadcast_sizes([self.sizes(value) for value in operands])
        inputs = [(value, self.broadcast_exprs(value, sizes)) for value in operands]
        return self.map(inputs, sizes, result_element, body, unsigned)

    def broadcast_exprs(self, value: SSAValue, sizes: Sequence[Size]) -> list[AffineExpr]:
        """How a tensor is read over loops of the given sizes: extents of 1 repeat, missing ones too."""
        own = self.sizes(value)
        ahead = len(sizes) - len(own)
        return [
            constant(0) if own[i] == 1 and sizes[ahead + i] != 1 else AffineExpr.dimension(ahead + i)
            for i in range(len(own))
        ]

    def broadcast_sizes(self, operands: Sequence[Sequence[Size]]) -> tuple[Size, ...]:
        """The common sizes of operands that broadcast; unknown extents are taken as equal to static ones."""
        rank = max((len(sizes) for sizes in operands), default=0)
        columns = [[sizes[i - rank] for sizes in operands if len(sizes) >= rank - i] for i in range(rank)]
        return tuple(_common(column) for column in columns)


ITERATORS = {
    PARALLEL: IteratorTypeAttr.parallel(),
    REDUCTION: IteratorTypeAttr.reduction(),
}


def _common(column: Sequence[Size]) -> Size:
    wide = [size for size in column if not (isinstance(size, int) and size == 1)]
    return next((size for size in wide if isinstance(size, int)), wide[0] if wide else 1)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The static shape of a tensor value, unknown extents as ``DYNAMIC``."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def static_shape(sizes: Sequence[Size]) -> list[int]:
    """Sizes as a shape, values as ``DYNAMIC``."""
    return [size if isinstance(size, int) else DYNAMIC for size in sizes]


def element(kind: Attribute) -> Attribute:
    """The element type of a tensor type; a scalar's type itself."""
    return kind.element_type if isinstance(kind, TensorType) else kind


def dims(count: int, start: int = 0) -> list[AffineExpr]:
    """``d<start>, …`` as indexing expressions."""
    return [AffineExpr.dimension(start + i) for i in range(count)]


def constant(value: int) -> AffineExpr:
    """A constant indexing expression."""
    return AffineExpr.constant(value)
