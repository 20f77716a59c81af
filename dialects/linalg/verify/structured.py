"""Structured operations: maps fit loops and operands, bodies fit elements, shapes fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.spec import spec_of, table_of
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.linalg.indexing import concatenated, indexing_maps, iterators, shape_of
from lamina.dialects.linalg.syntax.parts import element_type, inputs_and_outputs

_OWN = ("map", "reduce", "transpose", "broadcast", "yield", "index", "softmax", "pack", "unpack", "contract")


def _structured() -> list[str]:
    table = table_of("linalg")
    assert table is not None
    own = {f"linalg.{name}" for name in _OWN}
    return [
        name
        for name in table.ops
        if name not in own and "winograd" not in name and "LinalgOp" in table.ops[name].traits
    ]


@verifies(*_structured())
def verify_results(op: Operation) -> None:
    """Results are the outputs that are tensors."""
    check_semantics(op)
    check_destinations(op)
    if not op.regions or len(op.regions[0].blocks) > 1:
        raise error("expects to have 1 region with 1 block", op)


@verifies(*_structured(), after_regions=True)
def verify_structured(op: Operation) -> None:
    """What every structured operation has to fulfil."""
    maps = indexing_maps(op)
    if maps is None:
        return
    key = _what_shapes_follow_from(op)
    known = key in _right
    if not known:
        check_maps(op, maps)
    if op.name in _EXTRA:
        _EXTRA[op.name](op)
    check_body(op)
    if not known:
        check_shapes(op, maps)
        if key is not None:
            if len(_right) > _MOST_REMEMBERED:
                _right.clear()
            _right[key] = (op.operand_types, maps)


_EXTRA: dict[str, Any] = {}
_MOST_REMEMBERED = 10_000
_right: dict[Any, Any] = {}
"""Maps and types of operands, by identity, that fit each other; held, so that none takes another's."""


def _what_shapes_follow_from(op: Operation) -> Any:
    """What decides whether maps and shapes fit, by identity; None where it is more than maps and types."""
    held = op.get_attr_or_prop("indexing_maps")
    if isinstance(held, ArrayAttr):
        loops = op.get_attr_or_prop("iterator_types")
        count = len(loops) if isinstance(loops, ArrayAttr) else None
        maps = [id(one.data) if isinstance(one, AffineMapAttr) else 0 for one in held.data]
    elif op.name == "linalg.fill":
        count, maps = None, []
    else:
        return None
    return (op.name, count, *maps, *[id(value.type) for value in op.operands])


def check_semantics(op: Operation) -> None:
    """Either tensors or buffers, not both."""
    kinds = {value.type.name for value in op.operands}
    tensors = any("tensor" in kind for kind in kinds)
    buffers = any("memref" in kind for kind in kinds)
    if tensors and buffers:
        raise error("expected to have pure tensor or buffer semantics", op)


def check_destinations(op: Operation) -> None:
    """A result for each output that is a tensor, of its type."""
    inputs, outputs = inputs_and_outputs(op)
    tensors = [value for value in outputs if value.type.name == "tensor"]
    if len(op.results) != len(tensors):
        message = (
            f"expected the number of tensor results ({len(op.results)}) to be equal to the number of "
            f"output tensors ({len(tensors)})"
        )
        raise error(message, op)
    for number, (value, result) in enumerate(zip(tensors, op.results, strict=True), len(inputs)):
        if value.type != result.type:
            message = (
                f"expected type of operand #{number} ('{value.type}') to match type of corresponding "
                f"result ('{result.type}')"
            )
            raise error(message, op)


def check_maps(op: Operation, maps: Sequence[AffineMap]) -> None:
    """A map for each operand, with as many results as the operand has dimensions, that give all loops."""
    loops = iterators(op)
    if len(maps) != len(op.operands):
        message = (
            f"expected the number of indexing_map ({len(maps)}) to be equal to the number of "
            f"input/output operands ({len(op.operands)})"
        )
        raise error(message, op)
    for number, (operand, one) in enumerate(zip(op.operands, maps, strict=True)):
        if one.num_symbols:
            raise error(f"unexpected symbols in indexing_map #{number}", op)
        if loops is not None and one.num_dims != len(loops):
            message = (
                f"expected indexing_map #{number} to have {len(loops)} dim(s) to match the number of loops"
            )
            raise error(message, op)
        shape = shape_of(operand)
        if shape is not None and len(shape) != len(one.results):
            message = (
                f"expected operand #{number} rank ({len(shape)}) to match the result rank of indexing_map "
                f"({len(one.results)})"
            )
            raise error(message, op)
    if maps and not _invertible(maps):
        shown = ", ".join(str(expression) for expression in concatenated(list(maps)))
        dims = ", ".join(f"d{i}" for i in range(maps[0].num_dims))
        raise error(f"invalid indexing maps are non-invertible: (({dims}) -> ({shown}))", op)


def _invertible(maps: Sequence[AffineMap]) -> bool:
    """Whether each loop is the index of some operand by itself."""
    alone = {e.position for e in concatenated(list(maps)) if isinstance(e, AffineDimExpr)}
    return len(alone) == maps[0].num_dims


def check_body(op: Operation) -> None:
    """One block that takes an element of each operand."""
    region = op.regions[0] if op.regions else None
    if region is None or not region.blocks:
        return
    arguments = region.blocks[0].args
    if len(arguments) != len(op.operands):
        message = (
            "expected as many non-induction variable region arguments as the number of input/output operands"
        )
        raise error(message, op)
    for number, (argument, operand) in enumerate(zip(arguments, op.operands, strict=True)):
        if argument.type != element_type(operand.type):
            message = (
                f"expected type of bb argument #{number} ('{argument.type}') to match element or self type "
                f"of the corresponding operand ('{element_type(operand.type)}')"
            )
            raise error(message, op)


def check_shapes(op: Operation, maps: Sequence[AffineMap]) -> None:
    """The extents that follow from the loops are those of the operands, where both are known."""
    shapes = [shape_of(operand) for operand in op.operands]
    ranges: dict[int, int] = {}
    for shape, one in zip(shapes, maps, strict=True):
        for extent, expression in zip(shape or (), one.results, strict=False):
            if isinstance(expression, AffineDimExpr) and extent >= 0:
                ranges.setdefault(expression.position, extent)
    last = [ranges.get(i, -1) for i in range(maps[0].num_dims if maps else 0)]
    for number, (shape, one) in enumerate(zip(shapes, maps, strict=True)):
        for dimension, (extent, expression) in enumerate(zip(shape or (), one.results, strict=False)):
            _check_extent(op, number, dimension, extent, expression, last)


def _check_extent(
    op: Operation, number: int, dimension: int, extent: int, expression: AffineExpr, ranges: Sequence[int]
) -> None:
    used = _dims(expression)
    if extent < 0 or any(ranges[i] <= 0 for i in used):
        return
    if isinstance(expression, AffineConstantExpr) and expression.value < 0:
        message = f"unexpected result less than 0 at expression #{dimension} in the map of operand #{number}"
        raise error(message, op)
    first = _evaluated(expression, [0] * len(ranges))
    last = _evaluated(expression, [extent - 1 for extent in ranges])
    if min(first, last) < 0:
        message = f"unexpected result less than 0 at expression #{dimension} in the map of operand #{number}"
        raise error(message, op)
    inferred = max(first, last) + 1
    where = f"inferred input/output operand #{number} has shape's dimension #{dimension} to be "
    if isinstance(expression, AffineDimExpr):
        if inferred != extent:
            raise error(f"{where}{inferred}, but found {extent}", op)
    elif inferred > extent:
        raise error(f"{where}greater than or equal to {inferred}, but found {extent}", op)


def _dims(expression: AffineExpr) -> set[int]:
    return {e.position for e in expression.dfs() if isinstance(e, AffineDimExpr)}


def _evaluated(expression: AffineExpr, dims: Sequence[int]) -> int:
    return expression.eval(list(dims), [])


@verifies("linalg.index")
def verify_index(op: Operation) -> None:
    """Within a structured operation, of one of its loops."""
    parent = op.parent_op()
    if parent is None or not is_structured_name(parent.name):
        raise error("expected parent op with LinalgOp interface", op)
    maps = indexing_maps(parent)
    loops = len(iterators(parent) or ()) or (maps[0].num_dims if maps else 0)
    dim = op.get_attr_or_prop("dim")
    if isinstance(dim, IntegerAttr) and dim.value.data >= loops:
        message = (
            f"expected dim ({dim.value.data}) to be lower than the number of loops ({loops}) of the "
            "enclosing LinalgOp"
        )
        raise error(message, op)


def is_structured_name(name: str) -> bool:
    """Whether ops of a name are structured."""
    spec = spec_of(name)
    return spec is not None and "LinalgOp" in spec.traits


@verifies("linalg.yield")
def verify_yield(op: Operation) -> None:
    """An element for each output."""
    parent = op.parent_op()
    if parent is None or len(parent.regions) != 1 or len(parent.regions[0].blocks) != 1:
        raise error("expected single non-empty parent region", op)
    if not is_structured_name(parent.name):
        raise error("expected parent op with LinalgOp interface", op)
    _, outputs = inputs_and_outputs(parent)
    if len(op.operands) != len(outputs):
        message = (
            f"expected number of yield values ({len(op.operands)}) to match the number of inits / outs "
            f"operands of the enclosing LinalgOp ({len(outputs)})"
        )
        raise error(message, op)
    for number, (value, output) in enumerate(zip(op.operands, outputs, strict=True), 1):
        wanted = element_type(output.type)
        if value.type != wanted:
            message = (
                f"type of yield operand {number} ('{value.type}') doesn't match the element type of the "
                f"enclosing {parent.name} op ('{wanted}')"
            )
            raise error(message, op)


def _fill(op: Operation) -> None:
    value, output = op.operands[0], op.operands[-1]
    if shape_of(value) != ():
        raise error("expected op with scalar input", op)
    if value.type != element_type(output.type):
        message = (
            f"expected fill value type ('{value.type}') to match output element type "
            f"('{element_type(output.type)}')"
        )
        raise error(message, op)


_EXTRA["linalg.fill"] = _fill
