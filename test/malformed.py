"""Checking that a wrong text is refused with exactly one error, at its place and with its hint."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lamina.tools import opt

Case = tuple[str, str, str] | tuple[str, str, str, str]
"""Text, line and column, message, and the hint where one is given."""


def in_function(operation: str) -> str:
    """The operation in a function of two arguments, on the second line."""
    arguments = "%a: tensor<2x3xf32>, %b: tensor<2x3xf32>"
    return f"func.func @f({arguments}) {{\n  {operation}\n  return\n}}\n"


def expected(text: str, place: str, message: str, hint: str | None = None) -> str:
    """What is written to stderr: the error, the line (at most 120 columns of it) with a caret, the hint."""
    line, column = map(int, place.split(":"))
    source = text.split("\n")[line - 1][:120]
    shown = "".join(c if c.isprintable() else "\ufffd" for c in source)
    rendered = f"<stdin>:{place}: error: {message}\n" + f"  {shown}".rstrip() + f"\n  {' ' * (column - 1)}^\n"
    return rendered + (f"  hint: {hint}\n" if hint else "")


def check(call: Callable[..., Any], text: str, case: Case) -> None:
    """The text is refused with exactly the case's error (notes aside), and nothing is printed."""
    outcome = call(opt.main, "-", text=text)
    assert (outcome.status, outcome.out) == (1, "")
    note = r"(?m)^<stdin>:\d+:\d+: note: .*\n(?:  .*\n  +\^\n)?"
    assert re.sub(note, "", outcome.err) == expected(text, *case[1:])
