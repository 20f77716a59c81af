"""One `tensor.empty` for each use of it as a destination."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter


def split_empty_tensors(root: Operation) -> None:
    """Give each use of a `tensor.empty` one of its own.

    `cse` merges them, but values that start from one of them would share one long-lived buffer. Their
    elements are undefined, so nothing is lost by having several.
    """
    for op in [op for op in root.walk() if isinstance(op, tensor.EmptyOp)]:
        uses = [use for use in op.tensor.uses if use.operation.name != "tensor.dim"]
        if any(use.operation.name == "tensor.extract_slice" for use in uses):
            continue  # its parts are meant to be one buffer
        for use in uses[1:]:
            copy = op.clone()
            copy.location = op.location
            Rewriter.insert_op(copy, InsertPoint.after(op))
            use.operation.operands[use.index] = copy.tensor
