"""Dialect conversion: legality, types, rollback, and the report of what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from xdsl.dialects import arith, cf, llvm
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, UnrealizedConversionCastOp, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    TypeConverter,
    apply_full_conversion,
    apply_partial_conversion,
)
from lamina.passes.framework.matching import no_match

CONVERTER = TypeConverter(lambda type: i64 if isinstance(type, IndexType) else None)
TEXT = """func.func @f(%i: index, %j: index) -> index {
  %0 = arith.addi %i, %j : index
  %1 = arith.muli %0, %j : index
  return %1 : index
}
"""


def to_llvm(kind: type[Operation]):
    def convert(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> SSAValue:
        return rewriter.emit(
            kind.create(operands=operands, result_types=[CONVERTER.convert(op.results[0].type)])
        )

    return convert


def convert_function(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> bool:
    assert isinstance(op, FuncOp)
    rewriter.convert_region_types(op.body)
    with rewriter.modify(op):
        op.properties["function_type"] = rewriter.converter.convert_signature(op.function_type)
    return True


def convert_return(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> bool:
    with rewriter.modify(op):
        op.operands = operands
    return True


ARITH: dict[str, Any] = {"arith.addi": to_llvm(llvm.AddOp), "arith.muli": to_llvm(llvm.MulOp)}
FUNC: dict[str, Any] = {"func.func": convert_function, "func.return": convert_return}


def target() -> ConversionTarget:
    return ConversionTarget().legal_dialect("llvm", "builtin").illegal_dialect("arith")


def function_target() -> ConversionTarget:
    return (
        target()
        .dynamically_legal_op(
            lambda op: CONVERTER.is_legal(*op.function_type.inputs, *op.function_type.outputs), FuncOp
        )
        .dynamically_legal_op(CONVERTER.is_legal_op, ReturnOp)
    )


def names(module: Operation) -> list[str]:
    return [op.name for op in module.walk()]


def test_what_stays_gets_casts_from_and_to_what_is_converted() -> None:
    module = parse(TEXT)
    assert apply_partial_conversion(module, target(), ARITH, CONVERTER) == 2
    verify(module)
    casts = [op for op in module.walk() if isinstance(op, UnrealizedConversionCastOp)]
    # One for each argument, however often it is used, and one for the return; none between add and mul.
    assert len(casts) == 3
    assert "arith.addi" not in names(module)


def test_converted_signatures_leave_no_casts() -> None:
    module = parse(TEXT)
    assert apply_full_conversion(module, function_target(), {**ARITH, **FUNC}, CONVERTER) == 4
    verify(module)
    assert names(module) == ["builtin.module", "func.func", "llvm.add", "llvm.mul", "func.return"]
    assert "(%i: i64, %j: i64) -> i64" in to_text(module)


def test_the_order_of_the_patterns_does_not_matter() -> None:
    # The return is converted before what it returns when the function is written the other way round.
    module = parse("""func.func @f(%i: index) -> index {
      cf.br ^bb2
    ^bb1:
      return %0 : index
    ^bb2:
      %0 = arith.addi %i, %i : index
      cf.br ^bb1
    }""")
    goal = function_target().legal_dialect("cf")
    apply_full_conversion(module, goal, {**ARITH, **FUNC}, CONVERTER)
    verify(module)
    assert "builtin.unrealized_conversion_cast" not in names(module)


def test_casts_that_were_there_are_looked_through() -> None:
    module = parse("""func.func @f(%a: i64) -> i64 {
      %i = builtin.unrealized_conversion_cast %a : i64 to index
      %0 = arith.addi %i, %i : index
      %1 = builtin.unrealized_conversion_cast %0 : index to i64
      return %1 : i64
    }""")
    apply_partial_conversion(module, target(), ARITH, CONVERTER)
    text = to_text(module)
    assert "llvm.add %a, %a : i64" in text
    assert names(module).count("builtin.unrealized_conversion_cast") == 1


def test_a_failed_conversion_leaves_the_program_as_it_was_and_reports_all_that_is_left() -> None:
    module = parse(
        """func.func @f(%i: index, %j: index) -> index {
  %0 = arith.addi %i, %j : index
  %1 = arith.subi %0, %j : index
  %2 = arith.subi %1, %j : index
  %3 = arith.remui %2, %j : index
  return %3 : index
}""",
        "f.mlir",
    )
    before = to_text(module, locations=True)
    operations = list(module.walk())
    with pytest.raises(LaminaError) as caught:
        apply_full_conversion(module, function_target(), {**ARITH, **FUNC}, CONVERTER)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "'arith.subi' op failed to legalize: no pattern converts it to what is legal"
    assert str(diagnostic.location) == "f.mlir:3:8"
    assert [note.message for note in diagnostic.notes] == [
        "2 of 'arith.subi' are left, first here; `convert-arith-to-llvm` converts it",
        "1 of 'arith.remui' is left, first here; `convert-arith-to-llvm` converts it",
    ]
    assert diagnostic.hint == "run `convert-arith-to-llvm` as well"
    assert to_text(module, locations=True) == before
    assert list(module.walk()) == operations
    verify(module)


def test_what_nothing_is_said_about_stays_in_a_partial_and_goes_in_a_full_conversion() -> None:
    text = '"test.op"() : () -> ()'
    apply_partial_conversion(parse(text), ConversionTarget(), {})
    apply_partial_conversion(parse(text), ConversionTarget().others_legal(), {})
    with pytest.raises(LaminaError, match="failed to legalize"):
        apply_full_conversion(parse(text), ConversionTarget(), {})
    with pytest.raises(LaminaError, match="failed to legalize"):
        apply_partial_conversion(parse(text), ConversionTarget().others_legal(False), {})


def stepwise(new: str | None):
    """A pattern that marks a test op with another step."""

    def convert(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> Any:
        if new is None:
            return no_match(op, "it has no next step")
        rewriter.insert(test_dialect.TestOp(attributes={"step": IntegerAttr(int(new), i32)}))
        return ()

    convert.__name__ = f"step_{new}"
    return convert


def is_done(op: Operation) -> bool:
    return "step" in op.attributes and op.attributes["step"].value.data == 2  # pyright: ignore


def test_what_patterns_make_is_converted_further_and_dead_ends_are_undone() -> None:
    goal = ConversionTarget().dynamically_legal_op(is_done, "test.op")
    module = parse('"test.op"() : () -> ()')
    patterns = [
        ConversionPattern("test.op", stepwise("1"), benefit=2),
        ConversionPattern("test.op", stepwise("2")),
    ]
    # 1 is tried first and leads to 2.
    apply_partial_conversion(module, goal, patterns)
    assert to_text(module).count("test.op") == 1
    assert "step = 2" in to_text(module)
    # 3 leads nowhere, and what it made is taken back.
    module = parse('"test.op"() : () -> ()')
    apply_partial_conversion(
        module,
        goal,
        [ConversionPattern("test.op", stepwise("3"), benefit=9), ConversionPattern("test.op", stepwise("2"))],
    )
    assert to_text(module).count("test.op") == 1


def test_the_reason_of_a_pattern_is_part_of_the_report() -> None:
    with pytest.raises(LaminaError) as caught:
        apply_partial_conversion(
            parse('"test.op"() : () -> ()'),
            ConversionTarget().illegal_op("test.op"),
            [ConversionPattern("test.op", stepwise(None))],
        )
    assert caught.value.diagnostics[0].message == "'test.op' op failed to legalize: it has no next step"


def test_a_value_can_become_several_or_none() -> None:
    pair = TypeConverter(lambda type: (i32, i32) if type == i64 else None)

    def split(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> list[SSAValue]:
        made = rewriter.insert(test_dialect.TestOp(operands, result_types=[i32, i32]))
        return list(made.results)

    module = parse(
        """func.func @f(%x: i64) {
      %0 = "test.op"(%x) : (i64) -> i64
      "test.use"(%0) : (i64) -> ()
      return
    }""",
        allow_unregistered=True,
    )
    goal = ConversionTarget().dynamically_legal_op(pair.is_legal_op, "test.op")
    goal.dynamically_legal_op(lambda op: pair.is_legal_signature(op.regions[0]), "func.func")
    apply_partial_conversion(module, goal, {"test.op": split, "func.func": convert_function}, pair)
    verify(module)
    text = to_text(module)
    assert '"test.op"(%x, %x_1) : (i32, i32) -> (i32, i32)' in text or "(i32, i32) -> (i32, i32)" in text
    assert "(i32, i32) to i64" in text or ": i32, i32 to i64" in text


def test_materialisations_can_be_chosen() -> None:
    converter = TypeConverter(lambda type: i64 if isinstance(type, IndexType) else None)

    def cast(type: Attribute, values: Sequence[SSAValue]) -> Operation:
        return arith.IndexCastOp(values[0], type)

    converter.add_source_materialisation(cast).add_target_materialisation(cast)
    module = parse(TEXT)
    goal = ConversionTarget().illegal_op("arith.addi", "arith.muli")
    apply_partial_conversion(module, goal, ARITH, converter)
    verify(module)
    assert names(module).count("arith.index_cast") == 3


def test_blocks_that_were_split_and_moved_come_back() -> None:
    text = """func.func @f(%c: i1) {
  "test.op"() ({
    cf.br ^bb1
  ^bb1:
    "test.termop"() : () -> ()
  }) : () -> ()
  "test.op"() : () -> ()
  return
}"""
    module = parse(text)
    before = to_text(module)

    def flatten(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> Any:
        if not op.regions:
            return None
        rest = rewriter.split_block(op)
        rewriter.inline_region_before(op.regions[0], rest)
        return ()

    goal = ConversionTarget().illegal_op("test.op")
    with pytest.raises(LaminaError):
        apply_partial_conversion(module, goal, {"test.op": flatten})
    assert to_text(module) == before
    assert cf is not None


def test_signatures_are_converted() -> None:
    old = FunctionType.from_lists([IndexType(), i32], [IndexType()])
    assert CONVERTER.convert_signature(old) == FunctionType.from_lists([i64, i32], [i64])
    assert not CONVERTER.is_legal(IndexType())
