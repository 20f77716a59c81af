"""llvm terminators that xDSL lacks."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from lamina.dialects.core.constants import as_array


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """Branches by an integer: to the block of the equal case, else to the default block."""

    name = "llvm.switch"
    value = operand_def(IntegerType)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    default_destination = successor_def()
    case_destinations = var_successor_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    @property
    def cases(self) -> list[tuple[int, Block, list[SSAValue]]]:
        """Value, block and block operands of each case, in order."""
        operands = list(self.case_operands)
        cases: list[tuple[int, Block, list[SSAValue]]] = []
        values = [] if self.case_values is None else as_array(self.case_values).tolist()
        counts = self.case_operand_segments.get_values()
        for value, block, count in zip(values, self.case_destinations, counts, strict=True):
            cases.append((value, block, operands[: int(count)]))
            operands = operands[int(count) :]
        return cases

    @classmethod
    def build_switch(
        cls,
        value: SSAValue,
        default: tuple[Block, list[SSAValue]],
        cases: list[tuple[int, Block, list[SSAValue]]],
    ) -> SwitchOp:
        """A switch from a default target and (value, block, operands) for each case."""
        case_operands = [operand for _, _, operands in cases for operand in operands]
        properties: dict[str, Attribute] = {
            "case_operand_segments": DenseArrayBase.from_list(
                i32, [len(operands) for _, _, operands in cases]
            ),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, len(default[1]), len(case_operands)]),
        }
        if cases:
            assert isinstance(value.type, IntegerType)
            case_type = VectorType(value.type, [len(cases)])
            properties["case_values"] = DenseIntOrFPElementsAttr.from_list(
                case_type, [c for c, _, _ in cases]
            )
        return cls.create(
            operands=[value, *default[1], *case_operands],
            properties=properties,
            successors=[default[0], *(block for _, block, _ in cases)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        _print_target(printer, self.default_destination, list(self.default_operands))
        printer.print_string(" [")
        for i, (value, block, operands) in enumerate(self.cases):
            printer.print_string(f"{',' if i else ''}\n  {value}: ")
            _print_target(printer, block, operands)
        printer.print_string("\n]")
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> SwitchOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        flag = parser.resolve_operand(value, parser.parse_type())
        parser.parse_punctuation(",")
        default = _parse_target(parser)
        cases = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_case(parser))
        op = cls.build_switch(flag, default, cases)
        op.attributes |= parser.parse_optional_attr_dict()
        return op


def _print_target(printer: Printer, block: Block, operands: list[SSAValue]) -> None:
    printer.print_block_name(block)
    if operands:
        with printer.in_parens():
            printer.print_list(operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([operand.type for operand in operands], printer.print_attribute)


def _parse_target(parser: Parser) -> tuple[Block, list[SSAValue]]:
    block = parser.parse_successor()
    if parser.parse_optional_punctuation("(") is None:
        return block, []
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return block, list(parser.resolve_operands(names, types, parser.pos))


def _parse_case(parser: Parser) -> tuple[int, Block, list[SSAValue]]:
    value = parser.parse_integer()
    parser.parse_punctuation(":")
    return (value, *_parse_target(parser))


OPERATIONS = [SwitchOp]
