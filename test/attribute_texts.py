"""Reading attributes and types from text in tests: by Lamina, by xDSL, and by ``mlir-opt``."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute
from xdsl.parser import Parser

from lamina.dialects.core.context import make_context
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.reader import Reader, parse
from lamina.dialects.core.writing.writer import write_text

MLIR_OPT = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")


def read(text: str, aliases: str = "") -> Attribute:
    """The attribute or type that a text says; ``aliases`` are definitions before it."""
    reader = Reader(make_context(allow_unregistered=True), aliases + text, "t", {})
    while reader.text.startswith(("#", "!"), reader.at) and reader.at < len(aliases):
        reader.alias_definition()
    found = reader.attribute()
    assert reader.at == len(reader.text), f"not all of {text!r} was read"
    return found


def read_by_xdsl(text: str) -> Attribute:
    """What xDSL's own parser reads."""
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    return Parser(context, text).parse_attribute()


def failure(text: str) -> tuple[str, int]:
    """The message, and the column within the text, of what is wrong in it."""
    head = '"t.op"() {a = '
    try:
        parse(f"{head}{text}}} : () -> ()", "t", allow_unregistered=True)
    except LaminaError as problem:
        diagnostic = problem.diagnostics[0]
        assert diagnostic.location is not None
        assert diagnostic.location.line == 1
        return diagnostic.message, diagnostic.location.column - len(head)
    raise AssertionError(f"{text!r} was read")


def as_op(text: str) -> str:
    """An op that holds an attribute."""
    return f'"t.op"() {{a = {text}}} : () -> ()'


def written(text: str) -> str:
    """The op that holds an attribute, as Lamina writes it."""
    return write_text(parse(as_op(text), "t", allow_unregistered=True))


@cache
def by_mlir_opt(texts: tuple[str, ...]) -> list[str]:
    """What ``mlir-opt`` makes of each text, in its generic form."""
    assert MLIR_OPT is not None
    options = ["--allow-unregistered-dialect", "--mlir-print-op-generic", "--split-input-file"]
    source = "\n// -----\n".join(texts)
    done = subprocess.run([MLIR_OPT, *options], input=source, capture_output=True, text=True, check=True)
    return [part.strip() for part in done.stdout.split("// -----")]


def refused_by_mlir_opt(text: str) -> bool:
    """Whether ``mlir-opt`` does not accept an op with this attribute."""
    assert MLIR_OPT is not None
    options = [MLIR_OPT, "--allow-unregistered-dialect"]
    done = subprocess.run(options, input=as_op(text), capture_output=True, text=True)
    return done.returncode != 0
