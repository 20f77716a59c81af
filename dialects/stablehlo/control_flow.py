"""Loops and branches, and the end of every region."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect

from lamina.dialects.core.writing.names import NameWriter
from lamina.dialects.stablehlo.syntax import StablehloOp


@irdl_op_definition
class ReturnOp(StablehloOp):
    """Ends a region with its results: ``stablehlo.return %a, %b : tensor<f32>, tensor<i32>``."""

    name = "stablehlo.return"
    results_ = var_operand_def(Attribute)
    traits = traits_def(IsTerminator(), Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        if not operands:
            return cls.built(parser, [], [], {}, attributes)
        parser.parse_punctuation(":")
        position = parser.pos
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.built(parser, parser.resolve_operands(operands, kinds, position), [], {}, attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        self.print_rest(printer)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list([value.type for value in self.operands], printer.print_attribute)


@irdl_op_definition
class WhileOp(StablehloOp):
    """Values that go through body as long as cond of them gives true.

    ```mlir
    %0 = stablehlo.while(%i = %start) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    ```
    """

    name = "stablehlo.while"
    operand = var_operand_def(Attribute)
    cond = region_def()
    body = region_def()
    results_ = var_result_def(Attribute)
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        def binding() -> tuple[Parser.UnresolvedArgument, Parser.UnresolvedArgument]:
            name = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            return name, parser.parse_unresolved_operand()  # pyright: ignore[reportReturnType]

        position = parser.pos
        bindings = parser.parse_comma_separated_list(parser.Delimiter.PAREN, binding)
        kinds: list[Attribute] = []
        if parser.parse_optional_punctuation(":"):
            kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)  # pyright: ignore[reportAssignmentType]
        values = parser.resolve_operands([value for _, value in bindings], kinds, position)  # pyright: ignore[reportArgumentType]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        arguments = [name.resolve(kind) for (name, _), kind in zip(bindings, kinds, strict=True)]  # pyright: ignore[reportArgumentType]
        parser.parse_keyword("cond")
        cond = parser.parse_region(arguments)
        parser.parse_keyword("do")
        body = parser.parse_region(arguments)
        given = dict(attributes.data) if attributes is not None else {}
        return cls.built(parser, values, kinds, {}, given, [cond, body])

    def print(self, printer: Printer) -> None:
        names = self.cond.block.args
        with printer.in_parens():
            for i, (name, value) in enumerate(zip(names, self.operands, strict=True)):
                printer.print_string(", " if i else "")
                printer.print_ssa_value(name)
                printer.print_string(" = ")
                printer.print_ssa_value(value)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list([value.type for value in self.operands], printer.print_attribute)
        if self.attributes:
            printer.print_string(" attributes")
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" cond ")
        printer.print_region(self.cond, print_entry_block_args=False)
        printer.print_string(" do ")
        for name, other in zip(names, self.body.block.args, strict=True):
            _share_name(printer, other, name)
        printer.print_region(self.body, print_entry_block_args=False)


def _share_name(printer: Printer, value: SSAValue, other: SSAValue) -> None:
    """Print a value under the name of another."""
    if isinstance(printer, NameWriter):
        printer.name_as(value, other)
    else:
        printer._ssa_values[value] = printer._ssa_values[other]  # pyright: ignore[reportPrivateUsage]


@irdl_op_definition
class IfOp(StablehloOp):
    """What one of two regions gives, by a scalar i1."""

    name = "stablehlo.if"
    pred = operand_def(TensorType)
    true_branch = region_def()
    false_branch = region_def()
    results_ = var_result_def(Attribute)
    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class CaseOp(StablehloOp):
    """What the region of a number gives; the last one for a number that is none of theirs."""

    name = "stablehlo.case"
    index = operand_def(TensorType)
    branches = var_region_def()
    results_ = var_result_def(Attribute)
    traits = traits_def(RecursiveMemoryEffect())
