"""affine.for, affine.if and affine.parallel: bounds, conditions, loops that do nothing."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap
from xdsl.ir.affine.affine_set import AffineConstraintExpr, AffineConstraintKind, AffineSet

from lamina.dialects.affine.simplify.maps import Applied
from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.scf.simplify.conditionals import drop_empty_else, drop_unused_results
from lamina.dialects.scf.simplify.structure import body_of, end_of, inline_body, is_inside

pattern("affine.if")(drop_empty_else)
pattern("affine.if")(drop_unused_results)


def _bounds(op: Operation) -> tuple[Applied, Applied, tuple[SSAValue, ...]]:
    lower, upper, initial = operand_groups(op)
    low, high = op.get_attr_or_prop("lowerBoundMap"), op.get_attr_or_prop("upperBoundMap")
    assert isinstance(low, AffineMapAttr) and isinstance(high, AffineMapAttr)
    return Applied.of(low.data, lower), Applied.of(high.data, upper), initial


@pattern("affine.for")
def compose_bounds(op: Operation, rewriter: Rewriter) -> bool:
    """Take in the maps behind the bounds; of several numbers only the decisive one stays."""
    low, high, initial = _bounds(op)
    new_low = _tightest(low.composed(), larger=True)
    new_high = _tightest(high.composed(), larger=False)
    if (new_low, new_high) == (low, high):
        return False
    rewriter.set_property(op, "lowerBoundMap", new_low.attribute())
    rewriter.set_property(op, "upperBoundMap", new_high.attribute())
    sizes = [len(new_low.operands), len(new_high.operands), len(initial)]
    rewriter.set_property(op, "operandSegmentSizes", DenseArrayBase.from_list(i32, sizes))
    return rewriter.set_operands(op, [*new_low.operands, *new_high.operands, *initial])


def _tightest(applied: Applied, *, larger: bool) -> Applied:
    numbers = [e.value for e in applied.expressions if isinstance(e, AffineConstantExpr)]
    expressions = list(dict.fromkeys(applied.expressions))
    if len(numbers) > 1:
        decisive = max(numbers) if larger else min(numbers)
        expressions = [e for e in expressions if not isinstance(e, AffineConstantExpr)]
        expressions.append(AffineConstantExpr(decisive))
    return Applied(tuple(expressions), applied.dims, applied.symbols)


def trip_count(op: Operation) -> int | None:
    """How often an affine loop runs, where its bounds are constant."""
    low, high, _ = _bounds(op)
    step = op.get_attr_or_prop("step")
    if not isinstance(step, IntegerAttr) or len(low.expressions) != 1 or len(high.expressions) != 1:
        return None
    a, b = low.expressions[0], high.expressions[0]
    if not isinstance(a, AffineConstantExpr) or not isinstance(b, AffineConstantExpr):
        return None
    return max(0, -(-(b.value - a.value) // step.value.data))


@pattern("affine.for")
def run_never(op: Operation, rewriter: Rewriter) -> bool:
    """A loop without iterations gives its initial values."""
    return trip_count(op) == 0 and rewriter.replace(op, _bounds(op)[2])


@pattern("affine.for")
def do_nothing(op: Operation, rewriter: Rewriter) -> bool:
    """A loop whose body only yields gives what it yields, where that can be told."""
    body = body_of(op)
    end = end_of(body)
    if body.first_op is not end:
        return False
    initial = _bounds(op)[2]
    count = trip_count(op)
    arguments = list(body.args)[1:]
    results: list[SSAValue] = []
    for argument, start, value in zip(arguments, initial, end.operands, strict=True):
        if value is argument:
            results.append(start)
        elif count == 1 and value in arguments:
            results.append(initial[arguments.index(value)])  # pyright: ignore[reportArgumentType]
        elif count is not None and count > 0 and not is_inside(value, op):
            results.append(value)
        else:
            return False
    return rewriter.replace(op, results)


def _condition(op: Operation) -> AffineSet | None:
    attribute = op.get_attr_or_prop("condition")
    return attribute.data if isinstance(attribute, AffineSetAttr) else None


@pattern("affine.if")
def compose_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Take in the maps behind the operands of the condition."""
    condition = _condition(op)
    if condition is None:
        return False
    map = AffineMap(condition.num_dims, condition.num_symbols, tuple(c.lhs for c in condition.constraints))
    if any(not isinstance(c.rhs, AffineConstantExpr) or c.rhs.value != 0 for c in condition.constraints):
        return False
    before = Applied.of(map, list(op.operands))
    after = before.composed()
    if after == before:
        return False
    constraints = tuple(
        AffineConstraintExpr(c.kind, e, c.rhs)
        for c, e in zip(condition.constraints, after.expressions, strict=True)
    )
    made = AffineSet(len(after.dims), len(after.symbols), constraints)
    rewriter.set_property(op, "condition", AffineSetAttr(made))
    return rewriter.set_operands(op, after.operands)


def _holds(constraint: AffineConstraintExpr) -> bool | None:
    left, right = constraint.lhs, constraint.rhs
    if not isinstance(left, AffineConstantExpr) or not isinstance(right, AffineConstantExpr):
        return None
    if constraint.kind is AffineConstraintKind.eq:
        return left.value == right.value
    if constraint.kind is AffineConstraintKind.ge:
        return left.value >= right.value
    return left.value <= right.value


@pattern("affine.if")
def take_known_branch(op: Operation, rewriter: Rewriter) -> bool:
    """A condition on numbers."""
    condition = _condition(op)
    if condition is None:
        return False
    answers = [_holds(c) for c in condition.constraints]
    if False in answers:
        if op.regions[1].blocks.first is None:
            return not op.results and rewriter.erase(op)
        return inline_body(rewriter, op, body_of(op, 1), [])
    return None not in answers and inline_body(rewriter, op, body_of(op), [])


@pattern("affine.parallel")
def compose_parallel_bounds(op: Operation, rewriter: Rewriter) -> bool:
    """Take in the maps behind the bounds of a parallel loop."""
    low, high = op.get_attr_or_prop("lowerBoundsMap"), op.get_attr_or_prop("upperBoundsMap")
    if not isinstance(low, AffineMapAttr) or not isinstance(high, AffineMapAttr):
        return False
    operands = list(op.operands)
    count = low.data.num_dims + low.data.num_symbols
    before = Applied.of(low.data, operands[:count]), Applied.of(high.data, operands[count:])
    after = before[0].composed(), before[1].composed()
    if after == before:
        return False
    rewriter.set_property(op, "lowerBoundsMap", after[0].attribute())
    rewriter.set_property(op, "upperBoundsMap", after[1].attribute())
    return rewriter.set_operands(op, [*after[0].operands, *after[1].operands])
