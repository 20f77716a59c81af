"""`eliminate-empty-tensors`: results are computed where they are wanted, not in a buffer of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.linalg.structured import as_generic, is_structured
from lamina.lowering.buffers._accesses import accesses, harmless_in_one_op, is_tensor
from lamina.lowering.buffers._analysis import argument_is_writable
from lamina.lowering.buffers._dominance import Dominance
from lamina.lowering.buffers._preparation import split_empty_tensors
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext

_MOVABLE = frozenset(
    {"tensor.empty", "tensor.extract_slice", "tensor.insert_slice", "linalg.fill", "arith.constant"}
)
"""Operations that may be moved up to where a destination is needed, perhaps with its border filled."""


def eliminate_empty_tensors(root: Operation) -> int:
    """Replace `tensor.empty` by the destination in which its value ends up; returns how often.

    Four cases: a value that is inserted into a slice is computed in that slice; the input of an
    elementwise operation is computed in the operation's destination; a value that a loop hands to its
    next iteration is computed in the iteration argument, if that is no longer needed; a value that is
    returned is computed in an argument that the function may write and does not use otherwise.
    """
    count = 0
    split_empty_tensors(root)
    order = Dominance(root)
    for op in list(root.walk()):
        if isinstance(op, tensor.InsertSliceOp):
            count += _compute_in_slice(op, order)
        elif is_structured(op):
            count += _compute_in_destination(op, order)
        elif isinstance(op, scf.ForOp):
            count += _compute_in_iteration_argument(op)
        elif isinstance(op, func.FuncOp):
            count += _compute_in_argument(op)
    for op in list(root.walk()):
        if isinstance(op, tensor.EmptyOp) and not op.tensor.uses:
            op.detach()
            op.erase()
    return count


def start_of_chain(value: SSAValue) -> Use | None:
    """The use of a `tensor.empty` from which a value is made by operations that only write destinations.

    Each value on the way has one use, so that nothing else sees the buffer.
    """
    while isinstance(value, OpResult):
        step = _destination_of(value)
        if step is None:
            return None
        use, value = step
        if isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp):
            return use
        if not value.has_one_use():
            return None
    return None


def _destination_of(value: OpResult) -> tuple[Use, SSAValue] | None:
    """The operand whose buffer a result is, as a use and its value."""
    op = value.op
    if isinstance(op, scf.ForOp):
        operand = 3 + value.index
        return _use(op, operand), op.operands[operand]
    for access in accesses(op) or ():
        if access.writes and access.result == value.index:
            return _use(op, access.operand), op.operands[access.operand]
    return None


def _use(op: Operation, operand: int) -> Use:
    return next(use for use in op.operands[operand].uses if use.operation is op and use.index == operand)


def _compute_in_slice(op: tensor.InsertSliceOp, order: Dominance) -> bool:
    """Compute the source of an insertion in that part of the destination."""
    if not op.source.has_one_use():
        return False
    start = start_of_chain(op.source)
    if start is None:
        return False
    at = start.operation
    whole = _available(op.dest, at, order)
    numbers = (*op.offsets, *op.sizes, *op.strides)
    if whole is None or not all(order.dominates(value, at) for value in numbers):
        return False
    kind = cast(TensorType, op.source.type)
    part = tensor.ExtractSliceOp.build(
        operands=[whole, list(op.offsets), list(op.sizes), list(op.strides)],
        result_types=[kind],
        properties={
            name: op.properties[name] for name in ("static_offsets", "static_sizes", "static_strides")
        },
    )
    part.location = op.location
    Rewriter.insert_op(part, InsertPoint.before(at))
    order.place_before(part, at)
    at.operands[start.index] = part.result
    return True


def _available(whole: SSAValue, at: Operation, order: Dominance) -> SSAValue | None:
    """A value that has the buffer of an insertion's destination and is known at ``at``.

    Where the destination itself is not, it is the `tensor.empty` that earlier insertions started from: the
    part is undefined in it, and they leave it alone. Or what makes the destination is moved up.
    """
    if order.dominates(whole, at):
        return whole
    whole = order.start_of_insertions(whole)
    if order.dominates(whole, at):
        return whole
    if isinstance(whole, OpResult) and _move_up(whole.op, at, order):
        return whole
    return None


def _move_up(op: Operation, at: Operation, order: Dominance) -> bool:
    """Move a cheap operation and what it needs before ``at``, if that is possible."""
    pending = [op]
    moved: dict[Operation, None] = {}
    while pending:
        current = pending.pop()
        if current in moved:
            continue
        if current.name not in _MOVABLE or current.parent is not at.parent:
            return False
        moved[current] = None
        for operand in current.operands:
            if order.dominates(operand, at):
                continue
            if not isinstance(operand, OpResult):
                return False
            pending.append(operand.op)
    for current in order.sorted(moved):
        current.detach()
        Rewriter.insert_op(current, InsertPoint.before(at))
        order.place_before(current, at)
    return True


def _compute_in_destination(op: Operation, order: Dominance) -> bool:
    """Compute an input of an elementwise operation in the operation's destination, then work in place."""
    view = as_generic(op)
    if len(view.outputs) != 1 or not is_tensor(view.outputs[0]) or view.reads_output(0):
        return False
    written = len(view.inputs)
    target = view.outputs[0]
    for number, value in enumerate(view.inputs):
        if not (is_tensor(value) and value.has_one_use() and value.type == target.type):
            continue
        if not harmless_in_one_op(op, number, written):
            continue
        start = start_of_chain(value)
        if start is None or not _is_final(target, op) or not order.dominates(target, start.operation):
            continue
        start.operation.operands[start.index] = target
        op.operands[written] = value
        return True
    return False


def _is_final(target: SSAValue, op: Operation) -> bool:
    """Whether a destination's own elements matter to nobody else: an argument or loop value used once."""
    return isinstance(target, BlockArgument) and target.has_one_use()


def _compute_in_iteration_argument(loop: scf.ForOp) -> int:
    """Compute yielded values in the iteration argument that they replace."""
    count = 0
    last = loop.body.block.last_op
    for number, argument in enumerate(loop.body.block.args[1:]):
        value = last.operands[number] if last is not None else None
        if value is None or not is_tensor(value) or not value.has_one_use():
            continue
        start = start_of_chain(value)
        if start is None or not _is_free(argument, start.operation, loop.body.block):
            continue
        if argument.type == start.operation.operands[start.index].type:
            start.operation.operands[start.index] = argument
            count += 1
    return count


def _compute_in_argument(function: func.FuncOp) -> int:
    """Compute returned values in the unused writable arguments of their types, in order."""
    block = function.body.blocks.last
    last = block.last_op if block is not None else None
    if last is None:
        return 0
    free = [
        argument
        for number, argument in enumerate(function.body.block.args)
        if not argument.uses and is_tensor(argument) and argument_is_writable(function, number)
    ]
    count = 0
    for value in last.operands:
        start = start_of_chain(value) if is_tensor(value) and value.has_one_use() else None
        target = next((a for a in free if start is not None and a.type == value.type), None)
        if start is not None and target is not None:
            if target.type != start.operation.operands[start.index].type:
                continue
            start.operation.operands[start.index] = target
            free.remove(target)
            count += 1
    return count


def _is_free(argument: SSAValue, op: Operation, block: Block) -> bool:
    """Whether ``op`` may overwrite an iteration argument: as its only user, that reads by element."""
    users = {use.operation for use in argument.uses if use.operation.name != "tensor.dim"}
    if not users:
        return op.parent is block
    if users != {op} or op.parent is not block or not is_structured(op):
        return False
    view = as_generic(op)
    if len(view.outputs) != 1:
        return False
    read = [use.index for use in argument.uses if use.operation is op]
    return all(n < len(view.inputs) and harmless_in_one_op(op, n, len(view.inputs)) for n in read)


@dataclass(frozen=True)
class EliminateEmptyTensors(Pass):
    """Compute values in the destination they end up in.

    A `tensor.empty` would become a buffer of its own, and its value would be copied. Where the value is
    inserted into another tensor, a slice of that tensor takes its place; where an elementwise operation
    turns it into its result, the operation's destination does; in a loop, the iteration argument; where it
    is returned, an unused argument with `bufferization.writable`.

    ```mlir
    func.func @pad(%x: tensor<2xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<2xf32>
      %y = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      %r = tensor.insert_slice %y into %out[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```

    ```mlir
    func.func @pad(%x: tensor<2xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.extract_slice %out[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
      %y = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      %r = tensor.insert_slice %y into %out[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    """

    name = "eliminate-empty-tensors"
    anchor = ANY_OP
    statistics = {"eliminated": "empty tensors replaced by a destination"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("eliminated", eliminate_empty_tensors(op))
