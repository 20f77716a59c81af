"""A model whose shapes are open: code for each set of shapes, made or found at the first call with it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.arguments import arrange_inputs, check_input
from lamina.lowering.codegen.signature import ArrayInfo, EntrySignature
from lamina.lowering.executable import Executable, MemoryUse

if TYPE_CHECKING:
    from lamina.lowering.profiling import Profile

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

    def __init__(
        self, entry: str, signature: EntrySignature, compile_for: Callable[[Shapes], Executable]
    ) -> None:
        self.entry = entry
        self._signature = signature
        self._compile_for = compile_for
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
        arrays = self._arranged(args, named)
        return self._code_for(arrays)(*arrays, out=out)

    def run(self, inputs: Mapping[str, Any], out: Any = None) -> Any:
        """Run the model with inputs from a dict by name; ``out`` may be a dict, too."""
        arrays = self._arranged((), inputs)
        return self._code_for(arrays)(*arrays, out=out)

    def profile(self, *args: Any, calls: int = 10, **named: Any) -> Profile:
        """Time, GFLOP/s and GB/s of each kernel for the given inputs: see :meth:`Executable.profile`."""
        arrays = self._arranged(args, named)
        return self._code_for(arrays).profile(*arrays, calls=calls)

    def memory(self, *args: Any, **named: Any) -> MemoryUse:
        """Bytes of working memory and of constants; for which shapes, see :meth:`executable_for`."""
        return self.executable_for(*args, **named).memory()

    def llvm_ir(self, *args: Any, **named: Any) -> str:
        """The LLVM IR before LLVM's optimiser; for which shapes, see :meth:`executable_for`."""
        return self.executable_for(*args, **named).llvm_ir()

    def asm(self, *args: Any, **named: Any) -> str:
        """The assembly of the machine code; for which shapes, see :meth:`executable_for`."""
        return self.executable_for(*args, **named).asm()

    def object_bytes(self, *args: Any, **named: Any) -> bytes:
        """The model as one object file; for which shapes, see :meth:`executable_for`."""
        return self.executable_for(*args, **named).object_bytes()

    def executable_for(self, *args: Any, **named: Any) -> Executable:
        """The code for the shapes of some inputs, made if there is none yet; without inputs, that used last.

        Raises :class:`LaminaError` where nothing is given and nothing was called.
        """
        if args or named:
            return self._code_for(self._arranged(args, named))
        with self._lock:
            made = [slot.executable for slot in self._made.values() if slot.executable is not None]
        if not made:
            hint = "give inputs of the shapes that are meant, or call the model first"
            raise error(f"'{self.entry}' has code for no shapes yet", hint=hint)
        return made[-1]

    def _arranged(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """The inputs as arrays of the right types, in order."""
        values = arrange_inputs(self.inputs, args, named)
        return [check_input(info, value) for info, value in zip(self.inputs, values, strict=True)]

    def _code_for(self, arrays: Sequence[Any]) -> Executable:
        """The code for the shapes of these inputs, compiled if there is none yet.

        Calls with shapes whose code exists do not wait for a compilation for others.
        """
        shapes = tuple(tuple(array.shape) for array in arrays)
        slot = self._slot(shapes)
        with slot.lock:
            if slot.executable is None:
                slot.executable = self._compile_for(shapes)
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
