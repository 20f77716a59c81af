"""Patterns that are watched: why they do not match, and whether they do what they report."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.passes.framework.matching import CheckedPatterns, Misses, no_match, watching
from lamina.passes.framework.rewriting import apply_patterns

TEXT = """func.func @f(%x: i32) -> i32 {
  %0 = "test.op"(%x) {size = 3 : i32} : (i32) -> i32
  return %0 : i32
}"""


class NeedsEven(RewritePattern):
    """Gives a reason."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        size = op.attributes.get("size")
        if not isinstance(size, IntegerAttr):
            return no_match(op, "it has no size")
        if size.value.data % 2:
            return no_match(op, f"{size.value.data} is odd")
        return None


class GivesUpSilently(RewritePattern):
    """Gives none."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name != "test.op":
            return
        if "colour" not in op.attributes:
            return
        rewriter.erase_op(op)


def test_the_nearest_misses_come_first_and_silent_patterns_are_followed() -> None:
    module = parse(TEXT)
    misses = Misses()
    with watching(misses):
        apply_patterns(module, [GivesUpSilently(), NeedsEven()])
    found = {op.name: [(miss.pattern, miss.reason) for miss in of_op] for op, of_op in misses.by_op()}
    assert [name for name, _ in found["test.op"]] == ["NeedsEven", "GivesUpSilently"]
    assert found["test.op"][0][1] == "3 is odd"
    assert found["func.return"][0] == ("NeedsEven", "it has no size")
    assert found["test.op"][1][1].endswith('if "colour" not in op.attributes:')


def test_a_line_can_be_chosen() -> None:
    module = parse(TEXT, "f.mlir")
    misses = Misses(line=2)
    with watching(misses):
        apply_patterns(module, [NeedsEven()])
    assert [op.name for op, _ in misses.by_op()] == ["test.op"]


def test_nothing_is_kept_where_nobody_watches() -> None:
    misses = Misses()
    apply_patterns(parse(TEXT), [NeedsEven()])
    assert not list(misses.by_op())


class ReportsNothingDone(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name == "test.op":
            op.attributes["size"] = IntegerAttr(4, i32)


class ReportsTooMuch(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.name == "test.op":
            rewriter.notify_op_modified(op)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (ReportsNothingDone(), "was changed by the pattern ReportsNothingDone, which does not report it"),
        (ReportsTooMuch(), "was not changed by the pattern ReportsTooMuch, which reports that it was"),
    ],
)
def test_patterns_that_report_what_they_did_not_do_are_found(pattern: RewritePattern, message: str) -> None:
    with pytest.raises(LaminaError, match=message), watching(CheckedPatterns()):
        apply_patterns(parse(TEXT), [pattern])
