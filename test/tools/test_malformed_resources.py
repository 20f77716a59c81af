"""Constants in the file's metadata: data that is cut off, misspelt or of the wrong size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from malformed import Case, check, in_function

from lamina.tools import opt

SECTIONS: list[Case] = [
    (
        'dialect_resources: { builtin: { w: "0x400000000000000" } }',
        "6:38",
        "the data of resource 'w' is cut off: it has 15 hexadecimal digits",
    ),
    (
        'dialect_resources: { builtin: { w: "0x4000" } }',
        "6:38",
        "the data of resource 'w' is cut off: it has 4 hexadecimal digits",
    ),
    (
        'dialect_resources: { builtin: { w: "4000000000000000" } }',
        "6:38",
        "the data of resource 'w' must start with '0x'",
    ),
    (
        'dialect_resources: { builtin: { w: "0x40zz000000000000" } }',
        "6:43",
        "the data of resource 'w' holds a character that is no hexadecimal digit",
    ),
    ("dialect_resources: { builtin: { w = 4 } }", "6:37", "expected ':' in the resources of the file"),
    (
        "dialect_resources: { builtin: { w: 4 } }",
        "6:38",
        "expected the data of resource 'w' as a string of hexadecimal digits in the resources of the file",
    ),
    (
        "resources: { builtin: { w: 4 } }",
        "6:3",
        "expected 'dialect_resources' or 'external_resources', found 'resources' in the resources of the "
        "file",
    ),
    ("dialect_resources: { builtin { w: 4 } }", "6:32", "expected ':' in the resources of the file"),
    (
        'dialect_resources: { builtin: { w: "0x40000000" w: "0x40000000" } }',
        "6:51",
        "expected ',' in the resources of the file",
    ),
    (
        'dialect_resources: { builtin: { w: "0x0400000000000000", } }',
        "6:60",
        "expected a key in the resources of the file",
    ),
    (
        'dialect_resources: { builtin: { w: "0x0300000000000000" } }',
        "6:38",
        "expected hex string blob for key 'w' to encode alignment in first 4 bytes, but got non-power-of-2 "
        "value: 3",
    ),
]

TYPES: list[Case] = [
    ("tensor<2xf32>", "2:35", "the resource holds 4 bytes, its type tensor<2xf32> needs 8"),
    ("tensor<?xf32>", "2:35", "a resource needs a type of static shape, not tensor<?xf32>"),
    ("tensor<1x!llvm.ptr>", "2:35", "a resource cannot hold elements of type !llvm.ptr"),
    ("f32", "2:40", "`dense_resource` expected a shaped type"),
]


def _text(kind: str, section: str) -> str:
    return in_function(f"%c = nn.constant dense_resource<w> : {kind}") + section


@pytest.mark.parametrize("case", SECTIONS, ids=lambda case: case[2])
def test_a_wrong_section_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, _text("tensor<1xf32>", f"{{-#\n  {case[0]}\n#-}}\n"), case)


@pytest.mark.parametrize("kept", [0, 10, 30, 45, 60])
def test_a_section_that_is_cut_off_says_where_it_started(call: Callable[..., Any], kept: int) -> None:
    section = '{-#\n  dialect_resources: { builtin: { w: "0x4000000000000000" } }\n#-}\n'
    text = _text("tensor<1xf32>", section[: 3 + kept])
    check(call, text, (text, "5:1", "the resources that start here are cut off: there is no closing '#-}'"))


@pytest.mark.parametrize("case", TYPES, ids=lambda case: case[2])
def test_data_and_type_must_agree(call: Callable[..., Any], case: Case) -> None:
    section = '{-#\n  dialect_resources: { builtin: { w: "0x4000000000000000" } }\n#-}\n'
    check(call, _text(case[0], section), case)


@pytest.mark.parametrize("key", ["absent", "__elided__", '"of another name"'])
def test_a_constant_without_data_is_refused_where_the_data_is_needed(
    call: Callable[..., Any], key: str
) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %w = nn.constant dense_resource<{key}> : tensor<2xf32>
  %y = nn.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}}
"""
    printed = call(opt.main, "-", text=text)
    assert printed.status == 0 and f"dense_resource<{key}>" in printed.out
    lowered = call(opt.main, "-", "--lower-to-llvm", text=text)
    assert (lowered.status, lowered.out) == (1, "")
    name = key.strip('"')
    assert lowered.err.startswith(
        f"<stdin>:2:8: error: 'arith.constant' op holds the resource '{name}', which has no data"
    )
    assert lowered.err.endswith(
        "hint: the text was printed without its constants, or lacks its `{-# dialect_resources #-}`\n"
    )
