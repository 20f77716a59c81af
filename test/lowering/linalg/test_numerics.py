"""What the lowering of each nn op computes: linalg, run through upstream's tools, against the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from lamina.dialects.core.dtypes import element_type
from lamina.dialects.core.text import to_text
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn.base import DYNAMIC, make
from lamina.dialects.nn.evaluate import evaluate
from lamina.lowering.linalg.convert_nn_to_linalg import convert_nn_to_linalg

F32, F64, I32, I8, U8, I64, BOOL = (np.dtype(t) for t in ("f4", "f8", "i4", "i1", "u1", "i8", "?"))
F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
FLOATS = [F32, F64, F16, BF16]
INTEGERS = [np.dtype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]


@dataclass
class Case:
    """An op on arrays; ``dynamic`` forgets all extents of its operands."""

    name: str
    arrays: Sequence[np.ndarray]
    attributes: dict[str, Any] = field(default_factory=dict)
    result: np.dtype | None = None
    dynamic: bool = False

    def __str__(self) -> str:
        shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays)
        return f"{self.name}({shapes}) {self.attributes}{' dynamic' if self.dynamic else ''}"


def random(dtype: np.dtype, *shape: int, seed: int = 0, special: bool = True) -> np.ndarray:
    """Values that cover signs, and for floats zeros, infinities and NaN."""
    rng = np.random.default_rng(seed + len(shape))
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(max(info.min, -9), 10, shape).astype(dtype)
        if special and values.size > 4:
            values.flat[:3] = (info.min, info.max, 0)
        return values
    values = (rng.standard_normal(shape) * 3).astype(np.float64)
    if special and values.size > 8:
        values.flat[:7] = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0)
    return values.astype(dtype)


def check(native: Callable[[str], Any], cases: Sequence[Case]) -> None:
    """Lower all cases in one module, run them, and compare with the references."""
    module = ModuleOp([])
    ops = []
    for i, case in enumerate(cases):
        shapes = [[DYNAMIC] * a.ndim if case.dynamic else a.shape for a in case.arrays]
        block = Block(
            arg_types=[TensorType(element_type(a.dtype), s) for a, s in zip(case.arrays, shapes, strict=True)]
        )
        types = None
        if case.result is not None:
            types = [TensorType(element_type(case.result), shapes[0])]
        op = make(case.name, block.args, types, **case.attributes)
        block.add_ops([op, ReturnOp(*op.results)])
        kind = FunctionType.from_lists([a.type for a in block.args], [r.type for r in op.results])
        module.body.block.add_op(FuncOp(f"case{i}", kind, Region(block)))
        with np.errstate(all="ignore"):
            ops.append((evaluate(op, case.arrays), len(op.results)))
    convert_nn_to_linalg(module)
    verify(module)
    compiled = native(to_text(module))
    wrong = []
    for i, (case, (expected, _)) in enumerate(zip(cases, ops, strict=True)):
        found = compiled.call(f"case{i}", case.arrays, [(e.ndim, e.dtype) for e in expected])
        wrong += [
            f"{case}:\n{f}\nexpected\n{e}" for f, e in zip(found, expected, strict=True) if not close(f, e)
        ]
    assert not wrong, f"{len(wrong)} of {len(cases)}\n" + "\n".join(wrong[:4])


TOLERANCE = {F32: 2e-6, F64: 1e-13, F16: 2e-3, BF16: 1.6e-2}


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    """Integers equal; floats near, relative to the largest one; infinities and NaN in the same places."""
    if found.shape != expected.shape:
        return False
    if expected.dtype not in TOLERANCE:
        return bool((found == expected).all())
    found, wanted, tolerance = (
        found.astype(np.float64),
        expected.astype(np.float64),
        TOLERANCE[expected.dtype],
    )
    scale = max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0))
    return np.allclose(found, wanted, tolerance, tolerance * min(scale, 1e4), equal_nan=True)


BINARY = ["add", "sub", "mul", "div", "mod", "rem", "maximum", "minimum"]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_arithmetic_and_comparisons_on_two_tensors(native: Callable[[str], Any], dtype: np.dtype) -> None:
    a, b = random(dtype, 4, 5), random(dtype, 4, 5, seed=7)
    b.flat[5:8] = 0
    pairs = [(a, b), (a, b[:, :1]), (a[0], b), (a[:, None], b[None]), (a[0, 0], b)]
    cases = [Case(f"nn.{name}", pair) for name in BINARY + COMPARISONS for pair in pairs]
    cases += [Case(f"nn.{name}", (a, b), dynamic=True) for name in BINARY]
    check(native, cases)


@pytest.mark.parametrize("dtype", [F32, I8, U8, I32, I64], ids=str)
def test_powers(native: Callable[[str], Any], dtype: np.dtype) -> None:
    a = np.array([-3, -2, -1, 0, 1, 2, 3, 7]).astype(dtype)
    b = np.array([-2, -1, 0, 1, 2, 3, 5, 70]).astype(dtype)
    check(native, [Case("nn.pow", (a[:, None], b))])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_bits_and_shifts(native: Callable[[str], Any], dtype: np.dtype) -> None:
    a = random(dtype, 12)
    amount = np.array([0, 1, 3, 7, 8, 9, 31, 32, 63, 64, 100, 5]).astype(dtype)
    names = ["bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"]
    check(native, [*(Case(f"nn.{n}", (a, amount)) for n in names), Case("nn.bitwise_not", (a,))])


def test_logic_and_choice(native: Callable[[str], Any]) -> None:
    a, b = random(BOOL, 3, 4), random(BOOL, 3, 4, seed=3)
    cases = [Case(f"nn.logical_{n}", (a, b)) for n in ("and", "or", "xor")]
    cases += [Case("nn.logical_not", (a,)), Case("nn.equal", (a, b)), Case("nn.not_equal", (a, b[:1]))]
    for dtype in [*FLOATS, *INTEGERS, BOOL]:
        cases.append(Case("nn.select", (a, random(dtype, 3, 4), random(dtype, 4, seed=1))))
    check(native, cases)


NUMBER_FUNCTIONS = ["neg", "abs", "sign", "relu"]
FUNCTIONS = [
    "exp",
    "expm1",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "floor",
    "ceil",
    "round",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "tanh",
    "erf",
    "isnan",
    "isinf",
    "sigmoid",
    "softplus",
    "softsign",
    "silu",
    "hard_swish",
    "gelu",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "hard_sigmoid",
    "thresholded_relu",
]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions_of_floats(native: Callable[[str], Any], dtype: np.dtype) -> None:
    x = random(dtype, 5, 8)
    unit = np.linspace(-1, 1, 9).astype(dtype)
    cases = [Case(f"nn.{name}", (x,)) for name in NUMBER_FUNCTIONS + FUNCTIONS]
    cases += [Case(f"nn.{name}", (unit,)) for name in ("asin", "acos", "atanh", "round", "gelu")]
    halves = np.array([0.5, 1.5, -0.5, 2.5, -2.5]).astype(dtype)
    cases += [
        Case("nn.round", (halves,)),
        Case("nn.gelu", (x,), {"approximate": "tanh"}),
        Case("nn.leaky_relu", (x,), {"alpha": 0.3}),
        Case("nn.celu", (x,), {"alpha": 2.0}),
        Case("nn.clip", (x,), {"min": -0.5, "max": 1.25}),
        Case("nn.clip", (x,), {"min": 2.0, "max": 1.0}),
        Case("nn.prelu", (x, unit[:8])),
        Case("nn.tanh", (x,), dynamic=True),
    ]
    check(native, cases)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_functions_of_integers(native: Callable[[str], Any], dtype: np.dtype) -> None:
    x = random(dtype, 3, 4)
    cases = [Case(f"nn.{name}", (x,)) for name in NUMBER_FUNCTIONS]
    cases += [Case("nn.clip", (x,), {"min": 1, "max": 5}), Case("nn.prelu", (x, x[:1]))]
    check(native, cases)


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, BOOL], ids=str)
def test_casts(native: Callable[[str], Any], source: np.dtype) -> None:
    x = random(source, 3, 5)
    if source in TOLERANCE:
        edge = np.array(
            [
                127.9,
                128.0,
                -128.9,
                -129.0,
                255.7,
                256,
                2.0**31,
                -(2.0**31),
                2.0**63,
                2.0**64,
                1e30,
                -1e30,
                65520.0,
            ]
        )
        with np.errstate(over="ignore"):
            x = np.array([*x.ravel().astype(np.float64), *edge]).astype(source)
    check(native, [Case("nn.cast", (x,), result=target) for target in [*FLOATS, *INTEGERS, BOOL]])


@pytest.mark.parametrize("dtype", [F32, F16, I8, U8, I64], ids=str)
def test_matrix_products(native: Callable[[str], Any], dtype: np.dtype) -> None:
    shapes = [
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (3, 4, 2)),
        ((3, 4), (2, 4, 5)),
        ((2, 2, 3, 4), (1, 1, 4, 2)),
        ((3, 0), (0, 2)),
        ((1, 4), (4, 1)),
    ]
    pairs = [(random(dtype, *a, special=False), random(dtype, *b, seed=1, special=False)) for a, b in shapes]
    check(
        native,
        [
            Case("nn.matmul", p, dynamic=d)
            for p in pairs
            for d in (False, True)
            if not d or (p[0].size and p[0].ndim == p[1].ndim < 4)
        ],
    )


CONVOLUTIONS: list[dict[str, Any]] = [
    {},
    {"strides": [2, 1], "pads": [1, 0, 2, 1]},
    {"dilations": [2, 2], "pads": [1, 1, 1, 1]},
    {"groups": 2, "pads": [1, 1, 1, 1]},
    {"groups": 4, "strides": [2, 2]},
]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=str)
def test_convolutions(native: Callable[[str], Any], dtype: np.dtype, layout: str) -> None:
    cases = []
    for attributes in CONVOLUTIONS:
        groups = attributes.get("groups", 1)
        x, w, bias = (
            random(dtype, 2, 4, 7, 8, special=False),
            random(dtype, 8, 4 // groups, 3, 2, special=False),
            random(dtype, 8, special=False),
        )
        if groups == 4:
            w, bias = w[:4], bias[:4]
        if layout == "NHWC":
            x, w = (
                np.ascontiguousarray(x.transpose(0, 2, 3, 1)),
                np.ascontiguousarray(w.transpose(2, 3, 1, 0)),
            )
        for arrays in ((x, w), (x, w, bias)):
            cases.append(Case("nn.conv2d", arrays, {**attributes, "layout": layout}))
    check(native, cases)


POOLS: list[dict[str, Any]] = [
    {"kernel": [2, 2], "strides": [2, 2]},
    {"kernel": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]},
    {"kernel": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": True},
    {"kernel": [2, 2], "dilations": [2, 3], "pads": [1, 1, 0, 2]},
]


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_pooling(native: Callable[[str], Any], layout: str) -> None:
    cases = []
    for dtype in (F32, F16, I8, U8, BOOL):
        x = random(dtype, 2, 3, 8, 7, special=dtype != F16)
        if layout == "NHWC":
            x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        cases += [Case("nn.max_pool2d", (x,), {**pool, "layout": layout}) for pool in POOLS]
        if dtype.kind == "f":
            finite = random(dtype, *x.shape, special=False)
            for pool in POOLS:
                for include in (False, True):
                    given = {**pool, "layout": layout, "count_include_pad": include}
                    cases += [Case("nn.avg_pool2d", (finite,), given, dynamic=d) for d in (False, True)]
    check(native, cases)


@pytest.mark.parametrize("dtype", [*FLOATS, I8, U8, I64], ids=str)
def test_reductions(native: Callable[[str], Any], dtype: np.dtype) -> None:
    x = random(dtype, 2, 3, 4, special=False)
    names = ["sum", "mean", "prod", "max", "min"]
    cases = []
    for axes, keepdims in (
        ([2], True),
        ([0], False),
        ([0, -1], True),
        ([1, 2], False),
        ([0, 1, 2], False),
        ([], False),
    ):
        for name in names:
            given = {"axes": axes, "keepdims": keepdims}
            cases.append(Case(f"nn.reduce_{name}", (x,), given, dynamic=axes == [2]))
            cases.append(Case(f"nn.reduce_{name}", (x,), given))
    special = random(dtype, 3, 5)
    cases += [Case(f"nn.reduce_{n}", (special,), {"axes": [1]}) for n in ("max", "min")]
    cases += [Case(f"nn.reduce_{n}", (x[:, :0],), {"axes": [1]}) for n in names]
    for name in ("argmax", "argmin"):
        for last in (False, True):
            for values in (special, x, np.zeros((2, 3), dtype)):
                given = {"axis": -1, "select_last_index": last, "keepdims": last}
                cases.append(Case(f"nn.{name}", (values,), given))
    check(native, cases)


def test_reductions_of_truth_values(native: Callable[[str], Any]) -> None:
    x = random(BOOL, 3, 4)
    cases = [Case(f"nn.reduce_{n}", (x,), {"axes": [1]}) for n in ("and", "or", "max", "min")]
    check(native, [*cases, Case("nn.argmax", (x,), {"axis": 0})])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normalisations(native: Callable[[str], Any], dtype: np.dtype) -> None:
    x = random(dtype, 2, 3, 4, special=False)
    channel = [random(dtype, 3, seed=i, special=False) for i in range(3)]
    channel.append(np.abs(random(dtype, 3, seed=9, special=False)) + dtype.type(1))
    scale, bias = random(dtype, 4, special=False), random(dtype, 4, seed=4, special=False)
    cases = [Case(f"nn.{n}", (x,), {"axis": a}) for n in ("softmax", "log_softmax") for a in (0, 1, -1)]
    cases += [Case("nn.softmax", (x,), {"axis": -1}, dynamic=True)]
    cases += [
        Case("nn.batch_norm", (x, *channel), {"epsilon": 1e-3}),
        Case("nn.layer_norm", (x, scale), {}),
        Case("nn.layer_norm", (x, scale, bias), {"epsilon": 1e-2}),
        Case("nn.layer_norm", (x, x[0], x[1]), {"axis": 1}),
        Case("nn.layer_norm", (x, scale, bias), {}, dynamic=True),
    ]
    check(native, cases)


@pytest.mark.parametrize("dtype", [F32, BF16, U8, BOOL], ids=str)
def test_data_movement(native: Callable[[str], Any], dtype: np.dtype) -> None:
    x = random(dtype, 2, 3, 4)
    big = 1 << 62
    slices = [
        {"starts": [0, 1, 0], "ends": [2, 3, big], "steps": [1, 1, 2]},
        {"starts": [-1, -1, 3], "ends": [-big, -big, 0], "steps": [-1, -2, -2]},
        {"starts": [0, 2, 0], "ends": [2, 1, 9], "steps": [1, 1, 1]},
    ]
    moves: list[tuple[str, dict[str, Any]]] = [
        ("reshape", {"shape": [4, -1]}),
        ("reshape", {"shape": [6, 4]}),
        ("reshape", {"shape": [3, 8]}),
        ("transpose", {"permutation": [2, 0, 1]}),
        *(("slice", s) for s in slices),
        ("pad", {"low": [1, 0, 2], "high": [0, 1, 1], "value": 1.0}),
        ("pad", {"low": [1, 0, 2], "high": [0, 1, 1], "mode": "edge"}),
        ("pad", {"low": [1, 2, 3], "high": [0, 1, 1], "mode": "reflect"}),
        ("split", {"axis": 2, "sizes": [1, 3]}),
        ("broadcast_to", {"shape": [5, -1, 3, 4]}),
        ("unsqueeze", {"axes": [0, -1]}),
        ("tile", {"repeats": [2, 1, 3]}),
    ]
    cases = [Case(f"nn.{n}", (x,), given, dynamic=d) for n, given in moves for d in (False, True)]
    cases += [
        Case("nn.transpose", (x[:1],), {"permutation": [1, 0, 2]}),
        Case("nn.squeeze", (x[:, :1],), {"axes": [1]}),
        Case("nn.reshape", (x[0, 0, :1],), {"shape": []}),
        Case("nn.concat", (x, x[:, :1], x[:, :0]), {"axis": 1}),
        Case("nn.concat", (x, x), {"axis": -1}, dynamic=True),
        Case("nn.shape_of", (x,), dynamic=True),
        Case("nn.shape_of", (x,)),
        Case("nn.dynamic_reshape", (x, np.array([0, -1], np.int64))),
        Case("nn.dynamic_reshape", (x, np.array([0, 4, 3], np.int64))),
        Case("nn.dynamic_broadcast_to", (x[:, :1], np.array([5, 1, 3, 1], np.int64))),
    ]
    check(native, cases)


def test_bounds_as_values(native: Callable[[str], Any]) -> None:
    x = random(F32, 4, 5)
    bounds = [(1, 4, 1), (-3, 2**63 - 1, 2), (4, -100, -2), (3, 1, 1)]
    cases = [
        Case("nn.dynamic_slice", (x, np.array([s]), np.array([e])), {"axes": [1], "steps": [by]})
        for s, e, by in bounds
    ]
    ranges = [(0, 7, 2, I64), (5, -3, -3, I8), (1, 9, 3, U8), (0.5, 2.0, 0.25, F32), (1.0, 0.0, 1.0, F64)]
    cases += [Case("nn.arange", tuple(np.array(v, kind) for v in values)) for *values, kind in ranges]
    check(native, cases)


@pytest.mark.parametrize("kind", [I32, I64, U8, np.dtype("u8")], ids=str)
def test_gathers_clamp_and_wrap(native: Callable[[str], Any], kind: np.dtype) -> None:
    indices = np.array([[0, 1, 2], [100, -1 % 256 if kind.kind == "u" else -1, 3]]).astype(kind)
    cases = []
    for dtype in (F32, BOOL):
        data = random(dtype, 3, 4, 2)
        cases += [
            Case("nn.gather", (data, indices), {"axis": a}, dynamic=d)
            for a in (0, 1, -1)
            for d in (False, True)
        ]
    check(native, [*cases, Case("nn.gather", (random(F32, 5), np.array(-7, np.int64)), {"axis": 0})])


def test_every_op_has_a_lowering() -> None:
    from lamina.dialects.nn import Nn
    from lamina.dialects.nn.base import expansion
    from lamina.lowering.linalg.rules import linalg_rule

    without = [op.name for op in Nn.operations if op.name not in linalg_rule and op.name not in expansion]
    assert without == ["nn.sum_to"]  # which canonicalisation replaces as soon as the shapes are known
