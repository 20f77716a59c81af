"""The constant op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.nn.base import NnOp, ShapeError


@irdl_op_definition
class ConstantOp(NnOp, HasFolderInterface):
    """A tensor known at compile time: ``nn.constant dense<0.5> : tensor<32xf32>``. ONNX Constant.

    ``value`` is a dense literal, a splat or a ``dense_resource`` of static shape and carries the type.

    Errors: a value that is no tensor, an element type other than floats, integers and i1.

    ```mlir
    %0 = nn.constant dense<[0.5, 1.0]> : tensor<2xf32>
    ```
    """

    name = "nn.constant"

    value = prop_def(DenseIntOrFPElementsAttr | DenseResourceAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def of(cls, value: Any, type: Attribute | None = None) -> ConstantOp:
        """A constant op for an attribute or an array (see ``constant_attr``)."""
        attribute = value if isinstance(value, Attribute) else constant_attr(value, type)
        kind = type_of(attribute)
        if kind is None:
            raise ShapeError(f"expects a value that carries its type, got {attribute}")
        return cls.create(result_types=[kind], properties={"value": attribute})

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.value,)

    def print(self, printer: Printer) -> None:
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        kind = type_of(value)
        if not isinstance(kind, TensorType):
            parser.raise_error(f"'nn.constant' op expects the value of a tensor, got {value}")
        return cls.create(result_types=[kind], properties={"value": value}, attributes=attributes)


def type_of(attribute: Attribute) -> Attribute | None:
    """The type that a constant attribute carries, or None."""
    return getattr(attribute, "type", None)
