"""How conversions of imported models build `nn` ops in the place of an op, and what they ask of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.nn.base import DYNAMIC, make
from lamina.dialects.nn.constant import ConstantOp
from lamina.lowering.importing.known_elements import KnownElements, folded


class Unsupported(Exception):
    """Raised by a rule for an op that it cannot express; the message is the reason."""


@dataclass
class Emitter:
    """Builds `nn` ops in front of an op, at its location."""

    op: Any
    """The op that is converted."""
    known: KnownElements
    """The known elements of shape computations so far."""
    _block: Block | None = field(default=None, kw_only=True)
    """Where ops go that are built, if not in front of the op: the end of a block."""

    def emit(
        self,
        name: str,
        *operands: SSAValue | None,
        result_types: Sequence[Attribute] | None = None,
        **attributes: Any,
    ) -> SSAValue:
        """Build the op ``nn.<name>`` in front of the op and return its (first) result.

        Operands that are None are left out. An op on small constants is computed at once, so that shape
        computations fold on the way.
        """
        return self.emit_all(name, *operands, result_types=result_types, **attributes)[0]

    def emit_all(
        self,
        name: str,
        *operands: SSAValue | None,
        result_types: Sequence[Attribute] | None = None,
        **attributes: Any,
    ) -> list[SSAValue]:
        """Like :meth:`emit`, with all results."""
        op = make(f"nn.{name}", [v for v in operands if v is not None], result_types, **attributes)
        if result_types is not None:
            op.verify_()
        arrays = folded(op)
        if arrays is not None:
            op.drop_all_references()
            types = [r.type for r in op.results]
            return [self.constant_of(a, t) for a, t in zip(arrays, types, strict=True)]
        self.insert(op)
        self.known.derive(op)
        return list(op.results)

    def insert(self, op: Operation) -> Operation:
        """Put an op in front of the op (or where :meth:`within` says), at its location."""
        op.location = self.op.location
        place = InsertPoint.before(self.op) if self._block is None else InsertPoint.at_end(self._block)
        Rewriter.insert_op(op, place)
        return op

    @contextmanager
    def within(self, block: Block | None) -> Iterator[None]:
        """Let what is built go to the end of a block, or with None again in front of the op."""
        before, self._block = self._block, block
        yield
        self._block = before

    def constant_of(self, value: Any, kind: Attribute | None = None) -> SSAValue:
        """A constant of an array or attribute."""
        op = ConstantOp.of(value if isinstance(value, Attribute) else np.asarray(value), kind)
        self.insert(op)
        return op.results[0]

    def constant_like(self, value: Any, like: SSAValue) -> SSAValue:
        """A constant of the element type of another value."""
        return self.constant_of(value, TensorType(element(like), np.shape(value)))

    def integers(self, values: Sequence[int]) -> SSAValue:
        """A constant tensor of i64."""
        return self.constant_of(np.array(values, np.int64))

    def cast(self, value: SSAValue, kind: Attribute) -> SSAValue:
        """The value in another element type."""
        if element(value) == kind:
            return value
        return self.emit("cast", value, result_types=[TensorType(kind, shape(value))])


def shape(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value, -1 for unknown extents; an unknown rank is :class:`Unsupported`."""
    if not isinstance(value.type, TensorType):
        raise Unsupported(f"an operand of type {value.type} has no known rank")
    return tuple(value.type.get_shape())


def rank(value: SSAValue) -> int:
    """The number of dimensions of a tensor value."""
    return len(shape(value))


def element(value: SSAValue) -> Attribute:
    """The element type of a tensor value."""
    if not isinstance(value.type, TensorType):
        raise Unsupported(f"an operand of type {value.type} has no known rank")
    return value.type.get_element_type()


def static_shape(value: SSAValue, what: str = "an operand") -> tuple[int, ...]:
    """The shape of a tensor value that has to be known now."""
    extents = shape(value)
    if DYNAMIC in extents:
        text = "x".join("?" if n == DYNAMIC else str(n) for n in extents)
        raise Unsupported(f"{what} has the dynamic shape {text}")
    return extents


def axis_of(axis: int, count: int) -> int:
    """An axis counted from the front."""
    if not -count <= axis < count:
        raise Unsupported(f"axis {axis} is outside of rank {count}")
    return axis % count
