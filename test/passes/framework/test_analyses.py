"""Analyses, dynamic pipelines and what passes say of their changes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.passes.framework.analyses import AnalysisCache
from lamina.passes.framework.dominance import DominanceInfo
from lamina.passes.framework.manager import Instrumentation, PassManager
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.framework.pipeline import Pipeline

TEXT = """func.func @f(%c: i1) {
  %0 = arith.constant 1 : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = arith.constant 2 : i32
  cf.br ^bb2
^bb2:
  "test.op"() ({
    %2 = arith.constant 3 : i32
    "test.termop"() : () -> ()
  }) : () -> ()
  return
}"""


class CountOps:
    """An analysis that counts how often it is made."""

    made = 0

    def __init__(self, op: Operation, cache: AnalysisCache) -> None:
        CountOps.made += 1
        self.count = sum(1 for _ in op.walk())
        self.dominance = cache.get(DominanceInfo, op)


@dataclass(frozen=True)
class Uses(Pass):
    name = "uses"
    anchor = "func.func"
    changes: bool = option(False, "Say that something changed")
    keeps: bool = option(False, "Say that the analysis still holds")

    def run(self, op: Operation, ctx: PassContext) -> bool:
        assert ctx.analysis(CountOps).count > 0
        if self.keeps:
            ctx.preserve(CountOps)
        return self.changes


class Log(Instrumentation):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def before_analysis(self, name: str, op: Operation) -> None:
        self.seen.append(name)


@pytest.mark.parametrize(
    ("passes", "made"),
    [
        ([Uses(), Uses()], ["CountOps", "DominanceInfo"]),
        ([Uses(changes=True), Uses()], ["CountOps", "DominanceInfo"] * 2),
        ([Uses(changes=True, keeps=True), Uses()], ["CountOps", "DominanceInfo"]),
    ],
)
def test_an_analysis_is_made_once_until_something_changes(passes: list[Pass], made: list[str]) -> None:
    log = Log()
    PassManager(instrumentation=[log]).run(
        parse(TEXT), Pipeline("builtin.module", [Pipeline("func.func", list(passes))])
    )
    assert log.seen == made


def test_a_change_inside_makes_analyses_around_it_stale() -> None:
    module = parse(TEXT)
    function = module.body.block.first_op
    assert function is not None
    cache = AnalysisCache()
    first = cache.get(DominanceInfo, module)
    cache.invalidate(function, (DominanceInfo,))
    assert cache.cached(DominanceInfo, module) is first
    cache.invalidate(function)
    assert cache.cached(DominanceInfo, module) is None


def test_dominance_between_operations() -> None:
    module = parse(TEXT)
    one, two, three = (op for op in module.walk() if op.name == "arith.constant")
    holder = next(op for op in module.walk() if op.name == "test.op")
    info = DominanceInfo(module)
    assert info.properly_dominates(one, two) and not info.properly_dominates(two, one)
    assert info.properly_dominates(one, three) and info.value_dominates(one.results[0], three)
    assert not info.properly_dominates(two, three)
    assert not info.properly_dominates(holder, three)
    assert not info.properly_dominates(one, one)
    entry, left, join = (op.parent for op in (one, two, holder))
    assert entry and left and join
    assert info.immediate_dominator(join) is entry and info.block_dominates(entry, left)
    assert not info.block_dominates(left, join) and info.is_reachable(join)


@dataclass(frozen=True)
class Dynamic(Pass):
    name = "dynamic"

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function in op.regions[0].block.ops:
            ctx.run_pipeline("func.func(canonicalize,cse)", function)


class Names(Instrumentation):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def before(self, pass_: Pass, op: Operation) -> None:
        self.seen.append(f"{pass_.name} on {op.name}")


def test_a_pass_runs_a_pipeline_on_what_is_inside_its_op() -> None:
    names = Names()
    module = parse("func.func @f() {\n  %0 = arith.constant 1 : i32\n  return\n}")
    PassManager(instrumentation=[names]).run(module, Pipeline("builtin.module", [Dynamic()]))
    assert names.seen == ["dynamic on builtin.module", "canonicalize on func.func", "cse on func.func"]
    assert "arith.constant" not in [op.name for op in module.walk()]


@dataclass(frozen=True)
class Escapes(Pass):
    name = "escapes"
    anchor = "func.func"

    def run(self, op: Operation, ctx: PassContext) -> None:
        parent = op.parent_op()
        ctx.run_pipeline("any(cse)", parent)


def test_a_pipeline_on_what_is_outside_is_refused() -> None:
    with pytest.raises(LaminaError, match="is not inside the operation of the pass"):
        PassManager().run(parse(TEXT), Pipeline("builtin.module", [Escapes()]))


def test_lists_can_be_given_in_pieces_and_print_as_upstream_prints_them() -> None:
    @dataclass(frozen=True)
    class Listed(Pass):
        name = "listed"
        sizes: tuple[int, ...] = option((), "Sizes")
        deep: bool = option(False, "Deep")
        label: str = option("", "Label")

    assert Listed(sizes=(1, 2), label="a b").text(defaults=True) == (
        "listed{deep=false label={a b} sizes={1,2}}"
    )
    assert Listed().text(defaults=True) == "listed{deep=false label= }"
    assert Listed(deep=True).text() == "listed{deep=true}"


def test_an_option_that_hides_a_method_is_refused() -> None:
    with pytest.raises(LaminaError, match="the fields 'run' of Wrong hide methods of Pass"):

        @dataclass(frozen=True)
        class Wrong(Pass):
            name = "wrong"
            run: int = option(1, "No")  # pyright: ignore
