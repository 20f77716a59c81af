"""One table of ops with operands that are easy to differentiate numerically: smooth, away from kinks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """An op, the arrays it is applied to, and its attributes; ``cast`` names a result type it needs."""

    op: str
    operands: tuple[np.ndarray, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        shapes = "-".join("x".join(map(str, a.shape)) for a in self.operands)
        return f"{self.op}-{shapes}{'-' if self.note else ''}{self.note}"


def floats(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Numbers of a range, no two of which are near each other, none near a whole multiple of a half."""
    count = int(np.prod(shape))
    generator = np.random.default_rng(seed + count)
    places = (np.arange(count) + 0.5 + 0.2 * generator.uniform(-1, 1, count)) / max(count, 1)
    values = low + (high - low) * places
    near = np.abs(values * 2 - np.round(values * 2)) < 0.02
    return generator.permutation(np.where(near, values + 0.013, values)).reshape(shape)


def case(op: str, *operands: np.ndarray | Sequence[int], note: str = "", **attributes: Any) -> Case:
    """A case whose operands are given as arrays, or as shapes to fill."""
    arrays = tuple(o if isinstance(o, np.ndarray) else floats(*o, seed=i) for i, o in enumerate(operands))
    return Case(f"nn.{op}", arrays, attributes, note)


def _broadcasts(op: str, **domain: float) -> list[Case]:
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (4,)), ((2, 3), ())]
    return [case(op, floats(*a, **domain), floats(*b, seed=1, **domain)) for a, b in shapes]


_UNARY: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        ("neg", "abs", "exp", "expm1", "sin", "cos", "atan", "sinh", "cosh", "tanh"), (-2.0, 2.0)
    ),
    **dict.fromkeys(("asinh", "erf", "relu", "sigmoid", "softplus", "softsign", "silu"), (-2.0, 2.0)),
    **dict.fromkeys(("log", "sqrt", "rsqrt", "reciprocal"), (0.3, 3.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.8, 0.8)),
    "log1p": (-0.6, 2.0),
    "tan": (-1.2, 1.2),
    "acosh": (1.3, 4.0),
    "hard_swish": (-4.0, 4.0),
}
_ACTIVATIONS: list[tuple[str, dict[str, Any]]] = [
    ("gelu", {}),
    ("gelu", {"approximate": "tanh"}),
    ("leaky_relu", {"alpha": 0.1}),
    ("elu", {"alpha": 0.7}),
    ("selu", {}),
    ("celu", {"alpha": 1.3}),
    ("hard_sigmoid", {"alpha": 0.4, "beta": 0.5}),
    ("thresholded_relu", {"alpha": 0.25}),
    ("clip", {"min": -0.75, "max": 1.0}),
    ("clip", {"max": 0.5}),
    ("clip", {}),
]


def elementwise_cases() -> list[Case]:
    """Arithmetic, functions, activations, choices."""
    cases = [c for op in ("add", "sub", "mul", "maximum", "minimum") for c in _broadcasts(op)]
    cases += _broadcasts("div", low=0.4, high=3.0) + _broadcasts("pow", low=0.4, high=2.5)
    for op in ("mod", "rem"):
        cases += [case(op, floats(5, low=1.1, high=8.3), floats(5, low=2.6, high=3.4))]
        cases += [case(op, floats(2, 3, low=-8.3, high=-1.1), floats(3, low=2.6, high=3.4))]
    cases += [case(op, floats(2, 5, low=low, high=high)) for op, (low, high) in _UNARY.items()]
    cases += [case(op, floats(3, 4), note=str(a), **a) for op, a in _ACTIVATIONS]
    cases += [case("prelu", (2, 3), (3,)), case("prelu", (2, 3), (1,)), case("prelu", (2, 3), (2, 3))]
    choice = np.array([[True, False, True], [False, False, True]])
    cases += [case("select", choice, (2, 3), (3,)), case("select", choice[:1], (1,), (2, 3))]
    return [*cases, case("cast", (2, 3), note="to f32")]


def movement_cases() -> list[Case]:
    """Ops that move elements."""
    ends = 2**63 - 1
    return [
        case("reshape", (2, 6), shape=[3, -1]),
        case("squeeze", (2, 1, 3), axes=[1]),
        case("unsqueeze", (2, 3), axes=[0, -1]),
        case("transpose", (2, 3, 4), permutation=[2, 0, 1]),
        case("concat", (2, 3), (2, 1), (2, 2), axis=-1),
        case("split", (5, 2), axis=0, sizes=[1, 4]),
        case("slice", (5, 4), starts=[1, 0], ends=[4, ends], steps=[1, 1]),
        case("slice", (7, 4), starts=[1, 0], ends=[ends, 3], steps=[2, 1], note="steps"),
        case("slice", (7, 4), starts=[-1, 3], ends=[-ends, 0], steps=[-2, -1], note="backwards"),
        case("slice", (4,), starts=[3], ends=[1], steps=[1], note="nothing"),
        case("pad", (2, 3), low=[0, 1], high=[2, 0], mode="constant", value=1.5),
        case("pad", (2, 3), low=[1, 2], high=[2, 1], mode="edge"),
        case("pad", (3, 4), low=[2, 1], high=[1, 3], mode="reflect"),
        case("broadcast_to", (3, 1), shape=[2, 3, 4]),
        case("tile", (2, 3), repeats=[2, 3]),
        case("dynamic_reshape", (2, 6), np.array([3, 4])),
        case("dynamic_broadcast_to", (3, 1), np.array([2, 1, 4])),
    ]


def reduction_cases() -> list[Case]:
    """Reductions and what is made of them."""
    cases: list[Case] = []
    for op in ("sum", "mean", "max", "min", "prod"):
        cases += [
            case(f"reduce_{op}", (2, 3, 4), axes=[1], keepdims=True),
            case(f"reduce_{op}", (2, 3, 4), axes=[0, -1]),
            case(f"reduce_{op}", (5,), axes=[0]),
            case(f"reduce_{op}", (2, 2), axes=[], note="none"),
        ]
    zeros = np.array([[1.5, 0.0, -0.7], [0.0, 0.0, 1.1]])
    cases += [case("reduce_prod", zeros, axes=[1], note="zeros")]
    for op in ("softmax", "log_softmax"):
        cases += [case(op, (2, 4), axis=-1), case(op, (3, 2, 2), axis=0)]
    return cases


def product_cases() -> list[Case]:
    """Matrix products."""
    shapes = [((2, 3), (3, 4)), ((2, 2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((2, 3), (4, 3, 2))]
    shapes += [((2, 1, 2, 3), (3, 3, 2)), ((1, 3), (3, 1))]
    return [case("matmul", a, b) for a, b in shapes]


def normalization_cases() -> list[Case]:
    """Normalisations, by all of their operands."""
    variance = floats(3, low=0.4, high=2.0)
    return [
        case("batch_norm", (2, 3, 2, 2), (3,), (3,), (3,), variance, epsilon=0.01),
        case("batch_norm", (2, 2, 3), (3,), (3,), (3,), variance, axis=-1),
        case("layer_norm", (2, 4), (4,), (4,)),
        case("layer_norm", (2, 2, 3), (2, 3), axis=1, epsilon=0.1),
    ]


def derivative_only_cases() -> list[Case]:
    """Ops that exist for derivatives, and reading at indices."""
    indices = np.array([[2, -1, 0], [2, 7, -9]])
    scalars = [np.array(v) for v in (0.5, 2.7, 0.4)]
    return [
        case("gather", (4, 3), indices, axis=0),
        case("gather", (2, 4, 2), indices[0], axis=1),
        case("gather", (2, 3), np.array(1), axis=-1),
        case("arange", *scalars),
        case("dynamic_slice", (2, 6), np.array([1]), np.array([6]), axes=[-1], steps=[2]),
        case("dropout", (3, 4), np.array([3, 5], np.uint32), rate=0.25),
        case("sum_to", (2, 3, 4), (3, 1)),
        case("sum_to", (2, 3), (2, 3)),
    ]


def place_cases() -> list[Case]:
    """Reading and writing at places, sorting, and cumulative operations."""
    one, two = np.array([[2], [0], [7], [2]]), np.array([[0, 1], [3, -1], [1, 0]])
    batch = np.array([[[1], [1]], [[0], [5]]])
    zeros = np.array([[1.5, 0.0, -0.7], [0.3, 0.0, 0.0]])
    cases = [
        case("gather_nd", (4, 3), one, axes=[0], sizes=[1, 3]),
        case("gather_nd", (4, 3), two, axes=[1, 0], sizes=[2, 1]),
        case("gather_nd", (2, 4, 3), batch, axes=[1], sizes=[2, 1], batch_dims=1),
        case("sort", (3, 4), axis=1),
        case("sort", (4, 2), axis=0, descending=True),
        case("cumsum", (2, 3), axis=1),
        case("cumsum", (4, 2), axis=0, reverse=True),
        case("cumprod", zeros, axis=1, note="zeros"),
        case("cumprod", (4, 2), axis=0, reverse=True),
    ]
    for reverse in (False, True):
        cases += [
            case("cummax", (2, 5), axis=1, reverse=reverse),
            case("cummin", (5,), axis=0, reverse=reverse),
        ]
    for mode in ("set", "add", "mul", "max", "min"):
        cases += [
            case("scatter_nd", (4, 3), one, (4, 1, 3), axes=[0], mode=mode, note=mode),
            case("scatter_nd", (2, 4, 3), batch, (2, 2, 2, 2), axes=[1], batch_dims=1, mode=mode, note=mode),
        ]
    return cases


def all_cases() -> list[Case]:
    """The whole table."""
    return [
        *elementwise_cases(),
        *movement_cases(),
        *reduction_cases(),
        *product_cases(),
        *normalization_cases(),
        *derivative_only_cases(),
        *place_cases(),
    ]
