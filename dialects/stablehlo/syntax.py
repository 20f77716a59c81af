"""The common pretty form of `stablehlo` operations: operands, named clauses, attributes, types.

``stablehlo.pad %x, %v, low = [0], high = [1], interior = [0] {attributes} : (types) -> type``. A class says
which clauses it has and how its types are written; what deviates from this has its own ``parse`` and
``print``, and an operation without either has MLIR's generic form only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

OpT = TypeVar("OpT", bound="StablehloOp")


@dataclass(frozen=True)
class Clause:
    """A property with a keyword of its own: ``dims = [0, 1]``."""

    keyword: str
    property: str
    read: Callable[[Parser], Attribute]
    write: Callable[[Printer, Attribute], None]


def numbers_clause(keyword: str, property: str) -> Clause:
    """A list of numbers in square brackets."""

    def read(parser: Parser) -> Attribute:
        return DenseArrayBase.from_list(i64, parse_numbers(parser))

    def write(printer: Printer, value: Attribute) -> None:
        printer.print_string(str(numbers(value)))

    return Clause(keyword, property, read, write)


def number_clause(keyword: str, property: str) -> Clause:
    """One number, an i64 attribute."""

    def read(parser: Parser) -> Attribute:
        return IntegerAttr(parser.parse_integer(), i64)

    def write(printer: Printer, value: Attribute) -> None:
        assert isinstance(value, IntegerAttr)
        printer.print_string(str(value.value.data))

    return Clause(keyword, property, read, write)


def word_clause(keyword: str, property: str, kind: type[Any]) -> Clause:
    """A word of an enumeration."""

    def read(parser: Parser) -> Attribute:
        return kind(parser.parse_identifier())

    def write(printer: Printer, value: Any) -> None:
        printer.print_string(value.data)

    return Clause(keyword, property, read, write)


def text_clause(keyword: str, property: str) -> Clause:
    """A string."""

    def read(parser: Parser) -> Attribute:
        return StringAttr(parser.parse_str_literal())

    def write(printer: Printer, value: Any) -> None:
        printer.print_string_literal(value.data)

    return Clause(keyword, property, read, write)


def truth_clause(keyword: str, property: str) -> Clause:
    """``true`` or ``false``."""

    def read(parser: Parser) -> Attribute:
        return BoolAttr.from_bool(parser.parse_boolean())

    def write(printer: Printer, value: Any) -> None:
        printer.print_string("true" if value.value.data else "false")

    return Clause(keyword, property, read, write)


def parse_numbers(parser: Parser) -> list[int]:
    """``[1, 2]``."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


def numbers(array: Attribute) -> list[int]:
    """The entries of a dense array."""
    assert isinstance(array, DenseArrayBase)
    return [int(entry) for entry in array.get_values()]


def parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    """Operands with commas between them, up to and with a comma before something else."""
    operands: list[UnresolvedOperand] = []
    while (operand := parser.parse_optional_unresolved_operand()) is not None:
        operands.append(operand)
        if parser.parse_optional_punctuation(",") is None:
            break
    return operands


class StablehloOp(IRDLOperation):
    """Base of the operations of `stablehlo` and `chlo`."""

    @classmethod
    def built(
        cls: type[OpT],
        parser: Parser,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        properties: dict[str, Attribute],
        attributes: dict[str, Attribute] | None = None,
        regions: Sequence[Any] = (),
    ) -> OpT:
        """An operation from what was read; of the attributes, those that it knows become properties."""
        known = cls.get_irdl_definition().properties
        given = dict(attributes or {})
        return cls.create(
            operands=operands,
            result_types=result_types,
            properties={**{k: given.pop(k) for k in list(given) if k in known}, **properties},
            attributes=given,
            regions=list(regions),
        )

    def print_rest(self, printer: Printer, shown: Sequence[str] = ()) -> None:
        """Write the attribute dictionary: attributes, and the properties that were not shown otherwise."""
        known = self.get_irdl_definition().properties
        rest = {
            name: self.properties[name] for name in known if name in self.properties and name not in shown
        }
        if rest or self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(dict(sorted({**rest, **self.attributes}.items())))


class PrettyOp(StablehloOp):
    """An operation in the common form, whose types are written as a function type."""

    CLAUSES: ClassVar[tuple[Clause, ...]] = ()

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parse_operands(parser)
        properties: dict[str, Attribute] = {}
        for i, clause in enumerate(cls.CLAUSES):
            if i:
                parser.parse_punctuation(",")
            parser.parse_keyword(clause.keyword)
            parser.parse_punctuation("=")
            properties[clause.property] = clause.read(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = cls.parse_types(parser, operands)
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        for i, clause in enumerate(self.CLAUSES):
            printer.print_string(", " if self.operands or i else " ")
            printer.print_string(f"{clause.keyword} = ")
            clause.write(printer, self.properties[clause.property])
        self.print_rest(printer, [clause.property for clause in self.CLAUSES])
        printer.print_string(" : ")
        self.print_types(printer)

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        """The operands and the types of the results."""
        return parse_function_types(parser, operands)

    def print_types(self, printer: Printer) -> None:
        """Write the types of operands and results."""
        printer.print_operation_type(self)


def parse_function_types(
    parser: Parser, operands: Sequence[UnresolvedOperand]
) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
    """``(types) -> types``."""
    position = parser.pos
    kind = parser.parse_function_type()
    return parser.resolve_operands(operands, kind.inputs.data, position), kind.outputs.data


class SameTypeOp(PrettyOp):
    """An operation whose operands and result mostly have one type, which is then written once."""

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        function = parser.parse_optional_function_type()
        if function is not None:
            return parser.resolve_operands(operands, function.inputs.data, parser.pos), function.outputs.data
        kind = parser.parse_type()
        return [parser.resolve_operand(operand, kind) for operand in operands], [kind]

    def print_types(self, printer: Printer) -> None:
        kinds = {value.type for value in (*self.operands, *self.results)}
        if len(kinds) == 1:
            printer.print_attribute(self.results[0].type)
        else:
            printer.print_operation_type(self)


class ResultTypeOp(PrettyOp):
    """An operation without operands, of which the result's type is written."""

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        return [], [parser.parse_type()]

    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.results[0].type)
