"""tensor.cast: chains, and users that do as well with the tensor before the cast."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.folding import constant_of, defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, dropped_dimensions, in_bounds, mixed, slice_of, spelled


def only_forgets(source: Attribute, target: Attribute) -> bool:
    """Whether a cast to ``target`` only forgets sizes that ``source`` tells."""
    if not isinstance(source, TensorType) or not isinstance(target, TensorType):
        return False
    if source.element_type != target.element_type or source.encoding != target.encoding:
        return False
    a, b = source.get_shape(), target.get_shape()
    return len(a) == len(b) and all(x == y or y == DYNAMIC_SIZE for x, y in zip(a, b, strict=True))


def uncast(value: SSAValue) -> SSAValue | None:
    """The tensor before a cast that only forgets, or None."""
    cast = defining_op(value, "tensor.cast")
    return cast.operands[0] if cast is not None and only_forgets(cast.operands[0].type, value.type) else None


def _joined(*types: Attribute) -> list[int] | None:
    """The sizes that the types tell together, None where they contradict each other."""
    if any(not isinstance(type, TensorType) for type in types):
        return None
    shapes = [type.get_shape() for type in types if isinstance(type, TensorType)]
    if len({len(shape) for shape in shapes}) != 1:
        return None
    result: list[int] = []
    for sizes in zip(*shapes, strict=True):
        told = {size for size in sizes if size != DYNAMIC_SIZE}
        if len(told) > 1:
            return None
        result.append(told.pop() if told else DYNAMIC_SIZE)
    return result


@fold("tensor.cast")
def fold_cast(op: Operation) -> Folded:
    """A cast to the same type, of a constant, or of a cast where the type between tells nothing more."""
    (source,) = op.operands
    type = op.results[0].type
    if source.type == type:
        return source
    constant = constant_of(source)
    if isinstance(constant, DenseIntOrFPElementsAttr | DenseResourceAttr) and _is_static(type):
        return None
    inner = defining_op(source, "tensor.cast")
    if inner is not None:
        first = inner.operands[0].type
        if isinstance(first, UnrankedTensorType) and only_forgets(type, source.type):
            op.operands[0] = inner.operands[0]
            return True
        all_three, outer = _joined(first, source.type, type), _joined(first, type)
        if all_three is not None and all_three == outer:
            if first == type:
                return inner.operands[0]
            op.operands[0] = inner.operands[0]
            return True
    return None


def _is_static(type: Attribute) -> bool:
    return isinstance(type, TensorType) and type.has_static_shape()


@pattern("tensor.cast")
def slice_to_cast_type(op: Operation, rewriter: Rewriter) -> bool:
    """A slice that is cast to known sizes has these sizes."""
    source = defining_op(op.operands[0], "tensor.extract_slice")
    type = op.results[0].type
    if source is None or not isinstance(type, TensorType) or not only_forgets(type, op.operands[0].type):
        return False
    sizes, before = mixed(source, "sizes"), op.operands[0].type
    assert isinstance(before, TensorType)
    dropped = dropped_dimensions(sizes, before.get_shape())
    if dropped is None:
        return False
    told = iter(type.get_shape())
    wanted: list[int | SSAValue] = []
    for i, size in enumerate(sizes):
        number = DYNAMIC_SIZE if i in dropped else next(told)
        wanted.append(size if number == DYNAMIC_SIZE else number)
    operands, properties = spelled(source, {"sizes": wanted})
    return rewriter.replace_with(op, "tensor.extract_slice", operands, properties)


@pattern("tensor.cast")
def empty_of_cast_type(op: Operation, rewriter: Rewriter) -> bool:
    """An empty tensor that is cast to known sizes has these sizes."""
    source = defining_op(op.operands[0], "tensor.empty")
    type = op.results[0].type
    if source is None or not isinstance(type, TensorType) or not only_forgets(type, op.operands[0].type):
        return False
    given = iter(source.operands)
    before = op.operands[0].type
    assert isinstance(before, TensorType)
    kept: list[SSAValue] = []
    for size, told in zip(before.get_shape(), type.get_shape(), strict=True):
        if size == DYNAMIC_SIZE:
            value = next(given)
            if told == DYNAMIC_SIZE:
                kept.append(value)
    return rewriter.replace_with(op, "tensor.empty", kept)


@pattern("tensor.extract", "tensor.dim", "tensor.rank", "tensor.reshape", "bufferization.dealloc_tensor")
def use_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Elements and sizes are those of the tensor before the cast."""
    value = uncast(op.operands[0])
    return value is not None and rewriter.set_operands(op, [value, *list(op.operands)[1:]])


@pattern("tensor.extract_slice")
def slice_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A slice of a cast tensor is one of the tensor."""
    value = uncast(op.operands[0])
    if value is None:
        return False
    if not in_bounds(slice_of(op), value.type):
        return False
    return rewriter.set_operands(op, [value, *list(op.operands)[1:]])


@pattern("tensor.insert_slice", "tensor.parallel_insert_slice")
def insert_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """What is inserted, and where, is known better before a cast."""
    source, dest = op.operands[0], op.operands[1]
    new_source = uncast(source)
    if new_source is not None:
        shape = new_source.type.get_shape() if isinstance(new_source.type, TensorType) else ()
        sizes = mixed(op, "sizes")
        if len(shape) == len(sizes):
            told = [s if n == DYNAMIC_SIZE else n for s, n in zip(sizes, shape, strict=True)]
            if any(isinstance(s, int) and s != t for s, t in zip(sizes, told, strict=True)):
                return False
            if not in_bounds({**slice_of(op), "sizes": told}, dest.type):
                return False
            operands, properties = spelled(op, {"sizes": told}, {"source": new_source})
            for name, value in properties.items():
                if op.properties.get(name) != value:
                    rewriter.set_property(op, name, value)
            return rewriter.set_operands(op, operands)
    new_dest = uncast(dest)
    if new_dest is None:
        return False
    operands = [source, new_dest, *list(op.operands)[2:]]
    if not op.results:
        return False
    if not in_bounds(slice_of(op), new_dest.type):
        return False
    properties = dict(op.properties)
    made = rewriter.value(op.name, operands, new_dest.type, properties)
    return rewriter.replace(op, rewriter.value("tensor.cast", [made], op.results[0].type))


_DESTINATION_STYLE_EXCEPT = frozenset(("linalg.pack", "linalg.unpack", "linalg.generic"))


def uncast_destination_style(op: Operation, rewriter: Rewriter) -> bool:
    """An op on tensors that says where its results go takes all tensors as they were before casts."""
    operands = list(op.operands)
    replaced = [uncast(value) for value in operands]
    if not any(value is not None for value in replaced):
        return False
    new = [b if b is not None else a for a, b in zip(operands, replaced, strict=True)]
    groups = operand_groups(op)
    outputs = len(groups[-1])
    results = [value.type for value in new[len(new) - outputs :]] if op.results else []
    if len(results) != len(op.results):
        return False
    from lamina.dialects.scf.simplify.structure import take

    made = rewriter.create(
        op.name, new, results, dict(op.properties), regions=take(op), attributes=dict(op.attributes)
    )
    values = [
        result if result.type == old.type else rewriter.value("tensor.cast", [result], old.type)
        for result, old in zip(made.results, op.results, strict=True)
    ]
    return rewriter.replace(op, values)
