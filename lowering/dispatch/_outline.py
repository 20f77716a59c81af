"""Moves a group of operations into a private destination-passing function and calls it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, StringAttr, UnitAttr
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.linalg.structured import as_generic, is_structured
from lamina.lowering.dispatch._structure import destination, is_cloneable
from lamina.passes.linalg._scalar_body import fused_location

DISPATCH = "lamina.dispatch"
"""The attribute that marks a function as one dispatch."""


@dataclass
class Plan:
    """What a dispatch takes, makes itself, and returns."""

    ops: list[Operation]
    """The group with the fills and empty tensors that belong to it, in order."""
    inputs: list[SSAValue] = field(default_factory=list)
    """Values from outside, in the order of their first use."""
    constants: list[SSAValue] = field(default_factory=list)
    results: list[OpResult] = field(default_factory=list)
    destinations: list[SSAValue] = field(default_factory=list)
    """For each result the tensor outside that it is written to."""


def outline(ops: Sequence[Operation], name: str) -> func.FuncOp:
    """Replace a group by a call of a new function ``name``, which is returned and not yet in the module.

    The function takes the group's inputs, then a destination for each result of the last operation, and
    returns the results. The group's other results must not be used outside.
    """
    plan = _plan(ops)
    function = _function(plan, name)
    last = ops[-1]
    outputs = [_fresh(value, last) for value in plan.destinations]
    call = func.CallOp(name, [*plan.inputs, *outputs], [r.type for r in plan.results])
    call.location = function.location
    Rewriter.insert_op(call, InsertPoint.before(last))
    for old, new in zip(plan.results, call.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    _erase(plan)
    return function


def _plan(ops: Sequence[Operation]) -> Plan:
    plan = Plan(_with_preparations(ops))
    plan.results = list(ops[-1].results)
    inside = {result for op in plan.ops for result in op.results}
    plan.destinations = [_destination_outside(ops[-1], i) for i in range(len(plan.results))]
    skipped = set(plan.destinations)
    for value in _captured(plan.ops):
        if value in inside or value in skipped:
            continue
        (plan.constants if is_cloneable(value) else plan.inputs).append(value)
    return plan


def _with_preparations(ops: Sequence[Operation]) -> list[Operation]:
    """The group with the fills its outputs start from, and the empty tensors of what stays inside."""
    found: dict[Operation, None] = {}
    for op in ops:
        for value in _outputs(op):
            target, fill = destination(value)
            empty = target.owner
            if op is not ops[-1] and isinstance(empty, tensor.EmptyOp):
                found[empty] = None
            if fill is not None:
                found[fill] = None
        found[op] = None
    return list(found)


def _outputs(op: Operation) -> tuple[SSAValue, ...]:
    if isinstance(op, tensor.InsertSliceOp):
        return (op.dest,)
    return as_generic(op).outputs if is_structured(op) else ()


def _destination_outside(last: Operation, i: int) -> SSAValue:
    return destination(_outputs(last)[i])[0]


def _captured(ops: Iterable[Operation]) -> list[SSAValue]:
    """All values that operations use, also within their regions, that are defined before them."""
    seen: dict[SSAValue, None] = {}
    for op in ops:
        inner = {v for nested in op.walk() for v in nested.results}
        inner |= {
            a for nested in op.walk() for region in nested.regions for b in region.blocks for a in b.args
        }
        seen.update((v, None) for nested in op.walk() for v in nested.operands if v not in inner)
    return list(seen)


def _function(plan: Plan, name: str) -> func.FuncOp:
    types = [v.type for v in (*plan.inputs, *plan.destinations)]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip((*plan.inputs, *plan.destinations), block.args, strict=True))
    for outer, argument in mapping.items():
        argument.name_hint = outer.name_hint
    for value in plan.constants:
        block.add_op(value.owner.clone(mapping))  # pyright: ignore[reportAttributeAccessIssue]
    for op in plan.ops:
        block.add_op(op.clone(mapping))
    block.add_op(func.ReturnOp(*[mapping[r] for r in plan.results]))
    function = func.FuncOp(name, (types, [r.type for r in plan.results]), Region(block), visibility="private")
    writable = DictionaryAttr({"bufferization.writable": BoolAttr.from_bool(True)})
    function.arg_attrs = ArrayAttr(
        [*[DictionaryAttr({})] * len(plan.inputs), *[writable] * len(plan.destinations)]
    )
    function.attributes[DISPATCH] = UnitAttr()
    function.location = fused_location([op.location for op in plan.ops])
    return function


def _fresh(value: SSAValue, before: Operation) -> SSAValue:
    """A destination of its own: an empty tensor is made again right before the call."""
    if not isinstance(value.owner, tensor.EmptyOp):
        return value
    empty = value.owner.clone()
    Rewriter.insert_op(empty, InsertPoint.before(before))
    return empty.tensor


def _erase(plan: Plan) -> None:
    """Remove the group, then what only it used."""
    for op in reversed(plan.ops):
        _erase_unused(op)
    for value in (*plan.destinations, *plan.constants):
        if isinstance(value.owner, Operation) and (
            isinstance(value.owner, tensor.EmptyOp) or is_cloneable(value)
        ):
            _erase_unused(value.owner)


def _erase_unused(op: Operation) -> None:
    if op.parent is not None and not any(result.uses for result in op.results):
        op.detach()
        op.erase()


def symbol_names(module: Operation) -> set[str]:
    """The symbols that a module defines."""
    names = (op.properties.get("sym_name") for op in module.walk())
    return {name.data for name in names if isinstance(name, StringAttr)}
