"""Structured ops of linalg: casts of tensors, ops that change nothing, fills, copies, transpositions."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, ArrayAttr, DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.facts import names_of, operand_groups
from lamina.dialects.core.folding import constant_of, defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.tensor.simplify.casts import uncast_destination_style

_STRUCTURED = names_of("linalg", "M")


@pattern(*_STRUCTURED)
def work_before_casts(op: Operation, rewriter: Rewriter) -> bool:
    """Tensors as they were before casts that only forget sizes."""
    return op.name != "linalg.generic" and uncast_destination_style(op, rewriter)


@pattern("linalg.generic")
def generic_before_casts(op: Operation, rewriter: Rewriter) -> bool:
    """Tensors as they were before casts that only forget sizes."""
    return uncast_destination_style(op, rewriter)


@pattern(*_STRUCTURED)
def work_on_no_memory(op: Operation, rewriter: Rewriter) -> bool:
    """Buffers without elements."""
    from xdsl.dialects.builtin import MemRefType

    if op.results:
        return False
    empty = any(isinstance(v.type, MemRefType) and 0 in v.type.get_shape() for v in op.operands)
    return empty and rewriter.erase(op)


@pattern("linalg.generic")
def drop_identity(op: Operation, rewriter: Rewriter) -> bool:
    """A body that only yields inputs, all of them read and written in the same order."""
    maps = op.get_attr_or_prop("indexing_maps")
    block = op.regions[0].blocks.first
    if block is None or block.first_op is not block.last_op or block.last_op is None:
        return False
    if not isinstance(maps, ArrayAttr):
        return False
    found = [m.data for m in maps if isinstance(m, AffineMapAttr)]
    if any(m != found[0] for m in found):
        return False
    inputs, outputs = operand_groups(op)
    results: list[SSAValue] = []
    for value in block.last_op.operands:
        if value.owner is not block:
            return False
        source = (*inputs, *outputs)[list(block.args).index(value)]  # pyright: ignore[reportArgumentType]
        results.append(source)
    if not op.results:
        same = len(inputs) == 1 and len(outputs) == 1 and inputs[0] is outputs[0]
        return same and rewriter.erase(op)
    values: list[SSAValue] = []
    for source, result in zip(results, op.results, strict=True):
        if source.type != result.type:
            if not isinstance(source.type, TensorType) or not isinstance(result.type, TensorType):
                return False
            source = rewriter.value("tensor.cast", [source], result.type)
        values.append(source)
    return rewriter.replace(op, values)


@pattern("linalg.copy")
def drop_copy_of_itself(op: Operation, rewriter: Rewriter) -> bool:
    """A copy of something onto itself."""
    source, target = op.operands
    if source is target:
        return rewriter.replace(op, [source] if op.results else [])
    fill = defining_op(source, "linalg.fill")
    if fill is not None and op.results and fill.results[0].type == op.results[0].type:
        return source.has_one_use() and fill_again(op, rewriter, fill, target)
    return False


@pattern("tensor.collapse_shape", "tensor.expand_shape")
def fill_final_shape(op: Operation, rewriter: Rewriter) -> bool:
    """A filled tensor that is reshaped is filled in its final shape."""
    fill = defining_op(op.operands[0], "linalg.fill")
    if fill is None:
        return False
    target = rewriter.value(
        op.name, [fill.operands[1], *list(op.operands)[1:]], op.results[0].type, dict(op.properties)
    )
    return fill_again(op, rewriter, fill, target)


@pattern("tensor.expand_shape", "tensor.collapse_shape")
def reshape_empty(op: Operation, rewriter: Rewriter) -> bool:
    """An empty tensor of a static shape that is reshaped is an empty tensor of the final shape."""
    type = op.results[0].type
    empty = defining_op(op.operands[0], "tensor.empty")
    if empty is None or not isinstance(type, TensorType) or not type.has_static_shape():
        return False
    fills = all(use.operation.name == "linalg.fill" for use in op.results[0].uses)
    return fills and rewriter.replace_with(op, "tensor.empty", [])


@pattern("tensor.extract")
def element_of_fill(op: Operation, rewriter: Rewriter) -> bool:
    """An element of a filled tensor is the value."""
    fill = defining_op(op.operands[0], "linalg.fill")
    if fill is None or fill.operands[0].type != op.results[0].type:
        return False
    return rewriter.replace(op, fill.operands[0])


@pattern("tensor.pad")
def pad_filled(op: Operation, rewriter: Rewriter) -> bool:
    """A filled tensor that is padded with the same value is a greater filled tensor."""
    fill = defining_op(op.operands[0], "linalg.fill")
    type = op.results[0].type
    block = op.regions[0].blocks.first
    end = block.last_op if block is not None else None
    if fill is None or end is None or not isinstance(type, TensorType) or DYNAMIC_INDEX in type.get_shape():
        return False
    value, padding = fill.operands[0], end.operands[0]
    same = value is padding or (constant_of(value) is not None and constant_of(value) == constant_of(padding))
    if not same or op.get_attr_or_prop("nofold") is not None:
        return False
    empty = rewriter.value("tensor.empty", [], type)
    made = rewriter.create(
        "linalg.fill", [value, empty], [type], dict(fill.properties), regions=[fill.regions[0].clone()]
    )
    return rewriter.replace(op, made)


@fold("linalg.transpose", "linalg.broadcast")
def move_nothing(op: Operation) -> Folded:
    """A permutation that changes nothing; a broadcast along no dimension."""
    if not op.results or op.operands[0].type != op.results[0].type:
        return None
    if op.name == "linalg.broadcast":
        return op.operands[0] if not static_values(op, "dimensions") else None
    permutation = static_values(op, "permutation")
    return op.operands[0] if permutation == sorted(permutation) else None


@pattern("linalg.copy")
def copy_over_fill(op: Operation, rewriter: Rewriter) -> bool:
    """What a copy overwrites need not be filled."""
    return bool(op.results) and overwrite_filled(op, rewriter)


def overwrite_filled(op: Operation, rewriter: Rewriter) -> bool:
    """An op that overwrites all of its destination takes it as it was before it was filled."""
    source, target, *rest = op.operands
    fill = defining_op(target, "linalg.fill")
    return fill is not None and rewriter.set_operands(op, [source, fill.operands[1], *rest])


@pattern("linalg.transpose")
def transpose_filled(op: Operation, rewriter: Rewriter) -> bool:
    """A filled tensor that is transposed is filled in its final shape."""
    fill = defining_op(op.operands[0], "linalg.fill")
    return bool(op.results) and fill is not None and fill_again(op, rewriter, fill, op.operands[1])


def fill_again(op: Operation, rewriter: Rewriter, fill: Operation, target: SSAValue) -> bool:
    """Replace an op by another tensor that is filled with the same value."""
    made = rewriter.create(
        "linalg.fill",
        [fill.operands[0], target],
        [op.results[0].type],
        dict(fill.properties),
        regions=[fill.regions[0].clone()],
    )
    return rewriter.replace(op, made)


@pattern("tensor.concat")
def concatenate_filled(op: Operation, rewriter: Rewriter) -> bool:
    """Tensors filled with one value are filled when they are one tensor."""
    fills = [defining_op(value, "linalg.fill") for value in op.operands]
    first = fills[0] if fills else None
    if first is None or any(fill is None or fill.operands[0] is not first.operands[0] for fill in fills):
        return False
    targets = [fill.operands[1] for fill in fills if fill is not None]
    target = rewriter.value("tensor.concat", targets, op.results[0].type, dict(op.properties))
    return fill_again(op, rewriter, first, target)


@pattern("linalg.transpose")
def transpose_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """A transposition of a transposition, or of a broadcast."""
    inner = defining_op(op.operands[0], "linalg.transpose", "linalg.broadcast")
    if inner is None or not op.results:
        return False
    permutation = static_values(op, "permutation")
    if inner.name == "linalg.transpose":
        first = static_values(inner, "permutation")
        rewriter.set_property(
            op, "permutation", DenseArrayBase.from_list(i64, [first[i] for i in permutation])
        )
        return rewriter.set_operands(op, [inner.operands[0], op.operands[1]])
    added = static_values(inner, "dimensions")
    kept = [i for i in range(len(permutation)) if i not in added]
    order = [kept.index(i) for i in permutation if i in kept]
    if order != sorted(order):
        return False
    dimensions = [i for i, p in enumerate(permutation) if p in added]
    return rewriter.replace_with(
        op,
        "linalg.broadcast",
        [inner.operands[0], op.operands[1]],
        {"dimensions": DenseArrayBase.from_list(i64, dimensions)},
        regions=[inner.regions[0].clone()],
    )


@pattern("linalg.broadcast")
def broadcast_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """A broadcast of a broadcast."""
    inner = defining_op(op.operands[0], "linalg.broadcast")
    if inner is None or not op.results:
        return False
    outer, first = static_values(op, "dimensions"), static_values(inner, "dimensions")
    type = op.results[0].type
    assert isinstance(type, TensorType)
    kept = [i for i in range(len(type.get_shape())) if i not in outer]
    added = sorted([*outer, *(kept[i] for i in first)])
    rewriter.set_property(op, "dimensions", DenseArrayBase.from_list(i64, added))
    return rewriter.set_operands(op, [inner.operands[0], op.operands[1]])
