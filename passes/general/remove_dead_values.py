"""``remove-dead-values``: values that nothing depends on, removed from where they are passed along."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.branches import edges_into, set_successor_operands, successor_spans
from lamina.dialects.core.building import make_op
from lamina.dialects.core.facts import facts_of
from lamina.dialects.core.folding import POISON
from lamina.dialects.core.region_flow import Edge
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option
from lamina.passes.framework.walk import ops_inside
from lamina.passes.general._liveness import Liveness, flow_edges
from lamina.passes.general._regions import forget_operands


@dataclass(frozen=True)
class RemoveDeadValues(Pass):
    """Remove values that nothing depends on, also where they are passed along.

    Arguments and results of private functions (at all their calls too), arguments of blocks, values that
    loops carry, results of conditionals, and operations without effects. What stands in a block that is
    never reached, or in a private function that nobody calls, is dead whatever it does. Public functions
    keep their signature.

    ```mlir
    func.func private @sum(%x: i32, %unused: i32) -> (i32, i32) {
      %0 = arith.addi %x, %x : i32
      %1 = arith.muli %x, %x : i32
      return %0, %1 : i32, i32
    }
    func.func @main(%x: i32, %n: index) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %s:2 = func.call @sum(%x, %x) : (i32, i32) -> (i32, i32)
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) {
        %2 = arith.addi %a, %s#0 : i32
        %3 = arith.muli %b, %a : i32
        scf.yield %2, %3 : i32, i32
      }
      return %r#0 : i32
    }
    ```

    ```mlir
    func.func private @sum(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      return %0 : i32
    }
    func.func @main(%x: i32, %n: index) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %s = call @sum(%x) : (i32) -> i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {
        %0 = arith.addi %a, %s : i32
        scf.yield %0 : i32
      }
      return %r : i32
    }
    ```
    """

    name = "remove-dead-values"
    anchor = ANY_OP
    statistics = {"values": "arguments, results and carried values removed", "erased": "operations erased"}

    canonicalize: bool = option(True, "Remove the values that loops and conditionals pass, not only replace")

    def run(self, op: Operation, ctx: PassContext) -> None:
        values, erased = remove_dead_values(op, canonicalize=self.canonicalize)
        ctx.count("values", values)
        ctx.count("erased", erased)


def remove_dead_values(root: Operation, *, canonicalize: bool = True) -> tuple[int, int]:
    """Remove the dead values inside ``root``; returns how many were passed along, and how many ops erased.

    Without ``canonicalize`` loops and conditionals pass ``ub.poison`` in place of what is dead.
    """
    live = Liveness(root)
    dead = _dead_ops(root, live)
    for op in dead:
        forget_operands(op)
    poison = _Poison()
    removed = sum(_shrink_function(function, live, poison) for function in live.functions)
    removed += _shrink_blocks(root, live, poison)
    for op in [op for op in ops_inside(root) if op in live.ops]:
        edges = flow_edges(op)
        if edges is not None:
            removed += _shrink_flow(op, edges, live, poison, canonicalize)
    for op in dead:
        for result in op.results:
            poison.replace_uses(result)
    poison.erase_unused()
    for op in dead:
        assert op.parent is not None
        op.parent.erase_op(op, safe_erase=False)
    return removed, len(dead)


def _dead_ops(root: Operation, live: Liveness) -> list[Operation]:
    """The outermost dead ops; the ends of blocks stay, since a block needs one."""
    dead: list[Operation] = []
    pending: list[Operation] = [root]
    while pending:
        for region in pending.pop().regions:
            for block in region.blocks:
                for op in block.ops:
                    facts = facts_of(op)
                    is_end = op.next_op is None and (facts.is_terminator or not facts.is_known)
                    if op in live.ops or is_end:
                        pending.append(op)
                    else:
                        dead.append(op)
    return dead


class _Poison:
    """Stands for dead values where they are still mentioned: what is never reached, or is removed later."""

    def __init__(self) -> None:
        self._made: list[Operation] = []

    def value(self, type: Attribute, user: Operation) -> SSAValue:
        """A value of a type in front of its user."""
        made = make_op("ub.poison", [], [type], {"value": POISON})
        made.location = user.location
        assert user.parent is not None
        user.parent.insert_op_before(made, user)
        self._made.append(made)
        return made.results[0]

    def replace_uses(self, value: SSAValue) -> None:
        """Take the place of a value that goes."""
        for use in tuple(value.uses):
            use.operation.operands[use.index] = self.value(value.type, use.operation)

    def erase_unused(self) -> None:
        """Erase what nobody mentions any more."""
        for op in self._made:
            if op.results[0].first_use is None and op.parent is not None:
                op.parent.erase_op(op)


# Functions


def _shrink_function(function: Operation, live: Liveness, poison: _Poison) -> int:
    """Remove dead arguments and results of a function, of its returns and of its calls."""
    entry = function.regions[0].blocks.first
    kind = function.get_attr_or_prop("function_type")
    assert entry is not None and isinstance(kind, FunctionType)
    calls = [call for call in live.calls.callers.get(function, ()) if call in live.ops]
    inputs = [i for i, argument in enumerate(entry.args) if argument in live.values]
    outputs = [
        i for i in range(len(kind.outputs.data)) if any(call.results[i] in live.values for call in calls)
    ]
    removed = len(kind.inputs.data) + len(kind.outputs.data) - len(inputs) - len(outputs)
    if not removed:
        return 0
    for block in function.regions[0].blocks:
        end = block.last_op
        if end is not None and end.name == "func.return":
            end.operands = [end.operands[i] for i in outputs]
    for call in calls:
        extra = range(len(entry.args), len(call.operands))
        _choose_attributes(call, inputs, outputs)
        rebuilt = _rebuilt(call, [*inputs, *extra], outputs, poison)
        live.ops.add(rebuilt)
    _choose_attributes(function, inputs, outputs)
    function.properties["function_type"] = FunctionType.from_lists(
        [kind.inputs.data[i] for i in inputs], [kind.outputs.data[i] for i in outputs]
    )
    _erase_arguments(entry, inputs, poison)
    return removed


def _choose_attributes(op: Operation, inputs: Iterable[int], outputs: Iterable[int]) -> None:
    for name, kept in (("arg_attrs", inputs), ("res_attrs", outputs)):
        for held in (op.properties, op.attributes):
            found = held.get(name)
            if isinstance(found, ArrayAttr):
                held[name] = ArrayAttr([found.data[i] for i in kept])


def _erase_arguments(block: Block, kept: Collection[int], poison: _Poison) -> None:
    for index in reversed(range(len(block.args))):
        if index not in kept:
            argument = block.args[index]
            poison.replace_uses(argument)
            block.erase_arg(argument)


def _rebuilt(op: Operation, operands: Iterable[int], results: Iterable[int], poison: _Poison) -> Operation:
    """Put an op with fewer operands and results in the place of one."""
    kept = list(results)
    regions: list[Region] = []
    for region in op.regions:
        taken = Region()
        region.move_blocks(taken)
        regions.append(taken)
    made = make_op(
        op.name,
        [op.operands[i] for i in operands],
        [op.results[i].type for i in kept],
        dict(op.properties),
        regions=regions,
        attributes=dict(op.attributes),
    )
    made.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(made, op)
    for i, result in zip(kept, made.results, strict=True):
        result.name_hint = op.results[i].name_hint
        op.results[i].replace_all_uses_with(result)
    for result in op.results:
        poison.replace_uses(result)
    op.parent.erase_op(op)
    return made


# Blocks


def _shrink_blocks(root: Operation, live: Liveness, poison: _Poison) -> int:
    """Remove dead arguments of blocks behind the first, and what branches pass for them."""
    shrunk: list[tuple[Block, list[int]]] = []
    for op in (root, *(op for op in ops_inside(root) if op in live.ops and op.regions)):
        for region in op.regions:
            for block in list(region.blocks)[1:]:
                kept = [i for i, argument in enumerate(block.args) if argument in live.values]
                edges = edges_into(block)
                if len(kept) == len(block.args) or any(successor_spans(end) is None for end, _ in edges):
                    continue
                shrunk.append((block, kept))
                for end, index in edges:
                    first, _ = (successor_spans(end) or [])[index]
                    set_successor_operands(end, index, [end.operands[first + i] for i in kept])
    removed = 0
    for block, kept in shrunk:
        removed += len(block.args) - len(kept)
        _erase_arguments(block, kept, poison)
    return removed


# Loops and conditionals


def _shrink_flow(
    op: Operation, edges: list[Edge], live: Liveness, poison: _Poison, canonicalize: bool
) -> int:
    """Remove what an op and its regions pass to each other in vain, or pass poison for it."""
    dead = _dead_passages(edges, live)
    if not dead:
        return 0
    sources = {edge.source for edge in edges if edge.inputs}
    kept = {source: [i for i in range(len(source.operands)) if (source, i) not in dead] for source in sources}
    if not canonicalize:
        for source in sources:
            for i in set(range(len(source.operands))) - set(kept[source]):
                source.operands[i] = poison.value(source.operands[i].type, source)
        return 0
    inputs = {value for passages in dead.values() for value in passages}
    for source in sources - {op}:
        source.operands = [source.operands[i] for i in kept[source]]
    _drop_segments(op, len(op.operands) - len(kept.get(op, op.operands)))
    for region in op.regions:
        for block in list(region.blocks)[:1]:
            _erase_arguments(block, {i for i, a in enumerate(block.args) if a not in inputs}, poison)
    results = [i for i, result in enumerate(op.results) if result not in inputs]
    _rebuilt(op, kept.get(op, range(len(op.operands))), results, poison)
    return len(inputs)


def _dead_passages(edges: list[Edge], live: Liveness) -> dict[tuple[Operation, int], set[SSAValue]]:
    """The passed operands for which all inputs that get them, or the same as others do, are dead.

    What goes round a loop comes to the same inputs from several sources: they go together or not at all.
    """
    reached: dict[tuple[Operation, int], set[SSAValue]] = {}
    for edge in edges:
        for number, value in edge.passed():
            reached.setdefault((edge.source, number), set()).add(value)
    alive = {value for values in reached.values() for value in values if value in live.values}
    changed = True
    while changed:
        changed = False
        for values in reached.values():
            if not alive.isdisjoint(values) and not values <= alive:
                alive |= values
                changed = True
    return {source: values for source, values in reached.items() if alive.isdisjoint(values)}


def _drop_segments(op: Operation, count: int) -> None:
    """Take operands off the last group of an op that says how long its groups are."""
    from xdsl.dialects.builtin import DenseArrayBase, i32

    for held in (op.properties, op.attributes):
        sizes = held.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase):
            values = [int(size) for size in sizes.get_values()]
            values[-1] -= count
            held["operandSegmentSizes"] = DenseArrayBase.from_list(i32, values)
