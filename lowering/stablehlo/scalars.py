"""Scalar tensors as scalars: what an index is computed from becomes `arith` on integers."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.folding import int_of
from lamina.lowering.importing.emitter import Unsupported, element, shape
from lamina.lowering.stablehlo.site import Site

_ARITHMETIC: dict[str, Callable[..., Operation]] = {
    "nn.add": arith.AddiOp,
    "nn.sub": arith.SubiOp,
    "nn.mul": arith.MuliOp,
    "nn.maximum": arith.MaxSIOp,
    "nn.minimum": arith.MinSIOp,
}
"""Operations on signed integers that mean the same on scalars."""
_COMPARISONS = {
    "nn.equal": "eq",
    "nn.not_equal": "ne",
    "nn.less": "slt",
    "nn.less_equal": "sle",
    "nn.greater": "sgt",
    "nn.greater_equal": "sge",
}


def scalar(site: Site, value: SSAValue) -> SSAValue:
    """The element of a tensor of one element, as a scalar in front of the site's op."""
    kind = element(value)
    known = constant_value(value)
    if known is not None and isinstance(kind, IntegerType) and kind.width.data > 1:
        return _put(site, arith.ConstantOp(IntegerAttr(int(known.reshape(-1)[0]), _signless(kind))))
    op = value.op if isinstance(value, OpResult) else None
    if isinstance(op, tensor.FromElementsOp):
        return op.operands[0]
    if op is not None and _is_signed(kind):
        if op.name in _ARITHMETIC:
            return _put(site, _ARITHMETIC[op.name](*(scalar(site, v) for v in op.operands)))
        if op.name == "nn.select":
            flag, a, b = (scalar(site, v) for v in op.operands)
            return _put(site, arith.SelectOp(flag, a, b))
        if op.name in ("nn.reshape", "nn.squeeze", "nn.unsqueeze"):
            return scalar(site, op.operands[0])
    if op is not None and op.name in _COMPARISONS and _is_signed(element(op.operands[0])):
        lhs, rhs = (scalar(site, v) for v in op.operands)
        return _put(site, arith.CmpiOp(lhs, rhs, _COMPARISONS[op.name]))
    return _extracted(site, value)


def _extracted(site: Site, value: SSAValue) -> SSAValue:
    if any(extent != 1 for extent in shape(value)):
        raise Unsupported(f"a value of type {value.type} is no scalar")
    kind = element(value)
    if isinstance(kind, IntegerType) and kind != i1 and kind != _signless(kind):
        value, kind = site.cast(value, _signless(kind)), _signless(kind)
    zeros = [index_constant(site, 0)] * len(shape(value))
    return _put(site, tensor.ExtractOp(value, zeros, kind))


def index(site: Site, value: SSAValue) -> SSAValue:
    """The element of a tensor of one integer as an index."""
    number = scalar(site, value)
    if isinstance(number.owner, arith.IndexCastOp) and isinstance(number.owner.input.type, IndexType):
        return number.owner.input
    if isinstance(number.owner, arith.ConstantOp) and isinstance(number.owner.value, IntegerAttr):
        return index_constant(site, number.owner.value.value.data)
    if not _is_signed(element(value)) and number.type != i64:
        number = _put(site, arith.ExtUIOp(number, i64))
    return _put(site, arith.IndexCastOp(number, IndexType()))


def index_constant(site: Site, value: int) -> SSAValue:
    """A constant index."""
    return _put(site, arith.ConstantOp(IntegerAttr(value, IndexType())))


def from_index(site: Site, value: SSAValue, kind: TensorType) -> SSAValue:
    """An index as a tensor of one integer."""
    integer = kind.get_element_type()
    cast = _put(site, arith.IndexCastOp(value, _signless(integer)))
    made = TensorType(cast.type, kind.get_shape())
    return site.cast(_put(site, tensor.FromElementsOp.create(operands=[cast], result_types=[made])), integer)


def interval(site: Site, value: SSAValue) -> tuple[int, int] | None:
    """The least and the greatest number that a scalar can be, where both follow from the bounds of loops."""
    known = int_of(value)
    if known is not None:
        return known, known
    if value in site.ranges:
        return site.ranges[value]
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp):
        return interval(site, owner.input)
    if not isinstance(owner, arith.AddiOp | arith.SubiOp):
        return None
    a, b = interval(site, owner.lhs), interval(site, owner.rhs)
    if a is None or b is None:
        return None
    return (a[0] + b[0], a[1] + b[1]) if isinstance(owner, arith.AddiOp) else (a[0] - b[1], a[1] - b[0])


def _put(site: Site, op: Operation) -> SSAValue:
    return site.insert(op).results[0]


def _signless(kind: Attribute) -> IntegerType:
    if not isinstance(kind, IntegerType):
        raise Unsupported(f"an index has elements of type {kind}")
    return IntegerType(kind.width.data)


def _is_signed(kind: Attribute) -> bool:
    return isinstance(kind, IntegerType) and kind != i1 and kind == _signless(kind)
