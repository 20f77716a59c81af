"""Reductions over dimensions, by what their bodies compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.lowering.importing.emitter import Unsupported, element
from lamina.lowering.stablehlo.bodies import Expression, combined_by, results_of
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site

_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
_ON_BOOLEANS = {"add": "or", "or": "or", "maximum": "or", "multiply": "and", "and": "and", "minimum": "and"}
COMBINE = {
    "sum": "add",
    "prod": "mul",
    "max": "maximum",
    "min": "minimum",
    "and": "logical_and",
    "or": "logical_or",
}
"""The `nn` op on two values for each kind of reduction."""


@stablehlo_rule("stablehlo.reduce")
def reduce(site: Site) -> list[SSAValue]:
    """A reduction of each operand by itself, or an argmax of two."""
    block = site.op.regions[0].block
    count = len(site.op.results)
    inputs, starts = site.operands[:count], site.operands[count:]
    dimensions = list(site.attribute("dimensions"))
    results = results_of(block)
    kinds = [combined_by(result, i, i + count) for i, result in enumerate(results)]
    if all(kinds):
        return [
            _reduced(site, value, start, kind_of(site, str(kind), value), dimensions)
            for value, start, kind in zip(inputs, starts, kinds, strict=True)
        ]
    largest = _extreme(results)
    if largest is None:
        raise Unsupported("its body is no reduction that is known")
    return _argument_of_extreme(site, inputs, starts, dimensions, largest)


def kind_of(site: Site, operation: str, value: SSAValue) -> str:
    """The kind of a reduction (``sum``, ``max``, …) by the operation that combines two elements."""
    table = _ON_BOOLEANS if element(value) == i1 else _REDUCTIONS
    if operation not in table:
        raise Unsupported(f"it reduces elements of type {element(value)} by {operation}")
    return table[operation]


def neutral(kind: str, dtype: np.dtype) -> object:
    """The value that changes nothing in a reduction."""
    if kind in ("sum", "or"):
        return 0
    if kind in ("prod", "and"):
        return 1
    largest = kind == "min"
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if largest else np.iinfo(dtype).min
    return np.inf if largest else -np.inf


def begins_neutral(start: SSAValue, kind: str) -> bool:
    """Whether a reduction begins with the value that changes nothing."""
    array = constant_value(start)
    return array is not None and bool(array.reshape(-1)[0] == neutral(kind, array.dtype))


def _reduced(site: Site, value: SSAValue, start: SSAValue, kind: str, axes: Sequence[int]) -> SSAValue:
    if not axes:
        return site.emit(COMBINE[kind], start, value)
    result = site.emit(f"reduce_{kind}", value, axes=axes)
    return result if begins_neutral(start, kind) else site.emit(COMBINE[kind], result, start)


def _extreme(results: Sequence[Expression]) -> bool | None:
    """Whether two results are the largest element (True) or the smallest, and its first index."""
    for largest in (True, False):
        if list(results) == _pair(largest):
            return largest
    return None


def _pair(largest: bool) -> list[Expression]:
    """The best element and its index so far: arguments value, index, next value, next index."""
    ahead = ("compare", "LT", 2, 0) if largest else ("compare", "LT", 0, 2)
    nan = ("compare", "NE", 0, 0)
    keeps = _ordered("or", ahead, nan)
    tie = _ordered("and", ("compare", "EQ", 0, 2), ("compare", "LT", 1, 3))
    return [("select", keeps, 0, 2), ("select", _ordered("or", keeps, tie), 1, 3)]


def _ordered(name: str, a: Expression, b: Expression) -> Expression:
    return (name, *sorted((a, b), key=repr))


def _argument_of_extreme(
    site: Site,
    inputs: Sequence[SSAValue],
    starts: Sequence[SSAValue],
    dimensions: Sequence[int],
    largest: bool,
) -> list[SSAValue]:
    """The extreme element and its index, where the second operand counts along the dimension."""
    value, index = inputs
    if len(dimensions) != 1 or site.counters.get(index) != dimensions[0]:
        raise Unsupported("the second operand of an argmax does not count along one dimension")
    kind = "max" if largest else "min"
    if not begins_neutral(starts[0], kind):
        raise Unsupported("an argmax begins with a value that may win")
    place = site.emit(f"arg{kind}", value, axis=dimensions[0])
    best = site.emit(f"reduce_{kind}", value, axes=dimensions)
    return [best, site.cast(place, element(index))]
