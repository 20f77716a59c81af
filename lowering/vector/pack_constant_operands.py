"""The pass ``pack-constant-operands``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import cast

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import as_array, constant_attr, constant_attribute
from lamina.dialects.core.folding import zero_of
from lamina.dialects.linalg.packing import PackOp, UnPackOp, pack_array, packed_shape
from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._cost import bits_of
from lamina.lowering.vector._groups import form_groups
from lamina.lowering.vector._schedule import ATTRIBUTE, Schedule, schedule_of
from lamina.passes.framework.passes import Pass, PassContext, option

_LEAST_BYTES = 16 << 10
"""Of what fits into half of a first-level cache, any layout is good."""


@dataclass(frozen=True)
class Layout:
    """How an operand is packed: tiles of one dimension innermost, and that dimension's tiles outermost."""

    dimension: int
    tile: int
    order: tuple[int, ...]

    def packed(self, kind: TensorType) -> TensorType:
        """The type of the packed operand."""
        shape = packed_shape(kind.get_shape(), (self.dimension,), (self.tile,), self.order)
        return TensorType(kind.element_type, shape)


def pack_constant_operands(module: ModuleOp, *, fold: bool) -> int:
    """Pack the constants that scheduled dispatches read in tiles; returns how many operands."""
    return sum(_pack_function(function, calls, fold) for function, calls in dispatches_of(module))


def dispatches_of(module: ModuleOp) -> list[tuple[func.FuncOp, list[func.CallOp]]]:
    """The private functions of a module that are called, and their calls."""
    calls: dict[str, list[func.CallOp]] = {}
    for op in module.walk():
        if isinstance(op, func.CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
    return [
        (op, calls[op.sym_name.data])
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp)
        and op.sym_name.data in calls
        and not op.is_declaration
        and op.sym_visibility is not None
        and op.sym_visibility.data == "private"
    ]


def _pack_function(function: func.FuncOp, callers: Sequence[func.CallOp], fold: bool) -> int:
    count = 0
    block = function.body.block
    for group in form_groups(block):
        schedule = schedule_of(group.root.op)
        if schedule is None or len(schedule.tile) != len(group.root.sizes):
            continue
        for i in group.root.used_inputs():
            value = group.root.inputs[i]
            layout = layout_of(group.root, i, schedule)
            if layout is None or not is_constant_argument(value, block, callers):
                continue
            assert isinstance(value, BlockArgument)
            number = value.index
            _unpack_inside(function, value, layout, group.root.op)
            for call in callers:
                _pack_outside(call, number, layout, fold)
            if schedule.pack == i:
                group.root.op.attributes[ATTRIBUTE] = replace(schedule, pack=None).attribute()
            count += 1
    return count


def is_constant_argument(value: SSAValue, block: Block, callers: Sequence[func.CallOp]) -> bool:
    """Whether one operation alone uses an argument, and every call gives a constant for it."""
    if not isinstance(value, BlockArgument) or value.block is not block or not value.has_one_use():
        return False
    return all(_is_large_constant(call.arguments[value.index]) for call in callers)


def is_given_as_constant(value: SSAValue) -> bool:
    """Whether this pass could pack a value: an argument for which every call gives a constant."""
    block = value.owner
    function = block.parent_op() if isinstance(block, Block) else None
    if not isinstance(function, func.FuncOp) or (module := function.parent_op()) is None:
        return False
    name = function.sym_name.data
    calls = [op for op in module.walk() if isinstance(op, func.CallOp) and op.callee.string_value() == name]
    return bool(calls) and is_constant_argument(value, cast(Block, block), calls)


def _is_large_constant(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, PackOp):
        return False
    attribute = constant_attribute(value)
    return attribute is not None and as_array(attribute).size > 1


def layout_of(root: Structured, operand: int, schedule: Schedule) -> Layout | None:
    """The layout in which a schedule's tiles of an operand lie one behind the other; None where that is as
    good as what it has, or cannot be."""
    kind = root.inputs[operand].type
    if not isinstance(kind, TensorType) or not root.reductions or schedule.vector in root.reductions:
        return None
    if schedule.blocks:
        return None
    access = root.input_accesses[operand]
    loops = [expression.is_loop() for expression in access]
    if any(e.coefficients and loop is None for e, loop in zip(access, loops, strict=True)):
        return None
    if sum(loop is not None and _is_tiled(root, schedule, loop) for loop in loops) != 1:
        return None
    dimension = next((d for d, loop in enumerate(loops) if loop == schedule.vector), None)
    tile = schedule.tile[schedule.vector]
    size = root.sizes[schedule.vector]
    if dimension is None or tile >= size or (size % tile and (schedule.blocks or not _may_be_padded(root))):
        return None
    if prod(kind.get_shape()) * bits_of(kind.element_type) < _LEAST_BYTES * 8:
        return None
    others = [d for d in range(len(loops)) if d != dimension]
    others.sort(key=lambda d: _place(schedule, loops[d]))
    return Layout(dimension, tile, (dimension, *others))


def _may_be_padded(root: Structured) -> bool:
    """Whether columns that are not there may be computed: sums start from a fill, not from what is given."""
    return all(isinstance(value.owner, FillOp) for value in root.outputs)


def _is_tiled(root: Structured, schedule: Schedule, loop: int) -> bool:
    return loop not in root.reductions and schedule.tile[loop] > 1 and root.sizes[loop] > 1


def _place(schedule: Schedule, loop: int | None) -> int:
    return -1 if loop is None else schedule.order.index(loop)


def _unpack_inside(function: func.FuncOp, argument: BlockArgument, layout: Layout, before: Operation) -> None:
    """Give an argument its packed type, and what read it the unpacked tensor."""
    kind = argument.type
    assert isinstance(kind, TensorType)
    new = insert_argument(argument, layout.packed(kind))
    empty = tensor.EmptyOp([], kind)
    unpack = UnPackOp.make(new, empty.tensor, (layout.dimension,), (layout.tile,), layout.order)
    for op in (empty, unpack):
        op.location = before.location
        Rewriter.insert_op(op, InsertPoint.before(before))
    argument.replace_all_uses_with(unpack.result)
    erase_argument(function, argument)


def insert_argument(before: BlockArgument, kind: TensorType) -> BlockArgument:
    """An argument of another type, in front of the one that it replaces."""
    new = before.block.insert_arg(kind, before.index)
    new.name_hint = before.name_hint
    return new


def erase_argument(function: func.FuncOp, argument: BlockArgument) -> None:
    """Remove an argument that nothing uses any more."""
    argument.block.erase_arg(argument)
    inputs = [a.type for a in function.body.block.args]
    function.function_type = FunctionType.from_lists(inputs, list(function.function_type.outputs))


def _pack_outside(call: func.CallOp, number: int, layout: Layout, fold: bool) -> None:
    given = call.arguments[number]
    kind = given.type
    assert isinstance(kind, TensorType)
    empty = tensor.EmptyOp([], layout.packed(kind))
    pack = PackOp.make(given, empty.tensor, (layout.dimension,), (layout.tile,), layout.order)
    zero = None
    if kind.get_shape()[layout.dimension] % layout.tile:
        value = zero_of(kind.element_type)
        assert value is not None
        zero = arith.ConstantOp.create(result_types=[kind.element_type], properties={"value": value})
        pack.padded_with(zero.result)
    for op in (empty, zero, pack):
        if op is not None:
            op.location = call.location
            Rewriter.insert_op(op, InsertPoint.before(call))
    call.operands[number] = pack.result
    if fold:
        fold_pack(pack)


def fold_pack(pack: PackOp) -> bool:
    """Replace the packing of a constant by the packed constant; whether it was one."""
    attribute: Attribute | None = constant_attribute(pack.source)
    if attribute is None:
        return False
    array = pack_array(as_array(attribute), *pack.layout())
    made_of = [value.owner for value in pack.operands[1:]]
    source = pack.source.owner
    constant = arith.ConstantOp(constant_attr(array, pack.result.type), pack.result.type)
    constant.location = source.location if isinstance(source, Operation) else pack.location
    Rewriter.replace_op(pack, constant)
    for op in (*made_of, source):
        if isinstance(op, Operation) and op.parent is not None and not op.results[0].uses:
            Rewriter.erase_op(op)
    return True


@dataclass(frozen=True)
class PackConstantOperands(Pass):
    """Lay out constants as the tiles of the dispatches that read them.

    Where every call of a scheduled dispatch passes a constant for an operand that is read in tiles, the
    constant is packed (`linalg.pack`), now and once for all, and the dispatch takes it packed
    (`linalg.unpack`, which `vectorize-dispatches` reads through). Weights then stream from memory in the order
    in which they are used, and no call copies them.

    ```mlir
    func.func private @dispatch(%a: tensor<6x256xf32>, %b: tensor<256x32xf32>, %out: tensor<6x32xf32>)
        -> tensor<6x32xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<6x32xf32>) -> tensor<6x32xf32>
      %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 0, 1, 2>,
        vector = 1 : i64}} ins(%a, %b : tensor<6x256xf32>, tensor<256x32xf32>)
        outs(%f : tensor<6x32xf32>) -> tensor<6x32xf32>
      return %m : tensor<6x32xf32>
    }
    func.func @main(%a: tensor<6x256xf32>, %out: tensor<6x32xf32>) -> tensor<6x32xf32> {
      %b = arith.constant dense<1.0> : tensor<256x32xf32>
      %0 = call @dispatch(%a, %b, %out)
        : (tensor<6x256xf32>, tensor<256x32xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
      return %0 : tensor<6x32xf32>
    }
    ```

    ```mlir
    func.func private @dispatch(%a: tensor<6x256xf32>, %b: tensor<2x256x16xf32>, %out: tensor<6x32xf32>) -> tensor<6x32xf32> {
      %zero = arith.constant 0.000000e+00 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<6x32xf32>) -> tensor<6x32xf32>
      %0 = tensor.empty() : tensor<256x32xf32>
      %b_1 = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %0 : tensor<2x256x16xf32> -> tensor<256x32xf32>
      %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 0, 1, 2>, vector = 1 : i64}} ins(%a, %b_1 : tensor<6x256xf32>, tensor<256x32xf32>) outs(%f : tensor<6x32xf32>) -> tensor<6x32xf32>
      func.return %m : tensor<6x32xf32>
    }
    func.func @main(%a: tensor<6x256xf32>, %out: tensor<6x32xf32>) -> tensor<6x32xf32> {
      %0 = arith.constant dense<1.000000e+00> : tensor<2x256x16xf32>
      %1 = func.call @dispatch(%a, %0, %out) : (tensor<6x256xf32>, tensor<2x256x16xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
      func.return %1 : tensor<6x32xf32>
    }
    ```
    """  # noqa: E501

    name = "pack-constant-operands"
    statistics = {"packed": "operands that are constants, packed"}
    fold: bool = option(True, "pack now; otherwise leave linalg.pack in the text")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("packed", pack_constant_operands(op, fold=self.fold))
