"""Casts, addresses and comparisons of llvm."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation

from lamina.dialects.core.folding import defining_op, int_of, integer
from lamina.dialects.core.simplification import Folded, fold

_DYNAMIC = -(1 << 31)
"""Stands in the list of indices for one that an operand gives."""


@fold("llvm.bitcast", "llvm.addrspacecast")
def fold_cast(op: Operation) -> Folded:
    """A cast to the same type; of another cast of the kind."""
    (source,) = op.operands
    type = op.results[0].type
    if source.type == type:
        return source
    inner = defining_op(source, op.name)
    if inner is None:
        return None
    if inner.operands[0].type == type:
        return inner.operands[0]
    op.operands[0] = inner.operands[0]
    return True


@fold("llvm.getelementptr")
def fold_address(op: Operation) -> Folded:
    """An address moved by nothing; indices that are constants become part of the op."""
    base, *dynamic = op.operands
    indices = op.get_attr_or_prop("rawConstantIndices")
    if not isinstance(indices, DenseArrayBase):
        return None
    numbers = [int(v) for v in indices.get_values()]
    if numbers == [0] and base.type == op.results[0].type:
        return base
    if (
        len(numbers) == 1
        and len(dynamic) == 1
        and int_of(dynamic[0]) == 0
        and base.type == op.results[0].type
    ):
        return base
    given = iter(dynamic)
    kept = [base]
    changed = False
    for i, number in enumerate(numbers):
        if number != _DYNAMIC:
            continue
        value = next(given)
        known = int_of(value)
        if known is not None and _DYNAMIC < known < (1 << 31):
            numbers[i] = known
            changed = True
        else:
            kept.append(value)
    if not changed:
        return None
    op.operands = kept
    held = op.properties if "rawConstantIndices" in op.properties else op.attributes
    held["rawConstantIndices"] = DenseArrayBase.from_list(IntegerType(32), numbers)
    return True


@fold("llvm.icmp")
def fold_comparison(op: Operation) -> Folded:
    """Equal operands; an address on the stack is not null."""
    left, right = op.operands
    predicate = op.get_attr_or_prop("predicate")
    number = getattr(getattr(predicate, "value", None), "data", None)
    type = op.results[0].type
    if not isinstance(type, IntegerType) or number not in (0, 1):
        return None
    if left is right:
        return integer(1 if number == 0 else 0, type)
    for a, b in ((left, right), (right, left)):
        if defining_op(a, "llvm.alloca") is not None and defining_op(b, "llvm.mlir.zero") is not None:
            return integer(0 if number == 0 else 1, type)
    return None
