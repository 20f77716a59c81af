"""The state of unrolling: each n-d vector as its 1-d rows, and what handlers need to work on them.

An n-d vector of shape ``[a, b, n]`` is held as ``a * b`` vectors of ``n`` elements, in row-major order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import prod

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint

from lamina.dialects.core.constants import as_array, constant_attr, constant_attribute, splat_attr
from lamina.dialects.vector.shapes import FromElementsOp
from lamina.lowering.vector._emitter import Emitter

Handler = Callable[["Rows", Operation], bool]
"""Lowers one operation; False where it has no form on rows and keeps its n-d vectors."""

HANDLERS: dict[type[Operation], Handler] = {}


def lowers(*kinds: type[Operation]) -> Callable[[Handler], Handler]:
    """Register the handler of some kinds of operation."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            HANDLERS[kind] = handler
        return handler

    return register


def shape_of(type_: Attribute) -> tuple[int, ...]:
    """The shape of a vector type, () for any other."""
    return type_.get_shape() if isinstance(type_, VectorType) else ()


def is_nd(type_: Attribute) -> bool:
    """Whether a type is a vector of rank 2 or more, of fixed size."""
    return len(shape_of(type_)) > 1 and not any(bool(flag) for flag in type_.get_scalable_dims())  # pyright: ignore[reportAttributeAccessIssue]


@cache
def row_type(type_: Attribute) -> VectorType:
    """The type of one row of a vector."""
    assert isinstance(type_, VectorType)
    return VectorType(type_.element_type, [type_.get_shape()[-1]])


def row_count(type_: Attribute) -> int:
    """How many rows a vector has; a 1-d vector is its own only row."""
    return prod(shape_of(type_)[:-1])


def positions(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """All positions of a shape in row-major order."""
    return list(product(*(range(size) for size in shape)))


class Rows:
    """Rows by value, a place to insert at, and the operations that are done with."""

    def __init__(self, entry: Block, at: Operation) -> None:
        self.emitter = Emitter(InsertPoint.before(at), entry, at.location)
        self.dead: list[Operation] = []
        self.expanded: set[Block] = set()
        """Blocks whose terminators hand on rows."""
        self._rows: dict[SSAValue, list[SSAValue]] = {}
        self._elements: dict[tuple[SSAValue, int], SSAValue] = {}

    def move_before(self, op: Operation) -> None:
        """Insert from now on before an operation, under its location."""
        self.emitter.builder.insertion_point = InsertPoint.before(op)
        self.emitter.location = op.location

    def value(self, op: Operation) -> SSAValue:
        """Insert an operation; its only result."""
        return self.emitter.value(op)

    def define(self, value: SSAValue, rows: Sequence[SSAValue]) -> None:
        """Say what the rows of a vector are. A 1-d vector or a scalar is replaced by its only row."""
        if is_nd(value.type):
            self._rows[value] = list(rows)
        else:
            value.replace_all_uses_with(rows[0])

    def of(self, value: SSAValue) -> list[SSAValue]:
        """The rows of a vector; those of one that nothing here made are extracted."""
        if not is_nd(value.type):
            return [value]
        if value not in self._rows:
            self._rows[value] = self._extracted(value)
        return self._rows[value]

    def _extracted(self, value: SSAValue) -> list[SSAValue]:
        attribute = constant_attribute(value)
        if attribute is not None:
            return self._constant_rows(attribute, value.type)
        point = self.emitter.builder.insertion_point
        self.emitter.builder.insertion_point = _after(value)
        leading = positions(shape_of(value.type)[:-1])
        rows = [self.value(vector.ExtractOp(value, at, row_type(value.type))) for at in leading]
        self.emitter.builder.insertion_point = point
        return rows

    def _constant_rows(self, attribute: Attribute, type_: Attribute) -> list[SSAValue]:
        array = as_array(attribute).reshape(row_count(type_), -1)
        return [self.emitter.constant(constant_attr(row, row_type(type_))) for row in array]

    def assembled(self, value: SSAValue) -> SSAValue:
        """An n-d vector made of the rows of one, for an operation that needs it whole."""
        if value not in self._rows or not is_nd(value.type):
            return value
        assert isinstance(value.type, VectorType)
        whole = self.emitter.constant(splat_attr(0, value.type))
        for at, row in zip(positions(shape_of(value.type)[:-1]), self._rows[value], strict=True):
            whole = self.value(vector.InsertOp(row, whole, at))
        return whole

    def element(self, row: SSAValue, position: int) -> SSAValue:
        """One element of a row, without an extraction where the row was made of scalars."""
        owner = row.owner
        if isinstance(owner, vector.BroadcastOp) and not isinstance(owner.source.type, VectorType):
            return owner.source
        if isinstance(owner, FromElementsOp):
            return owner.elements[position]
        key = (row, position)
        if key not in self._elements:
            assert isinstance(row.type, VectorType)
            point = self.emitter.builder.insertion_point
            self.emitter.builder.insertion_point = _after(row)
            self._elements[key] = self.value(vector.ExtractOp(row, [position], row.type.element_type))
            self.emitter.builder.insertion_point = point
        return self._elements[key]

    def elements(self, value: SSAValue) -> list[SSAValue]:
        """All elements of a vector, in row-major order."""
        size = shape_of(value.type)[-1]
        return [self.element(row, i) for row in self.of(value) for i in range(size)]

    def row(self, elements: Sequence[SSAValue]) -> SSAValue:
        """A row made of scalars."""
        type_ = VectorType(elements[0].type, [len(elements)])
        if all(element is elements[0] for element in elements):
            return self.value(vector.BroadcastOp(elements[0], type_))
        return self.value(FromElementsOp(elements, type_))

    def rows_from(self, elements: Sequence[SSAValue], shape: Sequence[int]) -> list[SSAValue]:
        """The rows of a shape made of scalars; the scalar itself for the shape ()."""
        if not shape:
            return list(elements)
        size = shape[-1]
        return [self.row(elements[i : i + size]) for i in range(0, len(elements), size)]

    def lower_block(self, block: Block) -> None:
        """Lower all operations of a block and of the regions inside."""
        for op in list(block.ops):
            self.move_before(op)
            handler = HANDLERS.get(type(op)) or _elementwise(op)
            if handler is not None and _concerns(op, type(op) in HANDLERS) and handler(self, op):
                self.dead.append(op)
                continue
            self._keep(op)

    def _keep(self, op: Operation) -> None:
        """Leave an operation as it is: give it whole vectors, and go into its regions."""
        for i, operand in enumerate(op.operands):
            op.operands[i] = self.assembled(operand)
        for region in op.regions:
            for block in region.blocks:
                self.lower_block(block)

    def erase_dead(self) -> None:
        """Erase what was lowered."""
        for op in reversed(self.dead):
            op.detach()
            op.erase()


def _after(value: SSAValue) -> InsertPoint:
    if isinstance(value, OpResult):
        return InsertPoint.after(value.op)
    assert isinstance(value.owner, Block)
    return InsertPoint.at_start(value.owner)


def _concerns(op: Operation, known: bool) -> bool:
    """Whether an operation has n-d vectors, or is of a kind that is lowered on 1-d vectors too."""
    if isinstance(op, arith.ConstantOp):
        return is_nd(op.result.type)
    return known or any(is_nd(value.type) for value in (*op.operands, *op.results))


def _elementwise(op: Operation) -> Handler | None:
    if op.name.split(".")[0] in ("arith", "math") or isinstance(op, vector.FMAOp):
        return lower_elementwise
    return None


def lower_elementwise(rows: Rows, op: Operation) -> bool:
    """An operation on elements, row by row; scalar operands serve all rows."""
    operands = [rows.of(operand) for operand in op.operands]
    count = row_count(op.results[0].type)
    made: list[list[SSAValue]] = [[] for _ in op.results]
    seen: dict[tuple[SSAValue, ...], Sequence[SSAValue]] = {}
    for i in range(count):
        arguments = tuple(held[i] if len(held) > 1 else held[0] for held in operands)
        if arguments not in seen:
            new = type(op).create(
                operands=arguments,
                result_types=[row_type(result.type) for result in op.results],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
            seen[arguments] = rows.emitter.insert(new).results
        for held, result in zip(made, seen[arguments], strict=True):
            held.append(result)
    for result, held in zip(op.results, made, strict=True):
        rows.define(result, held)
    return True


@lowers(arith.ConstantOp)
def _constant(rows: Rows, op: Operation) -> bool:
    rows.of(op.results[0])
    return True
