"""``sccp``: sparse conditional constant propagation."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.effects import is_removable
from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.materialization import constant_op
from lamina.passes.framework.greedy import Greedy, Plan, is_shared_constant
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.general._constant_flow import ConstantFlow, Known


@dataclass(frozen=True)
class Sccp(Pass):
    """Replace values that are constant on every way that can be taken, and erase what computes them.

    A value is taken for constant, and a block for unreachable, until the opposite is found. That finds
    constants that go around loops, and those that arrive by the only branch taken. They pass into the regions
    of loops and conditionals, and into private functions from their callers. Control flow stays as it is:
    `canonicalize` removes the branches that are never taken.

    ```mlir
    func.func private @next_bool() -> i1
    func.func @f() -> i32 {
      %c1 = arith.constant 1 : i32
      cf.br ^loop(%c1 : i32)
    ^loop(%i: i32):
      %square = arith.muli %i, %i : i32
      %again = func.call @next_bool() : () -> i1
      cf.cond_br %again, ^loop(%square : i32), ^end
    ^end:
      return %i : i32
    }
    ```

    ```mlir
    func.func private @next_bool() -> i1
    func.func @f() -> i32 {
      %square = arith.constant 1 : i32
      cf.br ^loop_1(%square : i32)
    ^loop_1(%i: i32):  // 2 preds: ^bb0, ^loop_1
      %again = call @next_bool() : () -> i1
      cf.cond_br %again, ^loop_1(%square : i32), ^end_2
    ^end_2:  // pred: ^loop_1
      return %square : i32
    }
    ```
    """

    name = "sccp"
    anchor = ANY_OP
    statistics = {"constants": "values replaced by a constant", "erased": "operations erased"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        constants, erased = propagate_constants(op)
        ctx.count("constants", constants)
        ctx.count("erased", erased)


def propagate_constants(root: Operation) -> tuple[int, int]:
    """Replace the constants inside ``root``; returns how many values, and how many ops were erased."""
    rewriter = _Rewriter(ConstantFlow(root))
    rewriter.inside(root)
    return rewriter.constants, rewriter.erased


class _Rewriter:
    """Puts the constants of an analysis into the program, each once at the front of its function."""

    def __init__(self, flow: ConstantFlow) -> None:
        self.constants = 0
        self.erased = 0
        self._flow = flow
        self._origin: Operation | None = None
        self._pool = Greedy(_plan, self._materialise)

    def _materialise(self, value: Attribute, type: Attribute, near: Operation) -> Operation | None:
        return constant_op(value, type, self._origin or near)

    def inside(self, root: Operation) -> None:
        """Rewrite the blocks inside an op that may be reached."""
        pending = [block for region in root.regions for block in region.blocks]
        while pending:
            block = pending.pop()
            if block not in self._flow.executable:
                continue
            self._block(block)
            pending += [b for op in block.ops for region in op.regions for b in region.blocks]

    def _block(self, block: Block) -> None:
        for op in tuple(block.ops):
            facts = facts_of(op)
            if not op.results or (facts.is_constant and not is_shared_constant(op)):
                continue
            replaced = [self._replace(result, op) for result in op.results]
            if all(replaced) and is_removable(op):
                block.erase_op(op)
                self.erased += not facts.is_constant
        first = block.first_op
        if first is not None:
            for argument in block.args:
                self._replace(argument, first)

    def _replace(self, value: SSAValue, near: Operation) -> bool:
        """Replace a value that is constant; returns whether it is."""
        known = self._flow.values.get(value)
        if known is None:
            return False
        if value.first_use is None:
            return True
        constant = self._constant(known, value, near)
        if constant is None or constant is value:
            return False
        value.replace_all_uses_with(constant)
        self.constants += not facts_of(near).is_constant
        return True

    def _constant(self, known: Known, value: SSAValue, near: Operation) -> SSAValue | None:
        self._origin = known.origin
        return self._pool.constant(known.attribute, value.type, near)


def _plan(op: Operation) -> Plan:
    return Plan(facts_of(op), is_shared=is_shared_constant(op))
