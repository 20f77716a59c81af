"""`scf.forall` and its terminator, which xDSL's scf dialect lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, IndexType, IntegerType, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    NoTerminator,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

INDEX = IndexType()


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """The terminator of `scf.forall`: says how the iterations' results are put together."""

    name = "scf.forall.in_parallel"

    region = region_def("single_block")

    traits = lazy_traits_def(lambda: (IsTerminator(), NoTerminator(), HasParent(ForallOp)))

    def __init__(self, region: Region | None = None) -> None:
        super().__init__(regions=[region or Region(Block())])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.region, print_empty_block=False)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        return cls.create(regions=[region], attributes=parser.parse_optional_attr_dict())


@irdl_op_definition
class ForallOp(IRDLOperation):
    """A loop nest whose iterations may run concurrently, each on tensors of its own.

    `%r = scf.forall (%i, %j) in (%n, 4) shared_outs(%o = %t) -> (tensor<8xf32>) { … }`, or with bounds and
    steps `(%i) = (0) to (%n) step (2)`.
    """

    name = "scf.forall"

    dynamic_lower_bound = var_operand_def(IndexType)
    dynamic_upper_bound = var_operand_def(IndexType)
    dynamic_step = var_operand_def(IndexType)
    outputs = var_operand_def()
    static_lower_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper_bound = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    res = var_result_def()
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(SingleBlockImplicitTerminator(InParallelOp), RecursiveMemoryEffect())

    def bounds(self) -> tuple[list[int | SSAValue], list[int | SSAValue], list[int | SSAValue]]:
        """Lower bounds, upper bounds and steps: numbers where they are static."""
        return (
            _mixed(self.static_lower_bound, self.dynamic_lower_bound),
            _mixed(self.static_upper_bound, self.dynamic_upper_bound),
            _mixed(self.static_step, self.dynamic_step),
        )

    def verify_(self) -> None:
        rank = len(self.static_upper_bound)
        if len(self.static_lower_bound) != rank or len(self.static_step) != rank:
            raise VerifyException("needs as many lower bounds and steps as upper bounds")
        types = [INDEX] * rank + [value.type for value in self.outputs]
        if [argument.type for argument in self.body.block.args] != types:
            raise VerifyException(
                "needs a region with an index for each loop, then an argument for each output"
            )
        if [result.type for result in self.res] != types[rank:]:
            raise VerifyException("needs a result for each output, of its type")

    def print(self, printer: Printer) -> None:
        lower, upper, step = self.bounds()
        rank = len(upper)
        arguments = self.body.block.args
        printer.print_string(" (")
        printer.print_list(arguments[:rank], printer.print_ssa_value)
        if all(value == 0 for value in lower) and all(value == 1 for value in step):
            printer.print_string(") in ")
            _print_mixed(printer, upper)
        else:
            printer.print_string(") = ")
            _print_mixed(printer, lower)
            printer.print_string(" to ")
            _print_mixed(printer, upper)
            printer.print_string(" step ")
            _print_mixed(printer, step)
        if self.outputs:
            printer.print_string(" shared_outs(")
            pairs = zip(arguments[rank:], self.outputs, strict=True)
            printer.print_list(pairs, lambda pair: _print_pair(printer, pair))
            printer.print_string(") -> (")
            printer.print_list([value.type for value in self.outputs], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        extra: dict[str, Attribute] = dict(self.attributes)
        if self.mapping is not None:
            extra["mapping"] = self.mapping
        printer.print_op_attributes(extra)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        rank = len(names)
        lower: list[int | UnresolvedOperand] = [0] * rank
        step: list[int | UnresolvedOperand] = [1] * rank
        if parser.parse_optional_keyword("in"):
            upper = _parse_mixed(parser)
        else:
            parser.parse_punctuation("=")
            lower = _parse_mixed(parser)
            parser.parse_keyword("to")
            upper = _parse_mixed(parser)
            parser.parse_keyword("step")
            step = _parse_mixed(parser)
        outputs, arguments = _parse_outputs(parser)
        body = parser.parse_region([*(name.resolve(INDEX) for name in names), *arguments])
        if not body.block.ops or not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp())
        attributes = parser.parse_optional_attr_dict()
        properties = {"mapping": attributes.pop("mapping")} if "mapping" in attributes else {}
        operands: list[SSAValue] = []
        for title, values in (("LowerBound", lower), ("UpperBound", upper), ("Step", step)):
            dynamic = [value for value in values if not isinstance(value, int)]
            operands.extend(parser.resolve_operands(dynamic, [INDEX] * len(dynamic), parser.pos))
            static = [value if isinstance(value, int) else DYNAMIC_INDEX for value in values]
            properties[f"static{title}"] = DenseArrayBase.from_list(i64, static)
        counts = [sum(not isinstance(v, int) for v in values) for values in (lower, upper, step)]
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [*counts, len(outputs)])
        return cls.create(
            operands=[*operands, *outputs],
            result_types=[value.type for value in outputs],
            properties=properties,
            attributes=attributes,
            regions=[body],
        )


def _mixed(static: DenseArrayBase[IntegerType], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    values = iter(dynamic)
    return [next(values) if number == DYNAMIC_INDEX else int(number) for number in static.get_values()]


def _print_mixed(printer: Printer, values: Sequence[int | SSAValue]) -> None:
    def print_one(value: int | SSAValue) -> None:
        if isinstance(value, int):
            printer.print_int(value)
        else:
            printer.print_ssa_value(value)

    with printer.in_parens():
        printer.print_list(values, print_one)


def _print_pair(printer: Printer, pair: tuple[SSAValue, SSAValue]) -> None:
    printer.print_ssa_value(pair[0])
    printer.print_string(" = ")
    printer.print_ssa_value(pair[1])


def _parse_mixed(parser: Parser) -> list[int | UnresolvedOperand]:
    def parse_one() -> int | UnresolvedOperand:
        operand = parser.parse_optional_unresolved_operand()
        return parser.parse_integer() if operand is None else operand

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_one)


def _parse_outputs(parser: Parser) -> tuple[list[SSAValue], list[Parser.Argument]]:
    """The shared outputs and the block arguments that stand for them."""
    if parser.parse_optional_keyword("shared_outs") is None:
        return [], []

    def parse_pair() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
        name = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return name, parser.parse_unresolved_operand()

    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_pair)
    parser.parse_punctuation("->")
    types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    values = parser.resolve_operands([operand for _, operand in pairs], types, parser.pos)
    arguments = [name.resolve(kind) for (name, _), kind in zip(pairs, types, strict=True)]
    return list(values), arguments


OPERATIONS: list[type[Operation]] = [ForallOp, InParallelOp]
