"""The passes that simplify never change what a program computes: random programs, run before and after."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import lamina

INTEGER = ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
FLOAT = ("addf", "subf", "mulf", "divf", "minimumf", "maximumf", "minnumf", "maxnumf")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
ORDERED = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
EDGES = (0, 1, -1, 2, 3, 7, -128, 127)
FLOATS = ("0.0", "-0.0", "1.0", "-1.5", "0x7F800000", "0x7FC00000", "3.0e38")


class Program:
    """A function of i8 and f32 arguments that grows by random ops, within loops and branches too."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.values: dict[str, list[str]] = {"i8": ["%a", "%b"], "f32": ["%x", "%y"], "i1": []}
        self.names = 0

    def name(self) -> str:
        """A fresh name."""
        self.names += 1
        return f"%v{self.names}"

    def pick(self, kind: str) -> str:
        """A value of a kind: one that is there, or a constant."""
        if self.values[kind] and self.random.random() < 0.75:
            return self.random.choice(self.values[kind][-8:])
        name = self.name()
        literal = {
            "i8": lambda: str(self.random.choice(EDGES)),
            "f32": lambda: self.random.choice(FLOATS),
            "i1": lambda: self.random.choice(("true", "false")),
        }[kind]()
        suffix = "" if kind == "i1" else f" : {kind}"
        self.lines.append(f"{name} = arith.constant {literal}{suffix}")
        return name

    def add(self, kind: str, text: str) -> None:
        """An op that makes a value."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        self.values[kind].append(name)

    def step(self, depth: int) -> None:
        """One random op."""
        choice = self.random.randrange(12 if depth < 2 else 10)
        if choice < 3:
            op = self.random.choice(INTEGER)
            self.add("i8", f"arith.{op} {self.pick('i8')}, {self.pick('i8')} : i8")
        elif choice == 3:
            divisor = self.name()
            self.lines.append(f"{divisor} = arith.constant {self.random.choice((1, 2, 3, 7, -3))} : i8")
            self.add("i8", f"arith.{self.random.choice(DIVISIONS)} {self.pick('i8')}, {divisor} : i8")
        elif choice == 4:
            by = self.name()
            self.lines.append(f"{by} = arith.constant {self.random.randrange(8)} : i8")
            self.add("i8", f"arith.{self.random.choice(SHIFTS)} {self.pick('i8')}, {by} : i8")
        elif choice < 7:
            op = self.random.choice(FLOAT)
            self.add("f32", f"arith.{op} {self.pick('f32')}, {self.pick('f32')} : f32")
        elif choice == 7:
            predicate = self.random.choice(PREDICATES)
            self.add("i1", f"arith.cmpi {predicate}, {self.pick('i8')}, {self.pick('i8')} : i8")
        elif choice == 8:
            predicate = self.random.choice(ORDERED)
            self.add("i1", f"arith.cmpf {predicate}, {self.pick('f32')}, {self.pick('f32')} : f32")
        elif choice == 9:
            kind = self.random.choice(("i8", "f32", "i1"))
            condition, yes, no = self.pick("i1"), self.pick(kind), self.pick(kind)
            self.add(kind, f"arith.select {condition}, {yes}, {no} : {kind}")
        elif choice == 10:
            self.branch(depth)
        else:
            self.loop(depth)

    def nested(self, depth: int) -> str:
        """Random ops in a region; returns the value it yields."""
        kept = {kind: list(values) for kind, values in self.values.items()}
        for _ in range(self.random.randrange(4)):
            self.step(depth + 1)
        value = self.pick("i8")
        self.lines.append(f"scf.yield {value} : i8")
        self.values = kept
        return value

    def branch(self, depth: int) -> None:
        """An if with a result."""
        name = self.name()
        condition = self.pick("i1")
        self.lines.append(f"{name} = scf.if {condition} -> (i8) {{")
        self.nested(depth)
        self.lines.append("} else {")
        self.nested(depth)
        self.lines.append("}")
        self.values["i8"].append(name)

    def loop(self, depth: int) -> None:
        """A loop of none to three iterations that carries a value."""
        name, low, high, step = (self.name() for _ in range(4))
        start = self.pick("i8")
        for bound, value in ((low, 0), (high, self.random.randrange(4)), (step, 1)):
            self.lines.append(f"{bound} = arith.constant {value} : index")
        carried, index = self.name(), self.name()
        self.lines.append(
            f"{name} = scf.for {index} = {low} to {high} step {step} "
            f"iter_args({carried} = {start}) -> (i8) {{"
        )
        kept = list(self.values["i8"])
        self.values["i8"].append(carried)
        self.nested(depth)
        self.values["i8"] = kept
        self.lines.append("}")
        self.values["i8"].append(name)

    def text(self, steps: int = 30) -> str:
        """The whole program."""
        for _ in range(steps):
            self.step(0)
        results = [*self.values["i8"][-4:], *self.values["f32"][-4:], *self.values["i1"][-3:]]
        kinds = ["i8"] * len(self.values["i8"][-4:]) + ["f32"] * len(self.values["f32"][-4:])
        kinds += ["i1"] * (len(results) - len(kinds))
        body = "\n".join(self.lines)
        return (
            "func.func @main(%a: i8, %b: i8, %x: f32, %y: f32)"
            + f" -> ({', '.join(kinds)}) {{\n{body}\nreturn {', '.join(results)} : {', '.join(kinds)}\n}}"
        )


def bits(values: object) -> list[object]:
    """The results bit for bit; all NaN count as one."""
    items = values if isinstance(values, tuple) else (values,)
    found: list[object] = []
    for item in items:
        array = np.asarray(item)
        is_nan = array.dtype.kind == "f" and bool(np.isnan(array))
        found.append("nan" if is_nan else array.tobytes())
    return found


PIPELINES = (
    "canonicalize,cse,canonicalize{region-simplify=aggressive}",
    "sccp,remove-dead-values,control-flow-sink",
    "remove-dead-values{canonicalize=false},sccp",
)


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_results(seed: int, pipeline: str) -> None:
    text = Program(seed).text()
    before, after = lamina.parse(text), lamina.parse(text)
    lamina.run_pipeline(after, pipeline)
    special = (0.0, -0.0, 1.0, -2.5, np.nan, np.inf)
    generator = random.Random(seed + 1000)
    for _ in range(4):
        arguments = [np.int8(generator.choice(EDGES)) for _ in range(2)]
        arguments += [np.float32(generator.choice(special)) for _ in range(2)]
        assert bits(lamina.interpret(before, *arguments)) == bits(lamina.interpret(after, *arguments))


LOOP = """
func.func @main(%low: i8, %high: i8, %step: i8) -> (i8, i8) {
  %zero = arith.constant 0 : i8
  %0:2 = scf.for ORDER %i = %low to %high step %step iter_args(%n = %zero, %last = %zero) -> (i8, i8) : i8 {
    %one = arith.constant 1 : i8
    %1 = arith.addi %n, %one : i8
    scf.yield %1, %i : i8, i8
  }
  return %0#0, %0#1 : i8, i8
}
"""


@pytest.mark.parametrize(
    ("order", "bounds", "wanted"),
    [
        ("", (-3, 4, 3), (3, 3)),
        ("", (100, -100, 1), (0, 0)),
        ("unsigned", (100, -100, 1), (56, -101)),
        ("unsigned", (-3, 4, 1), (0, 0)),
        ("", (126, 127, 5), (1, 126)),
    ],
)
def test_loops_count_in_the_order_of_their_type(
    order: str, bounds: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    module = lamina.parse(LOOP.replace("ORDER", order))
    arguments = [np.int8(value) for value in bounds]
    found = lamina.interpret(module, *arguments)
    assert tuple(int(value) for value in found) == wanted
    assert all(np.asarray(value).dtype == np.int8 for value in found)
    lamina.run_pipeline(module, "canonicalize")
    assert bits(lamina.interpret(module, *arguments)) == bits(found)


@pytest.mark.parametrize(("name", "wanted"), [("minimumf", -0.0), ("maximumf", 0.0)])
def test_zeros_are_ordered_by_their_sign(name: str, wanted: float) -> None:
    module = lamina.parse(
        f"func.func @main(%a: f32, %b: f32) -> f32 {{ %0 = arith.{name} %a, %b : f32 return %0 : f32 }}"
    )
    for pair in ((0.0, -0.0), (-0.0, 0.0)):
        found = lamina.interpret(module, *map(np.float32, pair))
        assert bits(found) == bits(np.float32(wanted))


def test_conditionals_that_share_a_condition_take_linear_time() -> None:
    """Each looks through its own ops, not through all uses of the condition."""
    seconds: list[float] = []
    for count in (300, 2400):
        one = 'scf.if %c {\n"a.b"(%c) : (i1) -> ()\n}\n"c.d"() : () -> ()\n'
        module = lamina.parse(f"func.func @main(%c: i1) {{\n{one * count}return\n}}", allow_unregistered=True)
        start = time.process_time()
        lamina.run_pipeline(module, "canonicalize")
        seconds.append(time.process_time() - start)
    assert seconds[1] < 24 * seconds[0]  # 8 times as many; quadratic would be 64 times
