"""Replacing tensor operations by operations on buffers, as the analysis decided.

Rules are found by op name in :data:`rewrite_rule`; each gets the :class:`Buffers` of the function, asks it
for the buffers of operands, and tells it the buffers of results. Destination-style operations need no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.tables import RuleTable
from lamina.dialects.linalg.structured import is_structured
from lamina.lowering.buffers._accesses import accesses, has_tensors, is_tensor
from lamina.lowering.buffers._analysis import Decisions
from lamina.lowering.buffers._constants import Globals
from lamina.lowering.buffers._layouts import is_identity, memref_of

if TYPE_CHECKING:
    from lamina.lowering.buffers._functions import Summary

ALIGNMENT = 64


class Buffers:
    """The buffers of a function's tensor values, while it is rewritten."""

    summary: Summary
    """Of the function itself."""
    summary_of: Callable[[func.CallOp], Summary]
    """Of the callee of a call."""

    def __init__(self, decisions: Decisions, constants: Globals, counts: Counter[str]) -> None:
        self.decisions = decisions
        self.constants = constants
        self._counts = counts
        self._buffers: dict[SSAValue, SSAValue] = {}
        self._obsolete: list[Operation] = []
        self._later: list[Callable[[], None]] = []

    # Values

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """The buffer of a tensor value."""
        return self._buffers[value]

    def __setitem__(self, value: SSAValue, buffer: SSAValue) -> None:
        self._buffers[value] = buffer
        if buffer.name_hint is None:
            buffer.name_hint = value.name_hint

    def operand(self, value: SSAValue) -> SSAValue:
        """The buffer of a tensor, any other value as it is."""
        return self._buffers[value] if is_tensor(value) else value

    # Building

    def emit(self, op: Operation, before: Operation) -> Operation:
        """Insert an operation, with the location of the one it is made for."""
        op.location = before.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op

    def index(self, value: int, before: Operation) -> SSAValue:
        """An index constant."""
        constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
        return self.emit(constant, before).results[0]

    def dim(self, buffer: SSAValue, dimension: int, before: Operation) -> SSAValue:
        """The size of one dimension."""
        assert isinstance(buffer.type, MemRefType)
        size = buffer.type.get_shape()[dimension]
        if size != DYNAMIC_INDEX:
            return self.index(size, before)
        return self.emit(memref.DimOp(buffer, self.index(dimension, before)), before).results[0]

    def allocate(self, type: MemRefType, sizes: Sequence[SSAValue], before: Operation) -> SSAValue:
        """A new buffer."""
        self._counts["allocations"] += 1
        alloc = memref.AllocOp(list(sizes), [], type, IntegerAttr(ALIGNMENT, 64))
        return self.emit(alloc, before).results[0]

    def allocate_like(self, buffer: SSAValue, before: Operation) -> SSAValue:
        """A new buffer of identity layout with the shape of another."""
        type = memref_of(buffer.type)
        sizes = [
            self.dim(buffer, d, before) for d, size in enumerate(type.get_shape()) if size == DYNAMIC_INDEX
        ]
        return self.allocate(type, sizes, before)

    def copy(self, source: SSAValue, destination: SSAValue, before: Operation) -> None:
        """Copy all elements; nothing where both are one value."""
        if source is destination:
            return
        self._counts["copies"] += 1
        self.emit(CopyOp(source, destination), before)

    def copy_of(self, buffer: SSAValue, before: Operation) -> SSAValue:
        """A new buffer with the same elements."""
        new = self.allocate_like(buffer, before)
        self.copy(buffer, new, before)
        return new

    def destination(self, op: Operation, operand: int, *, preserve: bool) -> SSAValue:
        """The buffer that an operation writes for an operand: its own, or a new one.

        ``preserve`` says whether the operand's elements have to be in it.
        """
        value = op.operands[operand]
        if (op, operand) in self.decisions.in_place:
            self._counts["in-place"] += 1
            return self._buffers[value]
        if preserve and value not in self.decisions.undefined:
            return self.copy_of(self._buffers[value], op)
        return self.allocate_like(self._buffers[value], op)

    def with_identity_layout(self, buffer: SSAValue, before: Operation) -> SSAValue:
        """The buffer itself, or a copy without gaps and offset."""
        assert isinstance(buffer.type, MemRefType)
        return buffer if is_identity(buffer.type) else self.copy_of(buffer, before)

    def replace(self, op: Operation, results: Sequence[SSAValue] = ()) -> None:
        """Note that an operation is no longer needed; non-tensor results are replaced at once."""
        for old, new in zip(op.results, results, strict=False):
            if is_tensor(old):
                self[old] = new
            else:
                old.replace_all_uses_with(new)
        self._obsolete.append(op)

    def later(self, action: Callable[[], None]) -> None:
        """Do something once all operations are rewritten."""
        self._later.append(action)

    def finish(self) -> None:
        """Erase what was replaced."""
        for op in reversed(self._obsolete):
            op.detach()
            op.erase(safe_erase=False)
        for action in self._later:
            action()

    # Walking

    def rewrite_block(self, block: Block) -> None:
        """Rewrite all operations of a block except its terminator's tensor operands."""
        for op in list(block.ops):
            self.rewrite(op)

    def rewrite(self, op: Operation) -> None:
        """Rewrite one operation and what it contains."""
        rule = rewrite_rule.get(op.name)
        if rule is not None:
            rule(self, op)
            return
        for region in op.regions:
            for block in region.blocks:
                self.rewrite_block(block)
        if has_tensors(op):
            if not is_structured(op):
                raise error("cannot be bufferised: there is no rewriting for it", op)
            rewrite_destination_style(self, op)


RewriteRule = Callable[[Buffers, Operation], None]
rewrite_rule: RuleTable[RewriteRule] = RuleTable("buffer rewriting")


def rewrite_destination_style(buffers: Buffers, op: Operation) -> None:
    """An operation whose results are its written operands: the same op on buffers, without results."""
    operands = list(op.operands)
    written: dict[int, SSAValue] = {}
    for access in accesses(op) or ():
        if access.writes:
            target = buffers.destination(op, access.operand, preserve=access.reads)
            operands[access.operand] = target
            if access.result is not None:
                written[access.result] = target
        else:
            operands[access.operand] = buffers[op.operands[access.operand]]
    recreate(buffers, op, operands)
    buffers.replace(op, [written[number] for number in range(len(op.results))])


def recreate(buffers: Buffers, op: Operation, operands: Sequence[SSAValue]) -> Operation:
    """The same operation on other operands, without tensor results; it takes over the regions."""
    kept = [result for result in op.results if not is_tensor(result)]
    new = type(op).create(
        operands=operands,
        result_types=[result.type for result in kept],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[move_region(region) for region in op.regions],
    )
    buffers.emit(new, op)
    for old, result in zip(kept, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    return new


def move_region(region: Region) -> Region:
    """A region with the blocks of another, which is left empty."""
    new = Region()
    region.move_blocks(new)
    return new
