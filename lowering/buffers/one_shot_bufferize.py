"""`one-shot-bufferize`: tensors become buffers, updated in place wherever nothing is lost by it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

# The rules of these modules are found by op name.
import lamina.lowering.buffers._boundary_rules
import lamina.lowering.buffers._control_flow_rules
import lamina.lowering.buffers._padding_rules
import lamina.lowering.buffers._reshape_rules
import lamina.lowering.buffers._tensor_rules  # noqa: F401
from lamina.dialects.core.diagnostics import error
from lamina.lowering.buffers._accesses import Access, has_tensors
from lamina.lowering.buffers._analysis import Analysis
from lamina.lowering.buffers._constants import Globals
from lamina.lowering.buffers._functions import (
    Summary,
    finish_signature,
    order_of_calls,
    rewrite_call,
    rewrite_return,
    rewrite_signature,
    summarise,
    unknown_summary,
)
from lamina.lowering.buffers._preparation import erase_unused_tensors, split_empty_tensors
from lamina.lowering.buffers._rewriting import Buffers, rewrite_rule
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option


def one_shot_bufferize(module: ModuleOp, *, function_boundaries: bool = True) -> Counter[str]:
    """Replace all tensors of a module by buffers; returns counts of copies, allocations and writes in place.

    Functions are analysed and rewritten one by one, callees first. Raises :class:`LaminaError` for
    operations without rules, recursion on tensors, and functions of several blocks that use tensors.
    """
    summaries: dict[str, Summary] = {}
    counts: Counter[str] = Counter()
    constants = Globals(module)
    erase_unused_tensors(module)
    split_empty_tensors(module)
    for function in order_of_calls(module):
        if not function_boundaries and _has_tensor_signature(function):
            raise error(
                "has tensors in its signature",
                function,
                hint="run one-shot-bufferize{bufferize-function-boundaries}",
            )
        summary = _bufferize(function, summaries, constants, counts)
        summaries[function.sym_name.data] = summary
    return counts


def _has_tensor_signature(function: func.FuncOp) -> bool:
    kinds = function.function_type
    return any(kind.name == "tensor" for kind in (*kinds.inputs, *kinds.outputs))


def _bufferize(
    function: func.FuncOp, summaries: dict[str, Summary], constants: Globals, counts: Counter[str]
) -> Summary:
    if not function.body.blocks:
        summary = unknown_summary(function)
        finish_signature(summary)
        return summary
    if len(function.body.blocks) > 1:
        if any(has_tensors(op) for op in function.walk()) or _has_tensor_signature(function):
            raise error(
                "uses tensors in several blocks; bufferisation needs structured control flow",
                function,
                hint="keep scf.for, scf.if and scf.while until after one-shot-bufferize",
            )
        return Summary(function)

    def summary_of(call: func.CallOp) -> Summary:
        summary = summaries.get(call.callee.string_value())
        if summary is None:
            raise error(f"calls '{call.callee}', which is no function of the module", call)
        return summary

    def call_accesses(call: func.CallOp) -> list[Access]:
        return summary_of(call).accesses(call)

    decisions = Analysis(function, call_accesses).run()
    summary = summarise(function, decisions)
    buffers = Buffers(decisions, constants, counts)
    buffers.summary, buffers.summary_of = summary, summary_of
    rewrite_signature(buffers, summary)
    buffers.rewrite_block(function.body.block)
    buffers.finish()
    finish_signature(summary)
    return summary


@rewrite_rule("func.return")
def _return(buffers: Buffers, op: Operation) -> None:
    rewrite_return(buffers, cast(func.ReturnOp, op), buffers.summary)


@rewrite_rule("func.call")
def _call(buffers: Buffers, op: Operation) -> None:
    if has_tensors(op):
        call = cast(func.CallOp, op)
        rewrite_call(buffers, call, buffers.summary_of(call))


@dataclass(frozen=True)
class OneShotBufferize(Pass):
    """Replace tensors by buffers, with an analysis that finds out what can be updated in place.

    A write happens in the buffer of the tensor it updates unless a value that is read later would lose its
    elements; then a new buffer is made. Constants become read-only globals. A function argument is
    written only if it says `bufferization.writable = true`. A result of a private function that is one of
    its arguments is dropped. Functions with tensors in their signature need `bufferize-function-boundaries`.

    ```mlir
    func.func @pick(%v: f32, %i: index) -> f32 {
      %e = tensor.empty() : tensor<4xf32>
      %f = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %g = tensor.insert %v into %f[%i] : tensor<4xf32>
      %r = tensor.extract %g[%i] : tensor<4xf32>
      return %r : f32
    }
    ```

    ```mlir
    func.func @pick(%v: f32, %i: index) -> f32 {
      %e = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      linalg.fill ins(%v : f32) outs(%e : memref<4xf32>)
      memref.store %v, %e[%i] : memref<4xf32>
      %r = memref.load %e[%i] : memref<4xf32>
      return %r : f32
    }
    ```
    """

    name = "one-shot-bufferize"
    ensures = (BUFFERS_ONLY,)
    statistics = {
        "copies": "copies made",
        "allocations": "buffers allocated",
        "in-place": "writes in place",
    }
    bufferize_function_boundaries: bool = option(False, "bufferize function arguments, results and calls")

    def run(self, op: Operation, ctx: PassContext) -> None:
        counts = one_shot_bufferize(
            cast(ModuleOp, op), function_boundaries=self.bufferize_function_boundaries
        )
        for name, count in counts.items():
            ctx.count(name, count)
