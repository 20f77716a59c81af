"""Views of memory: subview, reinterpret_cast, transpose, view, memory_space_cast, dim and allocations."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.folding import defining_op, int_of, integer
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import (
    DYNAMIC_SIZE,
    are_equal,
    are_same,
    dropped_dimensions,
    in_bounds,
    known,
    mixed,
    shape_of_known_sizes,
    size_in_type,
    slice_of,
    spelled,
)
from lamina.dialects.memref.simplify.casts import layout_of, only_forgets
from lamina.dialects.tensor.simplify import reshapes as reshapes


def _view_type(
    source: MemRefType, offsets: list[object], sizes: list[object], strides: list[object]
) -> MemRefType | None:
    """The type of a subview, of full rank."""
    layout = layout_of(source)
    if layout is None:
        return None
    offset = layout[1]
    result: list[int | None] = []
    for by, stride, step in zip(offsets, layout[0], strides, strict=True):
        told = isinstance(by, int) and stride is not None
        moved = 0 if by == 0 and isinstance(by, int) else by * stride if told else None  # pyright: ignore[reportOperatorIssue]
        offset = None if offset is None or moved is None else offset + moved
        result.append(stride * step if isinstance(step, int) and stride is not None else None)
    shape = [s if isinstance(s, int) else DYNAMIC_SIZE for s in sizes]
    return MemRefType(source.element_type, shape, StridedLayoutAttr(result, offset), source.memory_space)


@fold("memref.subview")
def fold_subview(op: Operation) -> Folded:
    """All of a static memref."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type != type or not isinstance(type, MemRefType) or not type.has_static_shape():
        return None
    whole = all(v == 0 for v in mixed(op, "offsets")) and all(v == 1 for v in mixed(op, "strides"))
    return source if whole and mixed(op, "sizes") == list(type.get_shape()) else None


@pattern("memref.subview")
def view_at_known_numbers(op: Operation, rewriter: Rewriter) -> bool:
    """Offsets, sizes and strides that are constants become part of the op, and of its type."""
    before = slice_of(op)
    after = {name: known(values, least=0) for name, values in before.items()}
    type, source = op.results[0].type, op.operands[0].type
    if all(are_same(before[name], after[name]) for name in before):
        return False
    if not isinstance(type, MemRefType) or not isinstance(source, MemRefType):
        return False
    if any(isinstance(s, int) and s == 0 for s in after["strides"]):
        return False
    if not in_bounds(after, source):
        return False
    full = _view_type(source, list(after["offsets"]), list(after["sizes"]), list(after["strides"]))
    dropped = dropped_dimensions(before["sizes"], type.get_shape())
    if full is None or dropped is None or not isinstance(full.layout, StridedLayoutAttr):
        return False
    if len(dropped) != len(before["sizes"]) - len(type.get_shape()):
        return False
    shape = [size_in_type(s) for i, s in enumerate(after["sizes"]) if i not in dropped]
    strides = [s for i, s in enumerate(full.layout.strides) if i not in dropped]
    layout = StridedLayoutAttr(strides, full.layout.offset)
    result = MemRefType(type.element_type, shape, layout, type.memory_space)
    if isinstance(type.layout, NoneAttr) and not only_forgets(result, type):
        return False
    operands, properties = spelled(op, after)
    made = rewriter.value("memref.subview", operands, result, properties)
    if result != type:
        made = rewriter.value("memref.cast", [made], type)
    return rewriter.replace(op, made)


@pattern("memref.subview")
def view_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A view of what was there before a cast that only forgets."""
    cast = defining_op(op.operands[0], "memref.cast")
    type = op.results[0].type
    if cast is None or not only_forgets(cast.operands[0].type, op.operands[0].type):
        return False
    source = cast.operands[0].type
    assert isinstance(source, MemRefType) and isinstance(type, MemRefType)
    lists = slice_of(op)
    if not in_bounds(lists, source):
        return False
    full = _view_type(source, list(lists["offsets"]), list(lists["sizes"]), list(lists["strides"]))
    dropped = dropped_dimensions(lists["sizes"], type.get_shape())
    if full is None or dropped is None or not isinstance(full.layout, StridedLayoutAttr):
        return False
    strides = [s for i, s in enumerate(full.layout.strides) if i not in dropped]
    layout = StridedLayoutAttr(strides, full.layout.offset)
    result = MemRefType(type.element_type, list(type.get_shape()), layout, type.memory_space)
    made = rewriter.value(
        "memref.subview", [cast.operands[0], *list(op.operands)[1:]], result, dict(op.properties)
    )
    if result != type:
        made = rewriter.value("memref.cast", [made], type)
    return rewriter.replace(op, made)


@fold("memref.dim")
def fold_dim(op: Operation) -> Folded:
    """A size that the type tells, or that the op that made the memref was given."""
    source = op.operands[0]
    number = int_of(op.operands[1])
    type = source.type
    if number is None or not isinstance(type, MemRefType) or not 0 <= number < len(type.get_shape()):
        return None
    if type.get_shape()[number] != DYNAMIC_SIZE:
        return integer(type.get_shape()[number], IndexType())
    position = sum(1 for size in type.get_shape()[:number] if size == DYNAMIC_SIZE)
    maker = defining_op(source)
    if maker is None:
        return None
    if maker.name in ("memref.alloc", "memref.alloca"):
        return operand_groups(maker)[0][position]
    if maker.name == "memref.view":
        return operand_groups(maker)[2][position]
    if maker.name == "memref.subview":
        sizes = mixed(maker, "sizes")
        dropped = dropped_dimensions(sizes, type.get_shape())
        if dropped is None:
            return None
        size = [s for i, s in enumerate(sizes) if i not in dropped][number]
        return integer(size, IndexType()) if isinstance(size, int) else size
    return None


@fold("memref.rank")
def fold_rank(op: Operation) -> Folded:
    """The rank of a ranked memref."""
    type = op.operands[0].type
    return integer(len(type.get_shape()), IndexType()) if isinstance(type, MemRefType) else None


@pattern("memref.alloc", "memref.alloca")
def allocate_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the type."""
    type = op.results[0].type
    sizes, symbols = operand_groups(op)
    if not isinstance(type, MemRefType):
        return False
    shape, kept = shape_of_known_sizes(type.get_shape(), sizes)
    if len(kept) == len(sizes):
        return False
    from xdsl.dialects.builtin import DenseArrayBase, i32

    properties: dict[str, Attribute] = dict(op.properties)
    properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(kept), len(symbols)])
    result = MemRefType(type.element_type, shape, type.layout, type.memory_space)
    made = rewriter.create(op.name, [*kept, *symbols], [result], properties, attributes=dict(op.attributes))
    return rewriter.replace(op, rewriter.value("memref.cast", [made.results[0]], type))


@pattern("memref.alloc", "memref.alloca")
def drop_unused_allocation(op: Operation, rewriter: Rewriter) -> bool:
    """Memory that is only written, or freed, is not needed."""
    users = {use.operation for use in op.results[0].uses}
    for user in users:
        stored = user.name == "memref.store" and user.operands[0] is op.results[0]
        if stored or user.name not in ("memref.store", "memref.dealloc"):
            return False
    for user in users:
        rewriter.erase(user)
    return rewriter.erase(op)


@pattern("memref.copy")
def copy_nothing(op: Operation, rewriter: Rewriter) -> bool:
    """A copy onto itself, or of nothing; one of casts copies what was there before."""
    source, target = op.operands
    type = source.type
    if source is target or any(isinstance(t, MemRefType) and 0 in t.get_shape() for t in (type, target.type)):
        return rewriter.erase(op)
    return False


@fold("memref.transpose")
def fold_transpose(op: Operation) -> Folded:
    """A permutation that changes nothing."""
    attribute = op.get_attr_or_prop("permutation")
    if not isinstance(attribute, AffineMapAttr) or op.operands[0].type != op.results[0].type:
        return None
    results = attribute.data.results
    identity = all(isinstance(e, AffineDimExpr) and e.position == i for i, e in enumerate(results))
    return op.operands[0] if identity else None


@pattern("memref.transpose")
def transpose_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """A transposition of a transposition."""
    inner = defining_op(op.operands[0], "memref.transpose")
    if inner is None:
        return False
    first, second = inner.get_attr_or_prop("permutation"), op.get_attr_or_prop("permutation")
    if not isinstance(first, AffineMapAttr) or not isinstance(second, AffineMapAttr):
        return False
    joined = AffineMapAttr(second.data.compose(first.data))
    rewriter.set_property(op, "permutation", joined)
    return rewriter.set_operands(op, inner.operands)


@fold("memref.memory_space_cast", "memref.assume_alignment")
def fold_same(op: Operation) -> Folded:
    """A cast to the same type, or of a cast; the same assumption made twice."""
    (source,) = op.operands
    if op.name == "memref.assume_alignment":
        inner = defining_op(source, op.name)
        same = inner is not None and inner.get_attr_or_prop("alignment") == op.get_attr_or_prop("alignment")
        return source if same else None
    if source.type == op.results[0].type:
        return source
    inner = defining_op(source, op.name)
    if inner is None:
        return None
    if inner.operands[0].type == op.results[0].type:
        return inner.operands[0]
    op.operands[0] = inner.operands[0]
    return True


@fold("memref.reinterpret_cast")
def fold_reinterpretation(op: Operation) -> Folded:
    """The view as it is; a view of another view starts at the memory behind it."""
    source = op.operands[0]
    for name in ("memref.reinterpret_cast", "memref.cast"):
        inner = defining_op(source, name)
        if inner is not None:
            op.operands[0] = inner.operands[0]
            return True
    inner = defining_op(source, "memref.subview")
    if inner is not None and all(v == 0 for v in mixed(inner, "offsets")):
        op.operands[0] = inner.operands[0]
        return True
    type = op.results[0].type
    if source.type != type or not isinstance(type, MemRefType):
        return None
    layout = layout_of(type)
    if layout is None or not type.has_static_shape():
        return None
    same = mixed(op, "sizes") == list(type.get_shape()) and mixed(op, "strides") == layout[0]
    return source if same and mixed(op, "offsets") == [layout[1]] else None


@pattern("memref.reinterpret_cast")
def reinterpret_at_known_numbers(op: Operation, rewriter: Rewriter) -> bool:
    """Numbers that are constants become part of the op and of its type."""
    before = slice_of(op)
    after = {name: known(values, least=0) for name, values in before.items()}
    type = op.results[0].type
    if all(are_same(before[name], after[name]) for name in before) or not isinstance(type, MemRefType):
        return False
    shape = [size_in_type(s) for s in after["sizes"]]
    strides = [s if isinstance(s, int) else None for s in after["strides"]]
    (offset,) = after["offsets"]
    layout = StridedLayoutAttr(strides, offset if isinstance(offset, int) else None)
    result = MemRefType(type.element_type, shape, layout, type.memory_space)
    if not only_forgets(result, type):
        return False
    operands, properties = spelled(op, after)
    made = rewriter.value("memref.reinterpret_cast", operands, result, properties)
    return rewriter.replace(op, made if result == type else rewriter.value("memref.cast", [made], type))


@pattern("memref.reinterpret_cast")
def reinterpret_what_it_was(op: Operation, rewriter: Rewriter) -> bool:
    """The base of a memref with all the numbers that it had is the memref, cast."""
    source, type = op.operands[0], op.results[0].type
    metadata = defining_op(source, "memref.extract_strided_metadata")
    if metadata is None or source is not metadata.results[0]:
        return False
    original = metadata.operands[0]
    layout = layout_of(original.type) if isinstance(original.type, MemRefType) else None
    if layout is None or not isinstance(original.type, MemRefType):
        return False
    told = [layout[1], *(None if s == DYNAMIC_SIZE else s for s in original.type.get_shape()), *layout[0]]
    had = [r if n is None else n for n, r in zip(told, list(metadata.results)[1:], strict=True)]
    numbers = slice_of(op)
    wanted = [*numbers["offsets"], *numbers["sizes"], *numbers["strides"]]
    if not are_equal(had, wanted):
        return False
    if original.type == type:
        return rewriter.replace(op, original)
    return only_forgets(original.type, type) and rewriter.replace_with(op, "memref.cast", [original])


@fold("memref.view")
def fold_view(op: Operation) -> Folded:
    """All of a static buffer, from its start."""
    source, shift = op.operands[:2]
    type = op.results[0].type
    static = isinstance(type, MemRefType) and type.has_static_shape()
    return source if source.type == type and static and int_of(shift) == 0 else None


@pattern("memref.view")
def view_of_known_size(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the type; a cast before the view is not needed."""
    source, shift, *sizes = op.operands
    cast = defining_op(source, "memref.cast")
    if cast is not None and isinstance(cast.operands[0].type, MemRefType):
        return rewriter.set_operands(op, [cast.operands[0], shift, *sizes])
    type = op.results[0].type
    if not isinstance(type, MemRefType):
        return False
    shape, kept = shape_of_known_sizes(type.get_shape(), sizes)
    if len(kept) == len(sizes):
        return False
    result = MemRefType(type.element_type, shape, type.layout, type.memory_space)
    made = rewriter.value("memref.view", [source, shift, *kept], result, dict(op.properties))
    return rewriter.replace(op, rewriter.value("memref.cast", [made], type))


@pattern("memref.extract_strided_metadata")
def known_metadata(op: Operation, rewriter: Rewriter) -> bool:
    """Offsets, sizes and strides that the type tells."""
    type = op.operands[0].type
    if not isinstance(type, MemRefType):
        return False
    layout = layout_of(type)
    if layout is None:
        return False
    rank = len(type.get_shape())
    sizes = [None if s == DYNAMIC_SIZE else s for s in type.get_shape()]
    numbers = [layout[1], *sizes, *layout[0]]
    changed = False
    for result, number in zip(list(op.results)[1 : 2 + 2 * rank], numbers, strict=True):
        if number is not None and result.first_use is not None:
            constant = rewriter.value(
                "arith.constant", [], IndexType(), {"value": integer(number, IndexType())}
            )
            rewriter.replace_uses(result, constant)
            changed = True
    return changed
