"""scf.parallel as a nest of scf.for: the iterations one after the other, reductions carried along."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

INDEX = IndexType()


def sequentialize(op: scf.ParallelOp) -> None:
    """Replace a parallel loop by nested sequential ones."""
    block = op.parent
    assert block is not None
    if not op.lowerBound:
        _inline_once(op)
        return
    types = [value.type for value in op.initVals]
    values: list[SSAValue] = list(op.initVals)
    bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
    loops: list[scf.ForOp] = []
    for lower, upper, step in bounds:
        body = Block(arg_types=[INDEX, *types])
        loop = scf.ForOp(lower, upper, step, values, Region(body))
        loop.location = op.location
        if loops:
            outer = loops[-1].body.block
            outer.add_op(loop)
            outer.add_op(_yield(op, list(loop.results)))
        else:
            block.insert_op_before(loop, op)
        loops.append(loop)
        values = list(body.args[1:])
    loops[0].attributes = dict(op.attributes)
    source, target = op.body.block, loops[-1].body.block
    for argument, loop in zip(source.args, loops, strict=True):
        argument.replace_all_uses_with(loop.body.block.args[0])
    _move_all(source, target)
    _inline_reduction(target, values)
    for old, new in zip(op.results, loops[0].results, strict=True):
        old.replace_all_uses_with(new)
    block.erase_op(op)


def _yield(op: Operation, values: list[SSAValue]) -> scf.YieldOp:
    new = scf.YieldOp(*values)
    new.location = op.location
    return new


def _move_all(source: Block, target: Block) -> None:
    for op in list(source.ops):
        source.detach_op(op)
        target.add_op(op)


def _inline_reduction(block: Block, carried: list[SSAValue]) -> None:
    """Turn the ``scf.reduce`` at the end of a block into its operations and a yield of their results."""
    reduce = block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    results: list[SSAValue] = []
    for region, accumulator, operand in zip(reduce.reductions, carried, reduce.args, strict=True):
        body = region.block
        body.args[0].replace_all_uses_with(accumulator)
        body.args[1].replace_all_uses_with(operand)
        terminator = body.last_op
        assert isinstance(terminator, scf.ReduceReturnOp)
        result = terminator.result
        body.erase_op(terminator)
        for op in list(body.ops):
            body.detach_op(op)
            block.insert_op_before(op, reduce)
        results.append(result)
    block.insert_op_before(_yield(reduce, results), reduce)
    block.erase_op(reduce)


def _inline_once(op: scf.ParallelOp) -> None:
    """A parallel loop of no dimensions runs its body once."""
    block, body = op.parent, op.body.block
    assert block is not None
    _inline_reduction(body, list(op.initVals))
    terminator = body.last_op
    assert terminator is not None
    for old, new in zip(op.results, terminator.operands, strict=True):
        old.replace_all_uses_with(new)
    body.erase_op(terminator)
    for inner in list(body.ops):
        body.detach_op(inner)
        block.insert_op_before(inner, op)
    block.erase_op(op)
