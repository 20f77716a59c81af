"""What makes tensors easier to place: no values without use, one `tensor.empty` for each destination."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.linalg.structured import is_structured
from lamina.lowering.buffers._accesses import is_tensor


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


def erase_unused_tensors(root: Operation) -> None:
    """Remove operations that only make tensors which nothing uses: each would become a buffer."""
    for op in reversed(list(root.walk())):
        pure = op.name.startswith("tensor.") or op.name == "arith.constant" or is_structured(op)
        makes_tensors = bool(op.results) and all(is_tensor(result) for result in op.results)
        if pure and makes_tensors and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
