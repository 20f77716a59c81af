"""Comparisons, choice and logic against Python's operators."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import i1

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "nn.equal": operator.eq,
    "nn.not_equal": operator.ne,
    "nn.less": operator.lt,
    "nn.less_equal": operator.le,
    "nn.greater": operator.gt,
    "nn.greater_equal": operator.ge,
}
FLOATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)
SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_compare_as_in_ieee(run: Callable[..., Any], name: str, dtype: Any) -> None:
    values = np.array(SPECIAL, dtype)
    got = run(name, values[:, None], values[None, :])
    assert got.dtype == np.bool_
    assert got.tolist() == [[COMPARISONS[name](a, b) for b in SPECIAL] for a in SPECIAL]


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_integers_compare_by_their_signedness(run: Callable[..., Any], name: str, dtype: Any) -> None:
    info = np.iinfo(dtype)
    values = [info.min, info.min + 1, 1, 100, info.max]
    array = np.array(values, dtype)
    got = run(name, array[:, None], array[None, :])
    assert got.tolist() == [[COMPARISONS[name](a, b) for b in values] for a in values]


LOGIC: dict[str, Callable[[bool, bool], bool]] = {
    "nn.logical_and": operator.and_,
    "nn.logical_or": operator.or_,
    "nn.logical_xor": operator.xor,
    "nn.equal": operator.eq,
    "nn.not_equal": operator.ne,
}


@pytest.mark.parametrize("name", LOGIC)
def test_logic_tables(run: Callable[..., Any], name: str) -> None:
    a = np.array([False, True])
    wanted = [[LOGIC[name](x, y) for y in (False, True)] for x in (False, True)]
    assert run(name, a[:, None], a).tolist() == wanted
    assert run("nn.logical_not", a).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.uint64])
def test_bitwise_not_flips_all_bits(run: Callable[..., Any], dtype: Any) -> None:
    values = np.array([0, 1, np.iinfo(dtype).max], dtype)
    mask = (1 << np.iinfo(dtype).bits) - 1
    assert [int(v) & mask for v in run("nn.bitwise_not", values)] == [~int(v) & mask for v in values]


@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint64, np.bool_])
def test_select_broadcasts_and_copies_bits(run: Callable[..., Any], dtype: Any) -> None:
    condition = np.array([[True], [False]])
    a, b = np.array([1, 0, 1], dtype), np.array(0, dtype)
    if dtype in FLOATS:
        a[1], b = dtype(math.nan), np.array(-0.0, dtype)
    got = run("nn.select", condition, a, b)
    assert got.dtype == dtype
    assert got.tobytes() == np.stack([a, np.broadcast_to(b, 3)]).tobytes()


def test_select_of_unknown_extents(build: Callable[..., Any], extents: Any) -> None:
    assert extents(build("nn.select", ([-1, 1], i1), [3], [])) == [(-1, 3)]
    assert extents(build("nn.select", ([-1], i1), [4], [-1])) == [(4,)]
