"""A generator of random ``nn`` programs: recipes that build for any float type, so that f32 meets f64.

A recipe is a list of steps over a pool of values. Steps that jump (comparisons, rounding, casts to
integers) take inputs of the program only: behind a computation a last bit could change them by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from lamina.dialects.nn.base import make

ELEMENTS = {"i8": i8, "i32": i32, "i64": i64, "ui8": IntegerType(8, Signedness.UNSIGNED), "i1": i1}
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38], np.float64)
INTEGERS = ("i8", "i32", "i64", "ui8")


@dataclass(frozen=True)
class Slot:
    """A value of the pool: its kind (``float`` or an integer type), its shape, and whether it is an input."""

    kind: str
    shape: tuple[int, ...]
    exact: bool


@dataclass(frozen=True)
class Step:
    """An op on values of the pool, by index; ``cast`` names the result's kind where the op needs it."""

    op: str
    operands: tuple[int, ...]
    attributes: dict[str, Any]
    result: Slot


@dataclass
class Recipe:
    """Inputs, then steps; the last ``outputs`` values are the results."""

    inputs: list[Slot]
    steps: list[Step] = field(default_factory=list)

    @property
    def pool(self) -> list[Slot]:
        """All values so far."""
        return [*self.inputs, *(step.result for step in self.steps)]

    def build(self, wide: bool = False) -> ModuleOp:
        """The module of the program, with f32 (or f64) for its floats."""
        element = {"float": f64 if wide else f32, **ELEMENTS}
        types = [TensorType(element[s.kind], s.shape) for s in self.inputs]
        function = FuncOp("main", (types, []))
        values: list[SSAValue] = list(function.body.block.args)
        for step in self.steps:
            given = None
            if step.op == "nn.cast":
                given = [TensorType(element[step.result.kind], step.result.shape)]
            op = make(step.op, [values[i] for i in step.operands], given, **step.attributes)
            function.body.block.add_op(op)
            values.append(op.results[0])
        used = {i for step in self.steps for i in step.operands}
        results = [v for i, v in enumerate(values) if i >= len(self.inputs) and i not in used]
        function.body.block.add_op(ReturnOp(*results))
        function.properties["function_type"] = FunctionType.from_lists(types, [v.type for v in results])
        names = [DictionaryAttr({"nn.name": StringAttr(f"x{i}")}) for i in range(len(types))]
        function.properties["arg_attrs"] = ArrayAttr(names)
        return ModuleOp([function])

    def arrays(self, seed: int, wide: bool = False) -> list[np.ndarray]:
        """Inputs, the same numbers for both float types; every fourth seed gives NaN and infinities too."""
        generator = np.random.default_rng(seed)
        return [_array(slot, generator, wide, special=seed % 4 == 0) for slot in self.inputs]


def _array(slot: Slot, generator: np.random.Generator, wide: bool, special: bool) -> np.ndarray:
    if slot.kind == "float":
        values = np.round(generator.standard_normal(slot.shape) * 2, 2).astype(np.float32)
        if special:
            chosen = generator.choice(SPECIAL, slot.shape).astype(np.float32)
            values = np.where(generator.random(slot.shape) < 0.2, chosen, values)
        return values.astype(np.float64) if wide else values
    if slot.kind == "i1":
        return generator.integers(0, 2, slot.shape).astype(np.bool_)
    dtype = np.dtype({"ui8": "uint8"}.get(slot.kind, slot.kind.replace("i", "int")))
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
    small = generator.integers(max(-9, info.min), 10, slot.shape).astype(dtype)
    return np.where(generator.random(slot.shape) < 0.2, generator.choice(edges, slot.shape), small).astype(
        dtype
    )


_SMOOTH = (
    "relu",
    "sigmoid",
    "tanh",
    "abs",
    "neg",
    "silu",
    "softplus",
    "erf",
    "sin",
    "cos",
    "leaky_relu",
    "gelu",
    "hard_sigmoid",
    "square",
)
_JUMPS = ("floor", "ceil", "round", "sign")
_ARITHMETIC = ("add", "sub", "mul", "maximum", "minimum")
_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "div", "mod", "rem")
_COMPARE = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_DEFAULTS: dict[str, dict[str, Any]] = {
    "leaky_relu": {"alpha": 0.1},
    "hard_sigmoid": {"alpha": 0.2, "beta": 0.5},
    "gelu": {"approximate": "none"},
}
Draw = Any


@st.composite
def recipes(draw: Draw, max_steps: int = 8) -> Recipe:
    """Random programs of up to ``max_steps`` steps on one to three inputs."""
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17]), min_size=rank, max_size=rank)))
    inputs = [Slot("float", shape, True)]
    for _ in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from(["float", *INTEGERS, "i1"]))
        inputs.append(Slot(kind, _related(draw, shape), True))
    recipe = Recipe(inputs)
    for _ in range(draw(st.integers(1, max_steps))):
        step = _step(draw, recipe)
        if step is not None:
            recipe.steps.append(step)
    if not recipe.steps:
        recipe.steps.append(_unary(draw, recipe, 0))
    return recipe


def _related(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with another: leading dimensions dropped, some made one."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from([n, 1])) for n in kept)


def _step(draw: Draw, recipe: Recipe) -> Step | None:
    index = draw(st.integers(0, len(recipe.pool) - 1))
    make_step = draw(
        st.sampled_from(
            [_unary, _binary, _compare, _select, _cast, _reduce, _matmul, _movement, _window, _rows]
        )
    )
    return make_step(draw, recipe, index)


def _unary(draw: Draw, recipe: Recipe, i: int) -> Step:
    slot = recipe.pool[i]
    if slot.kind == "float":
        name = draw(st.sampled_from(_SMOOTH + (_JUMPS if slot.exact else ())))
        if name == "square":
            return Step("nn.mul", (i, i), {}, Slot("float", slot.shape, False))
        return Step(f"nn.{name}", (i,), _DEFAULTS.get(name, {}), Slot("float", slot.shape, False))
    if slot.kind == "i1":
        return Step("nn.logical_not", (i,), {}, slot)
    return Step(
        f"nn.{draw(st.sampled_from(('abs', 'neg', 'bitwise_not')))}"
        if slot.kind != "ui8"
        else "nn.bitwise_not",
        (i,),
        {},
        slot,
    )


def _partner(draw: Draw, recipe: Recipe, i: int) -> tuple[int, tuple[int, ...]] | None:
    """Another value of the same kind whose shape broadcasts with the first one's."""
    slot = recipe.pool[i]
    fits = []
    for j, other in enumerate(recipe.pool):
        if other.kind != slot.kind:
            continue
        try:
            both = np.broadcast_shapes(slot.shape, other.shape)
        except ValueError:
            continue
        if math.prod(both) <= 20_000:
            fits.append((j, both))
    return draw(st.sampled_from(fits)) if fits else None


def _binary(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot, partner = recipe.pool[i], _partner(draw, recipe, i)
    if partner is None:
        return None
    j, shape = partner
    names = {"float": _ARITHMETIC, "i1": ("logical_and", "logical_or", "logical_xor")}.get(
        slot.kind, _ARITHMETIC + _BITS
    )
    return Step(
        f"nn.{draw(st.sampled_from(names))}", (i, j), {}, Slot(slot.kind, shape, slot.kind != "float")
    )


def _compare(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot, partner = recipe.pool[i], _partner(draw, recipe, i)
    if partner is None or slot.kind == "i1" or not (slot.exact and recipe.pool[partner[0]].exact):
        return None
    return Step(f"nn.{draw(st.sampled_from(_COMPARE))}", (i, partner[0]), {}, Slot("i1", partner[1], True))


def _select(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    conditions = [k for k, s in enumerate(recipe.pool) if s.kind == "i1"]
    partner = _partner(draw, recipe, i)
    if not conditions or partner is None:
        return None
    k = draw(st.sampled_from(conditions))
    slot = recipe.pool[i]
    try:
        shape = np.broadcast_shapes(recipe.pool[k].shape, partner[1])
    except ValueError:
        return None
    return Step("nn.select", (k, i, partner[0]), {}, Slot(slot.kind, shape, slot.kind != "float"))


def _cast(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    kind = draw(st.sampled_from(["float", *INTEGERS, "i1"]))
    if not slot.exact or kind == slot.kind:
        return None
    # A 64-bit integer does not fit a float exactly: f32 and f64 would differ.
    if kind == "float" and slot.kind in ("i32", "i64"):
        return None
    return Step("nn.cast", (i,), {}, Slot(kind, slot.shape, True))


def _reduce(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    if not slot.shape or slot.kind == "i1":
        return None
    axes = draw(st.lists(st.integers(0, len(slot.shape) - 1), min_size=1, max_size=2, unique=True))
    keep = draw(st.booleans())
    names = ("sum", "max", "min") + (("mean", "prod") if slot.kind == "float" else ())
    name = draw(st.sampled_from(names))
    if name in ("max", "min", "mean") and any(slot.shape[a] == 0 for a in axes):
        return None
    shape = tuple(1 if a in axes else n for a, n in enumerate(slot.shape) if keep or a not in axes)
    attributes = {"axes": sorted(axes), "keepdims": keep}
    return Step(f"nn.reduce_{name}", (i,), attributes, Slot(slot.kind, shape, slot.kind != "float"))


def _matmul(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    if len(slot.shape) < 2 or slot.kind not in ("float", "i32"):
        return None
    fits = [j for j, other in enumerate(recipe.pool) if _multiplies(slot, other)]
    if not fits:
        return None
    other = recipe.pool[j := draw(st.sampled_from(fits))]
    batch = np.broadcast_shapes(slot.shape[:-2], other.shape[:-2])
    return Step("nn.matmul", (i, j), {}, Slot(slot.kind, (*batch, slot.shape[-2], other.shape[-1]), False))


def _multiplies(a: Slot, b: Slot) -> bool:
    if b.kind != a.kind or len(b.shape) < 2 or a.shape[-1] != b.shape[-2]:
        return False
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return False
    return True


def _movement(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    rank = len(slot.shape)
    kind = draw(st.sampled_from(["transpose", "reshape", "slice", "pad", "concat", "unsqueeze", "tile"]))
    match kind:
        case "transpose" if rank:
            order = draw(st.permutations(range(rank)))
            return _moved(
                slot, "transpose", (i,), {"permutation": list(order)}, [slot.shape[a] for a in order]
            )
        case "reshape":
            return _moved(slot, "reshape", (i,), {"shape": [math.prod(slot.shape)]}, [math.prod(slot.shape)])
        case "slice" if rank:
            starts = [draw(st.integers(0, n)) for n in slot.shape]
            steps = [draw(st.sampled_from([1, 1, 2])) for _ in slot.shape]
            shape = [len(range(a, n, s)) for a, n, s in zip(starts, slot.shape, steps, strict=True)]
            attributes = {"starts": starts, "ends": list(slot.shape), "steps": steps}
            return _moved(slot, "slice", (i,), attributes, shape)
        case "pad" if rank and slot.kind == "float":
            low = [draw(st.integers(0, 2)) for _ in slot.shape]
            high = [draw(st.integers(0, 2)) for _ in slot.shape]
            shape = [a + n + b for a, n, b in zip(low, slot.shape, high, strict=True)]
            if math.prod(shape) > 20_000:
                return None
            return _moved(slot, "pad", (i,), {"low": low, "high": high, "mode": "constant"}, shape)
        case "concat" if rank:
            axis = draw(st.integers(0, rank - 1))
            shape = [2 * n if a == axis else n for a, n in enumerate(slot.shape)]
            return _moved(slot, "concat", (i, i), {"axis": axis}, shape)
        case "unsqueeze" if rank < 4:
            axis = draw(st.integers(0, rank))
            shape = [*slot.shape[:axis], 1, *slot.shape[axis:]]
            return _moved(slot, "unsqueeze", (i,), {"axes": [axis]}, shape)
        case "tile" if rank and math.prod(slot.shape) < 5_000:
            repeats = [draw(st.integers(1, 2)) for _ in slot.shape]
            shape = [n * r for n, r in zip(slot.shape, repeats, strict=True)]
            return _moved(slot, "tile", (i,), {"repeats": repeats}, shape)
        case _:
            return None


def _moved(
    slot: Slot, name: str, operands: tuple[int, ...], attributes: dict[str, Any], shape: Sequence[int]
) -> Step:
    return Step(f"nn.{name}", operands, attributes, Slot(slot.kind, tuple(shape), slot.exact))


def _window(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    if slot.kind != "float" or len(slot.shape) != 4 or 0 in slot.shape:
        return None
    layout = draw(st.sampled_from(["NCHW", "NHWC"]))
    axes = (2, 3) if layout == "NCHW" else (1, 2)
    kernel = [draw(st.integers(1, min(3, slot.shape[a]))) for a in axes]
    strides = [draw(st.integers(1, 2)) for _ in axes]
    shape = list(slot.shape)
    for a, k, s in zip(axes, kernel, strides, strict=True):
        shape[a] = (slot.shape[a] - k) // s + 1
    common = {"strides": strides, "pads": [0, 0, 0, 0], "dilations": [1, 1], "layout": layout}
    pool = draw(st.sampled_from(["max_pool2d", "avg_pool2d", "conv2d"]))
    if pool == "conv2d":
        return _convolution(draw, slot, i, kernel, common, shape)
    attributes = {"kernel": kernel, "ceil_mode": False, **common}
    if pool == "avg_pool2d":
        attributes["count_include_pad"] = False
    return Step(f"nn.{pool}", (i,), attributes, Slot("float", tuple(shape), False))


def _convolution(
    draw: Draw, slot: Slot, i: int, kernel: list[int], common: dict[str, Any], shape: list[int]
) -> Step | None:
    """A convolution of an input with itself as filter, where the shapes allow it: one by one, one channel."""
    channel = 1 if common["layout"] == "NCHW" else 3
    if slot.shape != (1, 1, 1, 1):
        return None
    shape[channel] = 1
    return Step("nn.conv2d", (i, i), {"groups": 1, **common}, Slot("float", tuple(shape), False))


def _rows(draw: Draw, recipe: Recipe, i: int) -> Step | None:
    slot = recipe.pool[i]
    if slot.kind != "float" or not slot.shape:
        return None
    axis = draw(st.integers(-len(slot.shape), -1))
    name = draw(st.sampled_from(["softmax", "log_softmax", "argmax"]))
    if name != "argmax":
        return Step(f"nn.{name}", (i,), {"axis": axis}, Slot("float", slot.shape, False))
    if not slot.exact or slot.shape[axis] == 0:
        return None
    shape = tuple(n for a, n in enumerate(slot.shape) if a != axis % len(slot.shape))
    attributes = {"axis": axis, "keepdims": False, "select_last_index": draw(st.booleans())}
    return Step("nn.argmax", (i,), attributes, Slot("i64", shape, True))
