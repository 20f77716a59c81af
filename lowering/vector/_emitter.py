"""A builder that knows index arithmetic, counted loops and the location of what it replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from lamina.dialects.arith.on_vectors import CmpFOp, SelectOp, mask_of
from lamina.dialects.core.constants import splat_attr
from lamina.lowering.buffers._parallel_loops import PARALLEL
from lamina.lowering.vector._access import Linear

Index = int | SSAValue
"""A position: known now, or a value of type index."""

OpT = TypeVar("OpT", bound=Operation)
ConstantAttr = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr | DenseResourceAttr
Body = Callable[[Index, Sequence[SSAValue]], Sequence[SSAValue]]
"""What a loop does at a position with the values it carries; returns their next state."""


class Emitter:
    """Inserts operations at a point; constants go to the entry of the function, once each."""

    def __init__(self, point: InsertPoint, entry: Block, location: LocationAttr) -> None:
        self.builder = Builder(point)
        self.location = location
        self._entry = entry
        self._constants: dict[Attribute, SSAValue] = {}
        self._positions: dict[int, SSAValue] = {}
        for op in entry.ops:
            if not isinstance(op, arith.ConstantOp):
                break
            self._constants.setdefault(op.value, op.result)

    def insert(self, op: OpT) -> OpT:
        """Insert an operation here, under the location of what is being replaced."""
        op.location = self.location
        return self.builder.insert(op)

    def value(self, op: Operation) -> SSAValue:
        """Insert an operation and return its only result."""
        return self.insert(op).results[0]

    def index(self, value: Index) -> SSAValue:
        """A position as a value of type index."""
        if isinstance(value, SSAValue):
            return value
        constant = self._positions.get(value)
        if constant is None:
            constant = self._positions[value] = self.constant(IntegerAttr(value, IndexType()))
            constant.name_hint = f"c{value}"
        return constant

    def constant(self, value: ConstantAttr) -> SSAValue:
        """The constant of an attribute, at the entry of the function."""
        if value not in self._constants:
            element = value.type if isinstance(value, IntegerAttr | FloatAttr) else value.get_type()
            op = arith.ConstantOp.create(result_types=[element], properties={"value": value})
            op.location = self.location
            first = self._entry.first_op
            point = InsertPoint.at_start(self._entry) if first is None else InsertPoint.before(first)
            self.builder.insert(op, point)
            self._constants[value] = op.result
        return self._constants[value]

    def number(self, value: float | int, element: Attribute, shape: Sequence[int] = ()) -> SSAValue:
        """A constant of a scalar type or, as a splat, of a vector type."""
        if shape:
            return self.constant(splat_attr(value, VectorType(element, list(shape))))
        if isinstance(element, IntegerType | IndexType):
            return self.constant(IntegerAttr(int(value), element))
        assert isinstance(element, AnyFloat)
        return self.constant(FloatAttr(float(value), element))

    def add(self, lhs: Index, rhs: Index) -> Index:
        """The sum of two positions, computed now where both are known."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs + rhs
        if lhs == 0 or rhs == 0:
            return rhs if lhs == 0 else lhs
        return self.value(arith.AddiOp(self.index(lhs), self.index(rhs)))

    def subtract(self, lhs: Index, rhs: Index) -> Index:
        """The difference of two positions."""
        if isinstance(lhs, int) and isinstance(rhs, int):
            return lhs - rhs
        if rhs == 0:
            return lhs
        return 0 if lhs is rhs else self.value(arith.SubiOp(self.index(lhs), self.index(rhs)))

    def scale(self, value: Index, factor: int) -> Index:
        """A position times a constant."""
        if isinstance(value, int):
            return value * factor
        return value if factor == 1 else self.value(arith.MuliOp(value, self.index(factor)))

    def divide(self, value: Index, divisor: int) -> Index:
        """A position that is a multiple of a constant, divided by it."""
        if isinstance(value, int):
            return value // divisor
        return value if divisor == 1 else self.value(arith.DivUIOp(value, self.index(divisor)))

    def at_most(self, value: Index, bound: int) -> Index:
        """The lesser of a position and a bound."""
        if isinstance(value, int):
            return min(value, bound)
        return self.value(arith.MinSIOp(value, self.index(bound)))

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A comparison of floats, by arith's name of the predicate."""
        properties = {
            "predicate": IntegerAttr(arith.CMPF_COMPARISON_OPERATIONS.index(predicate), i64),
            "fastmath": arith.FastMathFlagsAttr("none"),
        }
        return self.value(
            CmpFOp.create(operands=[lhs, rhs], result_types=[mask_of(lhs.type)], properties=properties)
        )

    def select(self, condition: SSAValue, chosen: SSAValue, other: SSAValue) -> SSAValue:
        """One value where a condition holds, another elsewhere."""
        return self.value(SelectOp.create(operands=[condition, chosen, other], result_types=[chosen.type]))

    def evaluate(self, expression: Linear, offsets: Mapping[int, Index]) -> Index:
        """The value of a linear expression where the loops stand at the given positions."""
        total: Index = expression.constant
        for loop, coefficient in expression.coefficients:
            total = self.add(total, self.scale(offsets[loop], coefficient))
        return total

    def loop(
        self,
        start: int,
        stop: int,
        step: int,
        initial: Sequence[SSAValue],
        body: Body,
        *,
        parallel: bool = False,
    ) -> Sequence[SSAValue]:
        """A counted loop that carries values; one iteration only is written without a loop.

        ``parallel`` marks one whose iterations do not need each other's results.
        """
        if start + step >= stop:
            return body(start, initial)
        block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
        bounds = [self.index(bound) for bound in (start, stop, step)]
        op = self.insert(scf.ForOp(bounds[0], bounds[1], bounds[2], initial, block))
        if parallel:
            op.attributes[PARALLEL] = UnitAttr()
        with self.inside(block):
            self.insert(scf.YieldOp(*body(block.args[0], block.args[1:])))
        return op.results

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Insert at the end of a block for a while."""
        outside = self.builder.insertion_point
        self.builder.insertion_point = InsertPoint.at_end(block)
        yield
        self.builder.insertion_point = outside
