"""From LLVM IR text to functions that can be called, in memory: optimise, assemble, link.

Object code is made once, by LLVM's code generator, and loaded with its JIT linker; the same bytes are
available as an object file. Constants stay where they are: symbols are bound to the addresses of NumPy
buffers. llvmlite holds one lock around each call into LLVM, and every compilation has a context of its own,
so compiling from several threads is safe (though not parallel).
"""

from __future__ import annotations

import ctypes
import itertools
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.builtins import BUILTIN_NAMES, BUILTINS_IR
from lamina.lowering.codegen.object_file import undefined_symbols
from lamina.lowering.codegen.target import Target, host_target, llvm_cpu

if TYPE_CHECKING:
    from llvmlite.binding import ModuleRef, TargetMachine

_library_numbers = itertools.count()


@dataclass(frozen=True)
class ObjectCode:
    """What LLVM made of a module for one target."""

    object_bytes: bytes = field(repr=False)
    """A relocatable object file (ELF on Linux)."""
    timings: dict[str, float]
    """Seconds for ``parse``, ``optimise`` and ``codegen``."""


class LoadedCode:
    """Object code in memory; lives as long as someone holds it or a function of it."""

    def __init__(self, tracker: Any, exports: Iterable[str], keep_alive: object) -> None:
        self._tracker = tracker
        self._keep_alive = keep_alive
        self.addresses: dict[str, int] = {name: tracker[name] for name in exports}

    def function(self, name: str, *argument_types: Any) -> Callable[..., None]:
        """A function without result that is called without the interpreter lock."""
        function = ctypes.CFUNCTYPE(None, *argument_types)(self.addresses[name])
        cast(Any, function).code = self  # a function keeps its code loaded
        return function


def compile_to_object(text: str, target: Target | None = None, level: int = 3) -> ObjectCode:
    """Optimise LLVM IR text for a target and assemble it."""
    timings: dict[str, float] = {}
    machine = _machine(target or host_target(), level)
    module = _optimised(text, machine, level, timings)
    with _Timed(timings, "codegen"):
        data = machine.emit_object(module)
    return ObjectCode(data, timings)


def compile_to_assembly(text: str, target: Target | None = None, level: int = 3) -> str:
    """The assembly of the same code as :func:`compile_to_object` gives."""
    machine = _machine(target or host_target(), level)
    return machine.emit_assembly(_optimised(text, machine, level, {}))


def optimise(text: str, target: Target | None = None, level: int = 3) -> str:
    """The LLVM IR after LLVM's optimiser."""
    return str(_optimised(text, _machine(target or host_target(), level), level, {}))


def load_object(
    data: bytes, exports: Iterable[str], symbols: Mapping[str, int] | None = None, keep_alive: object = None
) -> LoadedCode:
    """Link object code into this process.

    ``symbols`` gives addresses of undefined symbols; the C and mathematics libraries and :mod:`builtins`
    define others; one that nobody defines is a :class:`LaminaError`. ``keep_alive`` is held as long as the
    code, for the owners of those addresses.
    """
    import llvmlite.binding as llvm

    exports = tuple(exports)
    builder = llvm.JITLibraryBuilder().add_object_img(data)
    for name in undefined_symbols(data):
        builder.import_symbol(name, _address_of_symbol(name, symbols or {}))
    for name in exports:
        builder.export_symbol(name)
    try:
        tracker = builder.link(_linker(), f"lamina_{next(_library_numbers)}")
    except RuntimeError as failure:
        raise error(f"cannot link the compiled code: {failure}") from failure
    return LoadedCode(tracker, exports, keep_alive)


def _address_of_symbol(name: str, symbols: Mapping[str, int]) -> int:
    if name in symbols:
        return symbols[name]
    if name in BUILTIN_NAMES:
        return _builtins().addresses[name]
    for library in _system_libraries():
        with suppress(AttributeError):
            return ctypes.cast(library[name], ctypes.c_void_p).value or 0
    raise error(
        f"the compiled code calls '{name}', which nothing in this process defines",
        hint="only functions of the C and mathematics libraries can be called",
    )


@cache
def _system_libraries() -> list[ctypes.CDLL]:
    """The process itself (with its C library), and the mathematics library."""
    libraries = [ctypes.CDLL(None)]
    with suppress(OSError):  # a C library that holds its mathematics itself
        libraries.append(ctypes.CDLL("libm.so.6"))
    return libraries


@cache
def _builtins() -> LoadedCode:
    return load_object(compile_to_object(BUILTINS_IR).object_bytes, BUILTIN_NAMES)


class IrText:
    """LLVM IR text kept in little memory, for assembly on demand."""

    def __init__(self, text: str) -> None:
        self._packed = zlib.compress(text.encode(), 1)

    def __str__(self) -> str:
        return zlib.decompress(self._packed).decode()


class _Timed:
    """Adds the seconds of a block to an entry of a dictionary."""

    def __init__(self, timings: dict[str, float], stage: str) -> None:
        self._timings, self._stage = timings, stage

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._timings[self._stage] = self._timings.get(self._stage, 0.0) + time.perf_counter() - self._start


@cache
def _initialize() -> None:
    """Register this machine's code generator."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()


@cache
def _machine(target: Target, level: int) -> TargetMachine:
    """LLVM's description of a target.

    Position-independent small code: constants of the code are near it, and what is bound to addresses
    anywhere in memory is reached through a table.
    """
    import llvmlite.binding as llvm

    _initialize()
    triple, cpu, features = llvm_cpu(target)
    try:
        description = llvm.Target.from_triple(triple)
    except RuntimeError as failure:
        raise error(f"no code generator for the target '{triple}': {failure}") from failure
    return description.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small"
    )


@cache
def _linker() -> Any:
    """The process's linker (one: it takes milliseconds to make). Code is unloaded with its last user."""
    import llvmlite.binding as llvm

    _initialize()
    triple, cpu, features = llvm_cpu(host_target())
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, reloc="pic", codemodel="small"
    )
    return llvm.create_lljit_compiler(machine, use_jit_link=True)


def _optimised(text: str, machine: TargetMachine, level: int, timings: dict[str, float]) -> ModuleRef:
    """The parsed module after the standard pipeline with both vectorisers."""
    import llvmlite.binding as llvm

    with _Timed(timings, "parse"):
        module = _parse(text, machine)
    with _Timed(timings, "optimise"):
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = options.slp_vectorization = level > 1
        options.loop_interleaving = options.loop_unrolling = level > 1
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return module


def _parse(text: str, machine: TargetMachine) -> ModuleRef:
    """Parse and verify; the data layout comes first, because default alignments follow from it."""
    import llvmlite.binding as llvm

    if "target datalayout" not in text[:1000]:
        layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
        text = layout + text
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as failure:
        raise error(
            f"LLVM does not accept the generated code: {failure}".rstrip(),
            hint="this is a bug of a conversion to the llvm dialect, or an operation in the wrong form",
        ) from failure
    return module
