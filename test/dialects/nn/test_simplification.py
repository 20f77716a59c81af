"""Canonicalisation of elementwise ops never changes a result: random programs, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.core.dtypes import element_type, integer_limits, numpy_dtype
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn.base import NnOp, ShapeError, make
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.general.canonicalize import canonicalize
from lamina.passes.nn.nn_constant_fold import fold_constants

SHAPE = (13,)
FLOAT_TYPES = [element_type(d) for d in (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)]
INTEGER_TYPES = [IntegerType(8), IntegerType(4), IntegerType(32)] + [
    IntegerType(n, Signedness.UNSIGNED) for n in (8, 4)
]
ARITHMETIC = ["nn." + n for n in ("add", "sub", "mul", "div", "mod", "rem", "maximum", "minimum")]
COMPARISON = ["nn." + n for n in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")]
BITWISE = ["nn." + n for n in ("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right")]
LOGICAL = ["nn.logical_and", "nn.logical_or", "nn.logical_xor", "nn.equal", "nn.not_equal"]
NUMBER_UNARY = ["nn.neg", "nn.abs", "nn.sign", "nn.relu"]
FLOAT_UNARY = ["nn.floor", "nn.ceil", "nn.round", "nn.exp", "nn.sigmoid", "nn.sqrt", "nn.reciprocal"]


def inputs_of(element: Attribute) -> np.ndarray:
    """Values at which simplifications that are wrong show it."""
    dtype = numpy_dtype(element)
    if element == i1:
        return np.arange(13) % 3 == 0
    if isinstance(element, IntegerType):
        low, high = integer_limits(element)
        return np.array([low, low + 1, high, high - 1, 0, 1, 2, 3, 5, 7, high // 2, high // 3, 6], dtype)
    tiny, largest = float(ml_dtypes.finfo(dtype).tiny), float(ml_dtypes.finfo(dtype).max)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, math.inf, -math.inf, math.nan, tiny, largest, -largest]
    return np.array(edges, dtype)


def constants_of(element: Attribute) -> list[float]:
    """Numbers that simplifications look for, and some they must not take for those."""
    if element == i1:
        return [0, 1]
    if isinstance(element, IntegerType):
        low, high = integer_limits(element)
        return [0, 1, 2, max(low, -1), low, high, 3]
    return [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, math.inf, -math.inf, math.nan, 2.0**-14, 4096.0]


class Program:
    """A function of one block that grows op by op, choosing from what fits."""

    def __init__(self, data: st.DataObject) -> None:
        self.draw = data.draw
        self.element = self.draw(st.sampled_from([*FLOAT_TYPES, *INTEGER_TYPES, i1]))
        kind = TensorType(self.element, SHAPE)
        condition = TensorType(i1, SHAPE)
        self.block = Block(arg_types=[kind, kind, condition])
        self.values: dict[Attribute, list[SSAValue]] = {}
        for argument in self.block.args:
            self._keep(argument)

    def _keep(self, value: SSAValue) -> None:
        assert isinstance(value.type, TensorType)
        self.values.setdefault(value.type.element_type, []).append(value)

    def add(self, name: str, operands: list[SSAValue], types: Any = None, **attributes: Any) -> None:
        """Append an op if its operands fit; its result can be an operand of later ones."""
        try:
            op = make(name, operands, types, **attributes)
        except ShapeError:
            return
        self.block.add_op(op)
        self._keep(op.results[0])

    def value(self, element: Attribute) -> SSAValue:
        """A value made before, recent ones more often, or a splat that may have to be broadcast."""
        known = self.values.get(element, [])
        if known and self.draw(st.integers(0, 3)):
            return known[-1 - self.draw(st.integers(0, min(len(known) - 1, 3)))]
        number = self.draw(st.sampled_from(constants_of(element)))
        shape = self.draw(st.sampled_from([SHAPE, SHAPE, (1,), ()]))
        op = ConstantOp.of(splat_attr(number, TensorType(element, shape)))
        self.block.add_op(op)
        return op.result

    def step(self) -> None:
        """Append a random op on values of a random element type that there is."""
        element = self.draw(st.sampled_from([self.element] * 3 + list(self.values)))
        choice = self.draw(st.integers(0, 9))
        if choice == 0:
            target = self.draw(st.sampled_from([*FLOAT_TYPES, *INTEGER_TYPES, i1]))
            value = self.value(element)
            assert isinstance(value.type, TensorType)
            self.add("nn.cast", [value], [TensorType(target, value.type.get_shape())])
        elif choice == 1:
            self.add("nn.select", [self.value(i1), self.value(element), self.value(element)])
        elif element == i1:
            names = [*LOGICAL, "nn.logical_not"]
            name = self.draw(st.sampled_from(names))
            self.add(name, [self.value(i1) for _ in range(1 if name == "nn.logical_not" else 2)])
        elif choice == 2:
            self.add(self.draw(st.sampled_from(COMPARISON)), [self.value(element), self.value(element)])
        elif choice == 3:
            self.clip(element)
        elif choice <= 5:
            extra = ["nn.bitwise_not"] if isinstance(element, IntegerType) else FLOAT_UNARY
            self.add(self.draw(st.sampled_from([*NUMBER_UNARY, *extra])), [self.value(element)])
        else:
            extra = BITWISE if isinstance(element, IntegerType) else ["nn.pow", "nn.prelu"]
            name = self.draw(st.sampled_from([*ARITHMETIC, *extra]))
            self.add(name, [self.value(element), self.value(element)])

    def clip(self, element: Attribute) -> None:
        bounds = st.none() | st.sampled_from(constants_of(element))
        self.add("nn.clip", [self.value(element)], min=self.draw(bounds), max=self.draw(bounds))

    def module(self) -> ModuleOp:
        """The program as a module whose function returns the last values of each type."""
        results = [v for values in self.values.values() for v in values[-2:]]
        self.block.add_op(ReturnOp(*results))
        types = [a.type for a in self.block.args], [v.type for v in results]
        return ModuleOp([FuncOp("main", types, Region(self.block))])


def interpret(module: ModuleOp, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The results of a program, op by op through the references."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    block = function.body.block
    known: dict[SSAValue, np.ndarray] = dict(zip(block.args, arrays, strict=True))
    for op in block.ops:
        operands = [known[v] for v in op.operands]
        if isinstance(op, ReturnOp):
            return operands
        assert isinstance(op, NnOp)
        known.update(zip(op.results, evaluate(op, operands), strict=True))
    raise AssertionError("no return")


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bits, but any NaN equals any other."""
    if a.dtype.kind in "biu":
        return bool((a == b).all())
    x, y = a.astype(np.float64), b.astype(np.float64)
    return bool(np.array_equal(x, y, equal_nan=True)) and bool(
        (np.signbit(x) == np.signbit(y))[~np.isnan(x)].all()
    )


@pytest.mark.parametrize("simplify", [canonicalize, fold_constants])
@given(data=st.data())
@settings(max_examples=100)
def test_results_stay(simplify: Any, data: st.DataObject) -> None:
    program = Program(data)
    for _ in range(data.draw(st.integers(1, 10))):
        program.step()
    module = program.module()
    verify(module)
    arrays = [inputs_of(program.element), inputs_of(program.element)[::-1].copy(), inputs_of(i1)]
    before, text = interpret(module, arrays), str(module)
    simplify(module)
    verify(module)
    for x, y in zip(before, interpret(module, arrays), strict=True):
        assert same(x, y), f"{text}\nbecame\n{module}\n{x}\n{y}"
