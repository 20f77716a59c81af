"""Running passes: conditions, anchors, verification and errors that name the pass."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.passes.framework.conditions import no_dialect, no_op
from lamina.passes.framework.manager import PassManager
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.pipeline import Pipeline
from lamina.passes.framework.rewriting import apply_patterns

TEXT = """func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func @g() {
  return
}
"""


def run(declaration: Pass, text: str = TEXT, **options: bool) -> tuple[ModuleOp, PassManager]:
    module = parse(text, "f.mlir")
    manager = PassManager(**options)
    manager.run(module, Pipeline("builtin.module", [declaration]))
    return module, manager


def failure(declaration: Pass, **options: bool):
    with pytest.raises(LaminaError) as caught:
        run(declaration, **options)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@dataclass(frozen=True)
class CountFunctions(Pass):
    name = "count-functions"
    anchor = "func.func"

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, FuncOp)
        ctx.count("functions")
        ctx.warn("a function", op)


def test_an_anchored_pass_runs_on_each_op_of_that_name() -> None:
    _, manager = run(CountFunctions())
    assert manager.statistics["count-functions"]["functions"] == 2
    assert [str(d.location) for d in manager.diagnostics] == ["f.mlir:1:1", "f.mlir:5:1"]


def test_a_pass_that_ran_on_nothing_is_a_warning() -> None:
    _, manager = run(CountFunctions(), "")
    assert [d.message for d in manager.diagnostics] == [
        "pass 'count-functions' ran on nothing: it is anchored on 'func.func', 'builtin.module' holds none"
    ]


@dataclass(frozen=True)
class Raises(Pass):
    name = "raises"

    def run(self, op: Operation, ctx: PassContext) -> None:
        raise IndexError("list index out of range")


def test_an_exception_in_a_pass_names_pass_and_place() -> None:
    diagnostic = failure(Raises())
    assert diagnostic.message == "the pass failed on 'builtin.module': IndexError: list index out of range"
    assert diagnostic.pass_name == "raises"


@dataclass(frozen=True)
class NeedsNoFunctions(Pass):
    name = "needs-no-functions"
    requires = (no_dialect("func"),)

    def run(self, op: Operation, ctx: PassContext) -> None:
        raise AssertionError("must not run")


def test_a_broken_precondition_names_the_op_and_the_pass_that_helps() -> None:
    diagnostic = failure(NeedsNoFunctions())
    assert diagnostic.message == "'func.func' op is not allowed here: the pass needs no ops of 'func'"
    assert str(diagnostic.location) == "f.mlir:1:1"
    assert diagnostic.hint == "run `convert-func-to-llvm` before"


@dataclass(frozen=True)
class PromisesTooMuch(Pass):
    name = "promises-too-much"
    ensures = (no_op("func.func"),)

    def run(self, op: Operation, ctx: PassContext) -> None:
        pass


def test_a_broken_postcondition_is_an_error_where_results_are_verified() -> None:
    assert "breaks what the pass ensures: no 'func.func'" in failure(PromisesTooMuch()).message
    run(PromisesTooMuch(), verify_each=False)


@dataclass(frozen=True)
class BreaksDominance(Pass):
    name = "breaks-dominance"

    def run(self, op: Operation, ctx: PassContext) -> None:
        add = next(inner for inner in op.walk() if inner.name == "arith.addi")
        add.operands[0] = add.results[0]


def test_invalid_ir_after_a_pass_is_found() -> None:
    diagnostic = failure(BreaksDominance())
    assert "the pass left invalid IR" in diagnostic.message
    assert "operand #0 does not dominate this use" in diagnostic.message


class Flip(RewritePattern):
    """Toggles an attribute for ever."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name == "arith.addi":
            rewriter.replace(op, type(op)(*op.operands))


def test_patterns_that_never_rest_are_named() -> None:
    with pytest.raises(LaminaError) as caught:
        apply_patterns(parse(TEXT), [Flip()], max_rewrites=200)
    (diagnostic,) = caught.value.diagnostics
    assert "is still being rewritten after 200 rewrites" in diagnostic.message
    assert [n.message for n in diagnostic.notes] == ["Flip on 'arith.addi': 100 of the last 100 rewrites"]


class Double(RewritePattern):
    """Replaces a test op by two."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name == "test.op" and "done" not in op.attributes:
            new = [
                test_dialect.TestOp(attributes={"done": op.location}),
                test_dialect.TestOp(attributes={"done": op.location}),
            ]
            rewriter.replace(op, new, [])


def test_new_operations_take_the_location_of_what_they_replace() -> None:
    module = parse('"test.op"() : () -> ()', "t.mlir")
    apply_patterns(module, [Double()])
    assert to_text(module, locations=True).startswith('#loc = loc("t.mlir":1:1)')
    assert all('"t.mlir":1:1' in str(op.location) for op in module.body.block.ops)
