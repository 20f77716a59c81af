"""``nn-initialize``: a function that makes the first parameters of a model from a key."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.general._symbols import symbols_of
from lamina.passes.nn._gradient_function import check_input
from lamina.passes.nn.nn_set_shapes import argument_names, find_function

INITIALIZER = "nn.init"
"""The attribute of an argument that names its initialiser."""


@dataclass(frozen=True)
class NnInitialize(Pass):
    """Add a function that makes parameters from a key (``tensor<2xui32>``), each by its argument's ``nn.init``.

    | ``nn.init`` | values |
    |---|---|
    | ``zeros``, ``ones`` | constants; zeros where nothing is said and the rank is below 2 |
    | ``glorot_uniform``, ``glorot_normal`` | variance ``2 / (fan in + fan out)``; uniform where nothing is said |
    | ``he_uniform``, ``he_normal`` | variance ``2 / fan in`` |
    | ``orthogonal`` | rows (or columns, whichever are fewer) are orthonormal |

    Of a matrix ``[I, O]`` fan in and out are I and O; of a convolution's filter each times the places of the
    window, in the layout of the first convolution that uses it. Parameter number i takes the key with i added
    to its second word.

    ```mlir
    func.func @main(%w: tensor<4x2xf32> {nn.name = "w", nn.init = "he_uniform"}, %x: tensor<3x4xf32>) -> tensor<3x2xf32> {
      %0 = nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }
    ```

    ```mlir
    func.func @main(%w: tensor<4x2xf32> {nn.name = "w", nn.init = "he_uniform"}, %x: tensor<3x4xf32>) -> tensor<3x2xf32> {
      %0 = nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
      func.return %0 : tensor<3x2xf32>
    }
    func.func @init(%0: tensor<2xui32> {nn.name = "key"}) -> (tensor<4x2xf32> {nn.name = "w"}) {
      %1 = nn.constant dense<0> : tensor<2xui32>
      %2 = nn.add %0, %1 : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
      %3 = nn.rng_uniform %2 {shape = array<i64: 4, 2>, type = f32, low = -1.2247448713915889 : f64, high = 1.2247448713915889 : f64} : (tensor<2xui32>) -> tensor<4x2xf32>
      func.return %3 : tensor<4x2xf32>
    }
    ```
    """  # noqa: E501

    name = "nn-initialize"

    function: str = option("main", "The function whose parameters are made")
    parameters: tuple[int, ...] = option((0,), "Its arguments that are parameters, by number")
    name_: str = option("init", "The name of the new function")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        initializer(op, self.function, self.parameters, self.name_)


def initializer(module: ModuleOp, function: str, parameters: Sequence[int], name: str = "init") -> str:
    """Add a function from a key to a function's parameters; returns its name. See :class:`NnInitialize`."""
    source = find_function(module, function)
    if name in symbols_of(module):
        raise error(f"there is a function '{name}' already", hint="give another name with name=…")
    block = Block(arg_types=[TensorType(IntegerType(32, Signedness.UNSIGNED), [2])])
    key = Term(block.args[0], block.add_op)
    values: list[SSAValue] = []
    for number, index in enumerate(parameters):
        argument = source.body.block.args[check_input(source, index)]
        own = key + key.constant([0, number])
        values.append(_made(source, index, argument, own).value)
    block.add_op(ReturnOp(*values))
    kinds = FunctionType.from_lists([block.args[0].type], [v.type for v in values])
    names = [argument_names(source)[i] for i in parameters]
    labels = ArrayAttr([DictionaryAttr({"nn.name": StringAttr(n)} if n else {}) for n in names])
    made = FuncOp(name, kinds, Region(block), res_attrs=labels)
    made.properties["arg_attrs"] = ArrayAttr([DictionaryAttr({"nn.name": StringAttr("key")})])
    module.body.block.insert_op_after(made, source)
    return name


def _made(function: FuncOp, index: int, argument: SSAValue, key: Term) -> Term:
    kind = argument.type
    assert isinstance(kind, TensorType)
    if not kind.has_static_shape():
        raise error(f"argument {index} has type {kind}, whose shape is not known", function)
    attributes = function.arg_attrs.data[index].data if function.arg_attrs is not None else {}
    given = attributes.get(INITIALIZER)
    default = "glorot_uniform" if kind.get_num_dims() > 1 else "zeros"
    wanted = given.data if isinstance(given, StringAttr) else default
    if wanted not in INITIALIZERS:
        hint = did_you_mean(wanted, list(INITIALIZERS)) or f"known are: {', '.join(INITIALIZERS)}"
        raise error(f"argument {index} asks for the initialiser '{wanted}'", function, hint=hint)
    return INITIALIZERS[wanted](key, kind, _fans(argument, kind))


Fans = tuple[float, float]


def _fans(argument: SSAValue, kind: TensorType) -> Fans:
    """How many values each result of a parameter sums, and how many results each value is part of."""
    shape = kind.get_shape()
    convolution = _convolution_of(argument)
    if convolution is not None:
        last = convolution.attribute("layout") == "NHWC"
        places = math.prod(shape[:2] if last else shape[2:])
        depth, count = (shape[2], shape[3]) if last else (shape[1], shape[0])
        return depth * places, count * places / convolution.attribute("groups")
    if len(shape) < 2:
        return max(1, math.prod(shape)), max(1, math.prod(shape))
    return math.prod(shape[:-1]), math.prod(shape[:-2]) * shape[-1]


def _convolution_of(argument: SSAValue) -> NnOp | None:
    """The first convolution that a value is the filter of, in its function or in one that it is passed to."""
    pending, seen = [argument], {argument}
    while pending:
        for use in sorted(pending.pop(0).uses, key=lambda use: _place(use.operation)):
            op = use.operation
            if isinstance(op, NnOp) and op.name == "nn.conv2d" and use.index == 1:
                return op
            callee = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, CallOp) else None
            if isinstance(callee, FuncOp) and callee.body.blocks:
                passed = callee.body.block.args[use.index]
                pending += [passed] if passed not in seen else []
                seen.add(passed)
    return None


def _place(op: Operation) -> int:
    return op.parent.get_operation_index(op) if op.parent is not None else 0


def _uniform(key: Term, kind: TensorType, variance: float) -> Term:
    bound = math.sqrt(3 * variance)
    shape = list(kind.get_shape())
    return key.rng_uniform(shape=shape, type=kind.element_type, low=-bound, high=bound)


def _normal(key: Term, kind: TensorType, variance: float) -> Term:
    shape = list(kind.get_shape())
    return key.rng_normal(shape=shape, type=kind.element_type, stddev=math.sqrt(variance))


_TURNS = 40
"""Each multiplies small singular values by 1.5 until they are 1: enough for some thousand rows."""


def _orthogonal(key: Term, kind: TensorType, fans: Fans) -> Term:
    """The orthogonal factor of a normal matrix, by Newton and Schulz's iteration ``x (3 - x'x) / 2``."""
    shape = kind.get_shape()
    rows, columns = math.prod(shape[:-1]), shape[-1] if shape else 1
    wide = rows < columns
    flat = key.rng_normal(shape=[max(rows, columns), min(rows, columns)], type=kind.element_type)
    size = (flat * flat).reduce_sum(axes=[0, 1]).sqrt()
    block = Block(arg_types=[IndexType(), flat.type])
    x = Term(block.args[1], block.add_op)
    turned = x * 1.5 - x.matmul(x.swapped().matmul(x)) * 0.5
    block.add_op(scf.YieldOp(turned.value))
    bounds: list[SSAValue] = []
    for number in (0, _TURNS, 1):
        bound = arith.ConstantOp(IntegerAttr(number, IndexType()))
        key.insert(bound)
        bounds.append(bound.result)
    loop = scf.ForOp(bounds[0], bounds[1], bounds[2], [(flat / size).value], block)
    key.insert(loop)
    result = Term(loop.results[0], key.insert)
    return (result.swapped() if wide else result).reshape(shape=list(shape))


def _constant(key: Term, kind: TensorType, value: float) -> Term:
    from lamina.dialects.core.constants import splat_attr
    from lamina.dialects.nn.constant import ConstantOp

    op = ConstantOp.of(splat_attr(value, kind))
    key.insert(op)
    return Term(op.result, key.insert)


INITIALIZERS: dict[str, Callable[[Term, TensorType, Fans], Term]] = {
    "zeros": lambda key, kind, fans: _constant(key, kind, 0),
    "ones": lambda key, kind, fans: _constant(key, kind, 1),
    "glorot_uniform": lambda key, kind, fans: _uniform(key, kind, 2 / sum(fans)),
    "glorot_normal": lambda key, kind, fans: _normal(key, kind, 2 / sum(fans)),
    "he_uniform": lambda key, kind, fans: _uniform(key, kind, 2 / fans[0]),
    "he_normal": lambda key, kind, fans: _normal(key, kind, 2 / fans[0]),
    "orthogonal": _orthogonal,
}
