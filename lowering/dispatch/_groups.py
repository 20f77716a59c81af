"""Which operations of a block form a dispatch together.

Operations are visited from the last to the first, so that an operation with several possible groups goes
to the one whose operands are ready last.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from xdsl.dialects import tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue

from lamina.lowering.dispatch._structure import Node, is_initial_fill, is_padding, node_of


@dataclass
class Group:
    """The operations of a dispatch in the order of the block; the last one's results leave it."""

    ops: list[Operation] = field(default_factory=list)


class Grouping:
    """Assigns each structured operation of a block to one group."""

    def __init__(self, block: Block, apart: Collection[Operation] = ()) -> None:
        """``apart`` are elementwise ops that form no group with others."""
        self.order: dict[Operation, int] = {op: i for i, op in enumerate(block.ops)}
        found = ((op, node_of(op)) for op in self.order if not is_initial_fill(op))
        self.nodes: dict[Operation, Node] = {op: node for op, node in found if node is not None}
        self.groups: list[Group] = []
        self._taken: set[Operation] = set()
        for op in apart:
            if op in self.nodes and self.nodes[op].is_elementwise:
                self._add([op])

    def run(self) -> list[Group]:
        """All groups, in the order of their last operations."""
        backwards = list(reversed(self.nodes.values()))
        for node in backwards:
            if node.is_contraction:
                self._add([node.op, *self._epilogue(node)])
        for node in backwards:
            rows = self._row_chain(node) if node.op not in self._taken else []
            if rows:
                self._add(rows)
        for node in backwards:
            if node.op not in self._taken and not node.is_elementwise:
                self._add([node.op, *self._epilogue(node)])
        for node in backwards:
            if node.op not in self._taken and not isinstance(node.op, linalg.FillOp):
                self._add([node.op])
        self._insertions()
        for node in backwards:
            if node.op not in self._taken:
                self._add([node.op])
        return sorted(self.groups, key=lambda group: self.order[group.ops[-1]])

    def _add(self, ops: list[Operation]) -> None:
        self._taken.update(ops)
        self.groups.append(Group(sorted(ops, key=self.order.__getitem__)))

    def _epilogue(self, root: Node) -> list[Operation]:
        """The elementwise operations that follow a root, one behind the other, over the root's result."""
        chain: list[Operation] = []
        value = root.op.results[0]
        while len(value.owner.results) == 1:  # pyright: ignore[reportAttributeAccessIssue]
            user = self._only_user(value)
            if user is None or not user.is_elementwise or not user.reads_identically(value):
                break
            chain.append(user.op)
            value = user.op.results[0]
        return chain

    def _only_user(self, value: SSAValue) -> Node | None:
        if not value.has_one_use():
            return None
        user = value.get_user_of_unique_use()
        node = self.nodes.get(user) if user is not None else None
        return node if node is not None and node.op not in self._taken else None

    def _row_chain(self, last: Node) -> list[Operation]:
        """Reductions over rows and elementwise operations on the same rows that end in ``last``.

        All of them can then run row by row, as in softmax and layer normalisation. Empty where no
        reduction feeds, or is, one of several such operations.
        """
        if not (last.is_elementwise or last.is_row_reduction):
            return []
        members: dict[Operation, Node] = {last.op: last}
        rows = last.parallel if last.is_row_reduction else None
        pending = [last]
        while pending:
            node = pending.pop()
            for value in dict.fromkeys(node.view.inputs):
                producer = self._row_producer(value, members)
                if producer is None:
                    continue
                wanted = self._rows_with(rows, producer)
                if wanted is None or not self._aligned(value, producer, members, wanted):
                    continue
                rows = wanted if producer.is_row_reduction else rows
                members[producer.op] = producer
                pending.append(producer)
                pending.extend(m for m in members.values() if producer.op is not m.op)
        reductions = sum(node.is_row_reduction for node in members.values())
        return list(members) if reductions and len(members) > 1 else []

    def _row_producer(self, value: SSAValue, members: dict[Operation, Node]) -> Node | None:
        """The node of a value that only members use, if it may join them."""
        node = self.nodes.get(value.owner) if isinstance(value.owner, Operation) else None
        if node is None or node.op in self._taken or node.op in members:
            return None
        if not (node.is_elementwise or node.is_row_reduction):
            return None
        return node if all(use.operation in members for use in value.uses) else None

    @staticmethod
    def _rows_with(rows: int | None, producer: Node) -> int | None:
        """The number of row loops with a producer: reductions agree on it, others have no fewer loops."""
        if producer.is_row_reduction:
            return producer.parallel if rows in (None, producer.parallel) and producer.parallel else None
        return (
            rows
            if rows is not None and producer.loops >= rows
            else (producer.loops if rows is None else None)
        )

    def _aligned(self, value: SSAValue, producer: Node, members: dict[Operation, Node], rows: int) -> bool:
        """Whether members read the value row by row, and have enough loops for that."""
        if any(node.loops < rows for node in members.values()):
            return False
        users = [members[use.operation] for use in value.uses]
        return all(user.reads_rows(value, rows) for user in users)

    def _insertions(self) -> None:
        """Insertions of a kernel's result into a larger tensor join the kernel, which then writes there.

        So padding and concatenation copy nothing. An insertion of anything else into a fill is a kernel of
        its own; one into another tensor is none.
        """
        ends = {group.ops[-1]: group for group in self.groups}
        for op in reversed(self.order):
            if not isinstance(op, tensor.InsertSliceOp):
                continue
            group = ends.get(op.source.owner) if isinstance(op.source.owner, Operation) else None
            if group is not None and op.source.has_one_use() and len(group.ops[-1].results) == 1:
                group.ops.append(op)
                self._taken.add(op)
            elif is_padding(op):
                reader = self._reader_of_slices(op)
                if reader is None:
                    self._add([op])
                else:
                    reader.ops.insert(0, op)
                    self._taken.add(op)
            if is_padding(op) and op in self._taken:
                self._taken.add(op.dest.owner)  # pyright: ignore[reportArgumentType]

    def _reader_of_slices(self, padding: tensor.InsertSliceOp) -> Group | None:
        """The kernel that alone reads what is padded, slice by slice of what is not padded."""
        user = padding.result.get_user_of_unique_use() if padding.result.has_one_use() else None
        node = self.nodes.get(user) if user is not None else None
        group = next((g for g in self.groups if g.ops[0] is user), None)
        if node is None or group is None:
            return None
        shapes = (padding.source.type.get_shape(), padding.result.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
        same = [here == there for here, there in zip(*shapes, strict=True)]
        whole = same.index(False) if False in same else 0
        return group if node.reads_slices(padding.result, whole) else None
