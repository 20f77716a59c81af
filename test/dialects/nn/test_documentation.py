"""The example in the docstring of an op is an op that verifies."""

from __future__ import annotations

import inspect
import re

import pytest
from xdsl.ir import Operation

from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn import Nn


def examples(op: type[Operation]) -> list[str]:
    return re.findall(r"```mlir\n(.*?)```", inspect.getdoc(op) or "", re.DOTALL)


@pytest.mark.parametrize("op", [op for op in Nn.operations if examples(op)], ids=lambda op: op.name)
def test_the_example_verifies(op: type[Operation]) -> None:
    (example,) = examples(op)
    text = " ".join(example.split())
    assert f"= {op.name} " in text
    signature = re.search(r" : \((.*)\) -> ", text)
    types = re.findall(r"tensor<[^>]*>", signature.group(1)) if signature else []
    operands = re.findall(r"%\w+", text.split(f"{op.name} ")[1])
    arguments = dict.fromkeys(f"{name}: {kind}" for name, kind in zip(operands, types, strict=True))
    verify(parse(f"func.func @f({', '.join(arguments)}) {{ {text}\n func.return }}"))
