"""From a module to an executable: the passes that are left to run, and code for each set of shapes."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.arguments import arrange_inputs, check_input
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.lowering.codegen.target import host_target
from lamina.lowering.executable import Executable
from lamina.lowering.pipelines import remaining_passes
from lamina.lowering.signature import find_entry, signature_of
from lamina.passes.framework.manager import Instrumentation, PassManager
from lamina.passes.framework.timing import TimePasses
from lamina.passes.general._symbols import references_of, symbols_of
from lamina.passes.nn.nn_set_shapes import set_shapes

if TYPE_CHECKING:
    from lamina.lowering.profiling import Profile

_LOWERED = {"bufferization", "linalg", "memref", "vector"}
"""Dialects whose ops do not infer the shapes of their results."""
MAX_SPECIALIZATIONS = 16
"""Sets of shapes whose code is kept; the one that was not used for longest goes first."""


Shapes: TypeAlias = tuple[tuple[int, ...], ...]
"""The shapes of all inputs."""


class _Slot:
    """The code for one set of shapes, once there is any; the lock is held by the thread that makes it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.executable: Executable | None = None


class Specialized:
    """A model with dynamic shapes: called like an :class:`Executable`, compiled for each shape."""

    def __init__(self, module: ModuleOp, entry: str, threads: int | None) -> None:
        self.entry = entry
        self._module = module
        self._threads = threads
        self._signature = signature_of(find_entry(module, entry))
        self._made: OrderedDict[Shapes, _Slot] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def inputs(self) -> tuple[ArrayInfo, ...]:
        """Name, shape (-1 where dynamic) and dtype of each input."""
        return self._signature.inputs

    @property
    def outputs(self) -> tuple[ArrayInfo, ...]:
        """Name, shape (-1 where dynamic) and dtype of each output."""
        return self._signature.outputs

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """Run the model; the first call with new shapes compiles it for them."""
        arrays = self._checked(arrange_inputs(self.inputs, args, named))
        return self.executable_for(arrays)(*arrays, out=out)

    def run(self, inputs: Mapping[str, Any], out: Any = None) -> Any:
        """Run the model with inputs from a dict by name; ``out`` may be a dict, too."""
        arrays = self._checked(arrange_inputs(self.inputs, (), inputs))
        return self.executable_for(arrays)(*arrays, out=out)

    def _checked(self, values: list[Any]) -> list[Any]:
        return [check_input(info, value) for info, value in zip(self.inputs, values, strict=True)]

    def executable_for(self, arrays: list[Any]) -> Executable:
        """The code for the shapes of these inputs, compiled if there is none yet.

        Calls with shapes whose code exists do not wait for a compilation for others.
        """
        shapes = tuple(tuple(array.shape) for array in arrays)
        slot = self._slot(shapes)
        with slot.lock:
            if slot.executable is None:
                slot.executable = _compile_for(self._module, self.entry, shapes, self._threads)
            return slot.executable

    def _slot(self, shapes: Shapes) -> _Slot:
        with self._lock:
            slot = self._made.setdefault(shapes, _Slot())
            self._made.move_to_end(shapes)
            if len(self._made) > MAX_SPECIALIZATIONS:
                self._made.popitem(last=False)
            return slot

    def __repr__(self) -> str:
        takes = ", ".join(map(str, self.inputs))
        gives = ", ".join(map(str, self.outputs))
        return f"<Specialized {self.entry}({takes}) -> ({gives})>"


Compiled: TypeAlias = Executable | Specialized


def compile_module(module: ModuleOp, entry: str = "main", threads: int | None = None) -> Compiled:
    """Compile a module at any level; it is not changed. Raises :class:`LaminaError`."""
    if any(op.name == "llvm.func" for op in module.body.block.ops):
        module = module.clone()
        _use_threads(module, threads)
        return Executable.from_llvm_module(module, entry)
    signature = signature_of(find_entry(module, entry))
    if _dynamic(signature.inputs, signature.outputs):
        _check_shapes_can_be_set(module, entry)
    if _dynamic(signature.inputs):
        return Specialized(module.clone(), entry, threads)
    return _compile_for(module, entry, [info.shape for info in signature.inputs], threads)


def _compile_for(
    module: ModuleOp, entry: str, shapes: Sequence[Sequence[int]], threads: int | None
) -> Executable:
    """Compile a copy of a module, at any level, for shapes of its inputs."""
    original = weakref.ref(module)
    module = _specialised(module, entry, shapes)
    clock = TimePasses()
    lower(module, [clock])
    _use_threads(module, threads)
    executable = Executable.from_llvm_module(module, entry, timings=clock.seconds)
    fixed = tuple(tuple(shape) for shape in shapes)
    executable.measure = profiler(original, entry, fixed, threads)
    return executable


def _specialised(module: ModuleOp, entry: str, shapes: Sequence[Sequence[int]]) -> ModuleOp:
    """A copy of what a module needs for its entry, for shapes of the entry's inputs."""
    module = module.clone()
    keep_reachable(module, entry)
    function = find_entry(module, entry)
    signature = signature_of(function)
    if _dynamic(signature.inputs, signature.outputs):
        set_shapes(module, entry, shapes)
        for info in _dynamic(signature_of(function).outputs):
            raise error(
                f"gives a result whose shape does not follow from those of the inputs, {info}", function
            )
    return module


def profiler(
    source: Callable[[], ModuleOp | None], entry: str, shapes: Shapes, threads: int | None
) -> Callable[[Sequence[Any], int], Profile]:
    """What profiles a model: it is compiled again, with clocks around its kernels."""

    def measure(inputs: Sequence[Any], calls: int) -> Profile:
        from lamina.lowering.profiling import measure

        module = source()
        if module is None:
            raise error(
                "cannot be profiled: its module is gone", hint="keep the module, or compile the model's file"
            )
        module = _specialised(module, entry, shapes)
        lower(module, costs=True)
        _use_threads(module, threads)
        PassManager(verify_each=False).run(module, "instrument-dispatches")
        return measure(module, entry, inputs, calls, threads or host_target().cores)

    return measure


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


def _check_shapes_can_be_set(module: ModuleOp, entry: str) -> None:
    """Shapes are inferred from those of the inputs on ``nn``: what is lowered already keeps its own."""
    lowered = {op.name.split(".", 1)[0] for op in module.walk()} & _LOWERED
    if lowered:
        function = find_entry(module, entry)
        signature = signature_of(function)
        infos = ", ".join(map(str, _dynamic(signature.inputs, signature.outputs)))
        raise error(
            f"has dynamic shapes, {infos}, and is lowered to '{min(lowered)}' already",
            function,
            hint="run `nn-set-shapes` before `convert-nn-to-linalg`",
        )
