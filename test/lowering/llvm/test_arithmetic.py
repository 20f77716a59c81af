"""Lowered arith, math and index operations compute what NumPy and upstream's lowering compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

Arrays = Sequence[Any]
rng = np.random.default_rng(5)
N = 16
F = rng.standard_normal(N).astype(np.float32)
G = rng.standard_normal(N).astype(np.float32)
P = rng.integers(-50, 50, N).astype(np.int32)
Q = rng.integers(1, 9, N).astype(np.int32)
A, B, C = (rng.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (6, 5), (4, 5)))


def elementwise(name: str, body: str, expected: Callable[..., Any], kind: str = "f32", out: str = "") -> Any:
    """A loop that loads %x and %y of the kind and stores %z of the kind ``out``."""
    out = out or kind
    text = f"""
    func.func @f(%a: memref<{N}x{kind}>, %b: memref<{N}x{kind}>, %r: memref<{N}x{out}>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {N} : index
      scf.for %i = %c0 to %n step %c1 {{
        %x = memref.load %a[%i] : memref<{N}x{kind}>
        %y = memref.load %b[%i] : memref<{N}x{kind}>
        {body}
        memref.store %z, %r[%i] : memref<{N}x{out}>
      }}
      return
    }}"""
    dtypes = {
        "f32": np.float32,
        "i32": np.int32,
        "i64": np.int64,
        "i8": np.int8,
        "f64": np.float64,
        "i1": np.bool_,
    }
    a, b = (F, G) if kind == "f32" else (P, Q)
    result = np.zeros(N, dtypes[out])
    return pytest.param(
        text, [a, b, result], lambda a, b, r: [a, b, np.asarray(expected(a, b), r.dtype)], id=name
    )


def _rounded(x: np.ndarray) -> np.ndarray:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def _erf_f16(x: np.ndarray) -> np.ndarray:
    return np.float16([math.erf(v) for v in np.float16(x)]).astype(np.float32)


def _floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a // b


PROGRAMS = [
    elementwise(
        "float arithmetic",
        """
        %0 = arith.divf %x, %y : f32
        %1 = arith.subf %0, %x : f32
        %z = arith.negf %1 : f32
        """,
        lambda a, b: -(a / b - a),
    ),
    elementwise("remf", "%z = arith.remf %x, %y : f32", np.fmod),
    elementwise("maximumf", "%z = arith.maximumf %x, %y : f32", np.maximum),
    elementwise("minnumf", "%z = arith.minnumf %x, %y : f32", np.fmin),
    elementwise(
        "comparison and select",
        """
        %0 = arith.cmpf ogt, %x, %y : f32
        %z = arith.select %0, %x, %y : f32
        """,
        np.maximum,
    ),
    elementwise("floordivsi", "%z = arith.floordivsi %x, %y : i32", _floor_divide, "i32"),
    elementwise("ceildivsi", "%z = arith.ceildivsi %x, %y : i32", lambda a, b: -(-a // b), "i32"),
    elementwise(
        "ceildivui",
        "%z = arith.ceildivui %x, %y : i32",
        lambda a, b: -(-a.astype(np.uint32).astype(np.int64) // b),
        "i32",
    ),
    elementwise("remsi", "%z = arith.remsi %x, %y : i32", np.fmod, "i32"),
    elementwise(
        "shifts",
        """
        %0 = arith.shli %x, %y : i32
        %z = arith.shrsi %0, %y : i32
        """,
        lambda a, b: (a << b) >> b,
        "i32",
    ),
    elementwise(
        "maxsi and minui",
        """
        %0 = arith.maxsi %x, %y : i32
        %z = arith.minui %0, %y : i32
        """,
        lambda a, b: b,
        "i32",
    ),
    elementwise(
        "bits",
        """
        %0 = arith.andi %x, %y : i32
        %1 = arith.ori %x, %y : i32
        %z = arith.xori %0, %1 : i32
        """,
        lambda a, b: a ^ b,
        "i32",
    ),
    elementwise("mulsi_extended", "%z, %h = arith.mulsi_extended %x, %y : i32", lambda a, b: a * b, "i32"),
    elementwise(
        "high half of mulsi_extended",
        "%l, %z = arith.mulsi_extended %x, %y : i32",
        lambda a, b: (a.astype(np.int64) * b) >> 32,
        "i32",
    ),
    elementwise(
        "addui_extended",
        """
        %l, %o = arith.addui_extended %x, %x : i32, i1
        %z = arith.extui %o : i1 to i32
        """,
        lambda a, b: a < 0,
        "i32",
    ),
    elementwise(
        "integer conversions",
        """
        %0 = arith.trunci %x : i32 to i8
        %z = arith.extsi %0 : i8 to i64
        """,
        lambda a, b: a,
        "i32",
        "i64",
    ),
    elementwise(
        "float conversions",
        """
        %0 = arith.extf %x : f32 to f64
        %z = arith.fptosi %0 : f64 to i32
        """,
        lambda a, b: a,
        "f32",
        "i32",
    ),
    elementwise("integer to float", "%z = arith.sitofp %x : i32 to f32", lambda a, b: a, "i32", "f32"),
    elementwise(
        "bitcast",
        """
        %0 = arith.bitcast %x : f32 to i32
        %z = arith.bitcast %0 : i32 to f32
        """,
        lambda a, b: a,
    ),
    elementwise(
        "index casts",
        """
        %0 = arith.index_cast %x : i32 to index
        %1 = arith.muli %0, %0 : index
        %z = arith.index_cast %1 : index to i64
        """,
        lambda a, b: a.astype(np.int64) ** 2,
        "i32",
        "i64",
    ),
    elementwise(
        "rounding",
        """
        %0 = math.floor %x : f32
        %1 = math.ceil %y : f32
        %2 = math.roundeven %x : f32
        %3 = math.trunc %y : f32
        %4 = arith.addf %0, %1 : f32
        %5 = arith.addf %2, %3 : f32
        %z = arith.subf %4, %5 : f32
        """,
        lambda a, b: np.floor(a) + np.ceil(b) - (np.rint(a) + np.trunc(b)),
    ),
    elementwise(
        "functions with intrinsics",
        """
        %0 = math.exp %x : f32
        %1 = math.tanh %y : f32
        %2 = math.absf %x : f32
        %3 = math.powf %2, %y : f32
        %4 = math.fma %0, %1, %3 : f32
        %5 = math.rsqrt %2 : f32
        %z = math.copysign %5, %4 : f32
        """,
        lambda a, b: np.copysign(1 / np.sqrt(np.abs(a)), np.exp(a) * np.tanh(b) + np.abs(a) ** b),
    ),
    elementwise(
        "functions of the C library",
        """
        %0 = math.erf %x : f32
        %1 = math.cbrt %y : f32
        %2 = math.atan2 %0, %1 : f32
        %z = math.asinh %2 : f32
        """,
        lambda a, b: np.arcsinh(np.arctan2([math.erf(v) for v in a], np.cbrt(b))),
    ),
    elementwise(
        "index operations",
        """
        %0 = arith.index_cast %x : i32 to index
        %1 = arith.index_cast %y : i32 to index
        %2 = index.floordivs %0, %1
        %3 = index.maxs %2, %1
        %4 = index.cmp slt(%2, %3)
        %5 = index.sizeof
        %6 = arith.select %4, %5, %2 : index
        %z = arith.index_cast %6 : index to i64
        """,
        lambda a, b: np.where(a // b < np.maximum(a // b, b), 64, a // b),
        "i32",
        "i64",
    ),
    elementwise(
        "integer bit counts",
        """
        %0 = math.ctlz %y : i32
        %1 = math.cttz %y : i32
        %2 = math.ctpop %y : i32
        %3 = math.absi %x : i32
        %4 = arith.addi %0, %1 : i32
        %5 = arith.addi %2, %3 : i32
        %z = arith.addi %4, %5 : i32
        """,
        lambda a, b: [
            32 - int(v).bit_length() + (int(v) & -int(v)).bit_length() - 1 + int(v).bit_count() + abs(int(u))
            for u, v in zip(a, b, strict=True)
        ],
        "i32",
    ),
]
OURS_ONLY = [
    elementwise(
        "log1p and expm1 of small numbers",
        """
        %k = arith.constant 1.0e-12 : f32
        %0 = arith.mulf %x, %k : f32
        %1 = math.log1p %0 : f32
        %2 = math.expm1 %0 : f32
        %3 = arith.addf %1, %2 : f32
        %z = arith.divf %3, %k : f32
        """,
        lambda a, b: 2 * a,
    ),
    elementwise(
        "functions on f16 and bf16",
        """
        %0 = arith.truncf %x : f32 to f16
        %1 = math.erf %0 : f16
        %2 = arith.mulf %1, %1 : f16
        %3 = arith.extf %2 : f16 to f32
        %4 = arith.truncf %3 : f32 to bf16
        %5 = math.log1p %4 : bf16
        %z = arith.extf %5 : bf16 to f32
        """,
        lambda a, b: _rounded(np.log1p(_rounded(np.float16(_erf_f16(a) ** 2).astype(np.float32)))),
    ),
]


@pytest.mark.parametrize(("text", "arguments", "expected"), [*PROGRAMS, *OURS_ONLY])
def test_result_is_what_numpy_computes(
    text: str,
    arguments: Arrays,
    expected: Callable[..., Arrays],
    execute: Callable[..., Arrays],
    check: Callable[..., None],
) -> None:
    check(execute(text, arguments), expected(*arguments))


@pytest.mark.parametrize(("text", "arguments", "expected"), PROGRAMS)
def test_result_is_what_upstream_computes(
    text: str,
    arguments: Arrays,
    expected: object,
    execute: Callable[..., Arrays],
    execute_upstream: Callable[..., Arrays],
) -> None:
    for ours, upstream in zip(execute(text, arguments), execute_upstream(text, arguments), strict=True):
        np.testing.assert_array_equal(ours, upstream)


@pytest.mark.parametrize(("text", "arguments", "expected"), [*PROGRAMS, *OURS_ONLY])
def test_upstream_accepts_the_lowered_text(
    text: str, arguments: object, expected: object, accepted_by_upstream: Callable[[str], None]
) -> None:
    accepted_by_upstream(text)
