"""Questions about the scalar bodies of structured operations, and inlining one body into another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, FusedLoc, LocationAttr, NoneAttr, UnknownLoc, i1
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

_WITHOUT_EFFECTS = ("arith.", "math.", "tensor.extract", "linalg.index")
_EXPENSIVE = {"arith.divf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.remf"}


def is_contraction(body: Block, maps: Sequence[AffineMap], iterators: Sequence[str]) -> bool:
    """Whether a reduction sums products of different inputs that are used again in other iterations.

    ``maps`` are those of the inputs. A sum of products in which each element is used once, such as a sum
    of squares, is a plain reduction.
    """
    parallel = {i for i, kind in enumerate(iterators) if kind == "parallel"}
    if len(parallel) == len(iterators):
        return False
    reused = {i for i, m in enumerate(maps) if not parallel <= {d for e in m.results for d in e.used_dims()}}
    for op in body.ops:
        if op.name in ("arith.mulf", "arith.muli"):
            left, right = (_inputs_of(value, body) for value in op.operands)
            if left and right and not left & right and (left | right) & reused:
                return True
    return False


def _inputs_of(value: SSAValue, body: Block) -> set[int]:
    """The numbers of the block arguments that a value is computed from."""
    found: set[int] = set()
    pending = [value]
    while pending:
        v = pending.pop()
        if v.owner is body:
            found.add(v.index)  # pyright: ignore[reportAttributeAccessIssue]
        elif isinstance(v.owner, Operation) and v.owner.parent is body:
            pending.extend(v.owner.operands)
    return found


def is_cheap(body: Block, limit: int) -> bool:
    """Whether a body may be computed more than once: few operations, no division, no function of math."""
    ops = [op for op in body.ops if not isinstance(op, linalg.YieldOp | arith.ConstantOp)]
    return len(ops) <= limit and not any(
        op.name in _EXPENSIVE or (op.name.startswith("math.") and op.name != "math.absf") or op.regions
        for op in ops
    )


def uses_index(body: Block) -> bool:
    """Whether a body asks for its place in the iteration space."""
    return any(isinstance(op, linalg.IndexOp) for op in body.walk())


def inline_body(
    source: Block, values: Sequence[SSAValue], target: Block, before: Operation | None, *, move: bool
) -> list[SSAValue]:
    """Put a body's operations before an operation of another body; returns what it yields.

    ``values`` stand for the source's arguments. With ``move`` the operations themselves go and the source
    is left unusable, otherwise copies of them go.
    """
    mapping: dict[SSAValue, SSAValue] = dict(zip(source.args, values, strict=True))
    terminator = source.last_op
    assert terminator is not None
    if move:
        for argument, value in mapping.items():
            argument.replace_all_uses_with(value)
    for op in list(source.ops):
        if op is terminator:
            break
        if move:
            op.detach()
        placed = op if move else op.clone(mapping)
        if before is None:
            target.add_op(placed)
        else:
            target.insert_op_before(placed, before)
    yielded = [mapping.get(value, value) for value in terminator.operands]
    if move:
        terminator.detach()
        terminator.erase()
    return yielded


def simplify_body(body: Block) -> None:
    """Undo bool -> byte -> bool, and drop operations whose results nobody uses."""
    for op in list(body.ops):
        if isinstance(op, arith.TruncIOp) and op.result.type == i1:
            source = op.input.owner
            if isinstance(source, arith.ExtUIOp) and source.input.type == i1:
                op.result.replace_all_uses_with(source.input)
    for op in reversed(list(body.ops)):
        unused = not any(result.uses for result in op.results)
        if unused and op.name.startswith(_WITHOUT_EFFECTS):
            op.detach()
            op.erase()


def fused_location(locations: Sequence[LocationAttr]) -> LocationAttr:
    """One location for an operation made of several, each named once."""
    distinct = list(dict.fromkeys(loc for loc in locations if not isinstance(loc, UnknownLoc)))
    if len(distinct) <= 1:
        return distinct[0] if distinct else UnknownLoc()
    flat: dict[Attribute, None] = {}
    for loc in distinct:
        parts = loc.locations if isinstance(loc, FusedLoc) else [loc]
        flat.update(dict.fromkeys(cast(Iterable[Attribute], parts)))
    return FusedLoc(ArrayAttr(flat), NoneAttr())
