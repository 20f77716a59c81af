"""Canonicalised functions compute what they did: every function of the lit tests, run before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn.base import DYNAMIC, NnOp
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.general.canonicalize import canonicalize

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("canonicalize-*.mlir"))


def functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.walk() if isinstance(op, FuncOp)}


def interpret(function: FuncOp, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Run a function of one block by the references of its ops."""
    values: dict[SSAValue, np.ndarray] = dict(zip(function.body.block.args, arguments, strict=True))
    for op in function.body.block.ops:
        if op.name == "func.return":
            return [values[v] for v in op.operands]
        known = [constant_value(r) for r in op.results]
        results: Any = known if known and known[0] is not None else _evaluated(op, values)
        values.update(zip(op.results, results, strict=True))
    raise AssertionError("the function does not return")


def _evaluated(op: Operation, values: dict[SSAValue, np.ndarray]) -> tuple[np.ndarray, ...]:
    assert isinstance(op, NnOp), op
    return evaluate(op, [values[v] for v in op.operands])


def example(kind: Any, random: np.random.Generator) -> np.ndarray:
    """Small integers, some of them -0.0; unknown extents are 2; integer vectors are a plausible shape."""
    assert isinstance(kind, TensorType)
    shape = [2 if e == DYNAMIC else e for e in kind.get_shape()]
    dtype = numpy_dtype(kind.element_type)
    if dtype.kind == "i":
        return np.full(shape, 1 if shape else 0, dtype)
    values = random.integers(-3, 4, shape).astype(dtype)
    return np.where(values == 0, dtype.type(-0.0), values)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_values_stay(path: Path) -> None:
    random = np.random.default_rng(0)
    before, after = functions(parse(path.read_text())), parse(path.read_text())
    canonicalize(after)
    verify(after)
    ran = 0
    for name, function in functions(after).items():
        if "unknown_extents" in name or "other_extent" in name or "to_unknown" in name:
            continue
        arguments = [example(a.type, random) for a in function.body.block.args]
        expected = interpret(before[name], arguments)
        got = interpret(function, arguments)
        for a, b in zip(expected, got, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name, strict=True)
        ran += 1
    assert ran > 4
