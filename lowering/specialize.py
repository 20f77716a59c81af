"""The passes that a module still needs, and native code for one set of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.llvm_module import compile_llvm_module
from lamina.lowering.codegen.signature import ArrayInfo, EntrySignature
from lamina.lowering.codegen.target import host_target
from lamina.lowering.pipelines import remaining_passes
from lamina.lowering.signature import find_entry, signature_of
from lamina.lowering.specialized import Shapes
from lamina.passes.framework.manager import Instrumentation, PassManager
from lamina.passes.framework.timing import TimePasses
from lamina.passes.general._symbols import references_of, symbols_of
from lamina.passes.nn.nn_set_shapes import set_shapes

if TYPE_CHECKING:
    from lamina.lowering.profiling import Profile

_LOWERED = {"bufferization", "memref", "vector"}
"""Dialects whose ops do not infer the shapes of their results."""


def open_signature(module: ModuleOp, entry: str) -> EntrySignature | None:
    """The signature of an entry that has to be specialised, whose inputs leave shapes open; None otherwise.

    Raises :class:`LaminaError` where open shapes cannot be set.
    """
    if _is_lowered(module):
        return None
    function = find_entry(module, entry)
    _check_types(function)
    signature = signature_of(function)
    if _dynamic(signature.inputs, signature.outputs):
        _check_shapes_can_be_set(module, entry)
    return signature if _dynamic(signature.inputs) else None


def compile_code(
    module: ModuleOp, entry: str, shapes: Shapes | None, threads: int | None, *, spent: bool = False
) -> tuple[CompiledCode, dict[str, float]]:
    """Code of a module at any level for shapes of its inputs (None: as they are).

    Also the seconds that each stage took. The module is not changed, unless it is ``spent``: nobody needs it
    afterwards, and its constants go as soon as others have taken their place. Raises :class:`LaminaError`.
    """
    clock = TimePasses()
    if not spent:
        module = module.clone()
    if not _is_lowered(module):
        if shapes is None:
            shapes = tuple(info.shape for info in signature_of(find_entry(module, entry)).inputs)
        _specialise(module, entry, shapes)
        lower(module, [clock])
    _use_threads(module, threads)
    code, stages = compile_llvm_module(module, entry, host_target())
    return code, {**clock.seconds, **stages}


def _is_lowered(module: ModuleOp) -> bool:
    return any(op.name == "llvm.func" for op in module.body.block.ops)


def _specialise(module: ModuleOp, entry: str, shapes: Sequence[Sequence[int]]) -> None:
    """Leave of a module what its entry needs, for shapes of the entry's inputs."""
    keep_reachable(module, entry)
    function = find_entry(module, entry)
    signature = signature_of(function)
    if _dynamic(signature.inputs, signature.outputs):
        set_shapes(module, entry, shapes)
        for info in _dynamic(signature_of(function).outputs):
            raise error(
                f"gives a result whose shape does not follow from those of the inputs, {info}", function
            )


def profile(
    module: ModuleOp | None,
    entry: str,
    shapes: Shapes,
    threads: int | None,
    inputs: Sequence[Any],
    calls: int,
) -> Profile:
    """Compile a module again, with clocks around its kernels, and measure some calls."""
    from lamina.lowering.profiling import measure

    if module is None:
        raise error(
            "cannot be profiled: its module is gone", hint="keep the module, or compile the model's file"
        )
    if _is_lowered(module):
        raise error("cannot be profiled: it was made from code of the llvm dialect")
    module = module.clone()
    _specialise(module, entry, shapes)
    lower(module, costs=True)
    _use_threads(module, threads)
    PassManager(verify_each=False).run(module, "instrument-dispatches")
    return measure(module, entry, inputs, calls, threads or host_target().cores)


def keep_reachable(module: ModuleOp, entry: str) -> None:
    """Remove functions that the entry does not call, directly or not: other losses, gradients of them."""
    symbols = symbols_of(module)
    pending, reached = [entry], {entry}
    while pending:
        for op in symbols[pending.pop()].walk():
            for reference in references_of(op):
                name = reference.root_reference.data
                if name in symbols and name not in reached:
                    reached.add(name)
                    pending.append(name)
    for name, op in symbols.items():
        if isinstance(op, FuncOp) and name not in reached:
            op.detach()
            op.erase()


def _use_threads(module: ModuleOp, threads: int | None) -> None:
    """Hand the chunks of parallel regions to threads: as many as asked for, or as this process has cores."""
    count = host_target().cores if threads is None else threads
    if count > 1:
        PassManager(verify_each=False).run(module, f"parallel-regions-to-worker-pool{{threads={count}}}")


def lower(module: ModuleOp, instrumentation: Sequence[Instrumentation] = (), *, costs: bool = False) -> None:
    """Take a module of fixed shapes down to the llvm dialect, in place, by the passes it still needs.

    With ``costs``, dispatches say what they compute and move.
    """
    PassManager(verify_each=False, instrumentation=list(instrumentation)).run(
        module, remaining_passes(module, host_target(), costs=costs)
    )


def _dynamic(*groups: Sequence[ArrayInfo]) -> list[ArrayInfo]:
    """The inputs or outputs whose shape is not known."""
    return [info for group in groups for info in group if any(n < 0 for n in info.shape)]


def _check_types(function: FuncOp) -> None:
    """A compiled entry is called with the addresses of arrays."""
    kinds = function.function_type
    for what, types in (("takes", kinds.inputs.data), ("returns", kinds.outputs.data)):
        other = next((kind for kind in types if not isinstance(kind, TensorType | MemRefType)), None)
        if other is not None:
            raise error(
                f"{what} a value of type {other}; a compiled entry takes and returns tensors or buffers",
                function,
                hint=f"write tensor<{other}> for one number, or interpret it (lamina-run --interpret)",
            )


def _check_shapes_can_be_set(module: ModuleOp, entry: str) -> None:
    """Shapes follow from those of the inputs as long as values are tensors."""
    lowered = {op.name.split(".", 1)[0] for op in module.walk()} & _LOWERED
    if lowered:
        function = find_entry(module, entry)
        signature = signature_of(function)
        infos = ", ".join(map(str, _dynamic(signature.inputs, signature.outputs)))
        raise error(
            f"has dynamic shapes, {infos}, and is lowered to '{min(lowered)}' already",
            function,
            hint="write the shapes into the types, or run `nn-set-shapes` while values are tensors",
        )
