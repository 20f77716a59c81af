"""The classes of ops: xDSL's and the extensions' where they exist, made from the op tables otherwise."""

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.traits import HasParent, IsTerminator, MemoryReadEffect, Pure, SingleBlockImplicitTerminator
from xdsl.utils.test_value import create_ssa_value

from lamina.dialects.core.context import make_context
from lamina.dialects.core.ods.classes import class_of
from lamina.dialects.core.ods.generate import SOURCES
from lamina.dialects.core.ods.making import accessor
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.vector.contraction import ContractOp


def test_classes_that_exist_are_used() -> None:
    assert class_of("arith.addi") is arith.AddiOp
    assert class_of("scf.for") is scf.ForOp
    assert class_of("vector.contract") is ContractOp
    assert class_of("arith.nothing") is None
    assert class_of("nothing.at_all") is None


@pytest.mark.parametrize("dialect", SOURCES)
def test_the_context_knows_every_op_of_a_table(dialect: str) -> None:
    context = make_context()
    table = table_of(dialect)
    assert table is not None
    for name in table.ops:
        assert context.get_optional_op(name) is class_of(name)
    listed = context.get_dialect(dialect)
    assert set(table.ops) <= {op.name for op in listed.operations}
    assert context.get_optional_op(f"{dialect}.nothing") is None


def test_a_copy_of_the_context_knows_them_too() -> None:
    context = make_context().clone()
    assert context.get_optional_op("vector.vscale") is class_of("vector.vscale")


def test_accessors_of_a_made_class() -> None:
    kind = class_of("arith.scaling_extf")
    assert kind is not None
    value, scale = create_ssa_value(IntegerType(8)), create_ssa_value(i1)
    op = kind.create(operands=[value, scale], result_types=[i1])
    assert op.in_ is value  # pyright: ignore[reportAttributeAccessIssue]
    assert op.scale is scale  # pyright: ignore[reportAttributeAccessIssue]
    assert op.fastmath is None  # pyright: ignore[reportAttributeAccessIssue]


def test_names_of_accessors() -> None:
    assert accessor("lowerBound") == "lower_bound"
    assert accessor("in") == "in_"
    assert accessor("results") == "results_"


def test_traits_of_made_classes() -> None:
    step = class_of("vector.vscale")
    rmw = class_of("memref.generic_atomic_rmw")
    end = class_of("memref.atomic_yield")
    assert step and rmw and end
    assert step.has_trait(Pure)
    assert rmw.has_trait(MemoryReadEffect)
    assert rmw.has_trait(SingleBlockImplicitTerminator(end))
    assert end.has_trait(IsTerminator)
    assert end.has_trait(HasParent(rmw))


def test_groups_of_operands_by_their_segments() -> None:
    kind = class_of("bufferization.dealloc")
    assert kind is not None
    values = [create_ssa_value(i1) for _ in range(3)]
    op = kind.build(operands=[values[:1], values[1:], []], result_types=[[]])
    assert list(op.conditions) == values[1:]  # pyright: ignore[reportAttributeAccessIssue]
