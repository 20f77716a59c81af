"""``cse``: common subexpression elimination in linear time, over the dominator tree of each region."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from xdsl.ir import Attribute, Block, Operation, Region

from lamina.dialects.core.effects import effects_of, is_dead, is_side_effect_free
from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.verifier import immediate_dominators
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext

Key = tuple[object, ...]


@dataclass(frozen=True)
class Cse(Pass):
    """Replace an operation by an equal one that dominates it.

    Equal means: the same name, operands, attributes, result types and regions, and no side effects. Reads of
    memory are equal too while nothing is written between them in their block.

    ```mlir
    func.func @f(%x: i32, %y: i32) -> i32 {
      %0 = arith.addi %x, %y : i32
      %1 = arith.addi %x, %y : i32
      %2 = arith.muli %0, %1 : i32
      return %2 : i32
    }
    ```

    ```mlir
    func.func @f(%x: i32, %y: i32) -> i32 {
      %0 = arith.addi %x, %y : i32
      %2 = arith.muli %0, %0 : i32
      return %2 : i32
    }
    ```
    """

    name = "cse"
    anchor = ANY_OP
    statistics = {"num-cse'd": "operations replaced by an equal one", "num-dce'd": "dead operations erased"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        merged, dead = eliminate_common_subexpressions(op)
        ctx.count("num-cse'd", merged)
        ctx.count("num-dce'd", dead)


def eliminate_common_subexpressions(root: Operation) -> tuple[int, int]:
    """Merge equal operations inside ``root``; returns how many were merged and how many were dead."""
    worker = _Eliminator()
    for region in root.regions:
        worker.isolated(region)
    return worker.merged, worker.dead


class _Eliminator:
    """One table for all scopes, since hashing keys takes most of the time; a scope takes its entries out."""

    def __init__(self) -> None:
        self.merged = 0
        self.dead = 0
        self._known: dict[Key, Operation] = {}

    def isolated(self, region: Region) -> None:
        """Visit a region that does not see what is around it."""
        around, self._known = self._known, {}
        self.region(region)
        self._known = around

    def region(self, region: Region) -> None:
        """Visit the blocks of a region down its dominator tree; each block sees what its dominators know."""
        entry = region.blocks.first
        if entry is None:
            return
        if entry.next_block is None:
            self._forget(self.block(entry))
            return
        children: dict[Block | None, list[Block]] = {}
        for block, parent in immediate_dominators(region).items():
            children.setdefault(parent, []).append(block)
        stack: list[Block | list[Key]] = [entry]
        while stack:
            item = stack.pop()
            if isinstance(item, list):
                self._forget(item)
                continue
            stack.append(self.block(item))
            stack.extend(children.get(item, ()))

    def _forget(self, keys: list[Key]) -> None:
        for key in keys:
            del self._known[key]

    def block(self, block: Block) -> list[Key]:
        """Visit a block; returns what it added to the table."""
        added: list[Key] = []
        writes = 0  # how many ops of the block may have written so far: reads are equal between two writes
        for op in tuple(block.ops):
            facts = facts_of(op)
            if not facts.is_known:
                writes += 1
                for region in op.regions:
                    self.region(region)
                continue
            if is_dead(op):
                block.erase_op(op)
                self.dead += 1
                continue
            if op.regions:
                visit = self.isolated if "I" in facts.traits else self.region
                for region in op.regions:
                    visit(region)
            if facts.is_pure or is_side_effect_free(op):
                if not op.results or facts.is_terminator or "Y" in facts.traits:
                    continue
                key = _key(op)
            elif not op.regions and op.results and _only_reads(op):
                key = (*_key(op), block, writes)
            else:
                writes += _may_write(op)
                continue
            earlier = self._known.setdefault(key, op)
            if earlier is op:
                added.append(key)
            else:
                self._merge(op, earlier, block)
        return added

    def _merge(self, op: Operation, earlier: Operation, block: Block) -> None:
        for old, new in zip(op.results, earlier.results, strict=True):
            old.replace_all_uses_with(new)
        block.erase_op(op)
        self.merged += 1


def _only_reads(op: Operation) -> bool:
    effects = effects_of(op)
    return effects is not None and all(kind == "r" for kind, _ in effects)


def _may_write(op: Operation) -> bool:
    effects = effects_of(op)
    return effects is None or any(kind == "w" for kind, _ in effects)


def _key(op: Operation) -> Key:
    """What equal operations share. Values stand for themselves by identity: those of an op in use live on."""
    operands = map(id, op._operands)  # pyright: ignore[reportPrivateUsage]
    commutative = "K" in facts_of(op).traits
    return (
        op.name,
        *(sorted(operands) if commutative else operands),
        *_entries(op.properties),
        None,
        *_entries(op.attributes),
        *[result.type for result in op.results],
        *(_region_key(op) if op.regions else ()),
    )


def _region_key(op: Operation) -> Iterable[object]:
    """What equal regions share: the ops in their order, with values from inside by their place."""
    places: dict[int, int] = {}
    for region in op.regions:
        yield "region"
        for block in region.blocks:
            yield "block"
            for argument in block.args:
                places[id(argument)] = len(places)
                yield argument.type
            for inner in block.ops:
                yield inner.name
                yield tuple(places.get(id(value), value) for value in inner.operands)
                yield tuple(_entries(inner.properties))
                yield tuple(_entries(inner.attributes))
                for result in inner.results:
                    places[id(result)] = len(places)
                    yield result.type
                yield from (inner.successors or ())
                if inner.regions:
                    yield from _region_key(inner)


def _entries(attributes: Mapping[str, Attribute]) -> Iterable[object]:
    if len(attributes) < 2:
        return attributes.items()
    return sorted(attributes.items(), key=itemgetter(0))
