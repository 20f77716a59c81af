"""The in-place analysis of one-shot bufferisation.

Every operation that writes a tensor operand may do so in the operand's own buffer unless a value that is
still read later would lose its elements (a read-after-write conflict), or the buffer may not be written.
The function is walked once in program order. Tensor values that share memory form an alias set; a write in
place is refused where a member of the set is read after it, found by comparing times.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, scf, tensor
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.scf.forall import ForallOp
from lamina.dialects.tensor.parallel import ParallelInsertSliceOp
from lamina.lowering.buffers._accesses import Access, has_tensors, is_tensor
from lamina.lowering.buffers._conflicts import Conflicts, Decisions
from lamina.lowering.buffers._numbering import Numbering, parallel_scope
from lamina.lowering.buffers._slices import same_part

_BRANCHES = ("scf.if", "scf.execute_region", "scf.index_switch")
_UNDEFINED = ("tensor.empty", "bufferization.alloc_tensor")


class Analysis:
    """Walks a function and fills in :class:`Decisions`."""

    def __init__(self, function: func.FuncOp, call_accesses: Callable[[func.CallOp], list[Access]]) -> None:
        self._function = function
        self._times = Numbering(function)
        self._decisions = Decisions()
        self._aliases = self._decisions.aliases
        self._conflicts = Conflicts(self._decisions, self._times, call_accesses)

    def run(self) -> Decisions:
        """Analyse the whole function."""
        block = self._function.body.block
        for number, argument in enumerate(block.args):
            if is_tensor(argument):
                self._define(argument, writable=argument_is_writable(self._function, number))
        self._visit_block(block)
        return self._decisions

    # Values

    def _define(
        self,
        value: SSAValue,
        *,
        writable: bool = True,
        like: SSAValue | None = None,
        same: bool = True,
        view: Operation | None = None,
    ) -> None:
        """Add a value: in its own buffer, or in that of ``like``, of which it is all, a part, or a shape.

        ``view`` is the operation that makes a part or another shape.
        """
        if like is None:
            owner = value.owner
            block = owner.parent if isinstance(owner, Operation) else owner
            self._aliases.add(value, writable=writable, scope=parallel_scope(block))
        else:
            self._aliases.join(value, like)
            if view is not None:
                self._aliases.record_view(value, view)
            elif same:
                self._aliases.identify(like, value)
        if value not in self._decisions.undefined:
            last = self._conflicts.last_read(value)
            if last >= 0:
                self._aliases.keep_alive(value, last)

    # Operations

    def _visit_block(self, block: Block) -> None:
        for op in block.ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._visit_for(op)
            case scf.WhileOp():
                self._visit_while(op)
            case ForallOp():
                self._visit_forall(op)
            case func.ReturnOp():
                self._decisions.returned = [v for v in op.operands if is_tensor(v)]
            case _ if op.name in _BRANCHES:
                self._visit_branches(op)
            case _:
                self._visit_regions(op)
                if has_tensors(op):
                    self._visit_accesses(op)

    def _visit_regions(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._visit_block(block)

    def _visit_accesses(self, op: Operation) -> None:
        if op.name in ("scf.yield", "scf.condition", "tensor.yield", "linalg.yield"):
            return
        found = self._conflicts.accesses(op)
        if found is None:
            raise error(
                "cannot be bufferised: it is not known how it uses its tensors",
                op,
                hint="lower it before one-shot-bufferize, or add an access rule for it",
            )
        time = self._times.start[op]
        tied: dict[int, list[Access]] = {}
        for access in found:
            if access.writes and not self._conflicts.refuse(op, access, found, time):
                self._decisions.in_place.add((op, access.operand))
                alias_set = self._aliases.set_of(op.operands[access.operand])
                alias_set.last_write = max(alias_set.last_write, time)
            if access.result is not None:
                tied.setdefault(access.result, []).append(access)
        for number, result in enumerate(op.results):
            if is_tensor(result):
                self._define_result(op, result, tied.get(number, []))

    def _define_result(self, op: Operation, result: SSAValue, tied: list[Access]) -> None:
        if op.name in _UNDEFINED and not any(is_tensor(v) for v in op.operands):
            self._decisions.undefined.add(result)
        shared = [a for a in tied if a.is_view or (op, a.operand) in self._decisions.in_place]
        if not shared:
            writable = op.name != "arith.constant" and not _is_read_only(op)
            self._define(result, writable=writable)
            return
        first = op.operands[shared[0].operand]
        if all(a.is_view and op.operands[a.operand] in self._decisions.undefined for a in shared):
            self._decisions.undefined.add(result)
        is_view = len(shared) == 1 and not shared[0].same_buffer
        self._define(result, like=first, same=shared[0].same_buffer, view=op if is_view else None)
        if isinstance(op, tensor.ExpandShapeOp) and is_view:
            self._undo_collapse(op)
        for access in shared[1:]:
            self._aliases.unite(first, op.operands[access.operand])

    def _undo_collapse(self, op: tensor.ExpandShapeOp) -> None:
        """Expanding what was collapsed in the same way gives the very buffer again."""
        for view in self._aliases.views(op.src):
            if not isinstance(view, tensor.CollapseShapeOp) or view.reassociation != op.reassociation:
                continue
            if view.src.type == op.result.type:
                self._aliases.identify(view.src, op.result)

    # Control flow

    def _visit_for(self, op: scf.ForOp) -> None:
        arguments = [a for a in op.body.block.args[1:]]
        self._enter(arguments)
        self._visit_block(op.body.block)
        last = op.body.block.last_op
        yielded = list(last.operands) if last is not None else []
        for number, argument in enumerate(arguments):
            if is_tensor(argument):
                self._carry(op, 3 + number, argument, yielded[number], last or op)
                self._define(op.results[number], like=argument)

    def _visit_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        self._enter(before.args)
        self._visit_block(before)
        condition, last = before.last_op, after.last_op
        assert condition is not None and last is not None
        forwarded = list(condition.operands[1:])
        for argument, source in zip(after.args, forwarded, strict=True):
            if is_tensor(argument):
                self._define(argument, like=source)
        self._visit_block(after)
        for number, argument in enumerate(before.args):
            if is_tensor(argument):
                self._carry(op, number, argument, last.operands[number], last)
        for result, source in zip(op.results, forwarded, strict=True):
            if is_tensor(result):
                self._define(result, like=source)

    def _visit_forall(self, op: ForallOp) -> None:
        first = len(op.operands) - len(op.outputs)
        arguments = op.body.block.args[len(op.static_upper_bound) :]
        self._enter(arguments)
        self._visit_block(op.body.block)
        for number, argument in enumerate(arguments):
            if is_tensor(argument):
                self._refuse_shared_reads(argument)
                self._carry(op, first + number, argument, argument, op)
                self._define(op.results[number], like=argument)

    def _refuse_shared_reads(self, argument: SSAValue) -> None:
        """An iteration may read of a shared output only the part it inserts: others change the rest."""
        users = [use.operation for use in argument.uses if use.operation.name != "tensor.dim"]
        insertions = [user for user in users if isinstance(user, ParallelInsertSliceOp)]
        for user in users:
            own = isinstance(user, tensor.ExtractSliceOp) and any(same_part(user, i) for i in insertions)
            if not own and not isinstance(user, ParallelInsertSliceOp):
                self._decisions.in_place -= {(insertion, 1) for insertion in insertions}

    def _enter(self, arguments: list[BlockArgument] | tuple[BlockArgument, ...]) -> None:
        for argument in arguments:
            if is_tensor(argument):
                self._define(argument)

    def _carry(
        self, loop: Operation, operand: int, argument: SSAValue, back: SSAValue, last: Operation
    ) -> None:
        """Decide whether a loop-carried tensor lives in the buffer it starts in.

        Where the value that comes back is in another buffer, it is copied: that is a write as well.
        """
        inner = self._aliases.set_of(argument)
        if not self._aliases.same(argument, back):
            inner.last_write = max(inner.last_write, self._times.start[last])
        initial = loop.operands[operand]
        outer = self._aliases.set_of(initial)
        start = self._times.start[loop]
        if inner.last_write >= 0:
            refused = (
                not outer.writable
                or parallel_scope(loop.parent) is not outer.scope
                or self._conflicts.read_later(loop, initial, start)
            )
        else:
            refused = outer.last_write > start
        if not refused:
            self._decisions.in_place.add((loop, operand))
            self._aliases.unite(initial, argument)
            self._aliases.identify(initial, argument)

    def _visit_branches(self, op: Operation) -> None:
        self._visit_regions(op)
        for number, result in enumerate(op.results):
            if not is_tensor(result):
                continue
            sources = [v for region in op.regions if (v := _yielded(region, number)) is not None]
            same = all(self._aliases.same(sources[0], source) for source in sources[1:])
            self._define(result, like=sources[0], same=same)
            for source in sources[1:]:
                self._aliases.unite(sources[0], source)


def _yielded(region: Region, number: int) -> SSAValue | None:
    block = region.blocks.last
    last = block.last_op if block is not None else None
    return last.operands[number] if last is not None else None


def _is_read_only(op: Operation) -> bool:
    """Whether the result of `bufferization.to_tensor` shows a buffer that may not be written."""
    return op.name == "bufferization.to_tensor" and "writable" not in op.properties


def argument_is_writable(function: func.FuncOp, number: int) -> bool:
    """Whether a function may overwrite an argument: it says `bufferization.writable = true`."""
    attributes = function.arg_attrs.data[number].data if function.arg_attrs is not None else {}
    flag = attributes.get("bufferization.writable")
    return flag is not None and bool(getattr(getattr(flag, "value", None), "data", False))
