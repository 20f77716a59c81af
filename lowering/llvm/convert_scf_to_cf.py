"""scf to cf: structured control flow as branches between blocks, in linear time.

Operations are taken last first. So the tail of a block, which becomes a block of its own, holds only what no
later operation has split off already, and each operation moves once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import DenseArrayBase, DenseIntElementsAttr, IntegerAttr, VectorType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.lowering.llvm._parallel import sequentialize
from lamina.passes.framework.conditions import no_op
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named

SIGNED_LESS, UNSIGNED_LESS = IntegerAttr(2, i64), IntegerAttr(6, i64)
NO_OVERFLOW = {"overflowFlags": arith.IntegerOverflowAttr("none")}
Edge = tuple[Block, Sequence[SSAValue]]
"""A block to branch to, and the values for its arguments."""
STRUCTURED = ("scf.for", "scf.if", "scf.while", "scf.execute_region", "scf.index_switch", "scf.parallel")


def convert_scf_to_cf(root: Operation) -> int:
    """Turn the structured control flow under ``root`` into branches; returns how many ops there were."""
    parallel = operations_named(root, ("scf.parallel",))
    for op in parallel:
        assert isinstance(op, scf.ParallelOp)
        sequentialize(op)
    structured = operations_named(root, RULES)
    for op in reversed(structured):
        RULES[op.name](op)
    return len(parallel) + len(structured)


class Splitter:
    """The block of an operation, its tail as a new block, and a cursor for blocks in between."""

    def __init__(self, op: Operation, argument_types: Sequence[Attribute] = ()) -> None:
        block = op.parent
        assert block is not None and block.parent is not None
        self.op = op
        self.block = block
        self.region = block.parent
        self.tail = Block(arg_types=argument_types)
        following = op.next_op
        while following is not None:
            nearest = following.next_op
            block.detach_op(following)
            self.tail.add_op(following)
            following = nearest
        self.region.insert_block_after(self.tail, block)
        for result, argument in zip(op.results, self.tail.args, strict=False):
            result.replace_all_uses_with(argument)

    def insert(self, block: Block) -> None:
        """Put a new block before the tail."""
        self.region.insert_block_before(block, self.tail)

    def inline(self, region: Region) -> tuple[Block, list[Operation]]:
        """Put a region's blocks before the tail: its first block, and the terminators that leave it."""
        first = region.first_block
        assert first is not None
        exits = [op for block in region.blocks if (op := block.last_op) is not None and op.name in LEAVES]
        region.move_blocks_before(self.tail)
        return first, exits

    def finish(self, last: Operation) -> None:
        """Remove the operation and end its block by a branch."""
        self.block.erase_op(self.op)
        self.add(self.block, last)

    def add(self, block: Block, op: Operation) -> SSAValue | None:
        """Append an operation with the original's location."""
        op.location = self.op.location
        block.add_op(op)
        return op.results[0] if op.results else None

    def leave(self, terminator: Operation, target: Block, operands: Sequence[SSAValue] | None = None) -> None:
        """Turn a terminator into a branch, by default with its own operands."""
        block = terminator.parent
        assert block is not None
        values = list(terminator.operands) if operands is None else operands
        location = terminator.location
        block.erase_op(terminator)
        branch = branch_to(target, values)
        branch.location = location
        block.add_op(branch)


def branch_to(block: Block, values: Sequence[SSAValue] = ()) -> cf.BranchOp:
    """``cf.br``."""
    return cf.BranchOp.create(operands=values, successors=[block])


def branch_on(condition: SSAValue, then: Edge, otherwise: Edge) -> cf.ConditionalBranchOp:
    """``cf.cond_br``."""
    segments = DenseArrayBase.from_list(i32, [1, len(then[1]), len(otherwise[1])])
    return cf.ConditionalBranchOp.create(
        operands=(condition, *then[1], *otherwise[1]),
        successors=[then[0], otherwise[0]],
        properties={"operandSegmentSizes": segments},
    )


LEAVES = ("scf.yield", "scf.condition")


def lower_for(op: Operation) -> None:
    """A block that compares, the body, and a branch back."""
    assert isinstance(op, scf.ForOp)
    split = Splitter(op)
    lower, upper, step, initial = op.lb, op.ub, op.step, list(op.iter_args)
    predicate = (
        UNSIGNED_LESS if "unsignedCmp" in op.properties or "unsignedCmp" in op.attributes else SIGNED_LESS
    )
    loop_attributes = {name: value for name, value in op.attributes.items() if name == "llvm.loop_annotation"}
    header = Block(arg_types=[lower.type, *(value.type for value in initial)])
    split.insert(header)
    body, exits = split.inline(op.body)
    for old, new in zip(body.args, header.args, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for argument in reversed(body.args):
        body.erase_arg(argument)
    for result, argument in zip(op.results, header.args[1:], strict=True):
        result.replace_all_uses_with(argument)
    index = header.args[0]
    inside = split.add(
        header,
        arith.CmpiOp.create(operands=(index, upper), result_types=(i1,), properties={"predicate": predicate}),
    )
    assert inside is not None
    split.add(header, branch_on(inside, (body, ()), (split.tail, ())))
    for terminator in exits:
        add = arith.AddiOp.create(operands=(index, step), result_types=(index.type,), properties=NO_OVERFLOW)
        add.location = op.location
        assert terminator.parent is not None
        terminator.parent.insert_op_before(add, terminator)
        block = terminator.parent
        split.leave(terminator, header, [add.result, *terminator.operands])
        assert block.last_op is not None
        block.last_op.attributes.update(loop_attributes)
    split.finish(branch_to(header, [lower, *initial]))


def lower_if(op: Operation) -> None:
    """One or two branches that meet in the tail."""
    assert isinstance(op, scf.IfOp)
    condition = op.cond
    split = Splitter(op, [result.type for result in op.results])
    then, exits = split.inline(op.true_region)
    otherwise = split.tail
    if op.false_region.first_block is not None:
        otherwise, more = split.inline(op.false_region)
        exits += more
    for terminator in exits:
        split.leave(terminator, split.tail)
    split.finish(branch_on(condition, (then, ()), (otherwise, ())))


def lower_while(op: Operation) -> None:
    """The blocks of both regions, with a conditional branch between them."""
    assert isinstance(op, scf.WhileOp)
    initial = list(op.arguments)
    split = Splitter(op, [result.type for result in op.results])
    before, conditions = split.inline(op.before_region)
    after, yields = split.inline(op.after_region)
    for terminator in yields:
        split.leave(terminator, before)
    for terminator in conditions:
        block = terminator.parent
        assert block is not None
        condition, *values = terminator.operands
        location = terminator.location
        block.erase_op(terminator)
        branch = branch_on(condition, (after, values), (split.tail, values))
        branch.location = location
        block.add_op(branch)
    split.finish(branch_to(before, initial))


def lower_execute_region(op: Operation) -> None:
    """The region's blocks in line."""
    split = Splitter(op, [result.type for result in op.results])
    first, exits = split.inline(op.regions[0])
    for terminator in exits:
        split.leave(terminator, split.tail)
    split.finish(branch_to(first))


def lower_index_switch(op: Operation) -> None:
    """A switch over the case regions, which meet in the tail."""
    assert isinstance(op, scf.IndexSwitchOp)
    values = [int(value) for value in op.cases.get_values()]
    selector = op.arg
    split = Splitter(op, [result.type for result in op.results])
    default, exits = split.inline(op.default_region)
    targets: list[Block] = []
    for region in op.case_regions:
        first, more = split.inline(region)
        targets.append(first)
        exits += more
    for terminator in exits:
        split.leave(terminator, split.tail)
    if not targets:
        split.finish(branch_to(default))
        return
    cast = arith.IndexCastOp(selector, i64)
    split.block.insert_op_before(cast, op)
    cast.location = op.location
    cases = DenseIntElementsAttr.from_list(VectorType(i64, [len(values)]), values)
    split.finish(cf.SwitchOp(cast, default, [], cases, targets, [[] for _ in targets]))


RULES: dict[str, Callable[[Operation], None]] = {
    "scf.for": lower_for,
    "scf.if": lower_if,
    "scf.while": lower_while,
    "scf.execute_region": lower_execute_region,
    "scf.index_switch": lower_index_switch,
}


@dataclass(frozen=True)
class ConvertScfToCf(Pass):
    """Convert structured control flow to branches.

    `scf.parallel` runs its iterations one after the other; `llvm.loop_annotation` moves to the branch back.

    ```mlir
    func.func @f(%n: index, %z: f32) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (f32) {
        %s = arith.addf %acc, %acc : f32
        scf.yield %s : f32
      }
      return %r : f32
    }
    ```

    ```mlir
    builtin.module {
      func.func @f(%n: index, %z: f32) -> f32 {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        cf.br ^bb0(%c0, %z : index, f32)
      ^bb0(%i: index, %acc: f32):
        %0 = arith.cmpi slt, %i, %n : index
        cf.cond_br %0, ^bb1, ^bb2
      ^bb1:
        %s = arith.addf %acc, %acc : f32
        %1 = arith.addi %i, %c1 : index
        cf.br ^bb0(%1, %s : index, f32)
      ^bb2:
        func.return %acc : f32
      }
    }
    ```
    """

    name = "convert-scf-to-cf"
    anchor = "any"
    ensures = (no_op(*STRUCTURED),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_scf_to_cf(op))
