"""A compiled model: arrays in, arrays out, native code in between."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.arguments import (
    arrange_inputs,
    arrange_outputs,
    check_input,
    check_overlap,
)
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.fast_call import CallableBase, attach
from lamina.lowering.codegen.jit import compile_to_assembly, compile_to_object, load_object
from lamina.lowering.codegen.memory import ArenaPool, address_of
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.lowering.codegen.target import Target, host_target
from lamina.lowering.codegen.worker_pool_ir import ON_CALLER_IR, RUN_CHUNKS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from lamina.lowering.profiling import Profile


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that a compiled model needs besides its inputs and outputs."""

    arena: int
    """Working memory of one call."""
    constants: int
    """Weights and other constants, shared by all calls."""


class Executable(CallableBase):
    """A compiled entry of a module, called with NumPy arrays.

    ``exe(x, y)``, ``exe(x=…)`` by the model's input names, ``exe.run({"x": …})`` where a name is no
    identifier or is ``out``. The result is one array, or a tuple in the order of the results; with ``out=``
    results are written to given arrays, and nothing is allocated.

    Calls from several threads run at the same time: each takes its working memory from a pool, and the
    interpreter lock is released while native code runs. A Ctrl-C is noticed when the native code returns.
    """

    def __init__(
        self,
        code: CompiledCode,
        timings: Mapping[str, float],
        *,
        target: Target | None = None,
        symbols: Mapping[str, int] | None = None,
    ) -> None:
        """Link code into this process.

        ``timings`` are those of earlier stages, ``symbols`` addresses of what the code leaves undefined.
        """
        signature = code.signature
        self.entry = code.entry
        self.target = target or host_target()
        self.measure: Callable[[Sequence[Any], int], Profile] | None = None
        """Profiles the model on some inputs; set by who knows what the code was made from."""
        self._signature = signature
        self._ir = code.ir
        self._constant_bytes = code.constant_bytes
        started = time.perf_counter()
        bound = {**{name: address_of(array) for name, array in code.constants.items()}, **(symbols or {})}
        loaded = load_object(code.objects, [code.entry], bound, keep_alive=code.constants)
        self._arenas = ArenaPool(signature.arena_bytes)
        self._function = loaded.function(code.entry, *[ctypes.c_void_p] * len(signature.order))
        self._names = [info.name for info in signature.inputs]
        natural = tuple(range(len(signature.order)))
        self._order = None if signature.order == natural else signature.order
        self._attached = attach(self, signature, loaded.addresses[code.entry])
        self.timings = {**timings, "link": time.perf_counter() - started}
        """Seconds of compilation by stage."""

    @classmethod
    def from_llvm_module(
        cls,
        module: ModuleOp,
        entry: str = "main",
        target: Target | None = None,
        timings: Mapping[str, float] | None = None,
        symbols: Mapping[str, int] | None = None,
    ) -> Executable:
        """Compile a module of the llvm dialect for this machine.

        The entry's arguments carry ``lamina.type`` and the other attributes that
        :mod:`lamina.lowering.codegen.signature` names.
        """
        from lamina.lowering.codegen.llvm_module import compile_llvm_module

        target = target or host_target()
        if not target.is_host:
            raise error(f"code for '{target.triple or target.cpu}' cannot run in this process")
        code, stages = compile_llvm_module(module, entry, target)
        return cls(code, {**(timings or {}), **stages}, target=target, symbols=symbols)

    @property
    def inputs(self) -> tuple[ArrayInfo, ...]:
        """Name, shape and dtype of each input."""
        return self._signature.inputs

    @property
    def outputs(self) -> tuple[ArrayInfo, ...]:
        """Name, shape and dtype of each output."""
        return self._signature.outputs

    def memory(self) -> MemoryUse:
        """Bytes of working memory and of constants."""
        return MemoryUse(self._signature.arena_bytes, self._constant_bytes)

    def llvm_ir(self) -> str:
        """The LLVM IR before LLVM's optimiser, as one module."""
        return self._ir.linked()

    def asm(self) -> str:
        """The assembly of the machine code: a listing, part after part where it was compiled in parts."""
        return "\n".join(compile_to_assembly(text, self.target) for text in self._ir.parts())

    def object_bytes(self) -> bytes:
        """The model as one object file; its constants are undefined symbols.

        Parallel regions run on their caller, unless what the file is linked with defines
        ``lamina_parallel``.
        """
        others = (ON_CALLER_IR,) if any(f"@{RUN_CHUNKS}(" in text for text in self._ir.parts()) else ()
        return compile_to_object(self._ir.linked(*others), self.target).object_bytes

    def _call(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """Run the model: inputs by position or name; results in ``out`` or in new arrays.

        What calls of the executable itself come to, unless native code has checked the arrays and run them.
        """
        if named or len(args) != len(self._signature.inputs):
            return self._run(self._arranged(args, named), out)
        return self._run(args, out)

    def profile(self, *args: Any, calls: int = 10, **named: Any) -> Profile:
        """Time, GFLOP/s and GB/s of each kernel for the given inputs, with the operation it came from.

        The model is compiled once more with clocks around its kernels, and called ``calls`` times; a kernel's
        time is that of its fastest call. Prints as a table.
        """
        if self.measure is None:
            raise error("cannot be profiled: it was made from code of the llvm dialect")
        return self.measure(self._arranged(args, named), calls)

    def run(self, inputs: Mapping[str, Any], out: Any = None) -> Any:
        """Run the model with inputs from a dict by name; ``out`` may be a dict, too."""
        return self._run(self._arranged((), inputs), out)

    def _arranged(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """The values in the order of the inputs."""
        if not args and len(named) == len(self._names):
            with suppress(KeyError):
                return [named[name] for name in self._names]
        return arrange_inputs(self._signature.inputs, args, named)

    def _run(self, given: Sequence[Any], out: Any) -> Any:
        signature = self._signature
        arrays: list[np.ndarray] = []
        addresses: list[int] = []
        for info, value in zip(signature.inputs, given, strict=True):
            ready = (
                type(value) is np.ndarray
                and value.dtype is info.dtype
                and value.shape == info.shape
                and value.flags.carray
            )
            if not ready:
                value = check_input(info, value)
            arrays.append(value)
            addresses.append(address_of(value))
        updates = dict(signature.updates)
        if out is None:
            results = [
                arrays[updates[i]] if i in updates else np.empty(info.shape, info.dtype)
                for i, info in enumerate(signature.outputs)
            ]
            addresses += [address_of(array) for array in results]
        else:
            results = arrange_outputs(signature.outputs, out)
            addresses += [address_of(array) for array in results]
            check_overlap(signature, addresses)
        self._invoke(addresses)
        for result, place in updates.items():
            if results[result] is not arrays[place]:
                np.copyto(results[result], arrays[place])
        return results[0] if len(results) == 1 else tuple(results)

    def _invoke(self, addresses: list[int]) -> None:
        """Call the native code with an arena of its own."""
        arena = self._arenas.take() if self._signature.has_arena else None
        if arena is not None:
            addresses.append(arena.address)
        if self._order is not None:
            addresses = [addresses[place] for place in self._order]
        try:
            self._function(*addresses)
        finally:
            if arena is not None:
                self._arenas.give_back(arena)

    def __repr__(self) -> str:
        takes = ", ".join(map(str, self.inputs))
        gives = ", ".join(map(str, self.outputs))
        return f"<Executable {self.entry}({takes}) -> ({gives})>"
