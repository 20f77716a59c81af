"""linalg.pack and linalg.unpack: known tiles, padding that is not needed, one undoing the other."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i32
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.folding import constant_like, constant_of, defining_op, scalar_of, splat_element
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, are_equal, known, mixed, spelled
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.linalg.simplify.structured import fill_again, overwrite_filled
from lamina.dialects.tensor.simplify.casts import uncast

_PACK, _UNPACK = "linalg.pack", "linalg.unpack"


@fold("linalg.pack", "linalg.unpack")
def pack_splat(op: Operation) -> Folded:
    """A splat that is packed (with the same value where it is padded) or unpacked stays one."""
    if not op.results or not isinstance(op.results[0].type, TensorType):
        return None
    element = splat_element(constant_of(op.operands[0]))
    if element is None or not op.results[0].type.has_static_shape():
        return None
    padding = operand_groups(op)[2] if op.name == "linalg.pack" else ()
    if padding and str(scalar_of(padding[0])) != str(element):
        return None
    return constant_like([element], op.results[0].type)


def _padding(op: Operation) -> SSAValue | None:
    return next(iter(operand_groups(op)[2]), None) if op.name == _PACK else None


def _order(op: Operation) -> list[int]:
    """The permutation of the outer dimensions; none where they stay as they are."""
    order = static_values(op, "outer_dims_perm")
    return [] if order == sorted(order) else order


def _same_layout(first: Operation, second: Operation) -> bool:
    return (
        static_values(first, "inner_dims_pos") == static_values(second, "inner_dims_pos")
        and _order(first) == _order(second)
        and are_equal(mixed(first, "inner_tiles"), mixed(second, "inner_tiles"))
    )


@fold(_PACK, _UNPACK)
def undo(op: Operation) -> Folded:
    """What was unpacked and is packed in the same way, or the other way round."""
    inner = defining_op(op.operands[0], _UNPACK if op.name == _PACK else _PACK)
    if inner is None or not op.results or not _same_layout(op, inner):
        return None
    if _padding(op) is not None or _padding(inner) is not None:
        return None
    source = inner.operands[0]
    return source if source.type == op.results[0].type else None


@pattern(_PACK)
def drop_needless_padding(op: Operation, rewriter: Rewriter) -> bool:
    """Tiles that divide their dimensions leave nothing to be padded."""
    type = op.operands[0].type
    if _padding(op) is None or not isinstance(type, TensorType):
        return False
    shape = type.get_shape()
    for position, tile in zip(static_values(op, "inner_dims_pos"), mixed(op, "inner_tiles"), strict=True):
        size = shape[position]
        if not isinstance(tile, int) or size == DYNAMIC_SIZE or tile < 1 or size % tile:
            return False
    source, dest, _, tiles = operand_groups(op)
    counts = DenseArrayBase.from_list(i32, [1, 1, 0, len(tiles)])
    return rewriter.replace_with(
        op,
        _PACK,
        [*source, *dest, *tiles],
        {**op.properties, "operandSegmentSizes": counts},
        attributes=dict(op.attributes),
    )


@pattern(_PACK, _UNPACK)
def relayout_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Tensors are taken as they were before casts; tiles that these tell become part of the op."""
    if not op.results:
        return False
    source, dest = op.operands[:2]
    new_source, new_dest = uncast(source) or source, uncast(dest) or dest
    if new_source is source and new_dest is dest:
        return False
    packed = (new_dest if op.name == _PACK else new_source).type
    before = mixed(op, "inner_tiles")
    assert isinstance(packed, TensorType)
    sizes = packed.get_shape()[len(packed.get_shape()) - len(before) :]
    tiles: list[int | SSAValue] = [
        size if size != DYNAMIC_SIZE else tile for size, tile in zip(sizes, before, strict=True)
    ]
    if any(isinstance(a, int) and a != b for a, b in zip(known(before), tiles, strict=True)):
        return False  # the type contradicts the tile
    operands, properties = spelled(op, {"inner_tiles": tiles}, {"source": new_source, "dest": new_dest})
    made = rewriter.create(op.name, operands, [new_dest.type], properties, attributes=dict(op.attributes))
    result = made.results[0]
    if result.type != op.results[0].type:
        result = rewriter.value("tensor.cast", [result], op.results[0].type)
    return rewriter.replace(op, result)


@pattern(_PACK)
def pack_filled(op: Operation, rewriter: Rewriter) -> bool:
    """A filled tensor that is packed, and padded with the same value, is filled when packed."""
    fill = defining_op(op.operands[0], "linalg.fill")
    if fill is None or not op.results:
        return False
    padding, value = _padding(op), fill.operands[0]
    same = padding is None or padding is value
    if not same and padding is not None:
        same = constant_of(value) is not None and constant_of(value) == constant_of(padding)
    return same and fill_again(op, rewriter, fill, op.operands[1])


@pattern(_UNPACK)
def unpack_over_fill(op: Operation, rewriter: Rewriter) -> bool:
    """What is overwritten need not be filled."""
    return bool(op.results) and overwrite_filled(op, rewriter)
