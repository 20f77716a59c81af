"""Operations of CHLO that are no functions of elements."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.syntax import StablehloOp


@irdl_op_definition
class TopKOp(StablehloOp):
    """The k largest elements along the last dimension in falling order, and where they are.

    ```mlir
    %values, %places = chlo.top_k(%x, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    ```
    """

    name = "chlo.top_k"
    operand = operand_def(TensorType)
    k = prop_def(IntegerAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        with parser.in_parens():
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("k")
            parser.parse_punctuation("=")
            k = IntegerAttr(parser.parse_integer(), i64)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        kind = parser.parse_type()
        parser.parse_punctuation("->")
        results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        value = parser.resolve_operand(operand, kind)
        return cls.built(parser, [value], results, {"k": k}, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_ssa_value(self.operand)
        printer.print_string(f", k = {self.k.value.data})")
        self.print_rest(printer, ["k"])
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> (")
        printer.print_list([result.type for result in self.results], printer.print_attribute)
        printer.print_string(")")
