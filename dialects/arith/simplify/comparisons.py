"""Comparisons and selections of arith."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import IntegerAttr, IntegerType, ShapedType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import (
    POISON,
    constant_like,
    constant_of,
    defining_op,
    element_type,
    elements,
    fold_elementwise,
    integer,
    is_ieee,
    is_int,
    is_poison,
    scalar_of,
    signed,
    splat_element,
    width_of,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern

EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)
_INVERSE = {EQ: NE, NE: EQ, SLT: SGE, SLE: SGT, SGT: SLE, SGE: SLT, ULT: UGE, ULE: UGT, UGT: ULE, UGE: ULT}
_SWAPPED = {EQ: EQ, NE: NE, SLT: SGT, SLE: SGE, SGT: SLT, SGE: SLE, ULT: UGT, ULE: UGE, UGT: ULT, UGE: ULE}
_TRUE_ON_EQUAL = frozenset((EQ, SLE, SGE, ULE, UGE))


def predicate_of(op: Operation) -> int:
    """The number of a comparison's predicate."""
    attribute = op.get_attr_or_prop("predicate")
    assert isinstance(attribute, IntegerAttr)
    return attribute.value.data


def compare_integers(predicate: int, a: int, b: int, width: int) -> bool:
    """Compare bits as a predicate says."""
    if SLT <= predicate <= SGE:
        a, b = signed(a, width), signed(b, width)
    if predicate in (EQ, NE):
        return (a == b) == (predicate == EQ)
    return (a < b, a <= b, a > b, a >= b)[(predicate - SLT) % 4]


@fold("arith.cmpi")
def fold_integer_comparison(op: Operation) -> Folded:
    """Equal operands, constants, constants on the right, comparisons of a bool with zero."""
    left, right = op.operands
    predicate, type = predicate_of(op), op.results[0].type
    if left is right:
        return constant_like([int(predicate in _TRUE_ON_EQUAL)], type)
    if is_poison(left) or is_poison(right):
        return POISON
    if predicate in (EQ, NE):
        is_itself = (is_int(right, 0) and predicate == NE) or (is_int(right, -1) and predicate == EQ)
        if is_itself and width_of(left.type) == 1 and left.type == type:
            return left
        widened = defining_op(left, "arith.extui", "arith.extsi")
        if widened is not None and predicate == NE and is_int(right, 0):
            (value,) = widened.operands
            if width_of(value.type) == 1 and value.type == type:
                return value
    width = width_of(left.type)
    folded = fold_elementwise((left, right), type, lambda a, b: int(compare_integers(predicate, a, b, width)))
    if folded is not None:
        return folded
    known = _decided_by_limit(predicate, right, width)
    if known is not None:
        return constant_like([int(known)], type)
    if constant_of(left) is not None and constant_of(right) is None:
        op.operands = [right, left]
        held = op.properties if "predicate" in op.properties else op.attributes
        given = held["predicate"]
        assert isinstance(given, IntegerAttr)
        held["predicate"] = IntegerAttr(_SWAPPED[predicate], given.type)
        return True
    return None


def _decided_by_limit(predicate: int, right: SSAValue, width: int) -> bool | None:
    """Whether a comparison with the least or greatest integer is always true, or always false."""
    number = scalar_of(right)
    if not isinstance(number, int):
        return None
    least, greatest = 1 << (width - 1), (1 << (width - 1)) - 1
    limits = {
        (SLE, greatest): True,
        (SGT, greatest): False,
        (SGE, least): True,
        (SLT, least): False,
        (ULE, (1 << width) - 1): True,
        (UGT, (1 << width) - 1): False,
        (UGE, 0): True,
        (ULT, 0): False,
    }
    return limits.get((predicate, number))


@pattern("arith.cmpi")
def compare_extended(op: Operation, rewriter: Rewriter) -> bool:
    """Two values extended in the same way compare as they did before."""
    sides = [defining_op(value, "arith.extui", "arith.extsi") for value in op.operands]
    if sides[0] is None or sides[1] is None or sides[0].name != sides[1].name:
        return False
    values = [sides[0].operands[0], sides[1].operands[0]]
    if values[0].type != values[1].type:
        return False
    predicate = predicate_of(op)
    if sides[0].name == "arith.extui" and SLT <= predicate <= SGE:
        predicate += 4
    given = op.get_attr_or_prop("predicate")
    assert isinstance(given, IntegerAttr)
    return rewriter.replace_with(op, "arith.cmpi", values, {"predicate": IntegerAttr(predicate, given.type)})


@pattern("arith.xori")
def negate_comparison(op: Operation, rewriter: Rewriter) -> bool:
    """The negation of a comparison of integers is another comparison."""
    if not is_int(op.operands[1], -1) or width_of(op.operands[0].type) != 1:
        return False
    compare = defining_op(op.operands[0], "arith.cmpi")
    if compare is None:
        return False
    given = compare.get_attr_or_prop("predicate")
    assert isinstance(given, IntegerAttr)
    predicate = IntegerAttr(_INVERSE[predicate_of(compare)], given.type)
    return rewriter.replace_with(op, "arith.cmpi", compare.operands, {"predicate": predicate})


def compare_floats(predicate: int, a: float, b: float) -> bool:
    """Compare as a predicate of arith.cmpf says: false, oeq, ogt, oge, olt, ole, one, ord, ueq, …, true."""
    unordered = math.isnan(a) or math.isnan(b)
    if predicate in (0, 15):
        return predicate == 15
    if predicate in (7, 14):
        return unordered == (predicate == 14)
    if unordered:
        return predicate >= 8
    return (a == b, a > b, a >= b, a < b, a <= b, a != b)[(predicate - 1) % 7]


@fold("arith.cmpf")
def fold_float_comparison(op: Operation) -> Folded:
    """Constants; a comparison with NaN; the predicates that do not look."""
    left, right = op.operands
    predicate, type = predicate_of(op), op.results[0].type
    if is_poison(left) or is_poison(right):
        return POISON
    if predicate in (0, 15):
        return constant_like([int(predicate == 15)], type)
    if not is_ieee(left.type):
        return None
    for value in (left, right):
        number = scalar_of(value)
        if isinstance(number, float) and math.isnan(number):
            return constant_like([int(compare_floats(predicate, number, 0.0))], type)
    return fold_elementwise((left, right), type, lambda a, b: int(compare_floats(predicate, a, b)))


_OF_INTEGERS = {1: EQ, 2: SGT, 3: SGE, 4: SLT, 5: SLE, 6: NE}


@pattern("arith.cmpf")
def compare_integers_as_floats(op: Operation, rewriter: Rewriter) -> bool:
    """An integer that the float type holds exactly is compared with a constant as an integer."""
    cast = defining_op(op.operands[0], "arith.sitofp", "arith.uitofp")
    number = scalar_of(op.operands[1])
    if cast is None or not isinstance(number, float) or isinstance(op.operands[0].type, ShapedType):
        return False
    value = cast.operands[0]
    is_signed = cast.name == "arith.sitofp"
    width = width_of(value.type)
    precision = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}.get(str(op.operands[0].type), 0)
    if not isinstance(value.type, IntegerType) or width - is_signed >= precision or math.isnan(number):
        return False
    predicate = predicate_of(op)
    if predicate in (7, 14, 0, 15):
        return rewriter.replace(op, _bool(rewriter, predicate in (7, 15)))
    wanted = _OF_INTEGERS[(predicate - 1) % 7 + 1]
    least, greatest = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    if number > greatest or number < least or math.isinf(number):
        above = number > 0
        result = {EQ: False, NE: True, SGT: not above, SGE: not above, SLT: above, SLE: above}[wanted]
        return rewriter.replace(op, _bool(rewriter, result))
    whole = math.trunc(number)
    if whole != number:
        if wanted in (EQ, NE):
            return rewriter.replace(op, _bool(rewriter, wanted == NE))
        whole = math.floor(number)
        wanted = SGT if wanted in (SGT, SGE) else SLE
        if whole < least:
            return rewriter.replace(op, _bool(rewriter, wanted == SGT))
    if not is_signed and wanted >= SLT:
        wanted += 4
    constant = rewriter.value("arith.constant", [], value.type, {"value": integer(whole, value.type)})
    given = op.get_attr_or_prop("predicate")
    assert isinstance(given, IntegerAttr)
    return rewriter.replace_with(
        op, "arith.cmpi", [value, constant], {"predicate": IntegerAttr(wanted, given.type)}
    )


def _bool(rewriter: Rewriter, value: bool) -> SSAValue:
    type = IntegerType(1)
    return rewriter.value("arith.constant", [], type, {"value": integer(int(value), type)})


@fold("arith.select")
def fold_select(op: Operation) -> Folded:
    """A known condition, equal choices, a choice between true and false, a comparison of the choices."""
    condition, yes, no = op.operands
    if is_poison(condition):
        return POISON
    known = splat_element(constant_of(condition))
    if known is not None:
        return yes if known else no
    if yes is no:
        return yes
    if is_poison(yes):
        return no
    if is_poison(no):
        return yes
    if condition.type == yes.type and is_int(yes, -1) and is_int(no, 0):
        return condition
    compare = defining_op(condition, "arith.cmpi")
    if compare is not None and predicate_of(compare) in (EQ, NE):
        pair = tuple(compare.operands)
        if pair in ((yes, no), (no, yes)):
            return no if predicate_of(compare) == EQ else yes
    return _select_elements(condition, yes, no, op.results[0].type)


def _select_elements(condition: SSAValue, yes: SSAValue, no: SSAValue, type: Attribute) -> Attribute | None:
    attributes = [constant_of(value) for value in (condition, yes, no)]
    found = [elements(a) if a is not None else None for a in attributes]
    if any(f is None for f in found):
        return None
    size = max(len(f[0]) for f in found if f is not None)
    columns = [f[0] * (size if len(f[0]) == 1 else 1) for f in found if f is not None]
    return constant_like([a if c else b for c, a, b in zip(*columns, strict=True)], type)


@pattern("arith.select")
def select_of_negated(op: Operation, rewriter: Rewriter) -> bool:
    """A negated condition exchanges the choices; a choice of false or true negates."""
    condition, yes, no = op.operands
    inverse = defining_op(condition, "arith.xori")
    if inverse is not None and is_int(inverse.operands[1], -1):
        return rewriter.set_operands(op, [inverse.operands[0], no, yes])
    if condition.type == yes.type and is_int(yes, 0) and is_int(no, -1):
        return rewriter.replace_with(op, "arith.xori", [condition, no])
    return False


@pattern("arith.select")
def select_one_or_zero(op: Operation, rewriter: Rewriter) -> bool:
    """The choice of 1 or 0 is an extension of the condition."""
    condition, yes, no = op.operands
    type = op.results[0].type
    element = element_type(type)
    if not isinstance(element, IntegerType) or element.width.data == 1 or isinstance(type, ShapedType):
        return False
    if is_int(yes, 1) and is_int(no, 0):
        return rewriter.replace_with(op, "arith.extui", [condition])
    return False


@pattern("arith.select")
def select_of_select(op: Operation, rewriter: Rewriter) -> bool:
    """A selection within a selection by the same condition, or with a choice in common."""
    condition, yes, no = op.operands
    inner = defining_op(yes, "arith.select")
    if inner is not None:
        if inner.operands[0] is condition:
            return rewriter.set_operands(op, [condition, inner.operands[1], no])
        if inner.operands[0].type == condition.type:
            if inner.operands[2] is no:
                return _join(op, rewriter, "arith.andi", inner, inner.operands[1], no)
            if inner.operands[1] is no:
                return _join(op, rewriter, "arith.andi", inner, inner.operands[2], no, negated=True)
    inner = defining_op(no, "arith.select")
    if inner is not None:
        if inner.operands[0] is condition:
            return rewriter.set_operands(op, [condition, yes, inner.operands[2]])
        if inner.operands[0].type == condition.type:
            if inner.operands[1] is yes:
                return _join(op, rewriter, "arith.ori", inner, yes, inner.operands[2])
            if inner.operands[2] is yes:
                return _join(op, rewriter, "arith.ori", inner, yes, inner.operands[1], negated=True)
    return False


def _join(
    op: Operation,
    rewriter: Rewriter,
    name: str,
    inner: Operation,
    yes: SSAValue,
    no: SSAValue,
    *,
    negated: bool = False,
) -> bool:
    """Select by both conditions at once."""
    second = inner.operands[0]
    if negated:
        ones = constant_like([1], second.type)
        if ones is None:
            return False
        all_true = rewriter.value("arith.constant", [], second.type, {"value": ones})
        second = rewriter.value("arith.xori", [second, all_true], second.type)
    both = rewriter.value(name, [op.operands[0], second], second.type)
    return rewriter.set_operands(op, [both, yes, no])
