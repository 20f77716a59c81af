"""The examples in the docstrings of nn ops parse, verify, and have the inferred type."""

from __future__ import annotations

import re

import pytest

from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn import Nn
from lamina.dialects.nn.base import NnOp

EXAMPLES = [
    (op.name, example)
    for op in Nn.operations
    for example in re.findall(r"```mlir\n(.*?)```", op.__doc__ or "", re.DOTALL)
    if " : (" in example
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_example(name: str, example: str) -> None:
    line = " ".join(example.split())
    match = re.fullmatch(r"(%.*?) = (nn\.\w+) ?([%\w, ]*?) ?(\{.*\})? ?: \((.*?)\) -> (.*)", line)
    assert match is not None, line
    operands, types = match[3].split(", "), match[5].split(", ")
    arguments = ", ".join(f"{o}: {t}" for o, t in zip(operands, types, strict=True) if o)
    module = parse(f"func.func @f({arguments}) {{\n  {line}\n  return\n}}")
    verify(module)
    (op,) = (op for op in module.walk() if isinstance(op, NnOp))
    assert op.name == name
    if "?" not in match[6]:
        assert op.infer() == [r.type for r in op.results]
