"""Functions of two or three tensors of one shape, element by element. Nothing broadcasts implicitly."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from lamina.dialects.stablehlo.syntax import (
    PrettyOp,
    SameTypeOp,
    StablehloOp,
    parse_function_types,
)


class BinaryOp(SameTypeOp):
    """``lhs: [*S], rhs: [*S] -> [*S]``."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum; of i1 the disjunction. Integers wrap."""

    name = "stablehlo.add"


@irdl_op_definition
class AndOp(BinaryOp):
    """The conjunction of i1 or of bits."""

    name = "stablehlo.and"


@irdl_op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (rhs, lhs) in (-pi, pi]."""

    name = "stablehlo.atan2"


@irdl_op_definition
class DivideOp(BinaryOp):
    """The quotient; of integers truncated toward zero."""

    name = "stablehlo.divide"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The greater one, NaN if one is NaN; of i1 the disjunction."""

    name = "stablehlo.maximum"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller one, NaN if one is NaN; of i1 the conjunction."""

    name = "stablehlo.minimum"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """The product; of i1 the conjunction. Integers wrap."""

    name = "stablehlo.multiply"


@irdl_op_definition
class OrOp(BinaryOp):
    """The disjunction of i1 or of bits."""

    name = "stablehlo.or"


@irdl_op_definition
class PowerOp(BinaryOp):
    """lhs to the power of rhs."""

    name = "stablehlo.power"


@irdl_op_definition
class RemainderOp(BinaryOp):
    """What is left of lhs after the truncated division by rhs, with the sign of lhs."""

    name = "stablehlo.remainder"


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """lhs shifted left by rhs bits; 0 where rhs is not less than the width."""

    name = "stablehlo.shift_left"


@irdl_op_definition
class ShiftRightArithmeticOp(BinaryOp):
    """lhs shifted right by rhs bits, the sign repeated."""

    name = "stablehlo.shift_right_arithmetic"


@irdl_op_definition
class ShiftRightLogicalOp(BinaryOp):
    """lhs shifted right by rhs bits, filled with zeros."""

    name = "stablehlo.shift_right_logical"


@irdl_op_definition
class SubtractOp(BinaryOp):
    """The difference; integers wrap."""

    name = "stablehlo.subtract"


@irdl_op_definition
class XorOp(BinaryOp):
    """The exclusive disjunction of i1 or of bits."""

    name = "stablehlo.xor"


@irdl_op_definition
class ComplexOp(PrettyOp):
    """Complex numbers from real and imaginary parts; the result's type is written."""

    name = "stablehlo.complex"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        kind = parser.parse_type()
        part = getattr(getattr(kind, "element_type", None), "element_type", None)
        if not isinstance(kind, TensorType) or part is None:
            parser.raise_error("expected a tensor of complex numbers")
        real = TensorType(part, kind.get_shape())
        return [parser.resolve_operand(operand, real) for operand in operands], [kind]

    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.results[0].type)


@irdl_op_definition
class ClampOp(SameTypeOp):
    """operand held between min and max, each of operand's shape or a scalar.

    ```mlir
    %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    ```
    """

    name = "stablehlo.clamp"
    min = operand_def(TensorType)
    operand = operand_def(TensorType)
    max = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class SelectOp(PrettyOp):
    """on_true where pred holds, else on_false; pred has their shape or is a scalar.

    ```mlir
    %0 = stablehlo.select %p, %a, %b : tensor<3xi1>, tensor<3xf32>
    ```
    """

    name = "stablehlo.select"
    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        function = parser.parse_optional_function_type()
        if function is not None:
            return parser.resolve_operands(operands, function.inputs.data, parser.pos), function.outputs.data
        pred = parser.parse_type()
        parser.parse_punctuation(",")
        kind = parser.parse_type()
        return parser.resolve_operands(operands, [pred, kind, kind], parser.pos), [kind]

    def print_types(self, printer: Printer) -> None:
        if self.on_true.type == self.on_false.type == self.result.type:
            printer.print_list([self.pred.type, self.result.type], printer.print_attribute)
        else:
            printer.print_operation_type(self)


@irdl_op_definition
class CompareOp(StablehloOp):
    """Whether a comparison holds, as i1; with NaN only NE does, unless the order is TOTALORDER.

    ```mlir
    %0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    ```
    """

    name = "stablehlo.compare"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    comparison_direction = prop_def(ComparisonDirection)
    compare_type = opt_prop_def(ComparisonType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        properties: dict[str, Attribute] = {
            "comparison_direction": ComparisonDirection(parser.parse_identifier())
        }
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        if parser.parse_optional_punctuation(","):
            properties["compare_type"] = ComparisonType(parser.parse_identifier())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, [lhs, rhs])
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.comparison_direction.data}, ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.compare_type is not None:
            printer.print_string(f", {self.compare_type.data}")
        self.print_rest(printer, ["comparison_direction", "compare_type"])
        printer.print_string(" : ")
        printer.print_operation_type(self)


OPERATIONS_BY_NAME: dict[str, type[BinaryOp]] = {op.name: op for op in BinaryOp.__subclasses__()}
"""The operations on two values, which a reduction can name."""
