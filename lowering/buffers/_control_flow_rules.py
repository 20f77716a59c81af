"""Rewriting of structured control flow: loop-carried tensors become buffers that the loop updates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, MemRefType, ShapedType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.scf.forall import ForallOp
from lamina.dialects.tensor.parallel import ParallelInsertSliceOp
from lamina.lowering.buffers._accesses import is_tensor
from lamina.lowering.buffers._rewriting import Buffers, move_region, rewrite_rule
from lamina.lowering.buffers._slices import inserted_in_place
from lamina.lowering.buffers._tensor_rules import subview


def _initial_buffer(buffers: Buffers, loop: Operation, operand: int) -> SSAValue:
    return buffers.destination(loop, operand, preserve=True)


def _write_back(
    buffers: Buffers, last: Operation, pairs: Sequence[tuple[SSAValue, SSAValue, SSAValue, SSAValue]]
) -> None:
    """Copy yielded tensors to where the next iteration expects them.

    A pair is (yielded value, its buffer, loop argument, its buffer). A yielded buffer that another copy
    overwrites is saved first.
    """
    aliases = buffers.decisions.aliases
    moved = [pair for pair in pairs if not aliases.same(pair[0], pair[2])]
    carried = [aliases.set_of(pair[2]) for pair in moved]
    sources: list[SSAValue] = []
    for value, buffer, argument, target in moved:
        _check_shape(last, buffer, target)
        clash = any(aliases.set_of(value) is found for found in carried)
        alone = len(moved) == 1 and aliases.set_of(value) is not aliases.set_of(argument)
        sources.append(buffers.copy_of(buffer, last) if clash and not alone else buffer)
    for source, (_, _, _, target) in zip(sources, moved, strict=True):
        buffers.copy(source, target, last)


def _check_shape(last: Operation, source: SSAValue, target: SSAValue) -> None:
    if not (
        cast(MemRefType, source.type).has_static_shape() and cast(MemRefType, target.type).has_static_shape()
    ):
        raise error(
            "yields a tensor of dynamic shape that is not in the buffer of its iteration argument",
            last,
            hint="write the value into the iteration argument, or specialise the shapes with nn-set-shapes",
        )


def _tensors(values: Sequence[SSAValue]) -> list[int]:
    return [number for number, value in enumerate(values) if is_tensor(value)]


def _drop(buffers: Buffers, block: Block, arguments: Sequence[BlockArgument]) -> None:
    """Remove block arguments, once the tensor operations that use them are gone."""
    for argument in arguments:
        buffers.later(lambda argument=argument: block.erase_arg(argument))


@rewrite_rule("scf.for")
def _for(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    numbers = _tensors(op.iter_args)
    block = op.body.block
    arguments = [block.args[1 + n] for n in numbers]
    for number, argument in zip(numbers, arguments, strict=True):
        buffers[argument] = _initial_buffer(buffers, op, 3 + number)
    buffers.rewrite_block(block)
    if not numbers:
        return
    last = cast(Operation, block.last_op)
    _write_back(
        buffers,
        last,
        [(v := last.operands[n], buffers[v], a, buffers[a]) for n, a in zip(numbers, arguments, strict=True)],
    )
    replace_operands(last, [v for v in last.operands if not is_tensor(v)])
    for number, argument in zip(numbers, arguments, strict=True):
        buffers[op.results[number]] = buffers[argument]
    kept = [n for n in range(len(op.iter_args)) if n not in numbers]
    _drop(buffers, block, arguments)
    new = scf.ForOp(op.lb, op.ub, op.step, [op.iter_args[n] for n in kept], move_region(op.body))
    new.attributes.update(op.attributes)
    buffers.emit(new, op)
    _forward(op, kept, new.results)
    buffers.replace(op)


def _forward(op: Operation, kept: Sequence[int], results: Sequence[SSAValue]) -> None:
    for number, result in zip(kept, results, strict=True):
        result.name_hint = op.results[number].name_hint
        op.results[number].replace_all_uses_with(result)


def replace_operands(op: Operation, operands: Sequence[SSAValue]) -> None:
    op.operands = operands


@rewrite_rule("scf.forall")
def _forall(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, ForallOp)
    first = len(op.operands) - len(op.outputs)
    rank = len(op.static_upper_bound)
    numbers = _tensors(op.outputs)
    arguments = [op.body.block.args[rank + n] for n in numbers]
    for number, argument in zip(numbers, arguments, strict=True):
        buffers[argument] = buffers[op.results[number]] = _initial_buffer(buffers, op, first + number)
    buffers.rewrite_block(op.body.block)
    if not numbers:
        return
    kept = [n for n in range(len(op.outputs)) if n not in numbers]
    segments = [len(op.dynamic_lower_bound), len(op.dynamic_upper_bound), len(op.dynamic_step), len(kept)]
    properties = {**op.properties, "operandSegmentSizes": DenseArrayBase.from_list(i32, segments)}
    _drop(buffers, op.body.block, arguments)
    new = ForallOp.create(
        operands=[*op.operands[:first], *(op.outputs[n] for n in kept)],
        result_types=[op.results[n].type for n in kept],
        properties=properties,
        attributes=dict(op.attributes),
        regions=[move_region(op.body)],
    )
    buffers.emit(new, op)
    _forward(op, kept, new.results)
    buffers.replace(op)


@rewrite_rule("scf.forall.in_parallel")
def _in_parallel(buffers: Buffers, op: Operation) -> None:
    """Insertions into shared outputs become copies at the end of the iteration, where they are needed."""
    for inner in list(op.regions[0].block.ops):
        assert isinstance(inner, ParallelInsertSliceOp)
        if (inner, 1) not in buffers.decisions.in_place:
            raise error("cannot be done in the buffer of its shared output, which is read elsewhere", inner)
        if not inserted_in_place(buffers.decisions.aliases, inner):
            shape = cast(ShapedType, inner.source.type).get_shape()
            target = subview(buffers, inner, buffers[inner.dest], shape, op)
            buffers.copy(buffers[inner.source], target, op)
        buffers.replace(inner)


@rewrite_rule("scf.yield", "scf.condition", "scf.reduce", "linalg.yield", "tensor.yield")
def _terminator(buffers: Buffers, op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            buffers.rewrite_block(block)


@rewrite_rule("scf.while")
def _while(buffers: Buffers, op: Operation) -> None:
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    aliases = buffers.decisions.aliases
    carried = _tensors(op.arguments)
    for number in carried:
        buffers[before.args[number]] = _initial_buffer(buffers, op, number)
    buffers.rewrite_block(before)
    condition = cast(Operation, before.last_op)
    forwarded = list(condition.operands[1:])
    dropped: list[int] = []
    for number in _tensors(forwarded):
        value = forwarded[number]
        home = next((a for a in (before.args[n] for n in carried) if aliases.same(a, value)), None)
        if home is not None:
            dropped.append(number)
            buffers[after.args[number]] = buffers[op.results[number]] = buffers[home]
        else:
            retype(buffers, after.args[number], buffers[value].type)
    buffers.rewrite_block(after)
    last = cast(Operation, after.last_op)
    pairs = [(v := last.operands[n], buffers[v], a := before.args[n], buffers[a]) for n in carried]
    _write_back(buffers, last, pairs)
    replace_operands(last, [v for v in last.operands if not is_tensor(v)])
    kept = [n for n in range(len(forwarded)) if n not in dropped]
    passed = [buffers.operand(forwarded[n]) for n in kept]
    replace_operands(condition, [condition.operands[0], *passed])
    _drop(buffers, before, [before.args[n] for n in carried])
    _drop(buffers, after, [after.args[n] for n in dropped])
    new = scf.WhileOp(
        [v for v in op.arguments if not is_tensor(v)],
        [v.type for v in passed],
        move_region(op.before_region),
        move_region(op.after_region),
    )
    new.attributes.update(op.attributes)
    buffers.emit(new, op)
    _set_results(buffers, op, kept, new.results)


def retype(buffers: Buffers, argument: BlockArgument, type: Attribute) -> None:
    """Turn a tensor block argument into one of buffer type."""
    block = argument.block
    new = block.insert_arg(type, argument.index)
    new.name_hint = argument.name_hint
    buffers[argument] = new
    _drop(buffers, block, [argument])


def _set_results(buffers: Buffers, op: Operation, kept: Sequence[int], results: Sequence[SSAValue]) -> None:
    for number, result in zip(kept, results, strict=True):
        if is_tensor(op.results[number]):
            buffers[op.results[number]] = result
        else:
            _forward(op, [number], [result])
    buffers.replace(op)


@rewrite_rule("scf.if", "scf.execute_region", "scf.index_switch")
def _branches(buffers: Buffers, op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            buffers.rewrite_block(block)
    numbers = _tensors(op.results)
    if not numbers:
        return
    lasts = [cast(Operation, region.blocks.last.last_op) for region in op.regions if region.blocks.last]
    dropped: list[int] = []
    for number in numbers:
        yielded = [last.operands[number] for last in lasts]
        first = buffers[yielded[0]]
        if all(buffers[v] is first for v in yielded[1:]) and _visible_at(first, op):
            dropped.append(number)
            buffers[op.results[number]] = first
    kept = [n for n in range(len(op.results)) if n not in dropped]
    types = _yield_buffers(buffers, op, lasts, kept)
    new = type(op).create(
        operands=list(op.operands),
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[move_region(region) for region in op.regions],
    )
    buffers.emit(new, op)
    _set_results(buffers, op, kept, new.results)


def _visible_at(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined outside the regions of an operation (both are in one function)."""
    owner = value.owner
    inner = owner if isinstance(owner, Operation) else owner.parent_op()
    while inner is not None:
        if inner is op:
            return False
        inner = inner.parent_op()
    return True


def _yield_buffers(buffers: Buffers, op: Operation, lasts: Sequence[Operation], kept: Sequence[int]) -> list:
    """Make all branches yield buffers of one type; returns the result types."""
    rows = [[buffers.operand(last.operands[n]) for n in kept] for last in lasts]
    for column in range(len(kept)):
        types = {row[column].type for row in rows}
        if len(types) > 1:
            for row, last in zip(rows, lasts, strict=True):
                row[column] = buffers.with_identity_layout(row[column], last)
        if len({row[column].type for row in rows}) > 1:
            raise error("yields buffers of different types from its branches", op)
    for row, last in zip(rows, lasts, strict=True):
        replace_operands(last, row)
    return [value.type for value in rows[0]]
