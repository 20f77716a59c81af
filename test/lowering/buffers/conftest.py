"""A generator of random programs on tensors, for tests that compare them before and after bufferisation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

ROWS, COLUMNS = 4, 4


@dataclass
class ProgramGenerator:
    """Writes MLIR text whose values are f32 tensors of a few shapes, used in arbitrary order."""

    seed: int
    lines: list[str] = field(default_factory=list)
    _names: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def module(self) -> str:
        """A module with an entry of two inputs and up to three results, and a private kernel."""
        values = [("%x", (ROWS, COLUMNS)), ("%y", (ROWS, COLUMNS))]
        self.emit("%zero = arith.constant 0.0 : f32")
        for number in range(7):
            self.emit(f"%c{number} = arith.constant {number} : index")
        self.emit("%true = arith.constant true")
        values.append(("%k", (ROWS, COLUMNS)))
        self.emit(f"%k = arith.constant dense<0.5> : {_type((ROWS, COLUMNS))}")
        self.block(values, self.random.randint(3, 12), depth=0)
        results = [self.random.choice(values[-6:]) for _ in range(self.random.randint(1, 3))]
        types = ", ".join(_type(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        kind = _type((ROWS, COLUMNS))
        body = "\n  ".join(self.lines)
        return (
            f"{KERNEL}\nfunc.func @main(%x: {kind}, %y: {kind}, %n: index, %p: i1) -> ({types}) {{\n"
            f"  {body}\n  return {names} : {types}\n}}\n"
        )

    def emit(self, line: str) -> None:
        """Add a line."""
        self.lines.append(line)

    def name(self) -> str:
        """A new value name."""
        self._names += 1
        return f"%v{self._names}"

    def pick(self, values: list, shape: tuple[int, ...] | None = None) -> tuple[str, tuple[int, ...]]:
        """A value, of a shape if given; recent ones are preferred."""
        fitting = [v for v in values if shape is None or v[1] == shape]
        if not fitting:
            name = self.name()
            self.emit(f"{name}e = tensor.empty() : {_type(shape)}")
            self.emit(
                f"{name} = linalg.fill ins(%zero : f32) outs({name}e : {_type(shape)}) -> {_type(shape)}"
            )
            values.append((name, shape))
            return values[-1]
        return fitting[-1] if self.random.random() < 0.5 else self.random.choice(fitting)

    def block(self, values: list, count: int, depth: int) -> None:
        """Some statements; new values are appended."""
        steps = [self.unary, self.accumulate, self.transpose, self.slice, self.insert_slice, self.insert,
                 self.reshape, self.call, self.select, self.fill]  # fmt: skip
        if depth < 2:
            steps += [self.loop, self.loop, self.branch, self.while_loop]
        for _ in range(count):
            step = self.random.choice(steps)
            if step in (self.loop, self.branch, self.while_loop):
                step(values, depth)
            else:
                step(values)

    def destination(self, values: list, shape: tuple[int, ...], source: str | None = None) -> str:
        """An empty tensor, or a value to overwrite, sometimes the operation's own input."""
        if source is not None and self.random.random() < 0.25:
            return source
        if self.random.random() < 0.5:
            return self.pick(values, shape)[0]
        name = self.name()
        self.emit(f"{name} = tensor.empty() : {_type(shape)}")
        return name

    def generic(self, maps: list[str], operands: list[tuple[str, tuple[int, ...]]], body: str) -> str:
        """An elementwise generic whose last operand is the destination."""
        name = self.name()
        shape = operands[-1][1]
        iterators = ", ".join(['"parallel"'] * len(shape))
        ins = ", ".join(o[0] for o in operands[:-1]), ", ".join(_type(o[1]) for o in operands[:-1])
        arguments = ", ".join(f"%a{i}: f32" for i in range(len(operands)))
        inputs = f"ins({ins[0]} : {ins[1]}) " if operands[:-1] else ""
        self.emit(
            f"{name} = linalg.generic "
            f"{{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}} "
            f"{inputs}outs({operands[-1][0]} : {_type(shape)}) {{\n  ^bb0({arguments}):\n    {body}\n"
            f"  }} -> {_type(shape)}"
        )
        return name

    def unary(self, values: list) -> None:
        value = self.pick(values)
        target = self.destination(values, value[1], value[0])
        same = _identity(len(value[1]))
        body = "%s = arith.addf %a0, %a0 : f32\n    linalg.yield %s : f32"
        values.append((self.generic([same, same], [value, (target, value[1])], body), value[1]))

    def accumulate(self, values: list) -> None:
        value = self.pick(values)
        target = self.pick(values, value[1])
        same = _identity(len(value[1]))
        body = "%h = arith.constant 0.5 : f32\n    %m = arith.mulf %a1, %h : f32\n"
        body += "    %s = arith.subf %a0, %m : f32\n    linalg.yield %s : f32"
        values.append((self.generic([same, same], [value, target], body), value[1]))

    def transpose(self, values: list) -> None:
        value = self.pick(values)
        if len(value[1]) != 2:
            return
        shape = value[1][::-1]
        target = self.destination(values, shape, value[0] if shape == value[1] else None)
        maps = ["affine_map<(d0, d1) -> (d1, d0)>", "affine_map<(d0, d1) -> (d0, d1)>"]
        values.append((self.generic(maps, [value, (target, shape)], "linalg.yield %a0 : f32"), shape))

    def fill(self, values: list) -> None:
        value = self.pick(values)
        name, kind = self.name(), _type(value[1])
        self.emit(f"{name} = linalg.fill ins(%zero : f32) outs({value[0]} : {kind}) -> {kind}")
        values.append((name, value[1]))

    def region(self, shape: tuple[int, ...]) -> tuple[list[int], list[int], list[int]]:
        """Offsets, sizes and strides inside a shape."""
        offsets, sizes, strides = [], [], []
        for extent in shape:
            stride = self.random.choice([1, 1, 2])
            size = self.random.randint(1, max(1, extent // (2 * stride)))
            offsets.append(self.random.randint(0, extent - (size - 1) * stride - 1))
            sizes.append(size)
            strides.append(stride)
        return offsets, sizes, strides

    def slice(self, values: list) -> None:
        value = self.pick(values)
        offsets, sizes, strides = self.region(value[1])
        name, shape = self.name(), tuple(sizes)
        self.emit(
            f"{name} = tensor.extract_slice {value[0]}{offsets} {sizes} {strides} : "
            f"{_type(value[1])} to {_type(shape)}"
        )
        values.append((name, shape))
        if self.random.random() < 0.5:
            # Update the slice and put it back: the pattern of tiled code.
            part = [(name, shape)]
            for _ in range(self.random.randint(1, 2)):
                self.random.choice([self.unary, self.fill, self.accumulate])(part)
            source = self.random.choice([v for v in part if v[1] == shape])
            new = self.name()
            target = value if self.random.random() < 0.7 else self.pick(values, value[1])
            self.emit(
                f"{new} = tensor.insert_slice {source[0]} into {target[0]}{offsets} {sizes} {strides} : "
                f"{_type(shape)} into {_type(value[1])}"
            )
            values.extend(part[1:])
            values.append((new, value[1]))

    def insert_slice(self, values: list) -> None:
        value = self.pick(values)
        offsets, sizes, strides = self.region(value[1])
        source = self.pick(values, tuple(sizes))
        name = self.name()
        self.emit(
            f"{name} = tensor.insert_slice {source[0]} into {value[0]}{offsets} {sizes} {strides} : "
            f"{_type(tuple(sizes))} into {_type(value[1])}"
        )
        values.append((name, value[1]))

    def insert(self, values: list) -> None:
        value, other = self.pick(values), self.pick(values)
        element, name = self.name(), self.name()
        first = ", ".join("%c0" for _ in other[1])
        place = ", ".join(f"%c{self.random.randrange(extent)}" for extent in value[1] if extent)
        if any(extent > 7 for extent in value[1]):
            place = ", ".join("%c0" for _ in value[1])
        self.emit(f"{element} = tensor.extract {other[0]}[{first}] : {_type(other[1])}")
        self.emit(f"{name} = tensor.insert {element} into {value[0]}[{place}] : {_type(value[1])}")
        values.append((name, value[1]))

    def reshape(self, values: list) -> None:
        value = self.pick(values)
        name = self.name()
        if len(value[1]) == 2:
            flat = (value[1][0] * value[1][1],)
            self.emit(
                f"{name} = tensor.collapse_shape {value[0]} [[0, 1]] : {_type(value[1])} into {_type(flat)}"
            )
            values.append((name, flat))
        elif value[1] == (ROWS * COLUMNS,):
            shape = (ROWS, COLUMNS)
            self.emit(
                f"{name} = tensor.expand_shape {value[0]} [[0, 1]] output_shape {list(shape)} : "
                f"{_type(value[1])} into {_type(shape)}"
            )
            values.append((name, shape))

    def call(self, values: list) -> None:
        shape = (ROWS, COLUMNS)
        value = self.pick(values, shape)[0]
        target, name = self.destination(values, shape, value), self.name()
        kind = _type(shape)
        callee = self.random.choice(["@kernel", "@update", "@pass"])
        self.emit(f"{name} = call {callee}({value}, {target}) : ({kind}, {kind}) -> {kind}")
        values.append((name, shape))

    def select(self, values: list) -> None:
        first = self.pick(values)
        second, name = self.pick(values, first[1]), self.name()
        self.emit(f"{name} = arith.select %p, {first[0]}, {second[0]} : {_type(first[1])}")
        values.append((name, first[1]))

    def loop(self, values: list, depth: int) -> None:
        count = self.random.randint(1, 2)
        initial = [self.pick(values) for _ in range(count)]
        names, results = [self.name() for _ in initial], self.name()
        index = f"%i{self._names}"
        pairs = ", ".join(f"{n} = {v[0]}" for n, v in zip(names, initial, strict=True))
        types = ", ".join(_type(v[1]) for v in initial)
        prefix = f"{results}:{count}" if count > 1 else results
        self.emit(f"{prefix} = scf.for {index} = %c0 to %n step %c1 iter_args({pairs}) -> ({types}) {{")
        inner = [*values, *((n, v[1]) for n, v in zip(names, initial, strict=True))]
        self.block(inner, self.random.randint(1, 4), depth + 1)
        self.yield_(inner, len(values), initial)
        self.emit("}")
        values.extend((_result(results, i, count), v[1]) for i, v in enumerate(initial))

    def while_loop(self, values: list, depth: int) -> None:
        initial = self.pick(values)
        name, results, kind = self.name(), self.name(), _type(initial[1])
        step = f"%j{self._names}"
        self.emit(
            f"{results}:2 = scf.while ({name} = {initial[0]}, {step} = %c0) : "
            f"({kind}, index) -> ({kind}, index) {{"
        )
        self.emit(f"{step}c = arith.cmpi slt, {step}, %n : index")
        inner = [*values, (name, initial[1])]
        self.block(inner, self.random.randint(0, 1), depth + 1)
        passed = [v for v in inner[len(values) :] if v[1] == initial[1]]
        self.emit(f"scf.condition({step}c) {self.random.choice(passed)[0]}, {step} : {kind}, index")
        self.emit("} do {")
        self.emit(f"^bb0({name}b: {kind}, {step}b: index):")
        inner = [*values, (f"{name}b", initial[1])]
        self.block(inner, self.random.randint(1, 2), depth + 1)
        self.emit(f"{step}n = arith.addi {step}b, %c1 : index")
        passed = [v for v in inner if v[1] == initial[1]]
        self.emit(f"scf.yield {self.random.choice(passed[-3:])[0]}, {step}n : {kind}, index")
        self.emit("}")
        values.append((f"{results}#0", initial[1]))

    def branch(self, values: list, depth: int) -> None:
        kept = [self.pick(values)]
        result = self.name()
        self.emit(f"{result} = scf.if %p -> ({_type(kept[0][1])}) {{")
        for part in range(2):
            inner = list(values)
            self.block(inner, self.random.randint(0, 3), depth + 1)
            self.yield_(inner, len(values) - 1, kept)
            self.emit("} else {" if part == 0 else "}")
        values.append((result, kept[0][1]))

    def yield_(self, values: list, start: int, wanted: list) -> None:
        """Yield values of the wanted shapes, mostly new ones."""
        chosen = []
        for _, shape in wanted:
            fitting = [v for v in values[max(start, 0) :] if v[1] == shape]
            chosen.append(self.random.choice(fitting)[0] if fitting else self.pick(values, shape)[0])
        types = ", ".join(_type(shape) for _, shape in wanted)
        self.emit(f"scf.yield {', '.join(chosen)} : {types}")


def _result(name: str, number: int, count: int) -> str:
    return f"{name}#{number}" if count > 1 else name


def _type(shape: tuple[int, ...] | None) -> str:
    assert shape is not None
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}f32>"


def _identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


MATRIX = "tensor<4x4xf32>"
WRITABLE = "{bufferization.writable = true}"
KERNEL = f"""
func.func private @kernel(%a: {MATRIX}, %out: {MATRIX} {WRITABLE}) -> {MATRIX} {{
  %r = linalg.add ins(%a, %a : {MATRIX}, {MATRIX}) outs(%out : {MATRIX}) -> {MATRIX}
  return %r : {MATRIX}
}}
func.func private @update(%a: {MATRIX}, %out: {MATRIX} {WRITABLE}) -> {MATRIX} {{
  %r = linalg.mul ins(%a, %out : {MATRIX}, {MATRIX}) outs(%out : {MATRIX}) -> {MATRIX}
  return %r : {MATRIX}
}}
func.func private @pass(%a: {MATRIX}, %out: {MATRIX}) -> {MATRIX} {{
  return %a : {MATRIX}
}}"""


@pytest.fixture
def random_program() -> Callable[[int], str]:
    """``random_program(seed)``: the text of a program on tensors."""
    return lambda seed: ProgramGenerator(seed).module()
