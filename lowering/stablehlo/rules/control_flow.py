"""Loops and branches become those of `scf`, on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, TensorType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import as_array, constant_value
from lamina.dialects.core.diagnostics import op_name
from lamina.dialects.core.folding import int_of
from lamina.dialects.stablehlo.constants import ConstantOp
from lamina.dialects.stablehlo.control_flow import ReturnOp
from lamina.dialects.stablehlo.syntax import StablehloOp
from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.scalars import from_index, index, index_constant, scalar
from lamina.lowering.stablehlo.site import Site, Unconverted


class Count(NamedTuple):
    """What a counted loop counts: the number of the carried value, its bound and its step."""

    place: int
    bound: SSAValue
    """A value from outside of the loop."""
    step: int
    includes_bound: bool
    """Whether the loop goes on at the bound."""


@stablehlo_rule("stablehlo.while")
def while_(site: Site) -> list[SSAValue]:
    """``scf.for`` where the loop counts, else ``scf.while``; what stays the same is not carried."""
    cond, body = (region.block for region in site.op.regions)
    if len(site.operands) != len(cond.args) or len(site.operands) != len(body.args):
        raise Unsupported("its regions do not take what it is given")
    kept = _use_invariants(site.operands, cond, body)
    convert(site, cond)
    count = _count_of(cond, body)
    if count is not None and count.place in kept:
        return _counted(site, body, count, kept)
    convert(site, body)
    return _uncounted(site, cond, body, kept)


def convert(site: Site, block: Block) -> None:
    """Convert the ops of a region's block in place. Raises :class:`Unconverted` if some of them fail."""
    site.convert_block(block)
    if any(isinstance(op, StablehloOp) and not isinstance(op, ReturnOp) for op in block.ops):
        raise Unconverted


def returned(block: Block) -> list[SSAValue]:
    """What a region's block returns."""
    end = block.last_op
    if not isinstance(end, ReturnOp):
        raise Unsupported(f"a region ends with {op_name(end) if end else 'nothing'}")
    return list(end.operands)


def _use_invariants(starts: Sequence[SSAValue], cond: Block, body: Block) -> list[int]:
    """Let a loop read values that it only passes on from outside; returns the numbers of the others."""
    kept: list[int] = []
    for i, (start, value) in enumerate(zip(starts, returned(body), strict=True)):
        if value is body.args[i] or value is start:
            cond.args[i].replace_all_uses_with(start)
            body.args[i].replace_all_uses_with(start)
        else:
            kept.append(i)
    return kept


def _count_of(cond: Block, body: Block) -> Count | None:
    """What a loop counts upwards, if it goes on while a number is below a bound."""
    [flag] = returned(cond)
    test = flag.op if isinstance(flag, OpResult) else None
    if test is None or test.parent is not cond or test.name not in _BELOW:
        return None
    flipped, includes_bound = _BELOW[test.name]
    lhs, rhs = reversed(test.operands) if flipped else test.operands
    if not isinstance(lhs, BlockArgument) or lhs.block is not cond or not _is_outside(rhs, cond):
        return None
    step = _step_of(body, lhs.index)
    return None if step is None else Count(lhs.index, rhs, step, includes_bound)


_BELOW = {
    "nn.less": (False, False),
    "nn.less_equal": (False, True),
    "nn.greater": (True, False),
    "nn.greater_equal": (True, True),
}
"""Comparisons that bound a count: whether the bound stands on the left, and whether it is reached."""


def _is_outside(value: SSAValue, block: Block) -> bool:
    """Whether a value comes from outside of a loop's block; a constant moves there."""
    owner = value.owner
    if owner is block or not isinstance(owner, Operation) or owner.parent is not block:
        return owner is not block
    loop = block.parent_op()
    if constant_value(value) is None or loop is None:
        return False
    owner.detach()
    Rewriter.insert_op(owner, InsertPoint.before(loop))
    return True


def _step_of(body: Block, place: int) -> int | None:
    """The positive constant that a body adds to a carried value."""
    value = returned(body)[place]
    op = value.op if isinstance(value, OpResult) else None
    if op is None or op.name != "stablehlo.add" or body.args[place] not in op.operands:
        return None
    other = op.operands[1] if op.operands[0] is body.args[place] else op.operands[0]
    made = other.op if isinstance(other, OpResult) else None
    step = as_array(made.value) if isinstance(made, ConstantOp) else constant_value(other)
    if step is None or step.dtype.kind not in "iu" or step.size != 1 or step.reshape(-1)[0] <= 0:
        return None
    return int(step.reshape(-1)[0])


def _counted(site: Site, body: Block, count: Count, kept: Sequence[int]) -> list[SSAValue]:
    """``scf.for`` over the count; the other values are carried."""
    start, end = index(site, site.operands[count.place]), index(site, count.bound)
    if count.includes_bound:
        end = _put(site, arith.AddiOp(end, index_constant(site, 1)))
    carried = [i for i in kept if i != count.place]
    number = body.insert_arg(IndexType(), 0)
    _note_range(site, number, start, end, count.step)
    _read_index(site, body, body.args[count.place + 1], number)
    convert(site, body)
    values = returned(body)
    _end(body, scf.YieldOp(*(values[i] for i in carried)))
    _keep_arguments(body, [0, *(i + 1 for i in carried)])
    starts = [site.operands[i] for i in carried]
    loop = scf.ForOp(start, end, index_constant(site, count.step), starts, _moved(body))
    site.insert(loop)
    results: dict[int, SSAValue] = dict(zip(carried, loop.results, strict=True))
    if site.op.results[count.place].first_use is not None:
        kind = site.op.results[count.place].type
        assert isinstance(kind, TensorType)
        results[count.place] = from_index(site, _last_count(site, start, end, count.step), kind)
    return [results.get(i, value) for i, value in enumerate(site.operands)]


def _note_range(site: Site, number: SSAValue, start: SSAValue, end: SSAValue, step: int) -> None:
    """Note which values a loop's index takes, if its bounds are known."""
    first, stop = int_of(start), int_of(end)
    if first is not None and stop is not None and first < stop:
        site.ranges[number] = first, range(first, stop, step)[-1]


def _read_index(site: Site, body: Block, counter: SSAValue, number: SSAValue) -> None:
    """Let a body read its loop's index, as the tensor that it knows, in place of the counter it carried."""
    assert isinstance(counter.type, TensorType)
    first = body.first_op
    with site.within(body):
        counter.replace_all_uses_with(from_index(site, number, counter.type))
    made: list[Operation] = []
    while body.last_op is not None and not isinstance(body.last_op, ReturnOp):
        made.append(body.last_op)
        body.last_op.detach()
    for op in reversed(made):
        Rewriter.insert_op(op, InsertPoint.before(first) if first else InsertPoint.at_end(body))


def _last_count(site: Site, start: SSAValue, end: SSAValue, step: int) -> SSAValue:
    """The count at which a loop stops."""
    zero, by = index_constant(site, 0), index_constant(site, step)
    span = _put(site, arith.MaxSIOp(_put(site, arith.SubiOp(end, start)), zero))
    turns = _put(site, arith.CeilDivSIOp(span, by))
    return _put(site, arith.AddiOp(start, _put(site, arith.MuliOp(turns, by))))


def _uncounted(site: Site, cond: Block, body: Block, kept: Sequence[int]) -> list[SSAValue]:
    """``scf.while`` with the values that change."""
    starts = [site.operands[i] for i in kept]
    kinds = [value.type for value in starts]
    [flag] = returned(cond)
    values = returned(body)
    end = cond.last_op
    assert end is not None
    with site.within(cond):
        end.detach()
        going = scalar(site, flag)
    end.erase()
    cond.add_op(scf.ConditionOp(going, *(cond.args[i] for i in kept)))
    _end(body, scf.YieldOp(*(values[i] for i in kept)))
    for block in (cond, body):
        _keep_arguments(block, kept)
    loop = scf.WhileOp(starts, kinds, _moved(cond), _moved(body))
    site.insert(loop)
    results = dict(zip(kept, loop.results, strict=True))
    return [results.get(i, value) for i, value in enumerate(site.operands)]


@stablehlo_rule("stablehlo.if")
def if_(site: Site) -> list[SSAValue]:
    """``scf.if``."""
    then, otherwise = (region.block for region in site.op.regions)
    for block in (then, otherwise):
        convert(site, block)
    return _branch(site, scalar(site, site.operands[0]), then, otherwise)


@stablehlo_rule("stablehlo.case")
def case(site: Site) -> list[SSAValue]:
    """``scf.if`` for each number but the last, which any other number takes, too."""
    blocks = [region.block for region in site.op.regions]
    for block in blocks:
        convert(site, block)
    number = scalar(site, site.operands[0])
    flags = [_equals(site, number, i) for i in range(len(blocks) - 1)]
    block = blocks[-1]
    for flag, then in zip(reversed(flags[1:]), reversed(blocks[1:-1]), strict=True):
        outer = Block()
        with site.within(outer):
            results = _branch(site, flag, then, block)
        outer.add_op(ReturnOp.create(operands=results))
        block = outer
    return _branch(site, flags[0], blocks[0], block) if flags else _inlined(site, block)


def _equals(site: Site, number: SSAValue, value: int) -> SSAValue:
    """Whether a scalar is a number."""
    assert isinstance(number.type, IntegerType)
    other = _put(site, arith.ConstantOp(IntegerAttr(value, number.type)))
    return _put(site, arith.CmpiOp(number, other, "eq"))


def _branch(site: Site, flag: SSAValue, then: Block, otherwise: Block) -> list[SSAValue]:
    kinds = site.result_types
    for block in (then, otherwise):
        _end(block, scf.YieldOp(*returned(block)))
    choice = scf.IfOp(flag, kinds, _moved(then), _moved(otherwise))
    return list(site.insert(choice).results)


def _inlined(site: Site, block: Block) -> list[SSAValue]:
    """The ops of a block in front of the site's op; what the block returns."""
    values = returned(block)
    for op in list(block.ops):
        if not isinstance(op, ReturnOp):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(site.op))
    return values


def _end(block: Block, end: Operation) -> None:
    """Replace what ends a block."""
    last = block.last_op
    assert last is not None
    end.location = last.location
    last.detach()
    last.erase()
    block.add_op(end)


def _keep_arguments(block: Block, kept: Sequence[int]) -> None:
    """Drop the arguments of a block that are not among some; nothing reads them."""
    for i in reversed(range(len(block.args))):
        if i not in kept:
            block.erase_arg(block.args[i])


def _moved(block: Block) -> Region:
    """A new region that holds a block."""
    if block.parent is not None:
        block.parent.detach_block(block)
    return Region(block)


def _put(site: Site, op: Operation) -> SSAValue:
    return site.insert(op).results[0]
