"""Values that derivative rules compute with: ``g * y`` and ``g.reduce_sum(axes=[0])`` build ``nn`` ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.base import DYNAMIC, make
from lamina.dialects.nn.constant import ConstantOp

Insert: TypeAlias = Callable[[Operation], None]
"""Puts a new op where it belongs."""
Operand: TypeAlias = "Term | float | int"


@dataclass(frozen=True)
class Term:
    """A tensor value, and the place where ops that use it go.

    Arithmetic takes terms or numbers (which become scalar constants of the element type). Every other op is a
    method of its name: ``x.transpose(permutation=[1, 0])`` builds ``nn.transpose``.
    """

    value: SSAValue
    insert: Insert

    @property
    def type(self) -> TensorType:
        """The tensor type."""
        assert isinstance(self.value.type, TensorType)
        return self.value.type

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents; :data:`DYNAMIC` where one is unknown."""
        return tuple(self.type.get_shape())

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether all extents are known."""
        return DYNAMIC not in self.shape

    @property
    def is_boolean(self) -> bool:
        """Whether the elements are i1."""
        return self.type.element_type == IntegerType(1)

    def emit(
        self, name: str, *others: Operand, types: Sequence[Attribute] | None = None, **attributes: Any
    ) -> Term:
        """The (first) result of ``nn.<name>`` on this value and others."""
        return self.emit_all(name, *others, types=types, **attributes)[0]

    def emit_all(
        self, name: str, *others: Operand, types: Sequence[Attribute] | None = None, **attributes: Any
    ) -> list[Term]:
        """All results of ``nn.<name>``."""
        operands = [self.value, *(self.term(other).value for other in others)]
        if name in ("reshape", "broadcast_to"):
            attributes["shape"] = [-1 if n == DYNAMIC else n for n in attributes["shape"]]
        op = make(f"nn.{name}", operands, types, **attributes)
        self.insert(op)
        return [Term(result, self.insert) for result in op.results]

    def __getattr__(self, name: str) -> Callable[..., Term]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *others, **attributes: self.emit(name, *others, **attributes)

    def term(self, value: Operand) -> Term:
        """A number as a scalar constant of this element type; a term as it is."""
        return value if isinstance(value, Term) else self.constant(value)

    def constant(self, value: Any, element: Attribute | None = None) -> Term:
        """A constant tensor, of this term's element type or another."""
        kind = TensorType(element or self.type.element_type, np.shape(value))
        array = np.asarray(value).astype(numpy_dtype(kind.element_type))
        op = ConstantOp.of(constant_attr(array, kind))
        self.insert(op)
        return Term(op.result, self.insert)

    def splat(self, value: float) -> Term:
        """A value repeated to this term's shape."""
        scalar = self.constant(value)
        if self.is_static:
            kind = self.type
            op = ConstantOp.of(constant_attr(np.broadcast_to(_scalar_array(value, kind), self.shape), kind))
            self.insert(op)
            return Term(op.result, self.insert)
        return scalar.emit("dynamic_broadcast_to", self.shape_of(), types=[self.type])

    def __add__(self, other: Operand) -> Term:
        return self.emit("add", other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Term:
        return self.emit("sub", other)

    def __rsub__(self, other: Operand) -> Term:
        return self.term(other).emit("sub", self)

    def __mul__(self, other: Operand) -> Term:
        return self.emit("mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Term:
        return self.emit("div", other)

    def __rtruediv__(self, other: Operand) -> Term:
        return self.term(other).emit("div", self)

    def __neg__(self) -> Term:
        return self.emit("neg")

    def __gt__(self, other: Operand) -> Term:
        return self.emit("greater", other)

    def __ge__(self, other: Operand) -> Term:
        return self.emit("greater_equal", other)

    def __lt__(self, other: Operand) -> Term:
        return self.emit("less", other)

    def where(self, then: Operand, otherwise: Operand, like: Term) -> Term:
        """``then`` where this (i1) value holds, else ``otherwise``; numbers have ``like``'s element type."""
        return self.emit("select", like.term(then), like.term(otherwise))

    def reshaped(self, like: Term) -> Term:
        """The elements in row-major order under the shape of another value."""
        if self.shape == like.shape:
            return self
        if like.is_static:
            return self.emit("reshape", shape=list(like.shape))
        kind = TensorType(self.type.element_type, like.shape)
        return self.emit("dynamic_reshape", like.shape_of(), types=[kind], allowzero=True)

    def broadcast_like(self, like: Term) -> Term:
        """Repeated to the shape of another value."""
        if self.shape == like.shape and self.is_static:
            return self
        if like.is_static:
            return self.emit("broadcast_to", shape=list(like.shape))
        kind = TensorType(self.type.element_type, like.shape)
        return self.emit("dynamic_broadcast_to", like.shape_of(), types=[kind])

    def summed_to(self, like: Term) -> Term:
        """Summed over the dimensions along which ``like`` is broadcast to this shape."""
        if self.value.type == like.value.type and self.is_static:
            return self
        if not (self.is_static and like.is_static):
            return self.emit("sum_to", like)
        added = self.rank - like.rank
        axes = [i for i, n in enumerate(self.shape) if i < added or (like.shape[i - added] == 1 and n != 1)]
        return self.emit("reduce_sum", axes=axes).reshaped(like) if axes else self.reshaped(like)

    def swapped(self) -> Term:
        """The last two dimensions exchanged."""
        order = list(range(self.rank))
        order[-1], order[-2] = order[-2], order[-1]
        return self.emit("transpose", permutation=order)

    def part(self, axis: int, start: int, end: int, step: int = 1) -> Term:
        """Elements of one axis; ``end`` as in ``nn.slice``."""
        starts, ends, steps = [0] * self.rank, [2**63 - 1] * self.rank, [1] * self.rank
        starts[axis], ends[axis], steps[axis] = start, end, step
        return self.emit("slice", starts=starts, ends=ends, steps=steps)

    def reversed(self, axis: int) -> Term:
        """The elements of one axis from last to first."""
        return self.part(axis, 2**63 - 1, -(2**63) + 1, -1)


def _scalar_array(value: float, kind: TensorType) -> np.ndarray:
    return np.asarray(value).astype(numpy_dtype(kind.element_type))
