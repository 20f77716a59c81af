"""Lowered vector operations compute what NumPy and upstream's lowering compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

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


def on_vectors(name: str, body: str, expected: Callable[..., Any], out: str = "vector<8xf32>") -> Any:
    """%x and %y of type vector<8xf32>, loaded at 0 and 8; %z is stored."""
    kind = out.split("x")[1].rstrip(">")
    lanes = int(out.split("<")[1].split("x")[0])
    text = f"""
    func.func @f(%a: memref<{N}xf32>, %r: memref<{lanes}x{kind}>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %pad = arith.constant 7.0 : f32
      %s = memref.load %a[%c3] : memref<{N}xf32>
      %x = vector.load %a[%c0] : memref<{N}xf32>, vector<8xf32>
      %y = vector.load %a[%c8] : memref<{N}xf32>, vector<8xf32>
      {body}
      vector.store %z, %r[%c0] : memref<{lanes}x{kind}>, {out}
      return
    }}"""
    result = np.zeros(lanes, {"f32": np.float32, "i32": np.int32}[kind])
    return pytest.param(
        text, [F, result], lambda a, r: [a, np.asarray(expected(a[:8], a[8:]), r.dtype)], id=name
    )


def _transfer(indices: str, attributes: str = "", write: bool = False, mask: str = "") -> str:
    """A copy of a row or column of %a to %r by a transfer on one side and a plain access on the other."""
    read = f"vector.transfer_read %a[{indices}], %pad{mask} {attributes} : memref<4x6xf32>, vector<4xf32>"
    plain = "vector.load %a[%c0, %c0] : memref<4x6xf32>, vector<4xf32>"
    stored = f"vector.transfer_write %v, %r[{indices}]{mask} {attributes} : vector<4xf32>, memref<4x6xf32>"
    store = "vector.store %v, %r[%c0, %c0] : memref<4x6xf32>, vector<4xf32>"
    return f"""
    func.func @f(%a: memref<4x6xf32>, %r: memref<4x6xf32>, %i: index, %j: index) {{
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %pad = arith.constant 7.0 : f32
      %m = vector.create_mask %i : vector<4xi1>
      %v = {plain if write else read}
      {stored if write else store}
      return
    }}"""


COLUMN = "permutation_map = affine_map<(d0, d1) -> (d0)>"
REPEAT = "permutation_map = affine_map<(d0, d1) -> (0)>"


def _read(at: Callable[[np.ndarray, int, int], Any]) -> Callable[..., Arrays]:
    def expected(a: np.ndarray, r: np.ndarray, i: int, j: int) -> Arrays:
        r = r.copy()
        r[0, :4] = at(a, i, j)
        return [a, r]

    return expected


def _written(at: Callable[[np.ndarray, np.ndarray, int, int], None]) -> Callable[..., Arrays]:
    def expected(a: np.ndarray, r: np.ndarray, i: int, j: int) -> Arrays:
        r = r.copy()
        at(r, a[0, :4], i, j)
        return [a, r]

    return expected


def _row(a: np.ndarray, i: int, j: int) -> np.ndarray:
    return np.concatenate([a[i, j:], np.full(4, 7, np.float32)])[:4]


def _column(a: np.ndarray, i: int, j: int) -> np.ndarray:
    return np.concatenate([a[i:, j], np.full(4, 7, np.float32)])[:4]


def _set_row(r: np.ndarray, v: np.ndarray, i: int, j: int) -> None:
    n = min(4, 6 - j)
    r[i, j : j + n] = v[:n]


def _set_column(r: np.ndarray, v: np.ndarray, i: int, j: int) -> None:
    n = min(4, 4 - i)
    r[i : i + n, j] = v[:n]


Z = np.zeros((4, 6), np.float32)
IN_BOUNDS = "in_bounds = [true]"


PROGRAMS = [
    on_vectors(
        "broadcast and fma",
        """
        %b = vector.broadcast %s : f32 to vector<8xf32>
        %z = vector.fma %x, %b, %y : vector<8xf32>
        """,
        lambda x, y: x * x[3] + y,
    ),
    on_vectors(
        "extract and insert",
        """
        %e = vector.extract %x[2] : f32 from vector<8xf32>
        %g = vector.extract %y[%c3] : f32 from vector<8xf32>
        %i = vector.insert %e, %y[%c1] : f32 into vector<8xf32>
        %z = vector.insert %g, %i[7] : f32 into vector<8xf32>
        """,
        lambda x, y: [y[0], x[2], *y[2:7], y[3]],
    ),
    on_vectors(
        "shuffle",
        "%z = vector.shuffle %x, %y [0, 8, 1, 9] : vector<8xf32>, vector<8xf32>",
        lambda x, y: [x[0], y[0], x[1], y[1]],
        "vector<4xf32>",
    ),
    on_vectors(
        "strided slices",
        """
        %e = vector.extract_strided_slice %x {offsets = [2], sizes = [3], strides = [1]}
          : vector<8xf32> to vector<3xf32>
        %z = vector.insert_strided_slice %e, %y {offsets = [4], strides = [1]}
          : vector<3xf32> into vector<8xf32>
        """,
        lambda x, y: [*y[:4], *x[2:5], y[7]],
    ),
    on_vectors(
        "sum in order",
        """
        %r0 = vector.reduction <add>, %x, %s : vector<8xf32> into f32
        %z = vector.broadcast %r0 : f32 to vector<8xf32>
        """,
        lambda x, y: np.full(8, x.sum() + x[3]),
    ),
    on_vectors(
        "maximum",
        """
        %r0 = vector.reduction <maximumf>, %x : vector<8xf32> into f32
        %z = vector.broadcast %r0 : f32 to vector<8xf32>
        """,
        lambda x, y: np.full(8, x.max()),
    ),
    on_vectors(
        "integer reductions",
        """
        %v = arith.fptosi %x : vector<8xf32> to vector<8xi32>
        %p = vector.reduction <add>, %v : vector<8xi32> into i32
        %q = vector.reduction <maxsi>, %v, %p : vector<8xi32> into i32
        %z = vector.broadcast %q : i32 to vector<8xi32>
        """,
        lambda x, y: np.full(8, max(x.astype(int).sum(), x.astype(int).max())),
        "vector<8xi32>",
    ),
    on_vectors(
        "masked accesses",
        """
        %m = vector.create_mask %c3 : vector<8xi1>
        %l = vector.maskedload %a[%c8], %m, %x
          : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        %z = arith.addf %l, %y : vector<8xf32>
        """,
        lambda x, y: np.where(np.arange(8) < 3, y, x) + y,
    ),
    on_vectors(
        "arithmetic with constants",
        """
        %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : vector<8xf32>
        %t = arith.constant dense<2.0> : vector<8xf32>
        %0 = arith.mulf %x, %k : vector<8xf32>
        %1 = arith.cmpf olt, %0, %t : vector<8xf32>
        %z = arith.select %1, %0, %y : vector<8xi1>, vector<8xf32>
        """,
        lambda x, y: np.where(x * np.arange(1, 9) < 2, x * np.arange(1, 9), y),
    ),
    on_vectors(
        "functions on vectors",
        """
        %0 = math.erf %x : vector<8xf32>
        %1 = math.exp %y : vector<8xf32>
        %z = arith.mulf %0, %1 : vector<8xf32>
        """,
        lambda x, y: np.float32([math.erf(v) for v in x]) * np.exp(y),
    ),
    on_vectors(
        "gather and scatter",
        """
        %o = arith.constant dense<[7, 6, 5, 4, 3, 2, 1, 0]> : vector<8xi32>
        %m = vector.create_mask %c3 : vector<8xi1>
        %z = vector.gather %a[%c8] [%o], %m, %x
          : memref<16xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        """,
        lambda x, y: np.where(np.arange(8) < 3, y[::-1], x),
    ),
    on_vectors(
        "bitcast of vectors",
        """
        %b = vector.bitcast %x : vector<8xf32> to vector<8xi32>
        %z = vector.bitcast %b : vector<8xi32> to vector<8xf32>
        """,
        lambda x, y: x,
    ),
    pytest.param(
        _transfer("%i, %c2", f"{{{IN_BOUNDS}}}"),
        [A, Z, 1, 0],
        _read(lambda a, i, j: a[i, 2:6]),
        id="transfer of a row in bounds",
    ),
    pytest.param(_transfer("%i, %j"), [A, Z, 1, 4], _read(_row), id="transfer of a row beyond the end"),
    pytest.param(
        _transfer("%i, %c0", f"{{{IN_BOUNDS}}}", mask=", %m"),
        [A, Z, 2, 0],
        _read(lambda a, i, j: [*a[2, :2], 7, 7]),
        id="masked transfer",
    ),
    pytest.param(
        _transfer("%i, %j", f"{{{IN_BOUNDS}, {REPEAT}}}"),
        [A, Z, 2, 3],
        _read(lambda a, i, j: a[2, 3]),
        id="transfer that repeats an element",
    ),
    pytest.param(
        _transfer("%i, %j", write=True), [A, Z, 1, 4], _written(_set_row), id="write of a row beyond the end"
    ),
]
OURS_ONLY = [
    pytest.param(
        _transfer("%c0, %j", f"{{{IN_BOUNDS}, {COLUMN}}}"),
        [A, Z, 0, 3],
        _read(lambda a, i, j: a[:, 3]),
        id="transfer of a column",
    ),
    pytest.param(
        _transfer("%i, %j", f"{{{COLUMN}}}"),
        [A, Z, 2, 3],
        _read(_column),
        id="transfer of a column beyond the end",
    ),
    pytest.param(
        _transfer("%i, %j", f"{{{COLUMN}}}", write=True),
        [A, Z, 2, 3],
        _written(_set_column),
        id="write of a column beyond the end",
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
