"""Names of values and blocks: given before anything is written, as upstream does.

The values of a region are numbered before those of the regions in it, whose numbers go on from there; so
equal names never stand for two values that are visible at once. Values keep the names they have, with a
number where a name is taken.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.writing.locations import LocationWriter


class NameWriter(LocationWriter):
    """Gives names to values and blocks and writes them."""

    def start_names(self, root: Operation) -> None:
        """Name everything in an op."""
        self._names: dict[int, str] = {}
        self._block_labels: dict[int, str] = {}
        self._result_lists: dict[int, str] = {}
        self._used: set[str] = set()
        self._next_value = self._next_argument = self._next_conflict = 0
        self._keeps_names = self.options.names
        self._taken: list[str] = []
        self._named_outside: list[SSAValue] = []
        self._name_results(root)
        self._name_regions(root)

    def value(self, value: SSAValue) -> None:
        """Write the name of a value."""
        found = self._names.get(id(value))
        self.put(found if found is not None else self.value_name(value))

    def value_name(self, value: SSAValue) -> str:
        """``%name``, ``%0``, or ``%0#1`` for a further result of an op."""
        found = self._names.get(id(value))
        if found is None:
            # A value from outside of what is written.
            self._named_outside.append(value)
            found = self._names[id(value)] = self._new_name(value)
        return found

    def name_as(self, value: SSAValue, other: SSAValue) -> None:
        """Give a value the name of another, for forms in which one name stands for both."""
        self._names[id(value)] = self.value_name(other)

    def values(self, values: Iterable[SSAValue]) -> None:
        """Write the names of values with commas between."""
        self.put(", ".join([self.value_name(value) for value in values]))

    def block_name(self, block: Block) -> str:
        """``^bb1``"""
        found = self._block_labels.get(id(block))
        if found is None:
            found = self._block_labels[id(block)] = f"^bb{len(self._block_labels)}"
        return found

    def successor(self, block: Block) -> None:
        """Write the name of a block."""
        self.put(self.block_name(block))

    def result_list(self, op: Operation) -> str:
        """``%0:2, %name`` for the results of an op; they form groups that start where a result has a name."""
        found = self._result_lists.get(id(op))
        return found if found is not None else ", ".join([self.value_name(r) for r in op.results])

    def _name_regions(self, root: Operation) -> None:
        """Name what is in the regions of an op, each region before those in it."""
        unique = self.options.generic
        start = (self._next_value, self._next_argument, self._next_conflict, len(self._taken))
        pending = [(region, *start) for region in root.regions]
        taken = self._taken
        while pending:
            region, value, argument, conflict, depth = pending.pop()
            if not unique:
                self._next_value, self._next_argument, self._next_conflict = value, argument, conflict
            if len(taken) > depth:
                self._used.difference_update(taken[depth:])
                del taken[depth:]
            inner = self._name_region(region)
            state = (self._next_value, self._next_argument, self._next_conflict, len(taken))
            pending.extend([(nested, *state) for nested in inner])

    def _name_region(self, region: Region) -> list[Region]:
        """Name the blocks and values of a region; returns the regions in it."""
        inner: list[Region] = []
        block, index = region._first_block, 0
        names, keeps = self._names, self._keeps_names
        while block is not None:
            self._name_block(block, index)
            op = block._first_op
            while op is not None:
                results = op.results
                if results:
                    if len(results) == 1:
                        result = results[0]
                        if result._name is None or not keeps:
                            names[id(result)] = f"%{self._next_value}"
                            self._next_value += 1
                        else:
                            names[id(result)] = "%" + self._unique(result._name)
                    else:
                        self._name_results(op)
                if op.regions:
                    inner.extend(op.regions)
                op = op._next_op
            block, index = block._next_block, index + 1
        return inner

    def _name_block(self, block: Block, index: int) -> None:
        hint = block._name if self._keeps_names else None
        if hint is None or Block.is_default_block_name(hint):
            self._block_labels[id(block)] = f"^bb{index}"
        else:
            self._block_labels[id(block)] = f"^{hint}" if index == 0 else f"^{hint}_{index}"
        for argument in block._args:
            if argument._name is not None and self._keeps_names:
                name = self._unique(argument._name)
            elif index == 0:
                name = self._argument_name()
            else:
                name = str(self._next_value)
                self._next_value += 1
            self._names[id(argument)] = "%" + name

    def _argument_name(self) -> str:
        while True:
            name = f"arg{self._next_argument}"
            self._next_argument += 1
            if name not in self._used:
                return self._take(name)

    def _name_results(self, op: Operation) -> None:
        """Name the results of an op in groups: ``%0:2`` for two results of which the second has no name."""
        results = op.results
        if not results:
            return
        starts = [i for i, r in enumerate(results) if i == 0 or (r._name is not None and self._keeps_names)]
        heads: list[str] = []
        for start, end in zip(starts, [*starts[1:], len(results)], strict=True):
            head = self._new_name(results[start])
            heads.append(head if end - start == 1 else f"{head}:{end - start}")
            for i in range(start, end):
                self._names[id(results[i])] = head if end - start == 1 else f"{head}#{i - start}"
        self._result_lists[id(op)] = ", ".join(heads)

    def _new_name(self, value: SSAValue) -> str:
        hint = value._name if self._keeps_names else None
        if hint is not None:
            return "%" + self._unique(hint)
        self._next_value += 1
        return f"%{self._next_value - 1}"

    def _unique(self, name: str) -> str:
        """A name that no visible value has: the name itself, or with a number after it."""
        if name in self._used:
            stem = name
            while name in self._used:
                name = f"{stem}_{self._next_conflict}"
                self._next_conflict += 1
        return self._take(name)

    def _take(self, name: str) -> str:
        self._used.add(name)
        self._taken.append(name)
        return name
