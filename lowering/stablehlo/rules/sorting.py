"""Sorts by a comparator that is known, and the k largest elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, shape
from lamina.lowering.stablehlo.bodies import Expression, results_of
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site


@stablehlo_rule("stablehlo.sort")
def sort(site: Site) -> list[SSAValue]:
    """One operand is the key, or several in their order; the others follow it."""
    values = site.operands
    axis = axis_of(site.attribute("dimension", -1), rank(values[0]))
    [before] = results_of(site.op.regions[0].block)
    keys = _keys(before, [isinstance(element(v), AnyFloat) for v in values])
    if len(keys) == len(values) == 1:
        return [site.emit("sort", values[0], axis=axis, descending=keys[0][1])]
    order = _order(site, [(values[k], descending) for k, descending in keys], axis)
    return [_sorted(site, value, order, axis) for value in values]


def _sorted(site: Site, value: SSAValue, order: SSAValue, axis: int) -> SSAValue:
    """A value in an order; one that counts along the axis becomes the order itself."""
    if site.counters.get(value) == axis:
        return site.cast(order, element(value))
    return taken(site, value, order, axis)


def _order(site: Site, keys: Sequence[tuple[SSAValue, bool]], axis: int) -> SSAValue:
    """The order by several keys: the last one first, as each sort keeps the order of equal elements."""
    order: SSAValue | None = None
    for key, descending in reversed(keys):
        current = key if order is None else taken(site, key, order, axis)
        step = site.emit("argsort", current, axis=axis, descending=descending)
        order = step if order is None else taken(site, order, step, axis)
    assert order is not None
    return order


def taken(site: Site, value: SSAValue, order: SSAValue, axis: int) -> SSAValue:
    """The elements along an axis at the places of an order."""
    count = rank(value)
    last = [*(d for d in range(count) if d != axis), axis]
    moved, places = site.transpose(value, last), site.transpose(order, last)
    column = site.reshape(places, [*shape(places), 1])
    found = site.emit("gather_nd", moved, column, axes=[0], sizes=[1], batch_dims=count - 1)
    return site.transpose(site.reshape(found, shape(places)), [last.index(d) for d in range(count)])


def _keys(before: Expression, floats: Sequence[bool]) -> list[tuple[int, bool]]:
    """The operands that a comparator looks at, in the order in which they count, and whether they fall."""
    keys: list[tuple[int, bool]] = []
    while True:
        key = _key(before, floats)
        if key is not None:
            return [*keys, key]
        parts = _lexicographic(before, floats)
        if parts is None:
            raise Unsupported("its comparator is no comparison of elements in rising or falling order")
        key, before = parts
        keys.append(key)


def _key(before: Expression, floats: Sequence[bool]) -> tuple[int, bool] | None:
    """The operand and direction of a comparison of two of its elements."""
    if not isinstance(before, tuple) or before[:2] not in (("compare", "LT"), ("compare", "LE")):
        return None
    *_, a, b = before
    first, second = _argument(a), _argument(b)
    if first is None or second is None or first // 2 != second // 2 or first == second:
        return None
    operand, is_total = first // 2, "total" in before[2:-2]
    if floats[operand] and is_total and isinstance(a, int):
        return None  # negative zero and the sign of NaN would count
    return operand, first > second


def _lexicographic(before: Expression, floats: Sequence[bool]) -> tuple[tuple[int, bool], Expression] | None:
    """``first key before, or equal and the rest before``: the first key, and the rest."""
    if not isinstance(before, tuple) or before[0] != "or" or len(before) != 3:
        return None
    for first, rest in (before[1:], before[:0:-1]):
        key = _key(first, floats)  # pyright: ignore[reportArgumentType]
        if key is None or not isinstance(rest, tuple) or rest[0] != "and":
            continue
        for equal, other in (rest[1:], rest[:0:-1]):
            if isinstance(equal, tuple) and equal[:2] == ("compare", "EQ") and _is_pair(equal, key[0]):
                return key, other
    return None


def _is_pair(equal: tuple[object, ...], operand: int) -> bool:
    """Whether a comparison is one of an operand's two elements."""
    return {_argument(part) for part in equal[-2:]} == {2 * operand, 2 * operand + 1}  # pyright: ignore[reportArgumentType]


def _argument(value: object) -> int | None:
    """The argument that an expression is, or is with zeros and NaN of one sign only, as JAX compares it."""
    if isinstance(value, int):
        return value
    if not isinstance(value, tuple) or value[0] != "select" or len(value) != 4:
        return None
    _, is_nan, nan, rest = value
    inner = rest
    if isinstance(rest, tuple) and rest[0] == "select" and len(rest) == 4:
        _, is_zero, zero, inner = rest
        if not isinstance(inner, int) or is_zero != _compared("EQ", inner, _ZERO) or zero != _ZERO:
            return None
    if isinstance(inner, int) and is_nan == ("compare", "NE", inner, inner) and nan == ("constant", "nan"):
        return inner
    return None


_ZERO = ("constant", "0.0")


def _compared(direction: str, a: object, b: object) -> tuple[object, ...]:
    return ("compare", direction, *sorted((a, b), key=repr))


@stablehlo_rule("chlo.top_k")
def top_k(site: Site) -> list[SSAValue]:
    """The first elements in falling order; of equal ones the first."""
    [value] = site.operands
    axis, count = rank(value) - 1, site.attribute("k")
    order = site.emit("argsort", value, axis=axis, descending=True)
    ends = [count if d == axis else n for d, n in enumerate(shape(value))]
    zeros, ones = [0] * len(ends), [1] * len(ends)
    best = site.emit("slice", order, starts=zeros, ends=ends, steps=ones)
    column = site.reshape(best, [*shape(best), 1])
    found = site.emit("gather_nd", value, column, axes=[0], sizes=[1], batch_dims=axis)
    return [site.reshape(found, shape(best)), site.cast(best, element(site.op.results[1]))]
