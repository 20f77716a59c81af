"""Offsets, sizes and strides that an op gives partly as numbers, partly as operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, MemRefType, TensorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.facts import facts_of, operand_groups
from lamina.dialects.core.folding import int_of

DYNAMIC_NUMBER = DYNAMIC_INDEX
"""Stands in the static list for a number that an operand gives."""
DYNAMIC_SIZE = DYNAMIC_INDEX
"""Stands in a type for a size that is not known."""
Mixed = "list[int | SSAValue]"


def mixed(op: Operation, name: str) -> list[int | SSAValue]:
    """The numbers called ``name`` (``offsets``, ``sizes``, ``strides``, …): known ones, and operands."""
    names = [declared.rstrip("?*") for declared in facts_of(op).operands]
    operands = iter(operand_groups(op)[names.index(name)])
    static = op.get_attr_or_prop(f"static_{name}")
    assert isinstance(static, DenseArrayBase)
    return [next(operands) if v == DYNAMIC_NUMBER else int(v) for v in static.get_values()]


def known(values: Sequence[int | SSAValue], *, least: int | None = None) -> list[int | SSAValue]:
    """The same numbers, with those that constants give as numbers (unless they are less than ``least``)."""
    found: list[int | SSAValue] = []
    for value in values:
        number = value if isinstance(value, int) else int_of(value)
        usable = number is not None and (least is None or number >= least) and number != DYNAMIC_NUMBER
        found.append(number if usable and number is not None else value)
    return found


def shape_of_known_sizes(
    shape: Sequence[int], operands: Sequence[SSAValue]
) -> tuple[list[int], list[SSAValue]]:
    """A type's shape with the dynamic sizes that constants give, and the operands that give the others."""
    given = iter(operands)
    sizes = known([next(given) if s == DYNAMIC_SIZE else s for s in shape], least=0)
    return [size_in_type(s) for s in sizes], [s for s in sizes if not isinstance(s, int)]


def are_equal(first: Sequence[int | SSAValue], second: Sequence[int | SSAValue]) -> bool:
    """Whether two lists hold the same numbers, as far as that is known."""
    return len(first) == len(second) and all(
        a is b or (isinstance(a, int) and isinstance(b, int) and a == b)
        for a, b in zip(known(first), known(second), strict=True)
    )


def are_same(first: Sequence[int | SSAValue], second: Sequence[int | SSAValue]) -> bool:
    """Whether two lists are spelled in the same way."""
    return all(type(a) is type(b) and (a is b or a == b) for a, b in zip(first, second, strict=True))


def slice_of(op: Operation) -> dict[str, list[int | SSAValue]]:
    """The offsets, sizes and strides of an op on a slice, by their names."""
    return {name: mixed(op, name) for name in ("offsets", "sizes", "strides")}


def in_bounds(lists: Mapping[str, Sequence[int | SSAValue]], type: Attribute) -> bool:
    """Whether nothing that is known of a slice says that it leaves a tensor or memref of a type."""
    shape = type.get_shape() if isinstance(type, TensorType | MemRefType) else ()
    for offset, size, stride, bound in zip(*lists.values(), shape, strict=True):
        if isinstance(size, int) and size < 0:
            return False
        if not isinstance(offset, int):
            continue
        if offset < 0:
            return False
        if bound == DYNAMIC_SIZE:
            continue
        if offset > bound or (offset == bound and isinstance(size, int) and size != 0):
            return False
        if (
            isinstance(size, int)
            and size
            and isinstance(stride, int)
            and offset + (size - 1) * stride >= bound
        ):
            return False
    return True


def spelled(
    op: Operation, lists: Mapping[str, Sequence[int | SSAValue]], others: Mapping[str, SSAValue] | None = None
) -> tuple[list[SSAValue], dict[str, Attribute]]:
    """The operands and properties of an op with other numbers in the lists (or operands) that are named."""
    operands: list[SSAValue] = []
    sizes: list[int] = []
    properties = dict(op.properties)
    for declared, group in zip(facts_of(op).operands, operand_groups(op), strict=True):
        name = declared.rstrip("?*")
        values: list[SSAValue] = list(group)
        if others and name in others:
            values = [others[name]]
        if name in lists:
            values = [v for v in lists[name] if not isinstance(v, int)]
            static = [v if isinstance(v, int) else DYNAMIC_NUMBER for v in lists[name]]
            properties[f"static_{name}"] = DenseArrayBase.from_list(i64, static)
        operands += values
        sizes.append(len(values))
    if "operandSegmentSizes" in properties:
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
    return operands, properties


def size_in_type(value: int | SSAValue) -> int:
    """A number as a type tells it."""
    return value if isinstance(value, int) else DYNAMIC_SIZE


def dropped_dimensions(sizes: Sequence[int | SSAValue], shape: Sequence[int]) -> set[int] | None:
    """The dimensions of size 1 that a rank-reducing slice leaves out; None where the shapes do not fit."""
    dropped: set[int] = set()
    position = 0
    for i, size in enumerate(sizes):
        if position < len(shape) and shape[position] == size_in_type(size):
            position += 1
        elif size == 1:
            dropped.add(i)
        else:
            return None
    return dropped if position == len(shape) else None
