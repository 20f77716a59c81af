"""Tensors from nothing: constants, counters, random numbers, and what a device is called."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, IntegerAttr, TensorType
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from lamina.dialects.stablehlo.attributes import RngAlgorithm, RngDistribution
from lamina.dialects.stablehlo.syntax import (
    Clause,
    PrettyOp,
    ResultTypeOp,
    StablehloOp,
    number_clause,
    word_clause,
)


@irdl_op_definition
class ConstantOp(StablehloOp):
    """A constant tensor: ``stablehlo.constant dense<1.0> : tensor<f32>``."""

    name = "stablehlo.constant"
    value = prop_def(DenseIntOrFPElementsAttr | DenseResourceAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        kind = getattr(value, "type", None)
        if not isinstance(kind, TensorType):
            parser.raise_error("expected the value of a tensor")
        return cls.built(parser, [], [kind], {"value": value}, attributes)

    def print(self, printer: Printer) -> None:
        self.print_rest(printer, ["value"])
        printer.print_string(" ")
        printer.print_attribute(self.value)


@irdl_op_definition
class IotaOp(ResultTypeOp):
    """Each element's index along a dimension: ``stablehlo.iota dim = 0 : tensor<3xi32>``."""

    name = "stablehlo.iota"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (number_clause("dim", "iota_dimension"),)
    iota_dimension = prop_def(IntegerAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class DynamicIotaOp(PrettyOp):
    """``stablehlo.iota`` of a shape that is a value."""

    name = "stablehlo.dynamic_iota"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (number_clause("dim", "iota_dimension"),)
    output_shape = operand_def(TensorType)
    iota_dimension = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class RngOp(PrettyOp):
    """Random numbers, uniform in [a, b) or normal with mean a and deviation b, of a shape that is a value."""

    name = "stablehlo.rng"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (
        word_clause("distribution", "rng_distribution", RngDistribution),
    )
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    shape = operand_def(TensorType)
    rng_distribution = prop_def(RngDistribution)
    result = result_def(TensorType)


@irdl_op_definition
class RngBitGeneratorOp(PrettyOp):
    """Random bits and the next state of a counter-based generator, from its state."""

    name = "stablehlo.rng_bit_generator"
    CLAUSES: ClassVar[tuple[Clause, ...]] = (word_clause("algorithm", "rng_algorithm", RngAlgorithm),)
    initial_state = operand_def(TensorType)
    rng_algorithm = prop_def(RngAlgorithm)
    output_state = result_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())


@irdl_op_definition
class ReplicaIdOp(ResultTypeOp):
    """The number of this replica."""

    name = "stablehlo.replica_id"
    result = result_def(TensorType)


@irdl_op_definition
class PartitionIdOp(ResultTypeOp):
    """The number of this partition."""

    name = "stablehlo.partition_id"
    result = result_def(TensorType)
