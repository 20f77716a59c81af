"""What upstream verifies of affine in C++."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntegerType, Signedness
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.affine.scope import Scope, affine_scope
from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.verifying.control import check_edge, check_loop
from lamina.dialects.core.verifying.groups import attribute, static_values, values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import rank_of

_COUNT = "operand count and affine map dimension and symbol count must match"


def check_operands(op: Operation, operands: Sequence[SSAValue], dims: int) -> None:
    """The first ``dims`` values may be dimensions, the others symbols."""
    if not operands:
        return
    scope = Scope(affine_scope(op))
    for number, operand in enumerate(operands):
        if number < dims:
            if not scope.is_dim(operand):
                raise error("operand cannot be used as a dimension id", op)
        elif not scope.is_symbol(operand):
            raise error("operand cannot be used as a symbol", op)


def _inputs(map: AffineMap) -> int:
    return map.num_dims + map.num_symbols


@verifies("affine.apply")
def verify_apply(op: Operation) -> None:
    """One result; a dimension is no symbol."""
    map = attribute(op, "map").data
    if len(op.operands) != _inputs(map):
        raise error(_COUNT, op)
    if len(map.results) != 1:
        raise error("mapping must produce one value", op)
    scope = Scope(affine_scope(op))
    for operand in op.operands[map.num_dims :]:
        if not scope.is_symbol(operand) and scope.is_dim(operand):
            raise error("dimensional operand cannot be used as a symbol", location_of(op))


@verifies("affine.min", "affine.max")
def verify_min(op: Operation) -> None:
    """There is a result to choose from."""
    map = attribute(op, "map").data
    if len(op.operands) != _inputs(map):
        raise error(_COUNT, op)
    if not map.results:
        raise error("affine map expect at least one result", op)


def _check_access(op: Operation, memref: int) -> None:
    """The subscripts of the memref that is operand number ``memref``."""
    map, type = attribute(op, "map").data, op.operands[memref].type
    if len(map.results) != rank_of(type):
        raise error("affine map num results must equal memref rank", op)
    subscripts = op.operands[memref + 1 :]
    if _inputs(map) != len(subscripts):
        raise error("expects as many subscripts as affine map inputs", op)
    check_operands(op, subscripts, map.num_dims)


def _element(op: Operation, memref: int) -> Any:
    return op.operands[memref].type.element_type  # pyright: ignore[reportAttributeAccessIssue]


@verifies("affine.load")
def verify_load(op: Operation) -> None:
    """The result is an element."""
    if op.results[0].type != _element(op, 0):
        raise error("result type must match element type of memref", op)
    _check_access(op, 0)


@verifies("affine.store")
def verify_store(op: Operation) -> None:
    """What is stored is an element."""
    if op.operands[0].type != _element(op, 1):
        raise error("value to store must have the same type as memref element type", op)
    _check_access(op, 1)


@verifies("affine.vector_load")
def verify_vector_load(op: Operation) -> None:
    """The vector has the memref's elements."""
    _check_access(op, 0)
    _check_vector(op, op.results[0].type, 0)


@verifies("affine.vector_store")
def verify_vector_store(op: Operation) -> None:
    """The vector has the memref's elements."""
    _check_access(op, 1)
    _check_vector(op, op.operands[0].type, 1)


def _check_vector(op: Operation, vector: Any, memref: int) -> None:
    if vector.element_type != _element(op, memref):
        raise error("requires memref and vector types of the same elemental type", op)


@verifies("affine.prefetch")
def verify_prefetch(op: Operation) -> None:
    """The subscripts fit."""
    map = attribute(op, "map").data
    if len(map.results) != rank_of(op.operands[0].type):
        raise error("affine.prefetch affine map num results must equal memref rank", op)
    if _inputs(map) + 1 != len(op.operands):
        raise error("too few operands", op)
    check_subscripts(op, op.operands[1:], "index")


def check_subscripts(op: Operation, subscripts: Sequence[SSAValue], what: str) -> None:
    """Subscripts may be dimensions or symbols."""
    scope = Scope(affine_scope(op))
    for value in subscripts:
        if not scope.is_dim(value):
            raise error(f"{what} must be a valid dimension or symbol identifier", op)


def _bounds(op: Operation) -> list[tuple[str, AffineMap, Sequence[SSAValue]]]:
    lower, upper = attribute(op, "lowerBoundMap").data, attribute(op, "upperBoundMap").data
    return [
        ("lower", lower, values(op, "lowerBoundOperands")),
        ("upper", upper, values(op, "upperBoundOperands")),
    ]


@verifies("affine.for", after_regions=True)
def verify_for(op: Operation) -> None:
    """Bounds are dimensions and symbols; what the loop carries has the same types everywhere."""
    body: Any = op.regions[0].first_block
    if not body.args or not isinstance(body.args[0].type, IndexType):
        raise error("expected body to have a single index argument for the induction variable", op)
    for _, map, operands in _bounds(op):
        if _inputs(map):
            check_operands(op, operands, map.num_dims)
    for which, map, _ in _bounds(op):
        if not map.results:
            raise error(f"expected {which} bound map to have at least one result", op)
    initial, arguments = values(op, "inits"), body.args[1:]
    if op.results and len(initial) != len(op.results):
        raise error("mismatch between the number of loop-carried values and results", op)
    if op.results and len(arguments) != len(op.results):
        raise error("mismatch between the number of basic block args and results", op)
    last = body.last_op
    yielded = last.operands if last is not None and last.name == "affine.yield" else ()
    check_loop(op, initial, arguments, yielded)


@verifies("affine.if")
def verify_if(op: Operation) -> None:
    """The condition's operands are dimensions and symbols."""
    condition = attribute(op, "condition").data
    if len(op.operands) != condition.num_dims + condition.num_symbols:
        message = "operand count and condition integer set dimension and symbol count must match"
        raise error(message, op)
    check_operands(op, op.operands, condition.num_dims)


@verifies("affine.if", after_regions=True)
def verify_branches(op: Operation) -> None:
    """There is an else branch where there are results."""
    if op.results and op.regions[1].first_block is None:
        last = op.regions[0].blocks[0].last_op
        passed = op.operands[:0]
        check_edge(op, last if last is not None else op, "parent", passed, op.results)


@verifies("affine.yield")
def verify_yield(op: Operation) -> None:
    """What is yielded has the types of the parent's results."""
    parent = op.parent_op()
    if parent is None or parent.name not in ("affine.for", "affine.if", "affine.parallel"):
        raise error("only terminates affine.if/for/parallel regions", op)
    if len(parent.results) != len(op.operands):
        raise error("parent of yield must have same number of results as the yield operands", op)
    for result, operand in zip(parent.results, op.operands, strict=True):
        if result.type != operand.type:
            raise error("types mismatch between yield op and its parent", op)


def _groups(op: Operation, name: str) -> list[int]:
    found = attribute(op, name)
    numbers = list(found.get_values())
    count = math.prod(found.type.get_shape())
    return numbers * count if len(numbers) == 1 else numbers


@verifies("affine.parallel")
def verify_parallel(op: Operation) -> None:
    """There are bounds and a step for each variable, and a reduction for each result."""
    lower, upper = _groups(op, "lowerBoundsGroups"), _groups(op, "upperBoundsGroups")
    steps, body = attribute(op, "steps").data, op.regions[0].first_block
    variables = len(body.args) if body is not None else 0
    if not variables == len(lower) == len(upper) == len(steps):
        raise error(
            f"the number of region arguments ({variables}) and the number of map groups for lower "
            f"({len(lower)}) and upper bound ({len(upper)}), and the number of steps ({len(steps)}) must all "
            "match",
            op,
        )
    maps = attribute(op, "lowerBoundsMap").data, attribute(op, "upperBoundsMap").data
    for which, groups, map in zip(("lower", "upper"), (lower, upper), maps, strict=True):
        if 0 in groups:
            raise error(f"expected {which} bound map to have at least one result", op)
        if sum(groups) != len(map.results):
            raise error(f"expected {which} bounds map to have {sum(groups)} results", op)
    _check_reductions(op)
    first = _inputs(maps[0])
    if len(op.operands) != first + _inputs(maps[1]):
        raise error(_COUNT, op)
    check_operands(op, op.operands[:first], maps[0].num_dims)
    check_operands(op, op.operands[first:], maps[1].num_dims)


def _check_reductions(op: Operation) -> None:
    reductions = attribute(op, "reductions").data
    if len(reductions) != len(op.results):
        raise error("a reduction must be specified for each output", op)
    table = table_of("memref")
    names = {number: name for name, number in table.enums["AtomicRMWKind"].cases.items()} if table else {}
    for reduction, result in zip(reductions, op.results, strict=True):
        kind = names.get(reduction.value.data)
        if kind is None:
            raise error("invalid reduction attribute", op)
        if not _fits(kind, result.type):
            raise error("result type cannot match reduction attribute", op)


def _fits(kind: str, type: Any) -> bool:
    if kind.endswith("f"):
        return isinstance(type, AnyFloat)
    if not isinstance(type, IntegerType):
        return False
    signs = {"s": Signedness.SIGNED, "u": Signedness.UNSIGNED}
    return kind not in ("maxs", "mins", "maxu", "minu") or type.signedness.data is signs[kind[-1]]


@verifies("affine.delinearize_index")
def verify_delinearize_index(op: Operation) -> None:
    """There is a result for each element of the basis, and at most one more."""
    basis = static_values(op, "static_basis")
    if len(op.results) not in (len(basis), len(basis) + 1):
        message = "should return an index for each basis element and up to one extra index"
        raise error(message, op)
    _check_basis(op, basis)
    if any(extent <= 0 and extent != DYNAMIC_INDEX for extent in basis):
        raise error("no basis element may be statically non-positive", op)


@verifies("affine.linearize_index")
def verify_linearize_index(op: Operation) -> None:
    """There is an element of the basis for each index, except possibly for the first."""
    basis, indices = static_values(op, "static_basis"), values(op, "multi_index")
    if len(indices) not in (len(basis), len(basis) + 1):
        message = "should be passed a basis element for each index except possibly the first"
        raise error(message, op)
    _check_basis(op, basis)


def _check_basis(op: Operation, basis: Sequence[int]) -> None:
    if basis.count(DYNAMIC_INDEX) != len(values(op, "dynamic_basis")):
        raise error(
            "mismatch between dynamic and static basis (kDynamic marker but no corresponding dynamic basis "
            "entry)",
            op,
        )
