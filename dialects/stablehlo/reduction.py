"""Reductions over dimensions and windows, and maps, each with a region that works on scalars."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure

from lamina.dialects.stablehlo.control_flow import ReturnOp
from lamina.dialects.stablehlo.syntax import StablehloOp, numbers, parse_function_types, parse_numbers


@irdl_op_definition
class ReduceOp(StablehloOp):
    """Tensors without some dimensions, whose elements are combined by a body, beginning with init values.

    ```mlir
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    ```

    Where the body is more than one operation, it follows behind ``reducer``, with a pair of arguments for
    each tensor: the value so far and the element.
    """

    name = "stablehlo.reduce"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    body = region_def()
    results_ = var_result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (SameVariadicOperandSize(),)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        pairs = [_parse_pair(parser)]
        while parser.parse_optional_punctuation(","):
            pairs.append(_parse_pair(parser))
        applied = _parse_op_name(parser) if parser.parse_optional_keyword("applies") else None
        parser.parse_keyword("across")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {
            "dimensions": DenseArrayBase.from_list(i64, parse_numbers(parser))
        }
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        operands = [value for value, _ in pairs] + [init for _, init in pairs]
        values, results = parse_function_types(parser, operands)
        elements = [TensorType(_element(parser, value.type), []) for value in values[: len(pairs)]]
        region = (
            _parse_reducer(parser, elements) if applied is None else _applied(parser, applied, elements[0])
        )
        return cls.built(parser, values, results, properties, attributes, [region])

    def print(self, printer: Printer) -> None:
        for i, (value, init) in enumerate(zip(self.inputs, self.init_values, strict=True)):
            printer.print_string(", (" if i else "(")
            printer.print_ssa_value(value)
            printer.print_string(" init: ")
            printer.print_ssa_value(init)
            printer.print_string(")")
        applied = self.single_operation()
        if applied is not None:
            printer.print_string(f" applies {applied.name}")
        printer.print_string(f" across dimensions = {numbers(self.dimensions)}")
        self.print_rest(printer, ["dimensions"])
        printer.print_string(" : ")
        printer.print_operation_type(self)
        if applied is None:
            self._print_reducer(printer)

    def single_operation(self) -> Operation | None:
        """The only operation of the body, if it combines the body's two arguments in their order."""
        block = self.body.block
        ops = list(block.ops)
        if len(ops) != 2 or len(block.args) != 2 or ops[0].attributes or ops[0].properties:
            return None
        if list(ops[0].operands) != list(block.args) or list(ops[1].operands) != list(ops[0].results):
            return None
        kinds = {value.type for value in (*block.args, *ops[0].results)}
        return ops[0] if len(kinds) == 1 else None

    def _print_reducer(self, printer: Printer) -> None:
        arguments = self.body.block.args
        half = len(arguments) // 2
        printer.print_string(" reducer")
        for pair in zip(arguments[:half], arguments[half:], strict=True):
            printer.print_string("(")
            for i, argument in enumerate(pair):
                printer.print_string(", " if i else "")
                printer.print_ssa_value(argument)
                printer.print_string(": ")
                printer.print_attribute(argument.type)
            printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False)


def _parse_pair(parser: Parser) -> tuple[UnresolvedOperand, UnresolvedOperand]:
    """``(%x init: %zero)``."""
    with parser.in_parens():
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("init")
        parser.parse_punctuation(":")
        return value, parser.parse_unresolved_operand()


def _parse_op_name(parser: Parser) -> str:
    """``stablehlo.add``."""
    return parser.parse_identifier()


def _element(parser: Parser, kind: Attribute) -> Attribute:
    if not isinstance(kind, TensorType):
        parser.raise_error(f"expected a tensor to reduce, got {kind}")
    return kind.get_element_type()


def _parse_reducer(parser: Parser, elements: Sequence[Attribute]) -> Region:
    """``reducer(%a: t, %b: t) (…) {…}``."""
    parser.parse_keyword("reducer")
    pairs = [
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument) for _ in elements
    ]
    return parser.parse_region([pair[0] for pair in pairs] + [pair[1] for pair in pairs])


def _applied(parser: Parser, name: str, element: Attribute) -> Region:
    """The body that applies one operation to its two arguments."""
    from lamina.dialects.stablehlo.binary import OPERATIONS_BY_NAME, BinaryOp

    kind = OPERATIONS_BY_NAME.get(name)
    if kind is None:
        parser.raise_error(f"'{name}' is no operation on two values")
    assert issubclass(kind, BinaryOp)
    block = Block(arg_types=[element, element])
    op = kind.create(operands=block.args, result_types=[element])
    block.add_ops([op, ReturnOp.create(operands=op.results)])
    return Region(block)


@irdl_op_definition
class ReduceWindowOp(StablehloOp):
    """The elements of each window combined by a body, beginning with init values."""

    name = "stablehlo.reduce_window"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    window_dimensions = prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    base_dilations = opt_prop_def(DenseArrayBase)
    window_dilations = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)
    body = region_def()
    results_ = var_result_def(TensorType)
    traits = traits_def(Pure())
    irdl_options = (SameVariadicOperandSize(),)


@irdl_op_definition
class SelectAndScatterOp(StablehloOp):
    """Each element of source combined into the place of its window that a comparison selects."""

    name = "stablehlo.select_and_scatter"
    operand = operand_def(TensorType)
    source = operand_def(TensorType)
    init_value = operand_def(TensorType)
    window_dimensions = opt_prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseIntOrFPElementsAttr)
    select = region_def()
    scatter = region_def()
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class MapOp(StablehloOp):
    """A computation on the elements at each place of the inputs."""

    name = "stablehlo.map"
    inputs = var_operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    computation = region_def()
    result = result_def(TensorType)
    traits = traits_def(Pure())
