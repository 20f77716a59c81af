"""The assembly form of scf.parallel."""

from __future__ import annotations

from typing import Self

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from lamina.dialects.scf import forall

INDEX = IndexType()


class ParallelOp(scf.ParallelOp):
    """A loop nest whose iterations may run in any order.

    `%r = scf.parallel (%i) = (%a) to (%b) step (%c) init (%z) -> f32 { … scf.reduce(%x : f32) {…} }`
    """

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(") = ")
        _print_operands(printer, self.lowerBound)
        printer.print_string(" to ")
        _print_operands(printer, self.upperBound)
        printer.print_string(" step ")
        _print_operands(printer, self.step)
        if self.initVals:
            printer.print_string(" init ")
            _print_operands(printer, self.initVals)
            printer.print_string(" -> ")
            self._print_result_types(printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    def _print_result_types(self, printer: Printer) -> None:
        if len(self.results) == 1:
            printer.print_attribute(self.results[0].type)
            return
        with printer.in_parens():
            printer.print_list([result.type for result in self.results], printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _parse_operands(parser)
        parser.parse_keyword("to")
        upper = _parse_operands(parser)
        parser.parse_keyword("step")
        step = _parse_operands(parser)
        initial: list[UnresolvedOperand] = []
        types: list[Attribute] = []
        if parser.parse_optional_keyword("init") is not None:
            initial = _parse_operands(parser)
            parser.parse_punctuation("->")
            types = _parse_result_types(parser)
        indices = parser.resolve_operands([*lower, *upper, *step], [INDEX] * (3 * len(lower)), parser.pos)
        values = parser.resolve_operands(initial, types, parser.pos)
        body = parser.parse_region([name.resolve(INDEX) for name in names])
        attributes = parser.parse_optional_attr_dict()
        if body.block.last_op is None or not isinstance(body.block.last_op, scf.ReduceOp):
            body.block.add_op(scf.ReduceOp())
        segments = DenseArrayBase.from_list(i32, [len(lower)] * 3 + [len(values)])
        return cls.create(
            operands=[*indices, *values],
            result_types=types,
            regions=[body],
            properties={"operandSegmentSizes": segments},
            attributes=attributes,
        )


def _print_operands(printer: Printer, values: tuple[SSAValue, ...]) -> None:
    with printer.in_parens():
        printer.print_list(values, printer.print_ssa_value)


def _parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)


def _parse_result_types(parser: Parser) -> list[Attribute]:
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)


OPERATIONS: list[type[Operation]] = [ParallelOp, *forall.OPERATIONS]
ATTRIBUTES: list[type[Attribute]] = []
