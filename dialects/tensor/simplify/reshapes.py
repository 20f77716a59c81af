"""expand_shape, collapse_shape and reshape, of tensors and of memrefs."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, NoneAttr, TensorType, i64
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.folding import constant_like, constant_of, defining_op, splat_element
from lamina.dialects.core.reshapes import composed, grouping, groups_attribute, groups_of
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, mixed, spelled

EXPANSIONS = ("tensor.expand_shape", "memref.expand_shape")
COLLAPSES = ("tensor.collapse_shape", "memref.collapse_shape")


def _shape(type: Attribute) -> tuple[int, ...]:
    return tuple(type.get_shape()) if isinstance(type, TensorType | MemRefType) else ()


def _is_plain(type: Attribute) -> bool:
    """Whether elements lie as in a tensor: no layout of a memref is in the way."""
    return not isinstance(type, MemRefType) or isinstance(type.layout, NoneAttr)


def _dialect(op: Operation) -> str:
    return op.name.partition(".")[0]


def dynamic_count(sizes: tuple[int, ...]) -> int:
    """How many sizes are not known."""
    return sum(1 for size in sizes if size == DYNAMIC_SIZE)


@fold(*EXPANSIONS, *COLLAPSES)
def fold_reshape(op: Operation) -> Folded:
    """A reshape to the same type, of a splat, or one that undoes another."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type == type:
        return source if dynamic_count(_shape(type)) < 2 or len(_shape(type)) == len(groups_of(op)) else None
    element = splat_element(constant_of(source))
    if element is not None and isinstance(type, TensorType) and type.has_static_shape():
        return constant_like([element], type)
    expands = op.name in EXPANSIONS
    inner = defining_op(source, f"{_dialect(op)}.{'collapse_shape' if expands else 'expand_shape'}")
    if inner is None or inner.operands[0].type != type:
        return None
    if groups_of(inner) == groups_of(op) and (not expands or _is_told(op)):
        return inner.operands[0]
    return inner.operands[0] if dynamic_count(_shape(type)) == 0 and _is_plain(type) else None


@pattern("tensor.expand_shape", "tensor.collapse_shape")
def splat_final_shape(op: Operation, rewriter: Rewriter) -> bool:
    """A tensor of one value everywhere, of known sizes, is made in its final shape."""
    splat = defining_op(op.operands[0], "tensor.splat")
    type = op.results[0].type
    if splat is None or not isinstance(type, TensorType) or not type.has_static_shape():
        return False
    return rewriter.replace_with(op, "tensor.splat", [splat.operands[0]])


def _is_told(op: Operation) -> bool:
    """Whether each group of an expansion has one size at most that is not known."""
    shape = _shape(op.results[0].type)
    return all(sum(1 for i in group if shape[i] == DYNAMIC_SIZE) < 2 for group in groups_of(op))


@pattern(*COLLAPSES)
def collapse_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """A collapse of a collapse."""
    inner = defining_op(op.operands[0], op.name)
    if inner is None:
        return False
    groups = composed(groups_of(op), groups_of(inner))
    return rewriter.replace_with(op, op.name, inner.operands, {"reassociation": groups_attribute(groups)})


@pattern(*EXPANSIONS)
def expand_at_once(op: Operation, rewriter: Rewriter) -> bool:
    """An expansion of an expansion."""
    inner = defining_op(op.operands[0], op.name)
    if inner is None:
        return False
    groups = composed(groups_of(inner), groups_of(op))
    operands, properties = spelled(op, {}, {"src": inner.operands[0]})
    properties["reassociation"] = groups_attribute(groups)
    return rewriter.replace_with(op, op.name, operands, properties)


@pattern(*COLLAPSES)
def collapse_of_expansion(op: Operation, rewriter: Rewriter) -> bool:
    """Of an expansion and a collapse one is enough where the groups of the one are within the other's."""
    inner = defining_op(op.operands[0], f"{_dialect(op)}.expand_shape")
    if inner is None:
        return False
    source, result = inner.operands[0].type, op.results[0].type
    if not _is_plain(source) or not _is_plain(result) or not _is_plain(op.operands[0].type):
        return False
    return _reshape_directly(op, inner, rewriter)


@pattern("tensor.expand_shape")
def expansion_of_collapse(op: Operation, rewriter: Rewriter) -> bool:
    """Of a collapse and an expansion one is enough where the groups of the one are within the other's."""
    inner = defining_op(op.operands[0], "tensor.collapse_shape")
    return inner is not None and _reshape_directly(op, inner, rewriter)


def _reshape_directly(op: Operation, inner: Operation, rewriter: Rewriter) -> bool:
    source, result = inner.operands[0], op.results[0].type
    a, b = _shape(source.type), _shape(result)
    if max(dynamic_count(a), dynamic_count(b)) > 1 and not (
        len(a) == len(b) and a == b and not isinstance(result, MemRefType)
    ):
        return False
    if dynamic_count(a) != dynamic_count(b):
        return False
    name = _dialect(op)
    properties: dict[str, Attribute]
    if len(a) > len(b):
        groups = grouping(a, b)
        if groups is None and b:
            return False
        properties = {"reassociation": groups_attribute(groups or [])}
        return rewriter.replace_with(op, f"{name}.collapse_shape", [source], properties)
    if len(a) < len(b):
        groups = grouping(b, a)
        if (groups is None and a) or DYNAMIC_SIZE in b:
            return False
        properties = {
            "reassociation": groups_attribute(groups or []),
            "static_output_shape": DenseArrayBase.from_list(i64, list(b)),
        }
        return rewriter.replace_with(op, f"{name}.expand_shape", [source], properties)
    if a != b or dynamic_count(a) > 1:
        return False
    if source.type == result:
        return rewriter.replace(op, source)
    return rewriter.replace_with(op, f"{name}.cast", [source])


@pattern("tensor.collapse_shape", "tensor.expand_shape")
def reshape_given_elements(op: Operation, rewriter: Rewriter) -> bool:
    """A tensor of given elements is made in its final shape."""
    made = defining_op(op.operands[0], "tensor.from_elements")
    return made is not None and rewriter.replace_with(op, "tensor.from_elements", made.operands)


@pattern("tensor.expand_shape")
def expand_to_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the op and of the type."""
    before = mixed(op, "output_shape")
    from lamina.dialects.core.slices import known, size_in_type

    after = known(before, least=0)
    type = op.results[0].type
    source = op.operands[0]
    if not isinstance(type, TensorType) or not isinstance(source.type, TensorType):
        return False
    if all(isinstance(a, int) == isinstance(b, int) for a, b in zip(before, after, strict=True)):
        return False
    shape = [size_in_type(size) for size in after]
    narrow: list[int] = []
    for group, size in zip(groups_of(op), source.type.get_shape(), strict=True):
        product = 1
        for i in group:
            product = DYNAMIC_SIZE if DYNAMIC_SIZE in (product, shape[i]) else product * shape[i]
        if size not in (DYNAMIC_SIZE, product) and product != DYNAMIC_SIZE:
            return False
        narrow.append(product if product != DYNAMIC_SIZE else size)
    value = source
    kind = TensorType(type.element_type, narrow, source.type.encoding)
    if kind != source.type:
        value = rewriter.value("tensor.cast", [source], kind)
    operands, properties = spelled(op, {"output_shape": after}, {"src": value})
    result = TensorType(type.element_type, shape, type.encoding)
    made = rewriter.value("tensor.expand_shape", operands, result, properties)
    return rewriter.replace(op, made if result == type else rewriter.value("tensor.cast", [made], type))


@pattern("tensor.collapse_shape")
def collapse_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A cast that only forgets moves behind the collapse."""
    from lamina.dialects.tensor.simplify.casts import uncast

    value = uncast(op.operands[0])
    type = op.results[0].type
    if value is None or not isinstance(type, TensorType):
        return False
    shape = _shape(value.type)
    sizes: list[int] = []
    for group in groups_of(op):
        product = 1
        for i in group:
            product = DYNAMIC_SIZE if DYNAMIC_SIZE in (product, shape[i]) else product * shape[i]
        sizes.append(product)
    narrow = TensorType(type.element_type, sizes, type.encoding)
    if narrow == type:
        return rewriter.set_operands(op, [value])
    made = rewriter.value("tensor.collapse_shape", [value], narrow, dict(op.properties))
    return rewriter.replace(op, rewriter.value("tensor.cast", [made], type))


@fold("tensor.reshape")
def fold_general_reshape(op: Operation) -> Folded:
    """A reshape of a splat, to the same static type, or of another reshape."""
    source = op.operands[0]
    type = op.results[0].type
    element = splat_element(constant_of(source))
    if element is not None and isinstance(type, TensorType) and type.has_static_shape():
        return constant_like([element], type)
    inner = defining_op(source, "tensor.reshape")
    if inner is not None:
        op.operands[0] = inner.operands[0]
        return True
    if source.type != type or not isinstance(type, TensorType):
        return None
    if type.has_static_shape() or (len(_shape(type)) < 2):
        return source
    return source if _is_shape_of(op) else None


def _is_shape_of(op: Operation) -> bool:
    """Whether the shape that is asked for is that of the source, size by size."""
    from lamina.dialects.core.folding import int_of

    source, shape = op.operands
    made = defining_op(shape, "tensor.from_elements")
    if made is None:
        return False
    sizes = _shape(source.type)
    unknown = 0
    for i, (value, size) in enumerate(zip(made.operands, sizes, strict=True)):
        cast = defining_op(value, "arith.index_cast")
        dim = defining_op(cast.operands[0] if cast is not None else value, "tensor.dim")
        if dim is not None and dim.operands[0] is source and int_of(dim.operands[1]) == i:
            continue
        if size == DYNAMIC_SIZE or int_of(value) != size:
            unknown += 1
    return unknown == 0
