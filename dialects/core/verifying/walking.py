"""The walk over everything in an op: each op's own checks, blocks, and where values can be used.

The values that can be seen at a place are a set of identities. A block's values join it one by one and
leave it when the block and everything that it dominates have been walked, so the whole walk is linear.
There is no recursion: the depth of nesting is not limited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.dominance import OPEN, Event, events_of, wrong_use
from lamina.dialects.core.verifying.blocks import check_block, check_entry
from lamina.dialects.core.verifying.registry import Check
from lamina.dialects.core.verifying.rules import Rules, known_rules, rules_of

Explain = Callable[[Exception, Operation], LaminaError]


class _Inside:
    """Where the walk stands inside the regions of one op."""

    __slots__ = ("block", "defined", "events", "hidden", "op", "regions", "rules", "shown", "unreachable")

    def __init__(self, op: Operation, rules: Rules) -> None:
        self.op, self.rules = op, rules
        self.regions = iter(op.regions)
        self.events: Iterator[Event] = iter(())
        self.block: Block | None = None
        """The block that is being walked."""
        self.hidden: set[int] | None = None
        """What can be seen around an op that sees nothing from outside."""
        self.defined: list[list[int]] = []
        """The values of each block that is open."""
        self.shown: list[int] = []
        """All values of a region with blocks that are never reached."""
        self.unreachable: set[Block] = set()


class Walk:
    """One verification of an op and everything in it. ``explain`` makes the error of what a class raises."""

    def __init__(self, root: Operation, explain: Explain) -> None:
        self.root = root
        self.explain = explain
        self.visible: set[int] = set()
        self.users: list[tuple[Check, Operation]] = []
        """Ops that refer to others, which are to be right themselves before that is checked."""
        self.misuse: LaminaError | None = None
        """The first use of a value that is not defined there. Other mistakes are told first, as
        upstream does."""

    def run(self) -> None:
        """Raises :class:`LaminaError` for the first thing that is wrong."""
        rules = rules_of(type(self.root))
        self.guarded(rules.check, self.root)
        if rules.uses is not None:
            self.users.append((rules.uses, self.root))
        stack = [self.enter(self.root, rules)]
        while stack:
            frame = stack[-1]
            block = self.next_block(frame)
            op = block.first_op if block is not None else self.leave(stack)
            while op is not None:
                op = self.walk(op, stack)
                if op is not None:
                    rules = rules_of(type(op))
                    stack.append(self.enter(op, rules))
                    break
        for check, user in self.users:
            self.guarded(check, user)
        if self.misuse is not None:
            raise self.misuse

    def walk(self, op: Operation | None, stack: list[_Inside]) -> Operation | None:
        """Check ops up to the end of the block (None) or to the first one with regions, which is returned."""
        visible, defined, known = self.visible, stack[-1].defined[-1], known_rules
        while op is not None:
            for value in op._operands:  # pyright: ignore[reportPrivateUsage]
                if id(value) not in visible:
                    self.unseen(op, value)
            kind = type(op)
            rules = known.get(kind) or rules_of(kind)
            try:
                rules.check(op)
            except (LaminaError, RecursionError):
                raise
            except Exception as problem:
                # Verifiers of malformed ops raise more than VerifyException.
                raise self.explain(problem, op) from problem
            if rules.uses is not None:
                self.users.append((rules.uses, op))
            if op.regions:
                return op
            for result in op.results:
                visible.add(id(result))
                defined.append(id(result))
            op = op._next_op  # pyright: ignore[reportPrivateUsage]
        return None

    def guarded(self, check: Callable[[Operation], None], op: Operation) -> None:
        """Run a check; what is no error for the user yet becomes one."""
        try:
            check(op)
        except (LaminaError, RecursionError):
            raise
        except Exception as problem:
            raise self.explain(problem, op) from problem

    def unseen(self, op: Operation, value: SSAValue) -> None:
        """A value that is not visible is used: wrong, unless it is defined around the op that is verified."""
        if self.misuse is None:
            self.misuse = wrong_use(op, value, self.root)

    def enter(self, op: Operation, rules: Rules) -> _Inside:
        """Begin with the regions of an op."""
        frame = _Inside(op, rules)
        if rules.isolated:
            frame.hidden, self.visible = self.visible, set()
        return frame

    def leave(self, stack: list[_Inside]) -> Operation | None:
        """Everything inside an op has been walked; the op after it."""
        frame = stack.pop()
        if frame.hidden is not None:
            self.visible = frame.hidden
        for check in frame.rules.after_regions:
            self.guarded(check, frame.op)
        if not stack:
            return None
        results = [id(result) for result in frame.op.results]
        self.visible.update(results)
        stack[-1].defined[-1].extend(results)
        return frame.op.next_op

    def next_block(self, frame: _Inside) -> Block | None:
        """The next block inside an op; what the blocks before it have defined is forgotten where it must."""
        if frame.block is not None:
            check_block(frame.op, frame.block, frame.rules)
            frame.block = None
        while True:
            for block, what in frame.events:
                if what == OPEN:
                    self.open(frame, block)
                    return block
                self.visible.difference_update(frame.defined.pop())
            while frame.defined:
                self.visible.difference_update(frame.defined.pop())
            if frame.shown:
                self.visible.difference_update(frame.shown)
                frame.shown = []
            region = next(frame.regions, None)
            if region is None:
                return None
            self.begin(frame, region)

    def begin(self, frame: _Inside, region: Region) -> None:
        """Begin with a region: the order of its blocks, and what can be seen everywhere in it."""
        check_entry(frame.op, region)
        frame.events, frame.unreachable = events_of(region)
        if frame.unreachable:
            frame.shown = [value for block in region.blocks for value in _values_of(block)]

    def open(self, frame: _Inside, block: Block) -> None:
        """Begin with a block."""
        frame.block = block
        values = [id(argument) for argument in block.args]
        if frame.rules.graph and block.parent is not None and len(block.parent.blocks) == 1:
            values.extend(id(result) for op in block.ops for result in op.results)
        if frame.unreachable and block in frame.unreachable:
            # No use is wrong in a block that is never reached. Such blocks come last.
            self.visible.update(frame.shown)
            frame.unreachable = set()
        self.visible.update(values)
        frame.defined.append(values)


def _values_of(block: Block) -> Iterator[int]:
    for argument in block.args:
        yield id(argument)
    for op in block.ops:
        for result in op.results:
            yield id(result)
