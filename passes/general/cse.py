"""``cse``: common subexpression elimination in linear time, over the dominator tree of each region."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region
from xdsl.traits import IsolatedFromAbove, is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from lamina.dialects.core.verifier import immediate_dominators
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.framework.rewriting import is_registered

Key = tuple[object, ...]
Known = dict[Key, Operation]


@dataclass(frozen=True)
class Cse(Pass):
    """Replace an operation by an equal one that dominates it.

    Equal means: the same name, operands, attributes and result types, and no side effects.

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
        worker.region(region, [{}])
    return worker.merged, worker.dead


class _Eliminator:
    def __init__(self) -> None:
        self.merged = 0
        self.dead = 0

    def region(self, region: Region, scopes: list[Known]) -> None:
        """Visit the blocks of a region down its dominator tree; each block sees what its dominators know."""
        entry = region.blocks.first
        if entry is None:
            return
        if entry.next_block is None:
            self.block(entry, [*scopes, {}])
            return
        tree = immediate_dominators(region)
        children: dict[Block | None, list[Block]] = {}
        for block, parent in tree.items():
            children.setdefault(parent, []).append(block)
        stack: list[tuple[Block, list[Known]]] = [(entry, scopes)]
        while stack:
            block, known = stack.pop()
            inner = [*known, {}]
            self.block(block, inner)
            stack.extend((child, inner) for child in children.get(block, ()))

    def block(self, block: Block, scopes: list[Known]) -> None:
        for op in tuple(block.ops):
            if is_registered(op) and is_trivially_dead(op):
                block.erase_op(op)
                self.dead += 1
                continue
            if op.regions:
                isolated = is_registered(op) and op.has_trait(IsolatedFromAbove)
                for region in op.regions:
                    self.region(region, [{}] if isolated else scopes)
                continue
            if not op.results or not is_registered(op) or not is_side_effect_free(op):
                continue
            self._merge(op, block, scopes)

    def _merge(self, op: Operation, block: Block, scopes: list[Known]) -> None:
        key = _key(op)
        for scope in reversed(scopes):
            earlier = scope.get(key)
            if earlier is not None:
                for old, new in zip(op.results, earlier.results, strict=True):
                    old.replace_all_uses_with(new)
                block.erase_op(op)
                self.merged += 1
                return
        scopes[-1][key] = op


def _key(op: Operation) -> Key:
    return (
        op.name,
        tuple(op.operands),
        tuple(sorted(op.properties.items(), key=lambda item: item[0])),
        tuple(sorted(op.attributes.items(), key=lambda item: item[0])),
        tuple(result.type for result in op.results),
    )
