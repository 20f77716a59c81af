"""Kernels as linalg text with their values from NumPy: what the vectoriser is tested with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_TYPES = {"f4": "f32", "f8": "f64", "i1": "i8", "i4": "i32", "i8": "i64"}

SUM_OF_PRODUCTS = """^bb0(%a: f32, %b: f32, %o: f32):
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %o, %p : f32
  linalg.yield %s : f32"""
SUM = """^bb0(%a: f32, %o: f32):
  %s = arith.addf %o, %a : f32
  linalg.yield %s : f32"""
MAXIMUM = SUM.replace("arith.addf", "arith.maximumf")


def type_of(array: np.ndarray) -> str:
    """The tensor type of an array."""
    return f"tensor<{''.join(f'{d}x' for d in array.shape)}{_TYPES[array.dtype.str[1:]]}>"


@dataclass(frozen=True)
class Kernel:
    """One generic operation from inputs to an output."""

    name: str
    inputs: tuple[np.ndarray, ...]
    maps: tuple[str, ...]
    """Results of the indexing maps, inputs then output, over d0, d1, …"""
    iterators: str
    """``p`` or ``r`` for each loop."""
    body: str
    expected: np.ndarray
    initial: str | None = None
    """The value the output is filled with; None where the body does not read it."""

    def text(self) -> str:
        """A module whose ``main`` is the kernel."""
        result = type_of(self.expected)
        element = _TYPES[self.expected.dtype.str[1:]]
        dims = ", ".join(f"d{i}" for i in range(len(self.iterators)))
        maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in self.maps)
        kinds = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in self.iterators)
        names = ", ".join(f"%i{i}" for i in range(len(self.inputs)))
        types = ", ".join(type_of(a) for a in self.inputs)
        arguments = ", ".join(f"%i{i}: {type_of(a)}" for i, a in enumerate(self.inputs))
        filled = "%e"
        fill = ""
        if self.initial is not None:
            filled = "%f"
            fill = f"%v = arith.constant {self.initial} : {element}\n"
            fill += f"%f = linalg.fill ins(%v : {element}) outs(%e : {result}) -> {result}"
        return f"""func.func @main({arguments}) -> {result} {{
  %e = tensor.empty() : {result}
  {fill}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
    ins({names} : {types}) outs({filled} : {result}) {{
  {self.body}
  }} -> {result}
  return %r : {result}
}}"""


def numbers(*shape: int, dtype: str = "f4", seed: int = 0) -> np.ndarray:
    """Random numbers: a normal distribution, or integers of one byte."""
    random = np.random.default_rng(seed + sum(shape))
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(-100, 100, shape).astype(dtype)


def matmul(m: int, k: int, n: int, left: str = "d0, d2", right: str = "d2, d1") -> Kernel:
    """A product of matrices; ``left`` and ``right`` say in what order the factors are stored."""
    a = numbers(m, k)
    b = numbers(k, n, seed=1)
    stored = (a if left == "d0, d2" else a.T.copy(), b if right == "d2, d1" else b.T.copy())
    expected = (a.astype("f8") @ b).astype("f4")
    name = f"matmul {m}x{k}x{n} ({left}) ({right})"
    return Kernel(name, stored, (left, right, "d0, d1"), "ppr", SUM_OF_PRODUCTS, expected, "0.0")


def _windows(x: np.ndarray, size: tuple[int, int], out: tuple[int, int], stride: int, dilation: int):
    """For each position in a window over NHWC images what it sees."""
    rows, columns = ((n - 1) * stride + 1 for n in out)
    for i in range(size[0]):
        for j in range(size[1]):
            top, left = i * dilation, j * dilation
            yield (i, j), x[:, top : top + rows : stride, left : left + columns : stride]


def conv(out: tuple[int, int], c: int, f: int, size: int, stride: int = 1, dilation: int = 1) -> Kernel:
    """A convolution of NHWC images with an HWCF filter."""
    extent = [(n - 1) * stride + (size - 1) * dilation + 1 for n in out]
    x, w = numbers(2, *extent, c), numbers(size, size, c, f, seed=1)
    expected = np.zeros((2, *out, f))
    for at, seen in _windows(x, (size, size), out, stride, dilation):
        expected += seen.astype("f8") @ w[at]
    image = f"d0, d1 * {stride} + d4 * {dilation}, d2 * {stride} + d5 * {dilation}, d6"
    maps = (image, "d4, d5, d6, d3", "d0, d1, d2, d3")
    name = f"conv {out} {c}->{f} {size}x{size}/{stride} dilation {dilation}"
    return Kernel(name, (x, w), maps, "pppprrr", SUM_OF_PRODUCTS, expected.astype("f4"), "0.0")


def conv_nchw(out: tuple[int, int], c: int, f: int, size: int, stride: int = 1) -> Kernel:
    """A convolution of NCHW images with an FCHW filter."""
    base = conv(out, c, f, size, stride)
    x, w = (np.ascontiguousarray(a) for a in (base.inputs[0].transpose(0, 3, 1, 2), base.inputs[1].T))
    w = np.ascontiguousarray(w.transpose(0, 1, 3, 2))
    maps = (f"d0, d4, d2 * {stride} + d5, d3 * {stride} + d6", "d1, d4, d5, d6", "d0, d1, d2, d3")
    expected = np.ascontiguousarray(base.expected.transpose(0, 3, 1, 2))
    return Kernel(f"nchw {base.name}", (x, w), maps, "pppprrr", SUM_OF_PRODUCTS, expected, "0.0")


def depthwise(out: tuple[int, int], c: int, size: int, stride: int = 1) -> Kernel:
    """Each channel of NHWC images with a filter of its own."""
    extent = [(n - 1) * stride + size for n in out]
    x, w = numbers(1, *extent, c), numbers(size, size, c, seed=1)
    expected = np.zeros((1, *out, c))
    for at, seen in _windows(x, (size, size), out, stride, 1):
        expected += seen.astype("f8") * w[at]
    maps = (f"d0, d1 * {stride} + d4, d2 * {stride} + d5, d3", "d4, d5, d3", "d0, d1, d2, d3")
    name = f"depthwise {out} {c} {size}x{size}/{stride}"
    return Kernel(name, (x, w), maps, "pppprr", SUM_OF_PRODUCTS, expected.astype("f4"), "0.0")


def max_pool(out: tuple[int, int], c: int, size: int, stride: int) -> Kernel:
    """The maximum of windows of NHWC images, one of which holds a NaN."""
    extent = [(n - 1) * stride + size for n in out]
    x, window = numbers(1, *extent, c), numbers(size, size)
    x[0, 1, 1, 0] = np.nan
    expected = np.full((1, *out, c), -np.inf, "f4")
    for _, seen in _windows(x, (size, size), out, stride, 1):
        expected = np.maximum(expected, seen)
    maps = (f"d0, d1 * {stride} + d4, d2 * {stride} + d5, d3", "d4, d5", "d0, d1, d2, d3")
    body = MAXIMUM.replace("(%a: f32,", "(%a: f32, %w: f32,")
    return Kernel(f"max_pool {out} {c}", (x, window), maps, "pppprr", body, expected, "0xFF800000")


def reduction(shape: Sequence[int], axes: Sequence[int], body: str = SUM) -> Kernel:
    """The sum or the maximum over some axes; the maximum of a row with a NaN is NaN."""
    x = numbers(*shape)
    is_sum = body == SUM
    if not is_sum:
        x.flat[1] = np.nan
    compute: Callable[..., np.ndarray] = np.sum if is_sum else np.max
    expected = np.asarray(compute(x.astype("f8"), axis=tuple(axes)), "f4")
    kept = ", ".join(f"d{i}" for i in range(len(shape)) if i not in axes)
    maps = (", ".join(f"d{i}" for i in range(len(shape))), kept)
    kinds = "".join("r" if i in axes else "p" for i in range(len(shape)))
    name = f"{'sum' if is_sum else 'max'} of {tuple(shape)} over {tuple(axes)}"
    return Kernel(name, (x,), maps, kinds, body, expected, "0.0" if is_sum else "0xFF800000")
