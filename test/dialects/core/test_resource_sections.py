"""Where the file metadata ``{-# … #-}`` of a text may stand, and what only looks like it."""

from __future__ import annotations

import pytest

from lamina.dialects.core.text import parse
from lamina.dialects.core.writing.writer import write_text

USE = '"t.t"() {a = dense_resource<of_section> : tensor<1xi32>} : () -> ()\n'
ONE, TWO = '"0x0400000001000000"', '"0x0400000002000000"'


def _section(data: str, more: str = "") -> str:
    return f"{{-# dialect_resources: {{ builtin: {{ of_section: {data} }} }}{more} #-}}"


def _printed(text: str) -> str:
    return write_text(parse(text, allow_unregistered=True))


@pytest.mark.parametrize(
    "text",
    [
        USE + _section(ONE) + '\n"t.t"() {s = "{-# x"} : () -> ()\n',
        USE + _section(ONE) + "\n// {-# x\n",
        USE + _section(ONE) + '  // {-#{-# " {-#',
        "// {-# x #-}\n" + _section(ONE) + USE,
        USE + _section(ONE, ', external_resources: { a: { b: "}{-#", c: "#-}" } }'),
        USE + _section(ONE, " // {-# }\n"),
        USE + _section(ONE, ' // {-# "\n'),
        USE + "// " + "{-#" * 500 + "\n" + _section(ONE),
    ],
    ids=lambda text: text[len(USE) :],
)
def test_strings_and_comments_hold_no_section(text: str) -> None:
    assert "      of_section: " + ONE in _printed(text)


@pytest.mark.parametrize("text", ['"t.t"() {s = "{-# x"} : () -> ()\n', "// {-# x\n", "module {\n}\n// {-#"])
def test_a_text_without_a_section_may_show_its_start(text: str) -> None:
    parse(text, allow_unregistered=True)


@pytest.mark.parametrize(
    "text",
    [
        USE + _section(ONE) + _section(TWO),
        _section(ONE) + USE + _section(TWO),
        USE + _section(f"{ONE}, of_section: {TWO}"),
        USE + _section(ONE) + "\n{-##-}\n" + _section(TWO),
    ],
)
def test_the_last_data_of_a_key_counts(text: str) -> None:
    printed = _printed(text)
    assert TWO in printed and ONE not in printed


def test_entries_for_tools_end_before_the_comments_behind_them() -> None:
    first = "{-# external_resources: { a: { b: true } // }\n } #-}\n"
    printed = _printed(f"module {{}}\n{first}{{-# external_resources: {{ c: {{ d: false }} }} #-}}")
    assert "  external_resources: {\n    a: { b: true } // }\n    , c: { d: false }\n  }\n" in printed
    assert _printed(printed) == printed


def test_a_section_ends_the_operation_before_it() -> None:
    declaration = "func.func private @f()"
    assert declaration in _printed(f"{declaration}\n{{-##-}}\n{{-# external_resources: {{}} #-}}")
