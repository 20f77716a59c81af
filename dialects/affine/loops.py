"""The forms of ``affine.for``, ``affine.if`` and ``affine.parallel``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSymExpr

from lamina.dialects.affine.parts import (
    INDEX,
    names_of,
    read_dims_and_symbols,
    resolved,
    uses_of,
    write_dims_and_symbols,
)
from lamina.dialects.core.making import integers_of
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.ods.terminators import with_terminator, write_region
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.writing.affine import expression_text
from lamina.dialects.scf.syntax import (
    read_arguments,
    read_assignments,
    typed,
    write_assignments,
)

_FOR = frozenset(("lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes"))
_SYMBOL = AffineMapAttr(AffineMap(0, 1, (AffineSymExpr(0),)))


def _read_bound(p: Any, lower: bool) -> tuple[AffineMapAttr, list[SSAValue]]:
    """``7``, ``%n`` or ``max #map(%i)[%n]``."""
    start = p.operation_start
    prefix = p.accept("max" if lower else "min")
    uses = p.operands()
    if uses:
        if len(uses) > 1:
            p.fail("expected only one loop bound operand", start)
        return _SYMBOL, resolved(p, uses)
    place = p.at
    bound = p.attribute(INDEX)
    if isinstance(bound, IntegerAttr):
        return AffineMapAttr(AffineMap(0, 0, (AffineConstantExpr(bound.value.data),))), []
    if not isinstance(bound, AffineMapAttr):
        p.fail("expected valid affine map representation for loop bounds", start)
    dims, values = read_dims_and_symbols(p)
    map = bound.data
    if map.num_dims != dims:
        p.fail("dim operand count and affine map dim count must match", start)
    if dims + map.num_symbols != len(values):
        p.fail("symbol operand count and affine map symbol count must match", start)
    if len(map.results) > 1 and not prefix:
        which = ("lower", "max") if lower else ("upper", "min")
        message = f"{which[0]} loop bound affine map with multiple results requires '{which[1]}' prefix"
        p.fail(message, place)
    return bound, values


def _write_bound(w: Any, bound: AffineMapAttr, operands: Sequence[SSAValue], prefix: str) -> None:
    map = bound.data
    if len(map.results) == 1:
        result = map.results[0]
        if isinstance(result, AffineConstantExpr) and not operands:
            w.put(str(result.value))
            return
        if isinstance(result, AffineSymExpr) and map.num_dims == 0 and map.num_symbols == 1:
            w.value(operands[0])
            return
    else:
        w.put(prefix + " ")
    w.attribute(bound)
    write_dims_and_symbols(w, map.num_dims, operands)


@syntax("affine.for")
class For:
    """``affine.for %i = 0 to min #map(%n) step 2 iter_args(%x = %y) -> (t) {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        variable = p.argument(types=False)
        p.require("=")
        lower, lower_values = _read_bound(p, True)
        p.require("to")
        upper, upper_values = _read_bound(p, False)
        step = IntegerAttr(1, INDEX)
        if p.accept("step"):
            place = p.at
            step = p.integer_attr(INDEX)
            if step.value.data < 0:
                p.fail("expected step to be representable as a positive signed integer", place)
        arguments: list[Any] = []
        uses: list[Any] = []
        types: list[Attribute] = []
        if p.accept("iter_args"):
            arguments, uses = read_assignments(p)
            types = p.arrow_types()
        if len(arguments) != len(types):
            p.fail("mismatch between the number of loop-carried values and results", start)
        initial = p.resolve_all(uses, types)
        region = p.region(typed([variable, *arguments], [INDEX, *types]))
        with_terminator(p, region, "affine.yield", start)
        attributes = {"lowerBoundMap": lower, "upperBoundMap": upper, "step": step, **p.attr_dict()}
        groups = (lower_values, upper_values, initial)
        operands = [value for group in groups for value in group]
        return p.build(name, operands, types, attributes, [region], segments=[len(g) for g in groups])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        segments = attribute(op, "operandSegmentSizes")
        # The generic form may leave the sizes out where there are no operands.
        sizes = segments.get_values() if segments is not None else (0, 0, 0)
        operands, body = op.operands, op.regions[0]
        variable, *arguments = body.blocks[0].args
        w.put(" ")
        w.value(variable)
        w.put(" = ")
        _write_bound(w, attribute(op, "lowerBoundMap"), operands[: sizes[0]], "max")
        w.put(" to ")
        _write_bound(w, attribute(op, "upperBoundMap"), operands[sizes[0] : sizes[0] + sizes[1]], "min")
        step = attribute(op, "step").value.data
        if step != 1:
            w.put(f" step {step}")
        initial = operands[sizes[0] + sizes[1] :]
        write_assignments(w, " iter_args", arguments, initial)
        if initial:
            w.put(f" -> ({w.types_text([value.type for value in op.results])})")
        w.put(" ")
        _write_body(w, op, body)
        w.attr_dict(op, _FOR)


def _write_body(w: Any, op: Operation, region: Region) -> None:
    if op.results:
        w.region(region, entry_args=False)
    else:
        write_region(w, region, entry_args=False)


@syntax("affine.if")
class If:
    """``affine.if #set(%i)[%n] -> t {…} else {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        place = p.at
        condition = p.attribute()
        if not isinstance(condition, AffineSetAttr):
            p.fail("expected an integer set", place)
        dims, values = read_dims_and_symbols(p)
        if condition.data.num_dims != dims:
            p.fail("dim operand count and integer set dim count must match", start)
        if dims + condition.data.num_symbols != len(values):
            p.fail("symbol operand count and integer set symbol count must match", start)
        types = p.optional_arrow_types()
        regions = [with_terminator(p, p.region(), "affine.yield", start)]
        otherwise = p.accept("else")
        regions.append(with_terminator(p, p.region(), "affine.yield", start) if otherwise else Region())
        return p.build(name, values, types, {"condition": condition, **p.attr_dict()}, regions)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        condition = attribute(op, "condition")
        w.put(" ")
        w.attribute(condition)
        write_dims_and_symbols(w, condition.data.num_dims, op.operands)
        w.put(" ")
        if op.results:
            w.arrow_types([value.type for value in op.results])
            w.put(" ")
        _write_body(w, op, op.regions[0])
        if op.regions[1].first_block is not None:
            w.put(" else ")
            _write_body(w, op, op.regions[1])
        w.attr_dict(op, _CONDITION)


_CONDITION = frozenset(("condition",))
_PARALLEL = frozenset(
    (
        "reductions",
        "lowerBoundsMap",
        "lowerBoundsGroups",
        "upperBoundsMap",
        "upperBoundsGroups",
        "steps",
        "operandSegmentSizes",
    )
)


def _numbers(numbers: Sequence[int]) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr.from_list(TensorType(i32, [len(numbers)]), list(numbers))


def _read_bounds(p: Any, word: str) -> tuple[AffineMapAttr, list[int], list[Any]]:
    """``(0, max(%i, %j + 1))``: a map with all results, how many belong to each loop, and the uses."""
    dims: list[tuple[str, int]] = []
    symbols: list[tuple[str, int]] = []
    results: list[AffineExpr] = []
    groups: list[int] = []
    p.require("(")
    while not p.sees(")"):
        before = len(results)
        if p.accept(word):
            p.require("(")
            while not p.sees(")"):
                results.append(p.affine_expr_of_values(dims, symbols))
                if not p.accept(","):
                    break
            p.require(")")
        else:
            results.append(p.affine_expr_of_values(dims, symbols))
        groups.append(len(results) - before)
        if not p.accept(","):
            break
    p.require(")")
    map = AffineMap(len(dims), len(symbols), tuple(results))
    return AffineMapAttr(map), groups, uses_of([*dims, *symbols])


def _write_bounds(
    w: Any, map: AffineMap, groups: Sequence[int], operands: Sequence[SSAValue], word: str
) -> None:
    dims, symbols = names_of(w, map, operands)
    texts = [expression_text(result, dims, symbols) for result in map.results]
    parts: list[str] = []
    first = 0
    for size in groups:
        part = ", ".join(texts[first : first + size])
        parts.append(part if size == 1 else f"{word}({part})")
        first += size
    w.put(f"({', '.join(parts)})")


def _kinds() -> dict[str, int]:
    """The numbers of the reductions by name."""
    table = table_of("memref")
    assert table is not None
    return table.enums["AtomicRMWKind"].cases


def _read_steps(p: Any, count: int, start: int) -> list[int]:
    if not p.accept("step"):
        return [1] * count
    p.require("(")
    map, _, _ = p.affine_map_of_values(")")
    p.require(")")
    steps: list[int] = []
    for result in map.results:
        if not isinstance(result, AffineConstantExpr):
            p.fail("steps must be constant integers", start)
        steps.append(result.value)
    return steps


def _read_reductions(p: Any) -> list[IntegerAttr]:
    found: list[IntegerAttr] = []
    if p.accept("reduce"):
        p.require("(")
        while True:
            place = p.at
            name = p.string()
            if name not in _kinds():
                p.fail(f'invalid reduction value: "{name}"', place)
            found.append(IntegerAttr(_kinds()[name], i64))
            if not p.accept(","):
                break
        p.require(")")
    return found


@syntax("affine.parallel")
class Parallel:
    """``affine.parallel (%i) = (0) to (min(%n, 8)) step (2) reduce ("addf") -> (f32) {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        variables = read_arguments(p)
        p.require("=")
        lower, lower_groups, lower_uses = _read_bounds(p, "max")
        values = resolved(p, lower_uses)
        p.require("to")
        upper, upper_groups, upper_uses = _read_bounds(p, "min")
        values += resolved(p, upper_uses)
        steps = _read_steps(p, len(variables), start)
        reductions = _read_reductions(p)
        types = p.optional_arrow_types()
        region = p.region(typed(variables, [INDEX] * len(variables)))
        attributes: dict[str, Attribute] = {
            "reductions": ArrayAttr(reductions),
            "lowerBoundsMap": lower,
            "lowerBoundsGroups": _numbers(lower_groups),
            "upperBoundsMap": upper,
            "upperBoundsGroups": _numbers(upper_groups),
            "steps": integers_of(steps),
            **p.attr_dict(),
        }
        with_terminator(p, region, "affine.yield", start)
        return p.build(name, values, types, attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        lower, upper = attribute(op, "lowerBoundsMap").data, attribute(op, "upperBoundsMap").data
        count = lower.num_dims + lower.num_symbols
        w.put(" (")
        w.values(op.regions[0].blocks[0].args)
        w.put(") = ")
        _write_bounds(w, lower, _list(attribute(op, "lowerBoundsGroups")), op.operands[:count], "max")
        w.put(" to ")
        _write_bounds(w, upper, _list(attribute(op, "upperBoundsGroups")), op.operands[count:], "min")
        steps = [step.value.data for step in attribute(op, "steps").data]
        if any(step != 1 for step in steps):
            w.put(f" step ({', '.join(map(str, steps))})")
        if op.results:
            names = {number: name for name, number in _kinds().items()}
            kinds = [f'"{names[kind.value.data]}"' for kind in attribute(op, "reductions").data]
            w.put(f" reduce ({', '.join(kinds)}) -> ({w.types_text([r.type for r in op.results])})")
        w.put(" ")
        _write_body(w, op, op.regions[0])
        w.attr_dict(op, _PARALLEL)


def _list(groups: Any) -> list[int]:
    """The numbers of a dense attribute, which holds one of equal ones."""
    values = list(groups.get_values())
    count = groups.type.get_shape()[0]
    return values * count if len(values) == 1 else values
