"""nn-propagate-layout keeps the values of random networks, and leaves few transposes in usual ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, f64, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.constants import constant_attr, constant_value
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn.base import NnOp, make
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.general.canonicalize import canonicalize
from lamina.passes.nn.nn_propagate_layout import propagate_layout


def interpret(block: Block, arguments: list[np.ndarray]) -> list[np.ndarray]:
    """The values of a block's return, by the references of its ops."""
    values: dict[SSAValue, np.ndarray] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        if op.name == "func.return":
            return [values[v] for v in op.operands]
        assert isinstance(op, NnOp)
        known = constant_value(op.results[0])
        results = (known,) if known is not None else evaluate(op, [values[v] for v in op.operands])
        values.update(zip(op.results, results, strict=True))
    raise AssertionError("the block does not return")


class Network:
    """A function under construction, whose random choices hypothesis makes."""

    def __init__(self, data: st.DataObject) -> None:
        self.draw = data.draw
        self.random = np.random.default_rng(self.draw(st.integers(0, 99)))
        shape = self.draw(st.sampled_from([(1, 4, 6, 6), (2, 4, 5, 6), (1, 2, 1, 6), (1, 1, 6, 6)]))
        self.block = Block(arg_types=[TensorType(f64, shape)])
        self.values: list[SSAValue] = [self.block.args[0]]

    def shape(self, value: SSAValue) -> tuple[int, ...]:
        assert isinstance(value.type, TensorType)
        return tuple(value.type.get_shape())

    def pick(self, rank: int | None = None) -> SSAValue:
        fitting = [v for v in self.values if rank in (None, len(self.shape(v)))]
        return self.draw(st.sampled_from(fitting[-4:])) if fitting else self.values[0]

    def constant(self, *shape: int) -> SSAValue:
        array = self.random.integers(-2, 3, shape).astype(np.float64)
        return self.add(make("nn.constant", [], [TensorType(f64, shape)], value=constant_attr(array)))

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def use(self, name: str, *operands: SSAValue, **attributes: Any) -> None:
        self.values.append(self.add(make(name, operands, **attributes)))

    def finish(self) -> ModuleOp:
        results = self.values[-3:]
        self.block.add_op(func.ReturnOp(*results))
        kind = ([a.type for a in self.block.args], [r.type for r in results])
        return ModuleOp([func.FuncOp("f", kind, Region(self.block))])


def conv2d(net: Network) -> None:
    x = net.pick(4)
    channels, height, width = net.shape(x)[1:]
    groups = net.draw(st.sampled_from([g for g in (1, 2, channels) if channels % g == 0]))
    kernel = net.draw(st.sampled_from([(1, 1), (3, 3), (1, 3)]))
    if kernel[0] > height + 2 or kernel[1] > width + 2:
        return
    w = net.constant(2 * groups, channels // groups, *kernel)
    bias = [net.constant(2 * groups)] if net.draw(st.booleans()) else []
    net.use("nn.conv2d", x, w, *bias, pads=[1, 1, 1, 1], groups=groups)


def pooling(net: Network) -> None:
    name = net.draw(st.sampled_from(["nn.max_pool2d", "nn.avg_pool2d"]))
    net.use(name, net.pick(4), kernel=[2, 2], pads=[1, 1, 0, 1], strides=[1, 2])


def unary(net: Network) -> None:
    net.use(net.draw(st.sampled_from(["nn.relu", "nn.neg"])), net.pick())


def binary(net: Network) -> None:
    a, b = net.pick(), net.pick()
    try:
        net.use("nn.add", a, b)
    except Exception:
        net.use("nn.add", a, a)


def per_channel(net: Network) -> None:
    x = net.pick(4)
    channels = net.shape(x)[1]
    shape = net.draw(st.sampled_from([(channels, 1, 1), (1, channels, 1, 1), (1,), (), (net.shape(x)[3],)]))
    net.use("nn.mul", x, net.constant(*shape))


def batch_norm(net: Network) -> None:
    x = net.pick(4)
    parameters = [net.constant(net.shape(x)[1]) for _ in range(3)]
    variance = net.add(make("nn.abs", [net.constant(net.shape(x)[1])]))
    net.use("nn.batch_norm", x, *parameters, variance, epsilon=1.0)


def concat(net: Network) -> None:
    x = net.pick()
    rank = len(net.shape(x))
    if rank:
        net.use("nn.concat", x, x, axis=net.draw(st.integers(-rank, rank - 1)))


def pad(net: Network) -> None:
    x = net.pick()
    widths = [net.draw(st.integers(0, 1)) for _ in net.shape(x)]
    net.use("nn.pad", x, low=widths, high=widths[::-1], value=1.0)


def slicing(net: Network) -> None:
    x = net.pick()
    shape = net.shape(x)
    step = net.draw(st.sampled_from([1, 2, -1]))
    starts = [0 if step > 0 else -1 for _ in shape]
    ends = [e if step > 0 else -99 for e in shape]
    net.use("nn.slice", x, starts=starts, ends=ends, steps=[step] * len(shape))


def reduction(net: Network) -> None:
    x = net.pick()
    rank = len(net.shape(x))
    axes = net.draw(st.lists(st.integers(0, rank - 1), unique=True, max_size=3)) if rank else []
    name = net.draw(st.sampled_from(["nn.reduce_max", "nn.reduce_sum"]))
    net.use(name, x, axes=axes, keepdims=net.draw(st.booleans()))


def softmax(net: Network) -> None:
    x = net.pick()
    rank = len(net.shape(x))
    if rank:
        net.use("nn.softmax", x, axis=net.draw(st.integers(-rank, rank - 1)))


def repetition(net: Network) -> None:
    """As in an upsampling, by a broadcast or by a gather."""
    x = net.pick()
    shape = net.shape(x)
    if not shape or 0 in shape:
        return
    axis = net.draw(st.integers(0, len(shape) - 1))
    if net.draw(st.booleans()):
        indices = constant_attr(np.repeat(np.arange(shape[axis]), 2))
        kind = TensorType(i64, [2 * shape[axis]])
        net.use("nn.gather", x, net.add(make("nn.constant", [], [kind], value=indices)), axis=axis)
    elif len(shape) == 4:
        apart = net.add(make("nn.unsqueeze", [x], axes=[axis + 1]))
        repeated = net.add(
            make("nn.broadcast_to", [apart], shape=[*[-1] * (axis + 1), 2, *[-1] * (3 - axis)])
        )
        net.use("nn.reshape", repeated, shape=[*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]])


def transpose(net: Network) -> None:
    x = net.pick()
    usual = [(0, 3, 1, 2), (0, 2, 3, 1)] if len(net.shape(x)) == 4 else []
    any_order = st.permutations(range(len(net.shape(x))))
    order = net.draw(st.one_of(st.sampled_from(usual), any_order) if usual else any_order)
    net.use("nn.transpose", x, permutation=list(order))


def reshape(net: Network) -> None:
    x = net.pick()
    shape = list(net.shape(x))
    if len(shape) < 3:
        return
    split = [n for e in shape[1:2] for n in ((2, e // 2) if e % 2 == 0 and e else (1, e))]
    choices = [[shape[0], *split, *shape[2:]], [*shape[:2], int(np.prod(shape[2:]))]]
    choices += [[shape[0], int(np.prod(shape[1:3])), *shape[3:]], [*shape[:-2], int(np.prod(shape[-2:]))]]
    net.use("nn.reshape", x, shape=net.draw(st.sampled_from(choices)))


STEPS: list[Callable[[Network], None]] = [
    *[conv2d] * 4,
    *(pooling, unary, binary, per_channel, batch_norm, concat, pad, slicing, reduction, softmax, repetition),
    *[transpose, reshape] * 2,
]


def block_of(module: ModuleOp) -> Block:
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    return function.body.block


@settings(max_examples=60, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_values_of_random_networks_stay(data: st.DataObject) -> None:
    net = Network(data)
    conv2d(net)
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=8)):
        if max(int(np.prod(net.shape(v))) for v in net.values) < 5000:
            step(net)
    module = net.finish()
    verify(module)
    x = net.random.integers(-2, 3, net.shape(net.block.args[0])).astype(np.float64)
    expected = interpret(block_of(module), [x])
    propagate_layout(block_of(module), pooling=data.draw(st.booleans()))
    verify(module)
    _assert_close(interpret(block_of(module), [x]), expected)
    canonicalize(module)
    verify(module)
    _assert_close(interpret(block_of(module), [x]), expected)


def _assert_close(got: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for a, b in zip(got, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_a_value_used_in_a_nested_region_is_transposed_back() -> None:
    text = """
    func.func @f(%x: tensor<1x3x4x4xf32>, %c: i1) -> tensor<1x2x4x4xf32> {
      %w = nn.constant dense<0.5> : tensor<2x3x1x1xf32>
      %0 = nn.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
      %1 = scf.if %c -> (tensor<1x2x4x4xf32>) {
        %2 = nn.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
        scf.yield %2 : tensor<1x2x4x4xf32>
      } else {
        scf.yield %0 : tensor<1x2x4x4xf32>
      }
      return %1 : tensor<1x2x4x4xf32>
    }
    """
    module = parse(text)
    propagate_layout(block_of(module))
    verify(module)
    assert [op.name for op in block_of(module).ops].count("nn.transpose") == 2


@pytest.mark.parametrize("pooling", [False, True])
def test_poolings_start_the_form_only_on_demand(pooling: bool) -> None:
    text = """
    func.func @f(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3x3x3xf32>, tensor<1x2x4x4xf32>) {
      %w = nn.constant dense<0.5> : tensor<2x3x1x1xf32>
      %0 = nn.max_pool2d %x {kernel = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x3x3xf32>
      %1 = nn.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
      return %0, %1 : tensor<1x3x3x3xf32>, tensor<1x2x4x4xf32>
    }
    """
    module = parse(text)
    assert propagate_layout(block_of(module), pooling=pooling) == 1 + pooling
    verify(module)


def test_locations_stay() -> None:
    text = """
    func.func @f(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
      %w = nn.constant dense<0.5> : tensor<2x3x1x1xf32>
      %0 = nn.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
      return %0 : tensor<1x2x4x4xf32>
    }
    """
    module = parse(text, "net.mlir")
    propagate_layout(block_of(module))
    places = {op.name: str(op.location) for op in block_of(module).ops}
    assert all('"net.mlir":4' in place for name, place in places.items() if name.startswith("nn."))
