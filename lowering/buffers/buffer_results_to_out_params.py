"""`buffer-results-to-out-params`: returned buffers become arguments that the caller gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    i64,
)
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.lowering.buffers._functions import calls_by_callee, is_public, order_of_calls
from lamina.lowering.buffers._layouts import is_identity
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext

RESULT_ATTRIBUTE = "lamina.result"
"""On an argument: the number of the result that the caller finds in it."""

_EMPTY = DictionaryAttr({})


@dataclass
class OutParams:
    """What happened to the results of one function."""

    moved: list[int] = field(default_factory=list)
    """The results that became arguments, in the order of these."""
    redirected: int = 0
    """How many of them are written where they are produced."""
    copied: int = 0
    dynamic: list[int] = field(default_factory=list)
    """Buffer results that stay, since the caller cannot know their size."""


def buffer_results_to_out_params(module: ModuleOp) -> dict[func.FuncOp, OutParams]:
    """Turn the memref results of static shape of all functions into arguments after the inputs.

    An allocation that is returned (also through reshapes) becomes the argument itself; anything else is
    copied. Callers allocate the buffer. A result's attributes move onto the argument, which also gets
    `lamina.result` with the result's number in a public function.
    """
    report: dict[func.FuncOp, OutParams] = {}
    calls = calls_by_callee(module)
    # Callees first: what a call returned is then an allocation of the caller, which may be redirected too.
    for op in order_of_calls(module, recursion=True):
        if any(isinstance(t, MemRefType) for t in op.function_type.outputs):
            report[op] = outcome = _move_results(op)
            for call in calls.get(op.sym_name.data, ()):
                _update_call(call, outcome.moved)
    return report


def _move_results(function: func.FuncOp) -> OutParams:
    outcome = OutParams()
    for number, kind in enumerate(function.function_type.outputs):
        if isinstance(kind, MemRefType):
            static = kind.has_static_shape() and is_identity(kind)
            (outcome.moved if static else outcome.dynamic).append(number)
    types = [cast(MemRefType, function.function_type.outputs.data[n]) for n in outcome.moved]
    if function.body.blocks:
        block = function.body.blocks.first
        last = function.body.blocks.last.last_op if function.body.blocks.last else None
        assert block is not None and last is not None
        arguments = [block.insert_arg(kind, len(block.args)) for kind in types]
        _return_through(last, arguments, outcome)
    _move_attributes(function, outcome.moved, types)
    return outcome


def _return_through(last: Operation, arguments: list[BlockArgument], outcome: OutParams) -> None:
    """Make the function write its results into arguments, and return the rest."""
    taken: set[SSAValue] = set()
    for number, argument in zip(outcome.moved, arguments, strict=True):
        value = last.operands[number]
        chain = _redirectable(value, last)
        if chain is not None and chain[-1] not in taken:
            taken.add(chain[-1])
            argument.name_hint = value.name_hint
            _redirect(chain, argument)
            outcome.redirected += 1
        else:
            copy = CopyOp(value, argument)
            copy.location = last.location
            Rewriter.insert_op(copy, InsertPoint.before(last))
            outcome.copied += 1
    last.operands = [v for n, v in enumerate(last.operands) if n not in outcome.moved]


def _redirectable(value: SSAValue, last: Operation) -> list[SSAValue] | None:
    """The reshapes from a returned value back to its allocation (the last of the list), if that is all."""
    chain: list[SSAValue] = []
    while isinstance(value, OpResult) and value.op.parent is last.parent:
        chain.append(value)
        kind = value.type
        if not (isinstance(kind, MemRefType) and kind.has_static_shape() and is_identity(kind)):
            return None
        if isinstance(value.op, memref.AllocOp):
            return chain
        if not isinstance(value.op, memref.ExpandShapeOp | memref.CollapseShapeOp):
            return None
        value = value.op.src
    return None


def _redirect(chain: list[SSAValue], argument: SSAValue) -> None:
    """Put the argument, in the allocation's shape, in the place of the allocation."""
    alloc = cast(OpResult, chain[-1]).op
    current = argument
    for view in chain[:-1]:
        op = cast(OpResult, view).op
        current = _inverse(op, current, alloc)
    alloc.results[0].replace_all_uses_with(current)
    alloc.detach()
    alloc.erase()


def _inverse(op: Operation, value: SSAValue, before: Operation) -> SSAValue:
    """The reshape that undoes ``op``."""
    kind = cast(MemRefType, op.operands[0].type)
    groups = op.properties["reassociation"]
    if isinstance(op, memref.ExpandShapeOp):
        new: Operation = memref.CollapseShapeOp.build(
            operands=[value], result_types=[kind], properties={"reassociation": groups}
        )
    else:
        new = memref.ExpandShapeOp.build(
            operands=[value, []],
            result_types=[kind],
            properties={
                "reassociation": groups,
                "static_output_shape": DenseArrayBase.from_list(i64, list(kind.get_shape())),
            },
        )
    new.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(before))
    return new.results[0]


def _move_attributes(function: func.FuncOp, moved: list[int], types: list[MemRefType]) -> None:
    kinds = function.function_type
    kept = [n for n in range(len(kinds.outputs)) if n not in moved]
    results = (
        list(function.res_attrs.data) if function.res_attrs is not None else [_EMPTY] * len(kinds.outputs)
    )
    arguments = (
        list(function.arg_attrs.data) if function.arg_attrs is not None else [_EMPTY] * len(kinds.inputs)
    )
    for number in moved:
        attributes: dict[str, Attribute] = dict(results[number].data)
        if is_public(function):
            attributes[RESULT_ATTRIBUTE] = IntegerAttr(number, 64)
        arguments.append(DictionaryAttr(attributes))
    function.function_type = FunctionType.from_lists(
        [*kinds.inputs, *types], [kinds.outputs.data[n] for n in kept]
    )
    function.arg_attrs = ArrayAttr(arguments) if any(a.data for a in arguments) else None
    left = [results[n] for n in kept]
    function.res_attrs = ArrayAttr(left) if any(a.data for a in left) else None


def _update_call(call: func.CallOp, moved: list[int]) -> None:
    """Allocate the buffers that the callee now expects."""
    buffers: list[SSAValue] = []
    for number in moved:
        alloc = memref.AllocOp([], [], call.results[number].type, IntegerAttr(64, 64))
        alloc.location = call.location
        Rewriter.insert_op(alloc, InsertPoint.before(call))
        buffers.append(alloc.memref)
        alloc.memref.name_hint = call.results[number].name_hint
        call.results[number].replace_all_uses_with(alloc.memref)
    kept = [n for n in range(len(call.results)) if n not in moved]
    new = func.CallOp(call.callee, [*call.operands, *buffers], [call.results[n].type for n in kept])
    new.attributes.update(call.attributes)
    new.location = call.location
    Rewriter.replace_op(call, new, [_replacement(call, new, kept, n) for n in range(len(call.results))])


def _replacement(call: func.CallOp, new: func.CallOp, kept: list[int], number: int) -> SSAValue | None:
    return new.results[kept.index(number)] if number in kept else None


@dataclass(frozen=True)
class BufferResultsToOutParams(Pass):
    """Turn returned buffers into arguments after the inputs, written directly where that is safe.

    The argument of a public function says with `lamina.result = i` which result it holds, and carries the
    result's attributes.

    ```mlir
    func.func @make() -> (memref<4xf32> {nn.name = "y"}) {
      %zero = arith.constant 0.0 : f32
      %y = memref.alloc() : memref<4xf32>
      linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
      return %y : memref<4xf32>
    }
    ```

    ```mlir
    func.func @make(%y: memref<4xf32> {nn.name = "y", lamina.result = 0 : i64}) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
      return
    }
    ```
    """

    name = "buffer-results-to-out-params"
    requires = (BUFFERS_ONLY,)
    statistics = {
        "redirected": "results written where they are produced",
        "copied": "results copied on return",
    }

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function, outcome in buffer_results_to_out_params(cast(ModuleOp, op)).items():
            ctx.count("redirected", outcome.redirected)
            ctx.count("copied", outcome.copied)
            if outcome.dynamic:
                ctx.warn(
                    f"results {outcome.dynamic} of '@{function.sym_name.data}' have dynamic shapes "
                    "and are still returned as new buffers",
                    function,
                    hint="specialise the shapes with nn-set-shapes",
                )
