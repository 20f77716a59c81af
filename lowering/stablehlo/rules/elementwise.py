"""Functions of elements."""

from __future__ import annotations

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, i1
from xdsl.ir import Attribute, SSAValue

from lamina.lowering.importing.emitter import Unsupported, element, shape
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site

_SAME = {
    "stablehlo.abs": "abs",
    "stablehlo.add": "add",
    "stablehlo.ceil": "ceil",
    "stablehlo.cosine": "cos",
    "stablehlo.divide": "div",
    "stablehlo.exponential": "exp",
    "stablehlo.exponential_minus_one": "expm1",
    "stablehlo.floor": "floor",
    "stablehlo.log": "log",
    "stablehlo.log_plus_one": "log1p",
    "stablehlo.logistic": "sigmoid",
    "stablehlo.maximum": "maximum",
    "stablehlo.minimum": "minimum",
    "stablehlo.multiply": "mul",
    "stablehlo.negate": "neg",
    "stablehlo.power": "pow",
    "stablehlo.remainder": "rem",
    "stablehlo.round_nearest_even": "round",
    "stablehlo.rsqrt": "rsqrt",
    "stablehlo.shift_left": "shift_left",
    "stablehlo.sign": "sign",
    "stablehlo.sine": "sin",
    "stablehlo.sqrt": "sqrt",
    "stablehlo.subtract": "sub",
    "stablehlo.tan": "tan",
    "stablehlo.tanh": "tanh",
    "chlo.acos": "acos",
    "chlo.acosh": "acosh",
    "chlo.asin": "asin",
    "chlo.asinh": "asinh",
    "chlo.atan": "atan",
    "chlo.atanh": "atanh",
    "chlo.cosh": "cosh",
    "chlo.erf": "erf",
    "chlo.is_inf": "isinf",
    "chlo.sinh": "sinh",
    "chlo.tan": "tan",
}
"""The `nn` op that computes the same."""
_ON_BOOLEANS = {
    "stablehlo.add": "logical_or",
    "stablehlo.and": "logical_and",
    "stablehlo.maximum": "logical_or",
    "stablehlo.minimum": "logical_and",
    "stablehlo.multiply": "logical_and",
    "stablehlo.not": "logical_not",
    "stablehlo.or": "logical_or",
    "stablehlo.xor": "logical_xor",
}
"""What operations mean on i1."""
_COMPARISONS = {
    "EQ": "equal",
    "NE": "not_equal",
    "LT": "less",
    "LE": "less_equal",
    "GT": "greater",
    "GE": "greater_equal",
}
_FORMATS: dict[tuple[int, int], Attribute] = {
    (5, 10): Float16Type(),
    (8, 7): BFloat16Type(),
    (8, 23): Float32Type(),
    (11, 52): Float64Type(),
}
"""The float types by bits of exponent and mantissa."""


@stablehlo_rule(*_SAME)
def same(site: Site) -> SSAValue:
    """An op of the same meaning; on i1 the logical one."""
    name = site.op.name
    if name in _ON_BOOLEANS and element(site.operands[0]) == i1:
        return site.emit(_ON_BOOLEANS[name], *site.operands)
    return site.emit(_SAME[name], *site.operands)


@stablehlo_rule("stablehlo.and", "stablehlo.or", "stablehlo.xor", "stablehlo.not")
def bits(site: Site) -> SSAValue:
    """Logical on i1, else on the bits of integers."""
    name = site.op.name
    if element(site.operands[0]) == i1:
        return site.emit(_ON_BOOLEANS[name], *site.operands)
    return site.emit(f"bitwise_{name.removeprefix('stablehlo.')}", *site.operands)


@stablehlo_rule("stablehlo.shift_right_logical", "stablehlo.shift_right_arithmetic")
def shift_right(site: Site) -> SSAValue:
    """The shift of a type of the signedness that fills the bits so."""
    kind = element(site.operands[0])
    if not isinstance(kind, IntegerType):
        raise Unsupported(f"it shifts elements of type {kind}")
    logical = site.op.name.endswith("logical")
    width = kind.width.data
    wanted = unsigned(width) if logical else IntegerType(width)
    if kind == wanted or (not logical and not is_unsigned(kind)):
        return site.emit("shift_right", *site.operands)
    lhs, rhs = (site.cast(value, wanted) for value in site.operands)
    return site.cast(site.emit("shift_right", lhs, rhs), kind)


def unsigned(width: int) -> IntegerType:
    """The unsigned integer type of a width."""
    from xdsl.dialects.builtin import Signedness

    return IntegerType(width, Signedness.UNSIGNED)


def is_unsigned(kind: Attribute) -> bool:
    """Whether an element type is an unsigned integer."""
    return isinstance(kind, IntegerType) and kind == unsigned(kind.width.data)


@stablehlo_rule("stablehlo.compare")
def compare(site: Site) -> SSAValue:
    """A comparison; false with NaN, where NE is true."""
    kind = site.op.properties.get("compare_type")
    if kind is not None and getattr(kind, "data", "") == "TOTALORDER":
        raise Unsupported("elements are compared in the total order of floats")
    direction = site.op.properties["comparison_direction"]
    lhs, rhs = site.operands
    name = _COMPARISONS[direction.data]  # pyright: ignore[reportAttributeAccessIssue]
    if element(lhs) == i1 and name not in ("equal", "not_equal"):
        lhs, rhs = (site.cast(value, unsigned(8)) for value in (lhs, rhs))
    return site.emit(name, lhs, rhs)


@stablehlo_rule("stablehlo.select")
def select(site: Site) -> SSAValue:
    """The condition may be a scalar, which `nn` broadcasts."""
    return site.emit("select", *site.operands)


@stablehlo_rule("stablehlo.clamp")
def clamp(site: Site) -> SSAValue:
    """Bounds may be scalars, which `nn` broadcasts."""
    low, value, high = site.operands
    return site.emit("minimum", site.emit("maximum", value, low), high)


@stablehlo_rule("stablehlo.convert")
def convert(site: Site) -> SSAValue:
    """Another element type."""
    return site.cast(site.operands[0], site.result_type.get_element_type())


@stablehlo_rule("stablehlo.bitcast_convert")
def bitcast_convert(site: Site) -> SSAValue:
    """The same bits in another element type."""
    [value] = site.operands
    kind = site.result_type
    if list(kind.get_shape()) != list(shape(value)):
        raise Unsupported("it changes the width of the elements")
    return value if value.type == kind else site.emit("bitcast", value, result_types=[kind])


@stablehlo_rule("stablehlo.reduce_precision")
def reduce_precision(site: Site) -> SSAValue:
    """Through the type of the wanted format."""
    bits = (site.attribute("exponent_bits"), site.attribute("mantissa_bits"))
    through = _FORMATS.get(bits)
    if through is None:
        raise Unsupported(f"no element type has {bits[0]} bits of exponent and {bits[1]} of mantissa")
    [value] = site.operands
    return site.cast(site.cast(value, through), element(value))


@stablehlo_rule("stablehlo.is_finite")
def is_finite(site: Site) -> SSAValue:
    """Neither infinite nor NaN."""
    [value] = site.operands
    return site.emit(
        "logical_not", site.emit("logical_or", site.emit("isnan", value), site.emit("isinf", value))
    )


@stablehlo_rule("chlo.is_pos_inf", "chlo.is_neg_inf")
def is_signed_infinity(site: Site) -> SSAValue:
    """Equality with the infinity."""
    [value] = site.operands
    infinity = float("inf") if site.op.name == "chlo.is_pos_inf" else float("-inf")
    return site.emit("equal", value, site.constant_like(infinity, value))


@stablehlo_rule("chlo.square")
def square(site: Site) -> SSAValue:
    """A product with itself."""
    [value] = site.operands
    return site.emit("mul", value, value)


@stablehlo_rule("chlo.erfc")
def erfc(site: Site) -> SSAValue:
    """``1 - erf``; its error is one of the last place of 1."""
    [value] = site.operands
    return site.emit("sub", site.constant_like(1.0, value), site.emit("erf", value))


@stablehlo_rule("stablehlo.cbrt")
def cbrt(site: Site) -> SSAValue:
    """The cube root of the absolute value, with the sign."""
    [value] = site.operands
    root = site.emit("pow", site.emit("abs", value), site.constant_like(1 / 3, value))
    return site.emit("mul", site.emit("sign", value), root)


@stablehlo_rule("stablehlo.round_nearest_afz")
def round_away(site: Site) -> SSAValue:
    """The part below is compared with a half, which is exact, where adding a half would round."""
    [value] = site.operands
    size = site.emit("abs", value)
    below = site.emit("floor", size)
    rest = site.emit("sub", size, below)
    above = site.emit("add", below, site.constant_like(1.0, value))
    nearest = site.emit("select", site.emit("less", rest, site.constant_like(0.5, value)), below, above)
    return site.emit("mul", site.emit("sign", value), nearest)
