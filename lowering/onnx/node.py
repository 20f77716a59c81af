"""What a conversion rule sees of an ONNX node, and how it builds `nn` ops in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    NoneType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import as_array, constant_value
from lamina.dialects.nn.base import DYNAMIC, make, python_value
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.onnx.operations import OnnxOp
from lamina.lowering.onnx.known_elements import KnownElements, folded


class Unsupported(Exception):
    """Raised by a rule for a node that it cannot express; the message is the reason."""


class Unconverted(Exception):
    """Raised by a rule whose graph attributes hold nodes that failed, which are noted already."""


@dataclass
class Node:
    """One ONNX operation whose operands are `nn` values already."""

    op: OnnxOp
    opset: int
    known: KnownElements
    """The known elements of shape computations so far."""
    convert_ops: Callable[[Sequence[Operation]], None]
    """Converts ops in their order, for operators with graph attributes."""
    _block: Block | None = None
    """Where ops go that are built, if not in front of the node: the end of a block."""

    # --- what the node has

    @property
    def operands(self) -> list[SSAValue | None]:
        """The operands; None for one that is left out. Trailing ones may be missing altogether."""
        return [None if isinstance(v.type, NoneType) else v for v in self.op.operands]

    def optional(self, index: int) -> SSAValue | None:
        """An operand, or None where the node leaves it out."""
        return self.operands[index] if index < len(self.op.operands) else None

    def operand(self, index: int) -> SSAValue:
        """An operand that the node must have."""
        value = self.optional(index)
        if value is None:
            raise Unsupported(f"operand {index} is missing")
        return value

    def all_operands(self) -> list[SSAValue]:
        """Every operand of a variadic operator."""
        return [self.operand(i) for i in range(len(self.op.operands))]

    def has(self, name: str) -> bool:
        """Whether the node gives an attribute."""
        return name in self.op.attributes

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as a Python value, else ONNX's default for it, else ``default``."""
        attribute = self.op.attributes.get(name)
        if attribute is not None:
            return _python(attribute)
        signature = self.op.signature()
        definition = signature.attributes.get(name) if signature else None
        if definition is None or definition.default is None:
            return default
        return tuple(definition.default) if isinstance(definition.default, list) else definition.default

    def constant(self, index: int) -> np.ndarray | None:
        """The value of an operand if it is a constant, else None."""
        value = self.optional(index)
        return None if value is None else constant_value(value)

    def required_constant(self, index: int, what: str) -> np.ndarray:
        """The value of an operand that has to be known now."""
        value = constant_value(self.operand(index))
        if value is None:
            raise Unsupported(f"its {what} is no constant")
        return value

    @property
    def result_count(self) -> int:
        """How many results the node has."""
        return len(self.op.results)

    def result_used(self, index: int) -> bool:
        """Whether the node has a result and something reads it."""
        return index < len(self.op.results) and self.op.results[index].first_use is not None

    # --- building

    def emit(
        self,
        name: str,
        *operands: SSAValue | None,
        result_types: Sequence[Attribute] | None = None,
        **attributes: Any,
    ) -> SSAValue:
        """Build the op ``nn.<name>`` in front of the node and return its (first) result.

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
        """Put an op in front of the node (or where :meth:`within` says), at the node's location."""
        op.location = self.op.location
        place = InsertPoint.before(self.op) if self._block is None else InsertPoint.at_end(self._block)
        Rewriter.insert_op(op, place)
        return op

    @contextmanager
    def within(self, block: Block | None) -> Iterator[None]:
        """Let what is built go to the end of a block, or with None again in front of the node."""
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


def _python(attribute: Attribute) -> Any:
    match attribute:
        case DenseIntOrFPElementsAttr() | DenseResourceAttr():
            return as_array(attribute)
        case ArrayAttr():
            return tuple(item.data if isinstance(item, StringAttr) else item for item in attribute)
        case _:
            return python_value(attribute)
