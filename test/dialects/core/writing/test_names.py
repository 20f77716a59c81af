"""Names of values, aliases, elision, and what belongs around the text."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import AffineMapAttr, FileLineColLoc, IntAttr, ModuleOp, NameLoc, StringAttr, i32
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.text import parse, to_text


def test_names_are_kept_and_unique() -> None:
    text = """
    %a = "t.x"() : () -> i32
    "t.r"() ({
      %b = "t.x"() : () -> i32
    }, {
      %b = "t.x"() : () -> i32
      %0 = "t.x"() : () -> i32
    }) : () -> ()
    """
    module = parse(text, allow_unregistered=True)
    lines = [line.strip() for line in to_text(module).split("\n") if "t.x" in line]
    assert lines == [
        '%a = "t.x"() : () -> i32',
        '%b = "t.x"() : () -> i32',
        '%b = "t.x"() : () -> i32',
        '%0 = "t.x"() : () -> i32',
    ]


def test_a_name_that_is_taken_gets_a_number() -> None:
    ops = [test.TestOp(result_types=[i32]) for _ in range(3)]
    for op in ops:
        op.results[0].name_hint = "x"
    text = to_text(ModuleOp(ops))
    assert '%x = "test.op"' in text
    assert '%x_0 = "test.op"' in text
    assert '%x_1 = "test.op"' in text


def test_several_results_are_one_group() -> None:
    text = '%r:3 = "t.x"() : () -> (i32, i32, i32)\n"t.y"(%r#2, %r#0) : (i32, i32) -> ()'
    assert text in to_text(parse(text, allow_unregistered=True)).replace("\n  ", "\n")


def test_arguments_without_names_do_not_take_names_that_are_there() -> None:
    op = test.TestOp(result_types=[i32])
    op.results[0].name_hint = "arg0"
    outer = test.TestOp(regions=[Region(Block([op], arg_types=[i32]))])
    text = to_text(ModuleOp([outer]))
    assert "^bb0(%arg0: i32):" in text
    assert '%arg0_0 = "test.op"' in text


def test_aliases_have_numbers_in_the_order_of_use() -> None:
    maps = [AffineMapAttr(AffineMap.identity(n)) for n in (2, 1, 2)]
    ops = [test.TestOp(attributes={"m": map}) for map in maps]
    module = ModuleOp(ops)
    text = to_text(module)
    assert text.startswith(
        "#map = affine_map<(d0, d1) -> (d0, d1)>\n#map1 = affine_map<(d0) -> (d0)>\nmodule {"
    )
    assert text.count("m = #map}") == 2
    assert "affine_map<(d0) -> (d0)>" in to_text(module, local_scope=True)
    assert "#map" not in to_text(module, local_scope=True)


def test_locations_come_after_the_op_unless_something_before_needs_them() -> None:
    place = FileLineColLoc(StringAttr("f"), IntAttr(1), IntAttr(2))
    plain, held = test.TestOp(), test.TestOp(attributes={"l": NameLoc(StringAttr("n"), place)})
    plain.location = place
    module = ModuleOp([plain])
    text = to_text(module, locations=True)
    assert text.index("loc(#loc") < text.index('= loc("f":1:2)')
    assert '"test.op"() : () -> () f:1:2\n' in to_text(module, locations=True, pretty_locations=True)
    module.body.block.add_op(held)
    text = to_text(module, locations=True)
    assert text.index('= loc("f":1:2)') < text.index("module")


@pytest.mark.parametrize(("elide", "shown"), [(None, True), (3, False), (4, True)])
def test_large_constants_are_left_out(elide: int | None, shown: bool) -> None:
    value = constant_attr(np.arange(4, dtype=np.int32))
    text = to_text(ModuleOp([test.TestOp(attributes={"v": value})]), elide=elide)
    assert ("dense<[0, 1, 2, 3]>" in text) == shown
    assert ("__elided__" in text) != shown
    splat = constant_attr(np.zeros(400, np.int32))
    assert "dense<0>" in to_text(ModuleOp([test.TestOp(attributes={"v": splat})]), elide=elide)


def test_resources_follow_the_text_unless_they_are_too_long() -> None:
    value = constant_attr(np.arange(1000, dtype=np.int32), key="weights_of_the_writer_test")
    module = ModuleOp([test.TestOp(attributes={"v": value})])
    assert "{-#" in to_text(module)
    assert "{-#" not in to_text(module, elide=10)
    assert "{-#" not in to_text(module, elide_resources=100)


def test_two_thousand_regions() -> None:
    op = test.TestOp()
    for _ in range(2000):
        op = test.TestOp(regions=[Region(Block([op]))])
    text = to_text(ModuleOp([op]))
    assert text.count('"test.op"') == 2001
