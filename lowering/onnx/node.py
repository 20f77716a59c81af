"""What a conversion rule sees of an ONNX node, and how it builds `nn` ops in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    NoneType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.constants import as_array, constant_value
from lamina.dialects.nn.base import python_value
from lamina.dialects.onnx.operations import OnnxOp
from lamina.lowering.importing.emitter import Emitter, Unsupported


class Unconverted(Exception):
    """Raised by a rule whose graph attributes hold nodes that failed, which are noted already."""


@dataclass
class Node(Emitter):
    """One ONNX operation whose operands are `nn` values already."""

    op: OnnxOp
    opset: int
    convert_ops: Callable[[Sequence[Operation]], None]
    """Converts ops in their order, for operators with graph attributes."""

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


def _python(attribute: Attribute) -> Any:
    match attribute:
        case DenseIntOrFPElementsAttr() | DenseResourceAttr():
            return as_array(attribute)
        case ArrayAttr():
            return tuple(item.data if isinstance(item, StringAttr) else item for item in attribute)
        case _:
            return python_value(attribute)
