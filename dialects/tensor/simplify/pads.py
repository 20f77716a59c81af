"""tensor.pad: nothing to add, known sizes, and constant padding of constant padding."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import constant_of, defining_op
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, are_same, known, mixed, spelled
from lamina.dialects.scf.simplify.structure import is_inside, take
from lamina.dialects.tensor.simplify.casts import only_forgets, uncast


def _types(op: Operation) -> tuple[TensorType, TensorType] | None:
    source, result = op.operands[0].type, op.results[0].type
    return (source, result) if isinstance(source, TensorType) and isinstance(result, TensorType) else None


def _keeps(op: Operation) -> bool:
    return op.get_attr_or_prop("nofold") is not None


def _value_of_padding(op: Operation) -> SSAValue | None:
    """The one value that is added everywhere, or None."""
    block = op.regions[0].blocks.first
    end = block.last_op if block is not None else None
    if end is None:
        return None
    value = end.operands[0]
    return value if constant_of(value) is not None or not is_inside(value, op) else None


@pattern("tensor.pad")
def pad_nothing(op: Operation, rewriter: Rewriter) -> bool:
    """Padding of width 0 everywhere."""
    if _keeps(op):
        return False
    source, type = op.operands[0], op.results[0].type
    widths = known([*mixed(op, "low"), *mixed(op, "high")])
    same = source.type == type and isinstance(type, TensorType) and type.has_static_shape()
    if not same and any(width != 0 for width in widths):
        return False
    if source.type == type:
        return rewriter.replace(op, source)
    return rewriter.replace_with(op, "tensor.cast", [source])


@pattern("tensor.pad")
def pad_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """The source as it was before a cast that only forgets sizes."""
    value = uncast(op.operands[0])
    types = _types(op)
    if value is None or types is None or not isinstance(value.type, TensorType):
        return False
    shape: list[int] = []
    for size, low, high, given in zip(
        value.type.get_shape(), mixed(op, "low"), mixed(op, "high"), types[1].get_shape(), strict=True
    ):
        told = size != DYNAMIC_SIZE and isinstance(low, int) and isinstance(high, int)
        shape.append(size + low + high if told else given)  # pyright: ignore[reportOperatorIssue]
    return _again(op, rewriter, shape, source=value)


def _again(
    op: Operation,
    rewriter: Rewriter,
    shape: list[int],
    *,
    source: SSAValue | None = None,
    lists: dict[str, list[int | SSAValue]] | None = None,
) -> bool:
    """The same padding of other numbers, its result cast to the type that it had."""
    type = op.results[0].type
    assert isinstance(type, TensorType)
    operands, properties = spelled(op, lists or {}, {"source": source} if source is not None else None)
    result = TensorType(type.element_type, shape, type.encoding)
    made = rewriter.create(
        "tensor.pad", operands, [result], properties, regions=take(op), attributes=dict(op.attributes)
    ).results[0]
    return rewriter.replace(op, made if result == type else rewriter.value("tensor.cast", [made], type))


@pattern("tensor.pad")
def pad_to_cast_type(op: Operation, rewriter: Rewriter) -> bool:
    """A result that is only used as a tensor of more known sizes has these sizes."""
    result = op.results[0]
    if not result.has_one_use():
        return False
    user = next(iter(result.uses)).operation
    if user.name != "tensor.cast" or not only_forgets(user.results[0].type, result.type):
        return False
    kind = user.results[0].type
    assert isinstance(kind, TensorType)
    if kind == result.type:
        return False
    made = rewriter.create(
        "tensor.pad",
        list(op.operands),
        [kind],
        dict(op.properties),
        regions=take(op),
        attributes=dict(op.attributes),
    )
    rewriter.replace(user, made.results[0])
    return rewriter.erase(op)


@pattern("tensor.pad")
def pad_by_known_widths(op: Operation, rewriter: Rewriter) -> bool:
    """Widths that are constants become part of the op, and the sizes that follow part of the type."""
    types = _types(op)
    if types is None:
        return False
    low, high = mixed(op, "low"), mixed(op, "high")
    new_low, new_high = known(low, least=0), known(high, least=0)
    shape: list[int] = []
    for size, before, behind, given in zip(
        types[0].get_shape(), new_low, new_high, types[1].get_shape(), strict=True
    ):
        told = size != DYNAMIC_SIZE and isinstance(before, int) and isinstance(behind, int)
        shape.append(size + before + behind if told else given)  # pyright: ignore[reportOperatorIssue]
    for old, new in zip(types[1].get_shape(), shape, strict=True):
        if old not in (DYNAMIC_SIZE, new):
            return False
    if are_same(low, new_low) and are_same(high, new_high) and shape == list(types[1].get_shape()):
        return False
    return _again(op, rewriter, shape, lists={"low": new_low, "high": new_high})


@pattern("tensor.pad")
def pad_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """Padding of padding with the same value, by known widths."""
    inner = defining_op(op.operands[0], "tensor.pad")
    if inner is None or _keeps(op) or _keeps(inner):
        return False
    value, other = _value_of_padding(op), _value_of_padding(inner)
    if value is None or other is None:
        return False
    if value is not other and (constant_of(value) is None or constant_of(value) != constant_of(other)):
        return False
    lists: dict[str, list[int | SSAValue]] = {}
    for name in ("low", "high"):
        pairs = list(zip(mixed(op, name), mixed(inner, name), strict=True))
        if not all(isinstance(v, int) for pair in pairs for v in pair):
            if not all(any(v == 0 and isinstance(v, int) for v in pair) for pair in pairs):
                return False
            lists[name] = [b if isinstance(a, int) and a == 0 else a for a, b in pairs]
        else:
            lists[name] = [a + b for a, b in pairs]  # pyright: ignore[reportOperatorIssue]
    type = op.results[0].type
    assert isinstance(type, TensorType)
    return _again(op, rewriter, list(type.get_shape()), source=inner.operands[0], lists=lists)
