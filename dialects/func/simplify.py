"""Folds and canonicalisation patterns of func."""

from __future__ import annotations

from xdsl.ir import Operation

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Rewriter, pattern


@pattern("func.call_indirect")
def call_directly(op: Operation, rewriter: Rewriter) -> bool:
    """A call of a function that is known."""
    callee, *arguments = op.operands
    constant = defining_op(callee, "func.constant")
    name = constant.get_attr_or_prop("value") if constant is not None else None
    if name is None:
        return False
    given = {key: op.properties[key] for key in ("arg_attrs", "res_attrs") if key in op.properties}
    return rewriter.replace_with(
        op, "func.call", arguments, {"callee": name, **given}, attributes=dict(op.attributes)
    )
