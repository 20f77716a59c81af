"""What upstream verifies of scf in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType
from xdsl.ir import Operation, Region

from lamina.dialects.core.constants import constant_attribute
from lamina.dialects.core.diagnostics import error, location_of, note, op_name
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.control import check_edge, check_loop
from lamina.dialects.core.verifying.groups import attribute, static_values, values
from lamina.dialects.core.verifying.registry import verifies


@verifies("scf.for", types_only=True)
def verify_for(op: Operation) -> None:
    """There is a result for each value that the loop carries."""
    if len(op.operands) - 3 != len(op.results):
        raise error("mismatch in number of loop-carried values and defined values", op)


@verifies("scf.for", after_regions=True)
def verify_for_body(op: Operation) -> None:
    """The types of what the loop carries are the same everywhere."""
    body: Any = op.regions[0].first_block
    if not body.args or body.args[0].type != op.operands[0].type:
        raise error("expected induction variable to be same type as bounds and step", op)
    check_loop(op, op.operands[3:], body.args[1:], _passed(body.last_op))


def _passed(terminator: Operation | None) -> Sequence[Any] | None:
    """What ``scf.yield`` gives."""
    return terminator.operands if terminator is not None and terminator.name == "scf.yield" else None


@verifies("scf.if")
def verify_if(op: Operation) -> None:
    """An if with results has both branches."""
    if op.results and op.regions[1].first_block is None:
        raise error("must have an else block if defining values", op)


@verifies("scf.if", "scf.execute_region", after_regions=True)
def verify_yields(op: Operation) -> None:
    """Every yield gives the results."""
    for region in op.regions:
        for block in region.blocks:
            last = block.last_op
            if last is not None and last.name == "scf.yield":
                check_edge(op, last, "parent", last.operands, op.results)


@verifies("scf.execute_region")
def verify_execute_region(op: Operation) -> None:
    """The region has a block, and the first one no arguments."""
    block = op.regions[0].first_block
    if block is None:
        raise error("region needs to have at least one block", op)
    if block.args:
        raise error("region cannot have any arguments", op)


def _terminator(op: Operation, region: Region, name: str, message: str) -> Operation:
    block = region.first_block
    last = block.last_op if block is not None else None
    if last is None or last.name != name:
        raise error(message, op, notes=[note("terminator here", last)] if last is not None else [])
    return last


@verifies("scf.while", after_regions=True)
def verify_while(op: Operation) -> None:
    """Values go from the op to the condition, from there to the body or out, and back."""
    before, after = op.regions
    condition = _terminator(
        op, before, "scf.condition", "expects the 'before' region to terminate with 'scf.condition'"
    )
    last = _terminator(op, after, "scf.yield", "expects the 'after' region to terminate with 'scf.yield'")
    first: Any = before.first_block
    second: Any = after.first_block
    check_edge(op, op, "Region #0", op.operands, first.args)
    check_edge(op, condition, "Region #1", condition.operands[1:], second.args)
    check_edge(op, condition, "parent", condition.operands[1:], op.results)
    check_edge(op, last, "Region #0", last.operands, first.args)


@verifies("scf.parallel")
def verify_parallel(op: Operation) -> None:
    """Bounds, variables, initial values, results and reductions agree in number and type."""
    steps, initial = values(op, "step"), values(op, "initVals")
    if not steps:
        message = "needs at least one tuple element for lowerBound, upperBound and step"
        raise error(message, op)
    for step in steps:
        constant: Any = constant_attribute(step)
        if constant is not None and constant.value.data <= 0:
            raise error("constant step operand must be positive", op)
    body: Any = op.regions[0].first_block
    if len(body.args) != len(steps):
        message = f"expects the same number of induction variables: {len(body.args)}"
        raise error(f"{message} as bound and step values: {len(steps)}", op)
    if any(not isinstance(argument.type, IndexType) for argument in body.args):
        raise error("expects arguments for the induction variable to be of index type", op)
    reduce = _terminator(op, op.regions[0], "scf.reduce", "expects body to terminate with 'scf.reduce'")
    _check_reductions(op, reduce, len(initial))


def _check_reductions(op: Operation, reduce: Operation, initial: int) -> None:
    count = len(op.results)
    if count != len(reduce.regions):
        message = f"expects number of results: {count} to be the same as number of reductions"
        raise error(f"{message}: {len(reduce.regions)}", op)
    if count != initial:
        message = f"expects number of results: {count} to be the same as number of initial values"
        raise error(f"{message}: {initial}", op)
    if len(reduce.operands) != initial:
        return
    for number, (value, result) in enumerate(zip(reduce.operands, op.results, strict=True)):
        if value.type != result.type:
            raise error(
                f"expects type of {number}-th reduction operand: '{value.type}' to be the same as the "
                f"{number}-th result type: '{result.type}'",
                reduce,
            )


@verifies("scf.reduce")
def verify_reduce(op: Operation) -> None:
    """There is a region for each operand."""
    if len(op.regions) != len(op.operands):
        message = f"expects number of reduction regions: {len(op.regions)} to be the same as number of"
        raise error(f"{message} reduction operands: {len(op.operands)}", op)


@verifies("scf.reduce", after_regions=True)
def verify_reductions(op: Operation) -> None:
    """Each region takes two values of its operand's type."""
    for number, (region, operand) in enumerate(zip(op.regions, op.operands, strict=True)):
        block: Any = region.first_block
        if block is None or block.last_op is None:
            raise error(f"{number}-th reduction has an empty body", op)
        if len(block.args) != 2 or any(argument.type != operand.type for argument in block.args):
            message = f"expected two block arguments with type '{operand.type}'"
            raise error(f"{message} in the {number}-th reduction region", op)
        if block.last_op.name != "scf.reduce.return":
            raise error("reduction bodies must be terminated with an 'scf.reduce.return' op", op)


@verifies("scf.reduce.return")
def verify_reduce_return(op: Operation) -> None:
    """What is returned has the type of the arguments."""
    block: Any = op.parent
    wanted = block.args[0].type if block.args else None
    if wanted is not None and op.operands[0].type != wanted:
        raise error(f"must have type '{wanted}' (the type of the reduction inputs)", op)


@verifies("scf.forall")
def verify_forall(op: Operation) -> None:
    """The body takes the indices and the outputs; there is a mapping for each loop."""
    outputs = values(op, "outputs")
    loops = len(static_values(op, "staticUpperBound"))
    if len(op.results) != len(outputs):
        raise error(f"produces {len(op.results)} results, but has {len(outputs)} outputs", op)
    arguments = op.regions[0].first_block.args  # pyright: ignore[reportOptionalMemberAccess]
    if len(arguments) != loops + len(outputs):
        raise error(f"region expects {loops} arguments", op)
    for number in range(loops):
        if not isinstance(arguments[number].type, IndexType):
            raise error(f"expects {number}-th block argument to be an index", op)
    for number, (output, argument) in enumerate(zip(outputs, arguments[loops:], strict=True)):
        if output.type != argument.type:
            raise error(f"type mismatch between {number}-th output and corresponding block argument", op)
    _check_mapping(op, loops)
    for what, shown in (("LowerBound", "lower bound"), ("UpperBound", "upper bound"), ("Step", "step")):
        _check_mixed(op, what, shown, loops)


def _check_mapping(op: Operation, loops: int) -> None:
    mapping: Any = attribute(op, "mapping")
    if mapping is None or not mapping.data:
        return
    masks = [one for one in mapping.data if str(one).startswith("#gpu.mask")]
    if len(mapping.data) - len(masks) != loops:
        raise error("mapping attribute size must match op rank", op)
    if len(masks) > 1:
        raise error('"mapping" supports at most one device masking attribute', op)


def _check_mixed(op: Operation, what: str, shown: str, count: int) -> None:
    numbers = static_values(op, f"static{what}")
    if len(numbers) != count:
        raise error(f"expected {count} {shown} values, got {len(numbers)}", location_of(op))
    dynamic = numbers.count(DYNAMIC_INDEX)
    if dynamic != len(values(op, f"dynamic{what}")):
        raise error(f"expected {dynamic} dynamic {shown} values", location_of(op))


@verifies("scf.forall.in_parallel")
def verify_in_parallel(op: Operation) -> None:
    """Only ops that combine into an output of the loop are in the terminator."""
    forall = op.parent_op()
    if forall is None or forall.name != "scf.forall":
        raise error("expected forall op parent", op)
    outputs = forall.regions[0].blocks[0].args[len(static_values(forall, "staticUpperBound")) :]
    for inner in op.regions[0].blocks[0].ops:
        spec = spec_of(inner.name)
        if spec is None or "ParallelCombiningOpInterface" not in spec.traits:
            raise error("expected only ParallelCombiningOpInterface ops", op)
        if values(inner, "dest")[0] not in outputs:
            raise error("may only insert into an output block argument", inner)


@verifies("scf.index_switch")
def verify_index_switch(op: Operation) -> None:
    """There is a region for each case, and each gives the results."""
    cases = static_values(op, "cases")
    default, *regions = op.regions
    if len(cases) != len(regions):
        raise error(f"has {len(regions)} case regions but {len(cases)} case values", op)
    seen: set[int] = set()
    for case in cases:
        if case in seen:
            raise error(f"has duplicate case value: {case}", op)
        seen.add(case)
    _check_case(op, default, "default region")
    for number, region in enumerate(regions):
        _check_case(op, region, f"case region #{number}")


def _check_case(op: Operation, region: Region, name: str) -> None:
    block = region.first_block
    last = block.last_op if block is not None else None
    if last is None or last.name != "scf.yield":
        found = op_name(last) if last is not None else "nothing"
        raise error(f"expected {name} to end with scf.yield, but got {found}", op)
    if len(last.operands) != len(op.results):
        message = f"expected each region to return {len(op.results)} values, but {name}"
        notes = [note("see yield operation here", last)]
        raise error(f"{message} returns {len(last.operands)}", op, notes=notes)
    for number, (result, value) in enumerate(zip(op.results, last.operands, strict=True)):
        if result.type != value.type:
            notes = [note(f"{name} returns '{value.type}' here", last)]
            raise error(f"expected result #{number} of each region to be '{result.type}'", op, notes=notes)
