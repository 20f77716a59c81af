"""Operations that carry their own maps: matmul and its like, contract, elementwise."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.formats import default_of
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.linalg.indexing import indexing_maps, shape_of
from lamina.dialects.linalg.verify.structured import (
    _EXTRA,  # pyright: ignore[reportPrivateUsage]
    check_body,
    check_destinations,
    check_maps,
    check_semantics,
    check_shapes,
)


def _dims(one: AffineMap) -> list[int] | None:
    if all(isinstance(e, AffineDimExpr) for e in one.results):
        return [e.position for e in one.results]  # pyright: ignore[reportAttributeAccessIssue]
    return None


def check_matmul_maps(op: Operation) -> None:
    """Maps other than the usual ones transpose an input, or leave out dimensions that are broadcast."""
    spec = spec_of(op.name)
    held = op.properties.get("indexing_maps")
    if spec is None or not isinstance(held, ArrayAttr):
        return
    usual = default_of(spec)("indexing_maps")
    if held == usual:
        return
    if len(held.data) != 3:
        raise error("Indexing_map attribute must have 3 affine maps.", op)
    for number, (one, plain) in enumerate(zip(held.data, usual.data, strict=True)):
        _check_matmul_map(op, number, one, plain)


def _check_matmul_map(op: Operation, number: int, one: AffineMapAttr, plain: AffineMapAttr) -> None:
    found, wanted = _dims(one.data), _dims(plain.data) or []
    if found is None or not set(found) <= set(wanted) or len(set(found)) != len(found):
        raise error("Unexpected dim expression in map result.", op)
    if number == 2:
        if found != wanted:
            raise error("Unexpected dim expression in map result.", op)
        return
    if len(wanted) == 3 and len(found) == 3 and found[0] != wanted[0]:
        raise error("Invalid batch dimension expression", op)
    if len(found) < len(wanted):
        contracted = one.data.num_dims - 1
        batched = len(wanted) == 3
        allowed = [[contracted], *([[wanted[0], contracted], wanted[1:]] if batched else [])]
        if found not in allowed:
            raise error(f"Invalid broadcast requested, should be (d{contracted}).", op)


for _name in ("matmul", "batch_matmul", "batch_reduce_matmul"):
    _EXTRA[f"linalg.{_name}"] = check_matmul_maps


@verifies("linalg.contract", after_regions=True)
def verify_contract(op: Operation) -> None:
    """Maps are projected permutations of one space; each loop is reduced, or an index of the output."""
    maps = indexing_maps(op) or []
    if len(maps) != 3 or len(op.operands) != 3:
        raise error("expects three operands and three maps", op)
    for one, operand in zip(maps, op.operands, strict=True):
        if one.num_dims != maps[0].num_dims:
            raise error("iteration spaces of provided affine_maps differ", op)
        dims = _dims(one)
        if dims is None or len(set(dims)) != len(dims) or one.num_symbols:
            raise error("provided affine_map is not a projected permutation", op)
        shape = shape_of(operand)
        if shape == () and one.results and "get_shape" not in dir(operand.type):
            raise error("affine_map specifies shaped access while operand has non-shaped type", op)
        if shape is not None and len(shape) != len(one.results):
            raise error("ranks of shaped operand and results of corresponding affine_map differ", op)
    _check_loops(op, [set(_dims(one) or ()) for one in maps])
    check_semantics(op)
    check_destinations(op)
    check_body(op)
    check_shapes(op, maps)


def _check_loops(op: Operation, used: Sequence[set[int]]) -> None:
    left, right, output = used
    count = (indexing_maps(op) or [AffineMap(0, 0, ())])[0].num_dims
    for dim in range(count):
        if dim not in left | right | output:
            raise error(f"iteration space dim at index {dim} not used to access any operand", op)
        contracting = dim in left and dim in right and dim not in output
        if not contracting and dim not in output:
            what = "is neither a contracting dim nor of parallel iteration type"
            raise error(f"iteration space dim at index {dim} {what}", op)
    if not any(dim in left and dim in right and dim not in output for dim in range(count)):
        raise error("expects at least one contracting dim", op)


@verifies("linalg.elementwise", after_regions=True)
def verify_elementwise(op: Operation) -> None:
    """As any structured operation; all loops are parallel."""
    maps = indexing_maps(op)
    check_semantics(op)
    check_destinations(op)
    if maps:
        check_maps(op, maps)
        check_body(op)
        check_shapes(op, maps)
