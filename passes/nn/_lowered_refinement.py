"""What static shapes of arguments mean below `nn`, where extents are computed by ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import CastOp
from xdsl.ir import Attribute, Block, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.diagnostics import LaminaError, error
from lamina.dialects.core.verifier import verify
from lamina.passes.general.canonicalize import canonicalize


def is_lowered(function: FuncOp) -> bool:
    """Whether a function computes in `linalg`, or on tensors that it makes by their extents."""
    return any(op.name.startswith("linalg.") or op.name == "tensor.empty" for op in function.walk())


def refine_lowered(function: FuncOp, types: Sequence[Attribute]) -> None:
    """Give a function argument types and let them spread: each use reads a cast that forgets the extents,
    and canonicalisation moves casts down to the results, folding the extents that are computed.

    Raises :class:`LaminaError` where an op does not take the shapes that follow.
    """
    block = function.body.block
    for argument, kind in zip(list(block.args), types, strict=True):
        if argument.type != kind and isinstance(argument.type, TensorType):
            _replace_argument(block, argument.index, argument.type, kind)
    canonicalize(function)
    last = block.last_op
    if isinstance(last, ReturnOp):
        last.operands = [_before_cast(value) for value in last.operands]
        function.function_type = FunctionType.from_lists(types, [v.type for v in last.operands])
    try:
        verify(function)  # what was open, and could be of any extent, may contradict itself now
    except LaminaError as problem:
        first = problem.diagnostics[0]
        raise error(f"does not fit the given shapes: {first.message}", first.location) from problem


def _replace_argument(block: Block, index: int, forgetful: TensorType, kind: Attribute) -> None:
    old = block.args[index]
    new = block.insert_arg(kind, index)
    new.name_hint = old.name_hint
    cast = CastOp(new, forgetful)
    old.replace_all_uses_with(cast.dest)
    block.erase_arg(old)
    Rewriter.insert_op(cast, InsertPoint.at_start(block))


def _before_cast(value: SSAValue) -> SSAValue:
    return value.op.source if isinstance(value, OpResult) and isinstance(value.op, CastOp) else value
