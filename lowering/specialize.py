"""From a module to an executable: the passes that are left to run, and code for each set of shapes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from lamina.lowering.codegen.arguments import arrange_inputs, check_input
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.lowering.codegen.target import host_target
from lamina.lowering.executable import Executable
from lamina.lowering.pipelines import remaining_passes
from lamina.lowering.signature import find_entry, signature_of
from lamina.passes.framework.manager import Instrumentation, PassManager
from lamina.passes.framework.timing import TimePasses

MAX_SPECIALIZATIONS = 16
"""Sets of shapes whose code is kept; the one that was not used for longest goes first."""


class Specialized:
    """A model with dynamic shapes: called like an :class:`Executable`, compiled for each shape."""

    def __init__(self, module: ModuleOp, entry: str, threads: int | None) -> None:
        self.entry = entry
        self._module = module
        self._threads = threads
        self._signature = signature_of(find_entry(module, entry))
        self._made: OrderedDict[tuple[tuple[int, ...], ...], Executable] = OrderedDict()
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
        """The code for the shapes of these inputs, compiled if there is none yet."""
        shapes = tuple(tuple(array.shape) for array in arrays)
        with self._lock:
            made = self._made.get(shapes)
            if made is None:
                made = self._compile(shapes)
                self._made[shapes] = made
                if len(self._made) > MAX_SPECIALIZATIONS:
                    self._made.popitem(last=False)
            self._made.move_to_end(shapes)
            return made

    def _compile(self, shapes: tuple[tuple[int, ...], ...]) -> Executable:
        from lamina.passes.nn.nn_set_shapes import set_shapes

        module = self._module.clone()
        set_shapes(module, self.entry, list(shapes))
        return _compile_static(module, self.entry, self._threads)

    def __repr__(self) -> str:
        takes = ", ".join(map(str, self.inputs))
        gives = ", ".join(map(str, self.outputs))
        return f"<Specialized {self.entry}({takes}) -> ({gives})>"


Compiled: TypeAlias = Executable | Specialized


def compile_module(module: ModuleOp, entry: str = "main", threads: int | None = None) -> Compiled:
    """Compile a module at any level; it is not changed. Raises :class:`LaminaError`."""
    if any(op.name == "llvm.func" for op in module.body.block.ops):
        return Executable.from_llvm_module(module, entry)
    if not signature_of(find_entry(module, entry)).is_static:
        return Specialized(module.clone(), entry, threads)
    return _compile_static(module.clone(), entry, threads)


def _compile_static(module: ModuleOp, entry: str, threads: int | None) -> Executable:
    clock = TimePasses()
    lower(module, [clock])
    return Executable.from_llvm_module(module, entry, timings=clock.seconds)


def lower(module: ModuleOp, instrumentation: Sequence[Instrumentation] = ()) -> None:
    """Take a module of fixed shapes down to the llvm dialect, in place, by the passes it still needs."""
    PassManager(verify_each=False, instrumentation=list(instrumentation)).run(
        module, remaining_passes(module, host_target())
    )
