"""Calls of what stands elsewhere: custom calls, composites; and what only orders or groups values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.attributes import CustomCallApiVersion
from lamina.dialects.stablehlo.syntax import PrettyOp, StablehloOp, parse_function_types


@irdl_op_definition
class CustomCallOp(StablehloOp):
    """A call of a function that the run-time system provides.

    ```mlir
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = ""} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "stablehlo.custom_call"
    inputs = var_operand_def(Attribute)
    call_target_name = prop_def(StringAttr)
    has_side_effect = opt_prop_def(Attribute)
    backend_config = opt_prop_def(Attribute)
    api_version = opt_prop_def(CustomCallApiVersion | IntegerAttr)
    called_computations = opt_prop_def(ArrayAttr)
    operand_layouts = opt_prop_def(ArrayAttr)
    result_layouts = opt_prop_def(ArrayAttr)
    output_operand_aliases = opt_prop_def(ArrayAttr)
    results_ = var_result_def(Attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        properties: dict[str, Attribute] = {"call_target_name": parser.parse_symbol_name()}
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, operands)
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.call_target_name.data)
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_ssa_value)
        self.print_rest(printer, ["call_target_name"])
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class CompositeOp(StablehloOp):
    """An operation of a name, which a function of the module defines in terms of others."""

    name = "stablehlo.composite"
    inputs = var_operand_def(Attribute)
    name_ = prop_def(StringAttr, prop_name="name")
    composite_attributes = opt_prop_def(DictionaryAttr)
    decomposition = prop_def(SymbolRefAttr)
    version = opt_prop_def(IntegerAttr)
    composite_regions = var_region_def()
    results_ = var_result_def(Attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        properties: dict[str, Attribute] = {"name": StringAttr(parser.parse_str_literal())}
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, operands or [])
        return cls.built(parser, values, results, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.name_.data)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        self.print_rest(printer, ["name"])
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class OptimizationBarrierOp(PrettyOp):
    """Its operands; nothing is moved across it. The types are those of the operands."""

    name = "stablehlo.optimization_barrier"
    operand = var_operand_def(Attribute)
    results_ = var_result_def(Attribute)

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        position = parser.pos
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return parser.resolve_operands(operands, kinds, position), kinds

    def print_types(self, printer: Printer) -> None:
        printer.print_list([value.type for value in self.operands], printer.print_attribute)


@irdl_op_definition
class TupleOp(PrettyOp):
    """A tuple of values (of an older form); its type is written."""

    name = "stablehlo.tuple"
    val = var_operand_def(Attribute)
    result = result_def(TupleType)
    traits = traits_def(Pure())

    @classmethod
    def parse_types(
        cls, parser: Parser, operands: Sequence[UnresolvedOperand]
    ) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
        position = parser.pos
        kind = parser.parse_type()
        if not isinstance(kind, TupleType):
            parser.raise_error("expected the type of a tuple", position)
        return parser.resolve_operands(operands, kind.types.data, position), [kind]

    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GetTupleElementOp(StablehloOp):
    """An entry of a tuple (of an older form): ``%t[0] : (tuple<…>) -> type``."""

    name = "stablehlo.get_tuple_element"
    operand = operand_def(TupleType)
    index = prop_def(IntegerAttr)
    result = result_def(Attribute)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operand = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = IntegerAttr(parser.parse_integer(), i32)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        values, results = parse_function_types(parser, [operand])
        return cls.built(parser, values, results, {"index": index}, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        printer.print_string(f"[{self.index.value.data}]")
        self.print_rest(printer, ["index"])
        printer.print_string(" : ")
        printer.print_operation_type(self)
