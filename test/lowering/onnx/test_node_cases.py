"""ONNX's own test cases for its operators: what converts gives the expected results.

A case whose operands decide shapes (axes, sizes, scales, repeats) is converted with these operands as
constants. The default run takes every eighth case, the `slow` one all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.verifier import verify
from lamina.lowering.onnx.convert_onnx_to_nn import import_onnx

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnx.backend.test.case.node")

FEWEST_CONVERTED = 1570
"""Cases that convert, as of onnx 1.23; fewer is a regression."""
ROUNDED_DIFFERENTLY = ("bf16", "fp16")
"""Attention in half precision rounds between its steps; the cases expect one implementation's rounding."""
SHAPE_OPERANDS = ("scales", "roi", "sizes", "X_scale")


def _array(value: Any) -> np.ndarray:
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    array = np.asarray(value)
    if array.dtype.name in ("int4", "int2"):
        return array.astype(np.int8)
    return array.astype(np.uint8) if array.dtype.name in ("uint4", "uint2") else array


def _decides_shapes(name: str, array: np.ndarray) -> bool:
    return name in SHAPE_OPERANDS or (array.dtype.kind in "iub" and array.size <= 64)


def _import(case: Any) -> Any:
    """The module, or None where the operator does not convert."""
    try:
        return import_onnx(case.model)
    except LaminaError:
        names = [value.name for value in case.model.graph.input]
        given = zip([name for name in names if name], case.data_sets[0][0], strict=False)
        arrays = {name: _array(value) for name, value in given if not isinstance(value, list | type(None))}
        constants = {name: a for name, a in arrays.items() if _decides_shapes(name, a)}
    try:
        return import_onnx(case.model, constants=constants) if constants else None
    except LaminaError:
        return None


def _check(case: Any, run_nn: Callable[..., list[np.ndarray]]) -> bool:
    """Whether the case converts; its results have to be right then."""
    module = _import(case)
    if module is None:
        return False
    verify(module)
    for inputs, outputs in case.data_sets:
        results = run_nn(module, [_array(value) for value in inputs])
        for result, want in zip(results, map(_array, outputs), strict=True):
            assert result.shape == want.shape
            assert result.dtype == want.dtype or want.dtype == object
            loose = "attention" in case.name and any(kind in case.name for kind in ROUNDED_DIFFERENTLY)
            rtol, atol = (5e-2, 1e-2) if loose else (case.rtol, case.atol)
            np.testing.assert_allclose(_plain(result), _plain(want), rtol=rtol, atol=atol)
    return True


def _plain(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind in "biuO" else array.astype(np.float64)


@pytest.fixture(scope="module")
def cases() -> list[Any]:
    with np.errstate(all="ignore"):
        return onnx.backend.test.case.node.collect_testcases(None)


def _run(cases: list[Any], run_nn: Callable[..., list[np.ndarray]]) -> int:
    converted, wrong = 0, []
    for case in cases:
        try:
            converted += _check(case, run_nn)
        except AssertionError as problem:
            wrong.append(f"{case.name}: {' '.join(str(problem).split())[:200]}")
    assert not wrong, "\n".join(wrong)
    return converted


@pytest.mark.filterwarnings("ignore")
def test_sample_of_node_cases(cases: list[Any], run_nn: Callable[..., list[np.ndarray]]) -> None:
    assert _run(cases[::8], run_nn) >= FEWEST_CONVERTED // 8 - 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_all_node_cases(cases: list[Any], run_nn: Callable[..., list[np.ndarray]]) -> None:
    assert _run(cases, run_nn) >= FEWEST_CONVERTED
