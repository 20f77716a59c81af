"""How a structured operation runs through its operands: loops, and linear index expressions over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from lamina.dialects.linalg.structured import StructuredView, as_generic, is_structured


@dataclass(frozen=True)
class Linear:
    """``constant + sum of coefficient * loop``; coefficients are not 0."""

    constant: int
    coefficients: tuple[tuple[int, int], ...]
    """Pairs of loop and coefficient, by loop."""

    def coefficient(self, loop: int) -> int:
        """The factor of a loop, 0 where the expression does not depend on it."""
        for varying, factor in self.coefficients:
            if varying == loop:
                return factor
        return 0

    def is_loop(self) -> int | None:
        """The loop that the expression is, if it is one and nothing else."""
        if self.constant == 0 and len(self.coefficients) == 1 and self.coefficients[0][1] == 1:
            return self.coefficients[0][0]
        return None

    def renamed(self, loops: Mapping[int, int]) -> Linear:
        """The same expression over other loops."""
        return Linear(self.constant, tuple(sorted((loops[loop], c) for loop, c in self.coefficients)))


Access = tuple[Linear, ...]
"""One expression for each dimension of an operand."""


def linear(expr: AffineExpr) -> Linear | None:
    """An affine expression as a linear one, or None where it divides, takes a remainder or has symbols."""
    match expr:
        case AffineConstantExpr():
            return Linear(expr.value, ())
        case AffineDimExpr():
            return Linear(0, ((expr.position, 1),))
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            return _sum(linear(expr.lhs), linear(expr.rhs))
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
            return _product(linear(expr.lhs), linear(expr.rhs))
        case _:
            return None


def _sum(lhs: Linear | None, rhs: Linear | None) -> Linear | None:
    if lhs is None or rhs is None:
        return None
    total = dict(lhs.coefficients)
    for loop, coefficient in rhs.coefficients:
        total[loop] = total.get(loop, 0) + coefficient
    return Linear(lhs.constant + rhs.constant, tuple(sorted((d, c) for d, c in total.items() if c)))


def _product(lhs: Linear | None, rhs: Linear | None) -> Linear | None:
    if lhs is None or rhs is None or (lhs.coefficients and rhs.coefficients):
        return None
    varying, factor = (lhs, rhs.constant) if lhs.coefficients else (rhs, lhs.constant)
    scaled = tuple((d, c * factor) for d, c in varying.coefficients if c * factor)
    return Linear(varying.constant * factor, scaled)


@dataclass(frozen=True)
class Structured:
    """A linalg operation with static shapes as loops, accesses and a scalar body."""

    op: Operation
    view: StructuredView
    sizes: tuple[int, ...]
    """The trip count of each loop."""
    reductions: frozenset[int]
    accesses: tuple[Access, ...]
    """For each operand, inputs then outputs; () for a scalar operand."""
    names: tuple[int, ...]
    """What each loop of the operation is called here (an epilogue's loops have the names of its root's)."""

    @property
    def loops(self) -> range:
        return range(len(self.sizes))

    @property
    def parallels(self) -> list[int]:
        return [loop for loop in self.loops if loop not in self.reductions]

    @property
    def body(self) -> Block:
        return self.view.body

    @property
    def inputs(self) -> Sequence[SSAValue]:
        return self.view.inputs

    @property
    def outputs(self) -> Sequence[SSAValue]:
        return self.view.outputs

    @property
    def input_accesses(self) -> tuple[Access, ...]:
        return self.accesses[: len(self.inputs)]

    @property
    def output_accesses(self) -> tuple[Access, ...]:
        return self.accesses[len(self.inputs) :]

    def used_inputs(self) -> list[int]:
        """The inputs whose elements the body reads."""
        return [i for i in range(len(self.inputs)) if self.body.args[i].uses]

    def reads_output(self, result: int) -> bool:
        """Whether the body reads what the destination holds."""
        return self.view.reads_output(result)

    def renamed(self, loops: Mapping[int, int], sizes: tuple[int, ...]) -> Structured:
        """The same operation over other names of its loops."""
        accesses = tuple(tuple(e.renamed(loops) for e in access) for access in self.accesses)
        names = tuple(loops[loop] for loop in self.names)
        reductions = frozenset(loops[r] for r in self.reductions)
        return Structured(self.op, self.view, sizes, reductions, accesses, names)


def structured(op: Operation) -> Structured | None:
    """The analysis of an operation; None for dynamic shapes, empty loops or accesses that are not linear."""
    if not is_structured(op):
        return None
    view = as_generic(op)
    accesses: list[Access] = []
    sizes: dict[int, int] = {}
    for operand, indexing_map in zip(view.operands, view.indexing_maps, strict=True):
        expressions = [linear(expr) for expr in indexing_map.results]
        access = tuple(e for e in expressions if e is not None)
        if len(access) != len(expressions):
            return None
        accesses.append(access)
        if isinstance(operand.type, ShapedType):
            for expression, size in zip(access, operand.type.get_shape(), strict=True):
                if (loop := expression.is_loop()) is not None:
                    sizes[loop] = size
    loops = range(len(view.iterator_types))
    if any(sizes.get(loop, 0) <= 0 for loop in loops):
        return None
    reductions = frozenset(d for d in loops if view.iterator_types[d] == "reduction")
    return Structured(op, view, tuple(sizes[d] for d in loops), reductions, tuple(accesses), tuple(loops))
