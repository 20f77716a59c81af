"""`update-donated-arguments`: results that belong in a donated argument's memory are computed there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.linalg.structured import as_generic, is_structured
from lamina.lowering.buffers.buffer_results_to_out_params import RESULT_ATTRIBUTE
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.nn.nn_donate import UPDATES

_VIEWS = (memref.ExpandShapeOp, memref.CollapseShapeOp)


@dataclass(frozen=True)
class UpdateDonatedArguments(Pass):
    """Compute results in the memory of the donated arguments that they are tied to (`lamina.updates`).

    The argument takes the place of the one that received the result. That is safe where nothing reads the
    old value after the result is first written; a kernel that does both must be elementwise loops, in which
    each element is read just before it is written. Otherwise the result is computed elsewhere and copied at
    the end, which the statistics count and a warning tells.

    ```mlir
    func.func private @step(%w: memref<4xf32>, %g: memref<4xf32>, %o: memref<4xf32>) attributes {lamina.dispatch} {
      linalg.sub ins(%w, %g : memref<4xf32>, memref<4xf32>) outs(%o : memref<4xf32>)
      return
    }
    func.func @main(%w: memref<4xf32> {bufferization.writable = true, lamina.updates = 0 : i64}, %g: memref<4xf32>, %o: memref<4xf32> {lamina.result = 0 : i64}) {
      call @step(%w, %g, %o) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```

    ```mlir
    func.func private @step_in_place(%g: memref<4xf32>, %o: memref<4xf32>) attributes {lamina.dispatch} {
      linalg.sub ins(%o, %g : memref<4xf32>, memref<4xf32>) outs(%o : memref<4xf32>)
      func.return
    }
    func.func @main(%w: memref<4xf32> {bufferization.writable = true, lamina.updates = 0 : i64}, %g: memref<4xf32>) {
      func.call @step_in_place(%g, %w) : (memref<4xf32>, memref<4xf32>) -> ()
      func.return
    }
    ```
    """  # noqa: E501

    name = "update-donated-arguments"
    requires = (BUFFERS_ONLY,)
    statistics: ClassVar[dict[str, str]] = {
        "in place": "results computed in the memory of an argument",
        "copied": "results copied there",
    }

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        for function in [f for f in op.body.block.ops if isinstance(f, func.FuncOp) and f.body.blocks]:
            for argument, result in _ties(function):
                in_place = _update(op, function, argument, result)
                ctx.count("in place" if in_place else "copied")
                if not in_place:
                    ctx.warn(f"result for argument {argument.index} is copied into it", function)


def _ties(function: func.FuncOp) -> list[tuple[BlockArgument, BlockArgument]]:
    """Donated arguments with the arguments that receive their results."""
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    arguments = function.body.block.args
    updates = _numbers(attributes, UPDATES)
    receivers = {number: arguments[i] for i, number in _numbers(attributes, RESULT_ATTRIBUTE).items()}
    return [(arguments[i], receivers[number]) for i, number in updates.items() if number in receivers]


def _numbers(attributes: Sequence[DictionaryAttr], name: str) -> dict[int, int]:
    """The integer attribute of a name, by the number of the argument that has it."""
    found = {i: d.data.get(name) for i, d in enumerate(attributes)}
    return {i: value.value.data for i, value in found.items() if isinstance(value, IntegerAttr)}


def _update(module: ModuleOp, function: func.FuncOp, argument: BlockArgument, result: BlockArgument) -> bool:
    """Put a donated argument in the place of a result's; returns whether no copy was needed."""
    block = function.body.block
    reads, writes = _users(argument, block), _users(result, block)
    first = min((_order(op, block) for op, _ in writes), default=-1)
    last_read = max((_order(op, block) for op, _ in reads), default=-1)
    both = [op for op, _ in reads if any(op is other for other, _ in writes)]
    in_place = last_read < first or (
        last_read == first and len(both) == 1 and _read_in_kernel(module, both[0], reads, writes)
    )
    if in_place:
        result.replace_all_uses_with(argument)
    else:
        alloc = memref.AllocOp([], [], result.type, IntegerAttr(64, 64))
        copy = CopyOp(alloc.memref, argument)
        alloc.location = copy.location = function.location
        assert block.first_op is not None and block.last_op is not None
        block.insert_op_before(alloc, block.first_op)
        block.insert_op_before(copy, block.last_op)
        result.replace_all_uses_with(alloc.memref)
    _drop_argument(function, result.index)
    return in_place


def _users(value: SSAValue, block: Block) -> list[tuple[Operation, SSAValue]]:
    """What uses a buffer, through reshapes, with the value it uses."""
    found: list[tuple[Operation, SSAValue]] = []
    pending = [value]
    while pending:
        current = pending.pop()
        for use in current.uses:
            if isinstance(use.operation, _VIEWS):
                pending.append(use.operation.results[0])
            else:
                found.append((use.operation, current))
    return found


def _order(op: Operation, block: Block) -> int:
    """The place of an op, or of the op around it, in a block."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return block.get_operation_index(op)


def _read_in_kernel(
    module: ModuleOp,
    call: Operation,
    reads: Sequence[tuple[Operation, SSAValue]],
    writes: Sequence[tuple[Operation, SSAValue]],
) -> bool:
    """Let a kernel that reads an argument and writes its result take one buffer for both, if it can."""
    if not isinstance(call, func.CallOp):
        return False
    read = [i for i, v in enumerate(call.operands) if any(v is value for op, value in reads if op is call)]
    written = [
        i for i, v in enumerate(call.operands) if any(v is value for op, value in writes if op is call)
    ]
    callee = _function(module, call.callee.root_reference.data)
    if len(read) != 1 or len(written) != 1 or callee is None or not callee.body.blocks:
        return False
    arguments = callee.body.block.args
    source, target = arguments[read[0]], arguments[written[0]]
    if source.type != target.type or not _elementwise(callee.body.block, source, target):
        return False
    own = callee.clone()
    names = {f.sym_name.data for f in module.body.block.ops if isinstance(f, func.FuncOp)}
    name = f"{callee.sym_name.data}_in_place"
    while name in names:
        name += "_"
    own.properties["sym_name"] = StringAttr(name)
    module.body.block.insert_op_after(own, callee)
    mine = own.body.block.args
    mine[read[0]].replace_all_uses_with(mine[written[0]])
    _drop_argument(own, read[0])
    operands = [v for i, v in enumerate(call.operands) if i != read[0]]
    new = func.CallOp(name, operands, [])
    new.attributes.update(call.attributes)
    new.location = call.location
    assert call.parent is not None
    call.parent.insert_op_before(new, call)
    call.parent.erase_op(call)
    if not any(_calls(module, callee.sym_name.data)):
        callee.detach()
        callee.erase()
    return True


def _elementwise(block: Block, source: SSAValue, target: SSAValue) -> bool:
    """Whether one structured op reads one buffer and writes the other, each element at its place."""
    users = [*_users(source, block), *_users(target, block)]
    values = {value for _, value in users}
    op = users[0][0]
    if any(other is not op for other, _ in users) or not is_structured(op):
        return False
    if len({value.type for value in values}) != 1:
        return False
    view = as_generic(op)
    maps = {m for v, m in zip(view.operands, view.indexing_maps, strict=True) if v in values}
    if not set(view.iterator_types) <= {"parallel"} or len(maps) != 1 or not values & set(view.outputs):
        return False
    (only,) = maps
    return only == AffineMap.identity(only.num_dims)


def _function(module: ModuleOp, name: str) -> func.FuncOp | None:
    found = (f for f in module.body.block.ops if isinstance(f, func.FuncOp) and f.sym_name.data == name)
    return next(found, None)


def _calls(module: ModuleOp, name: str) -> Iterator[func.CallOp]:
    for op in module.walk():
        if isinstance(op, func.CallOp) and op.callee.root_reference.data == name:
            yield op


def _drop_argument(function: func.FuncOp, index: int) -> None:
    """Remove an argument that nothing uses."""
    block = function.body.block
    block.erase_arg(block.args[index])
    kinds = function.function_type
    inputs = [kind for i, kind in enumerate(kinds.inputs) if i != index]
    function.function_type = FunctionType.from_lists(inputs, list(kinds.outputs))
    if function.arg_attrs is not None:
        left = [d for i, d in enumerate(function.arg_attrs.data) if i != index]
        function.arg_attrs = (
            ArrayAttr(left) if any(isinstance(d, DictionaryAttr) and d.data for d in left) else None
        )
