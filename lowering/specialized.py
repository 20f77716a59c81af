"""A model whose shapes are open: code for each set of shapes, made or found at the first call with it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from lamina.lowering.codegen.arguments import arrange_inputs, check_input
from lamina.lowering.codegen.signature import ArrayInfo, EntrySignature
from lamina.lowering.executable import Executable

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
