"""Moves a group of operations into a private destination-passing function and calls it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, StringAttr, UnitAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.lowering.dispatch._structure import destination, is_cloneable, outputs_of
from lamina.lowering.dispatch._views import view_chain
from lamina.passes.linalg._fusion import erase_unused
from lamina.passes.linalg._scalar_body import fused_location

DISPATCH = "lamina.dispatch"
"""The attribute that marks a function as one dispatch."""
UPDATE = "lamina.update"
"""On a dispatch: it overwrites an argument of the entry, so no element may be computed twice."""


@dataclass
class Plan:
    """What a dispatch takes, makes itself, and returns."""

    ops: Sequence[Operation]
    """The group, in order."""
    views: list[Operation] = field(default_factory=list)
    """Slices of inputs, and their reshapes, which are made again inside: a kernel takes whole buffers."""
    inputs: dict[SSAValue, None] = field(default_factory=dict)
    """Values from outside, in the order of their first use."""
    constants: dict[SSAValue, None] = field(default_factory=dict)
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
    plan = Plan(ops, results=list(ops[-1].results))
    plan.destinations = [destination(value)[0] for value in outputs_of(ops[-1])]
    inside = {result for op in ops for result in op.results}
    for op in ops:
        for value in _captured(op, op is ops[-1]):
            if value not in inside:
                _take(plan, value)
    return plan


def _take(plan: Plan, value: SSAValue) -> None:
    """Let a dispatch have a value from outside: as an argument, as a constant, or through a view."""
    if is_cloneable(value):
        plan.constants[value] = None
        return
    chain = view_chain(value)
    for view in chain:
        for operand in view.operands:
            if operand.owner not in chain:
                _take(plan, operand)
        if view not in plan.views:
            plan.views.append(view)
    if not chain:
        plan.inputs[value] = None


def _captured(op: Operation, is_last: bool) -> list[SSAValue]:
    """The values from outside that an operation needs, also within its regions.

    Of an output that starts empty or filled, these are the sizes and the filling; it is made again inside,
    except the last one's, which is given.
    """
    inner = {v for nested in op.walk() for v in nested.results}
    inner |= {a for nested in op.walk() for region in nested.regions for b in region.blocks for a in b.args}
    outputs = outputs_of(op)
    seen: dict[SSAValue, None] = {}
    for value in (v for nested in op.walk() for v in nested.operands if v not in inner):
        if value not in outputs:
            seen[value] = None
            continue
        target, fill = destination(value)
        if fill is not None:
            seen[fill.operands[0]] = None
        if is_last:
            continue
        seen.update(
            dict.fromkeys(target.owner.operands if isinstance(target.owner, tensor.EmptyOp) else [target])
        )
    return list(seen)


def _function(plan: Plan, name: str) -> func.FuncOp:
    inputs = list(plan.inputs)
    types = [v.type for v in (*inputs, *plan.destinations)]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=False))
    for outer, argument in mapping.items():
        argument.name_hint = outer.name_hint
    for value in plan.constants:
        block.add_op(value.owner.clone(mapping))  # pyright: ignore[reportAttributeAccessIssue]
    for view in plan.views:
        _copy(view, block, mapping)
    for op in plan.ops[:-1]:
        _copy_with_outputs(op, block, mapping)
    _copy_into(plan.ops[-1], block, mapping, block.args[len(inputs) :])
    block.add_op(func.ReturnOp(*[mapping[r] for r in plan.results]))
    function = func.FuncOp(name, (types, [r.type for r in plan.results]), Region(block), visibility="private")
    writable = DictionaryAttr({"bufferization.writable": BoolAttr.from_bool(True)})
    plain = DictionaryAttr({})
    function.arg_attrs = ArrayAttr([*[plain] * len(inputs), *[writable] * len(plan.destinations)])
    function.attributes[DISPATCH] = UnitAttr()
    function.location = fused_location([op.location for op in plan.ops])
    return function


def _copy_with_outputs(op: Operation, block: Block, mapping: dict[SSAValue, SSAValue]) -> None:
    """Copy an operation, with an empty tensor and a fill of its own for each output that starts so."""
    for value in outputs_of(op):
        target, fill = destination(value)
        for start in (target.owner, fill):
            if isinstance(start, tensor.EmptyOp | linalg.FillOp):
                _copy(start, block, mapping)
    _copy(op, block, mapping)


def _copy_into(
    op: Operation, block: Block, mapping: dict[SSAValue, SSAValue], outputs: Sequence[SSAValue]
) -> None:
    """Copy an operation that writes to given tensors, filled first where its own outputs are."""
    starts: list[SSAValue] = []
    for value, output in zip(outputs_of(op), outputs, strict=True):
        target, fill = destination(value)
        mapping[target] = output
        if fill is not None:
            _copy(fill, block, mapping)
        starts.append(mapping[value])
    _copy(op, block, mapping)
    copy = block.last_op
    assert copy is not None
    first = 1 if isinstance(op, tensor.InsertSliceOp) else len(op.operands) - len(starts)
    for i, start in enumerate(starts):
        copy.operands[first + i] = start


def _copy(op: Operation, block: Block, mapping: dict[SSAValue, SSAValue]) -> None:
    copy = op.clone(mapping)
    block.add_op(copy)
    mapping.update(zip(op.results, copy.results, strict=True))


def _fresh(value: SSAValue, before: Operation) -> SSAValue:
    """A destination of its own: an empty tensor is made again right before the call."""
    if not isinstance(value.owner, tensor.EmptyOp):
        return value
    empty = value.owner.clone()
    Rewriter.insert_op(empty, InsertPoint.before(before))
    return empty.tensor


def _erase(plan: Plan) -> None:
    """Remove the group, then what only it used."""
    outputs = [destination(value) for op in plan.ops for value in outputs_of(op)]
    for op in reversed(plan.ops):
        erase_unused(op)
    for target, fill in outputs:
        for op in (fill, target.owner):
            if isinstance(op, linalg.FillOp | tensor.EmptyOp):
                erase_unused(op)
    for op in (*reversed(plan.views), *[value.owner for value in plan.constants]):
        if isinstance(op, Operation):
            erase_unused(op)


def symbol_names(module: Operation) -> set[str]:
    """The symbols that a module defines."""
    names = (op.properties.get("sym_name") for op in module.walk())
    return {name.data for name in names if isinstance(name, StringAttr)}
