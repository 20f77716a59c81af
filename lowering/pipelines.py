"""The named pipelines: how a model gets from ``nn`` to machine code, step by step.

Each step's comment says why it stands where it stands. Any prefix of a pipeline is itself a place to stop,
print, edit and go on from.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from lamina.lowering.codegen.target import Target
from lamina.lowering.llvm import LLVM_PASSES
from lamina.passes.framework.registry import NamedPipeline

MODEL_PASSES = (
    "convert-onnx-to-nn",  # a file's operators become nn ops; nothing to do for a model in nn
    "convert-stablehlo-to-nn",  # likewise
    "canonicalize",  # shapes that are known fold, so that later patterns see constants
    "nn-fold-batch-norm",  # before layouts change: the convolution and its normalisation still stand together
    "nn-propagate-layout",  # convolutions vectorise over channels, which must be innermost
    "nn-expand",  # after layouts are chosen: what stands for several simpler ops has them channels-last
    "nn-constant-fold",  # transposed weights and other constant subgraphs, after everything that makes them
    "canonicalize",
    "cse",
)

FROM_STABLEHLO = ",".join(
    (
        "inline",  # a loop's bounds and a body's operations may stand in functions of their own
        "convert-stablehlo-to-nn",
        "canonicalize",
        "cse",
    )
)
"""From the text of JAX to `nn`."""

LINALG_PASSES = (
    "convert-nn-to-linalg",
    "canonicalize",
    "cse",
    "linalg-sink-reshapes",  # before fusion, which reads through them: epilogues meet their kernels
    "linalg-fuse-elementwise-ops",  # chains become one loop nest, before each root gets its own function
    "canonicalize",
    "cse",
)

SCHEDULE = "func.func(cpu-default-schedule)"
"""For AVX2, so that text is the same everywhere; :func:`remaining_passes` decides for one machine."""

WINOGRAD = "winograd-convolutions"
"""For the same caches."""

STREAM = "stream-large-outputs"
"""For a last cache of 32 MiB."""

PREFETCH = "func.func(prefetch-next-rows)"
"""For a second-level cache of 512 KiB."""

MERGE = "merge-equal-dispatches"

DISPATCH_PASSES = (
    "form-dispatches",  # a root and its epilogue become one function: the unit of scheduling and compiling
    MERGE,  # before anything is done per function: equal kernels are compiled once
    WINOGRAD,  # while convolutions are whole, filters constants: the algorithm, before its schedule
    "linalg-collapse-loops",  # few long loops: tiles that divide them waste less
    SCHEDULE,  # choices become attributes that can be read and edited
    "pack-constant-operands",  # once tiles are known: weights lie in the order in which they are read
    "vectorize-dispatches",  # while values are tensors: no aliasing to prove
    "canonicalize",
    "cse",
)

BUFFER_PASSES = (
    "fill-borders",  # while a padding is still a fill and an insertion
    "eliminate-empty-tensors",  # results are computed where they are wanted: fewer copies below
    "one-shot-bufferize{bufferize-function-boundaries=true}",
    "buffer-results-to-out-params",  # the entry writes into its caller's arrays
    "update-donated-arguments",  # before buffers are planned: what is computed in place needs none
    "func.func(fuse-parallel-loops)",  # rows stay in the cache from one loop over them to the next
    PREFETCH,  # once the passes over a row stand together
    "parallelize-dispatches",  # before memory is planned: each chunk has scratch of its own
    "plan-arena",  # after all allocations are known: one block of memory, planned now
    "canonicalize",
    "cse",
)

LOOP_PASSES = (
    "convert-linalg-to-loops",  # what was not vectorised
    "convert-memref-copy-to-loops",  # copies with gaps; the others become block copies of memory
    "promote-reduction-accumulators",  # a sum in a register lets LLVM vectorise the loop around it
    "canonicalize",
    "cse",
)

MACHINE_PASSES = (
    "lower-vector-multi-dim",  # n-d vectors stay whole until here: small IR
    STREAM,  # once stores are rows: whether they fill lines is known
    "math-polynomial-approximation",
    "canonicalize",
    "cse",
    "annotate-entry",  # shapes and element types go onto the entry's arguments before they become pointers
    *LLVM_PASSES,  # the conversions to the llvm dialect, in their own order
    "canonicalize",
    "cse",
)

TO_LINALG = (*MODEL_PASSES, *LINALG_PASSES)
TO_LOOPS = (*TO_LINALG, *DISPATCH_PASSES, *BUFFER_PASSES, *LOOP_PASSES)
TO_LLVM = (*TO_LOOPS, *MACHINE_PASSES)


LEVELS: dict[str, tuple[str, ...]] = {
    "nn-simplified": MODEL_PASSES,
    "linalg": LINALG_PASSES,
    "dispatches": DISPATCH_PASSES,
    "buffers": BUFFER_PASSES,
    "loops": LOOP_PASSES,
    "llvm": MACHINE_PASSES,
}
"""The levels below a model as it is read, and the passes from each level to the next."""


def _named(name: str, passes: tuple[str, ...], summary: str) -> tuple[str, NamedPipeline]:
    return name, NamedPipeline(name, ",".join(passes), summary)


PIPELINES: dict[str, NamedPipeline] = dict(
    (
        _named("lower-to-linalg", TO_LINALG, "From nn (or a level above) to fused linalg on tensors"),
        _named("lower-to-loops", TO_LOOPS, "From nn (or a level above) to loops on buffers"),
        _named("lower-to-llvm", TO_LLVM, "From nn (or a level above) to the llvm dialect"),
    )
)


def remaining_passes(module: ModuleOp, target: Target, *, costs: bool = False) -> str:
    """The passes that a module at any level still needs on its way to the ``llvm`` dialect of a machine.

    With ``costs``, dispatches say what they compute and move, for a profile.
    """
    passes = ",".join(_remaining(module))
    if costs:
        passes = passes.replace(MERGE, f"{MERGE},annotate-dispatch-costs")
    passes = passes.replace(WINOGRAD, f"{WINOGRAD}{{l2-bytes={target.l2_bytes}}}")
    passes = passes.replace(STREAM, f"{STREAM}{{least-bytes={target.l3_bytes}}}")
    passes = passes.replace(PREFETCH, f"func.func(prefetch-next-rows{{l2-bytes={target.l2_bytes}}})")
    return passes.replace(SCHEDULE, _schedule_for(target))


def _schedule_for(target: Target) -> str:
    options = {
        "vector-bits": target.vector_bits,
        "vector-registers": target.vector_registers,
        "l1-bytes": target.l1_bytes,
        "l2-bytes": target.l2_bytes,
    }
    text = " ".join(f"{name}={value}" for name, value in options.items())
    return f"func.func(cpu-default-schedule{{{text}}})"


_FORMAT_OF = {"convert-onnx-to-nn": "onnx", "convert-stablehlo-to-nn": "stablehlo"}


def _remaining(module: ModuleOp) -> tuple[str, ...]:
    names = {op.name for op in module.walk()}
    dialects = {name.split(".", 1)[0] for name in names}
    if dialects & {"nn", "onnx"}:
        # Conversions of formats that do not occur would only be imported.
        return tuple(step for step in TO_LLVM if _FORMAT_OF.get(step, "nn") in {"nn", *dialects})
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    if any(isinstance(t, TensorType) for f in functions for t in f.function_type.inputs.data):
        dispatched = any("lamina.dispatch" in f.attributes for f in functions)
        before = () if dispatched else (*LINALG_PASSES[1:], *DISPATCH_PASSES)
        return (*before, *BUFFER_PASSES, *LOOP_PASSES, *MACHINE_PASSES)
    return (*LOOP_PASSES, *MACHINE_PASSES)
