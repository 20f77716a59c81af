"""A generator of random functions for derivatives: images and matrices through branches and loops.

All values are matrices ``[4, 4]`` or images ``[1, 4, 4, 4]`` of f64, so that any op may follow any other, and
a value is often used several times. What a step computes stays small: a loop may repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

MATRIX, IMAGE, FILTER = "tensor<4x4xf64>", "tensor<1x4x4x4xf64>", "tensor<4x4x3x3xf64>"
ARGUMENTS = {"a": MATRIX, "b": MATRIX, "x": IMAGE, "k": FILTER}
"""What the functions are differentiated by; a flag and a number of turns come behind."""

_UNARY = ("sin", "tanh", "sigmoid", "relu", "abs", "silu", "softsign", "neg")
_BINARY = ("add", "sub", "mul", "maximum", "minimum")
_WINDOW = "pads = array<i64: 1, 1, 1, 1>"
_MATRIX = (
    "nn.transpose {0} {{permutation = array<i64: 1, 0>}} : ({M}) -> {M}",
    "nn.softmax {0} {{axis = 1 : i64}} : ({M}) -> {M}",
    "nn.cumsum {0} {{axis = 0 : i64}} : ({M}) -> {M}",
    "nn.sort {0} {{axis = 1 : i64}} : ({M}) -> {M}",
    "nn.gather {0}, %rows {{axis = 0 : i64}} : ({M}, tensor<4xi64>) -> {M}",
    "nn.reduce_mean {x} {{axes = array<i64: 0, 1>}} : ({I}) -> {M}",
    "nn.slice {s} {{starts = array<i64: 0, 2>, ends = array<i64: 4, 6>, steps = array<i64: 1, 1>}}"
    " : (tensor<4x8xf64>) -> {M}",
    "nn.add {0}, {r} : ({M}, tensor<4x1xf64>) -> {M}",
    "nn.select {c}, {0}, {1} : (tensor<4x4xi1>, {M}, {M}) -> {M}",
    "nn.matmul {0}, {1} : ({M}, {M}) -> {M}",
)
_IMAGE = (
    f"nn.conv2d {{x}}, %k {{{{{_WINDOW}}}}} : ({{I}}, {{K}}) -> {{I}}",
    "nn.conv2d {x}, %k {{pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>}} : ({I}, {K}) -> {I}",
    f"nn.max_pool2d {{x}} {{{{kernel = array<i64: 3, 3>, {_WINDOW}}}}} : ({{I}}) -> {{I}}",
    f"nn.avg_pool2d {{x}} {{{{kernel = array<i64: 3, 3>, {_WINDOW}}}}} : ({{I}}) -> {{I}}",
    "nn.mul {x}, {0} : ({I}, {M}) -> {I}",
    "nn.transpose {x} {{permutation = array<i64: 0, 2, 3, 1>}} : ({I}) -> {I}",
)
_HELPERS = {
    "{s}": "nn.concat {0}, {1} {{axis = 1 : i64}} : ({M}, {M}) -> tensor<4x8xf64>",
    "{r}": "nn.reduce_max {1} {{axes = array<i64: 1>, keepdims = true}} : ({M}) -> tensor<4x1xf64>",
    "{c}": "nn.less {0}, {1} : ({M}, {M}) -> tensor<4x4xi1>",
}
"""What some of the ops take besides matrices."""


class Writer:
    """Writes ops, and knows which values of each type there are."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        self._count = 0
        self.lines: list[str] = []
        self.values: dict[str, list[str]] = {MATRIX: ["%a", "%b"], IMAGE: ["%x"]}

    def pick(self, kind: str) -> str:
        """One of the values of a type, the newest ones more often."""
        known = self.values[kind]
        return self._draw(st.sampled_from([*known, *known[-3:]]))

    def emit(self, text: str, kind: str | None = None) -> str:
        """One op, whose result has a name from now on."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"{name} = {text}")
        if kind is not None:
            self.values[kind].append(name)
        return name

    def op(self) -> None:
        """A random op on random values; its result is kept small."""
        kind = self._draw(st.sampled_from([MATRIX, IMAGE]))
        choice = self._draw(st.sampled_from([0, 1, 2, 2, 2]))
        if choice == 0:
            text = f"nn.{self._draw(st.sampled_from(_UNARY))} {self.pick(kind)} : ({kind}) -> {kind}"
        elif choice == 1:
            name, a, b = self._draw(st.sampled_from(_BINARY)), self.pick(kind), self.pick(kind)
            text = f"nn.{name} {a}, {b} : ({kind}, {kind}) -> {kind}"
        else:
            text = self._filled(self._draw(st.sampled_from(_MATRIX if kind == MATRIX else _IMAGE)))
        self.emit(f"nn.tanh {self.emit(text)} : ({kind}) -> {kind}", kind)

    def _filled(self, template: str) -> str:
        known = {"M": MATRIX, "I": IMAGE, "K": FILTER, "x": self.pick(IMAGE)}
        operands = [self.pick(MATRIX), self.pick(MATRIX)]
        for field, helper in _HELPERS.items():
            if field in template:
                known[field.strip("{}")] = self.emit(helper.format(*operands, **known))
        return template.format(*operands, **known)

    def block(self, depth: int, size: int) -> None:
        """Some statements: ops, and down to a depth branches and loops."""
        for _ in range(self._draw(st.integers(1, size))):
            kinds = ["op", "op", "if", "for"] if depth else ["op"]
            self._statement(self._draw(st.sampled_from(kinds)), depth)

    def _statement(self, kind: str, depth: int) -> None:
        if kind == "op":
            self.op()
        elif kind == "if":
            self._branch(depth - 1)
        else:
            self._loop(depth - 1)

    def _branch(self, depth: int) -> None:
        self._open("scf.if %flag", self._kinds(), ["} else {", "}"], depth)

    def _loop(self, depth: int) -> None:
        kinds, end = self._kinds(), self._draw(st.sampled_from(["%turns", "%three", "%zero"]))
        self._count += 1
        carried = [(f"%c{self._count}_{i}", kind) for i, kind in enumerate(kinds)]
        starts = ", ".join(f"{name} = {self.pick(kind)}" for name, kind in carried)
        head = f"scf.for %i{self._count} = %zero to {end} step %one iter_args({starts})"
        self._open(head, kinds, ["}"], depth, carried)

    def _kinds(self) -> list[str]:
        return self._draw(st.lists(st.sampled_from([MATRIX, IMAGE]), min_size=1, max_size=2))

    def _open(
        self,
        head: str,
        kinds: list[str],
        ends: list[str],
        depth: int,
        carried: Sequence[tuple[str, str]] = (),
    ) -> None:
        """An op with regions; what they name is not seen behind them."""
        self._count += 1
        name = f"%r{self._count}"
        self.lines.append(f"{name}:{len(kinds)} = {head} -> ({', '.join(kinds)}) {{")
        outer = self.values
        for end in ends:
            self.values = {kind: list(names) for kind, names in outer.items()}
            for value, kind in carried:
                self.values[kind].append(value)
            self.block(depth, 2)
            self.lines.append(f"scf.yield {', '.join(map(self.pick, kinds))} : {', '.join(kinds)}")
            self.lines.append(end)
        self.values = outer
        for i, kind in enumerate(kinds):
            self.values[kind].append(f"{name}#{i}")


@st.composite
def losses(draw: Any, size: int = 5) -> str:
    """The text of a function ``@main`` of :data:`ARGUMENTS`, ``i1`` and a count of turns."""
    writer = Writer(draw)
    writer.block(2, size)
    results = writer.pick(MATRIX), writer.pick(IMAGE)
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in ARGUMENTS.items())
    constants = [
        f"%{name} = arith.constant {i} : index" for name, i in (("zero", 0), ("one", 1), ("three", 3))
    ]
    lines = [
        f"func.func @main({arguments}, %chosen: tensor<i1>, %number: tensor<i32>) -> ({MATRIX}, {IMAGE}) {{",
        *constants,
        "%flag = tensor.extract %chosen[] : tensor<i1>",
        "%count = tensor.extract %number[] : tensor<i32>",
        "%turns = arith.index_cast %count : i32 to index",
        "%rows = nn.constant dense<[2, 0, 2, 3]> : tensor<4xi64>",
        *writer.lines,
        f"return {', '.join(results)} : {MATRIX}, {IMAGE}",
        "}",
    ]
    return "\n".join(lines)
