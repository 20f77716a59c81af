"""From LLVM IR text to functions that can be called, in memory: optimise, assemble, link.

Object code is made once, by LLVM's code generator, and loaded with its JIT linker; the same bytes are
available as an object file. Constants stay where they are: symbols are bound to the addresses of NumPy
buffers. Every compilation has a context and a target machine of its own, so several threads compile at the
same time.
"""

from __future__ import annotations

import ctypes
import itertools
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.builtins import BUILTIN_NAMES, BUILTINS_IR
from lamina.lowering.codegen.object_file import unresolved_symbols
from lamina.lowering.codegen.target import Target, host_target, llvm_cpu
from lamina.lowering.codegen.worker_pool_ir import RUN_CHUNKS

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


def compile_to_object(
    text: str, target: Target | None = None, level: int = 3, *, codegen_level: int | None = None
) -> ObjectCode:
    """Optimise LLVM IR text for a target and assemble it; the code generator may have a level of its own."""
    timings: dict[str, float] = {}
    machine = _machine(target or host_target(), level if codegen_level is None else codegen_level)
    module = _optimised(text, machine, level, timings)
    with _Timed(timings, "codegen"):
        data = _emit(machine, module)
    return ObjectCode(data, timings)


def compile_parts(texts: Sequence[str], target: Target | None = None, level: int = 3) -> list[ObjectCode]:
    """The objects of several texts, compiled at the same time on all cores."""
    target = target or host_target()
    if len(texts) == 1 or target.cores == 1:
        return [compile_to_object(text, target, level) for text in texts]
    with ThreadPoolExecutor(min(len(texts), target.cores)) as pool:
        return list(pool.map(lambda text: compile_to_object(text, target, level), texts))


def compile_to_assembly(text: str, target: Target | None = None, level: int = 3) -> str:
    """The assembly of the same code as :func:`compile_to_object` gives."""
    machine = _machine(target or host_target(), level)
    return _emit(machine, _optimised(text, machine, level, {}), as_object=False).decode()


def optimise(text: str, target: Target | None = None, level: int = 3) -> str:
    """The LLVM IR after LLVM's optimiser."""
    return str(_optimised(text, _machine(target or host_target(), level), level, {}))


def load_object(
    data: bytes | Sequence[bytes],
    exports: Iterable[str],
    symbols: Mapping[str, int] | None = None,
    keep_alive: object = None,
) -> LoadedCode:
    """Link object code (of one object, or of several that use each other) into this process.

    ``symbols`` gives addresses of undefined symbols; the C and mathematics libraries and :mod:`builtins`
    define others; one that nobody defines is a :class:`LaminaError`. ``keep_alive`` is held as long as the
    code, for the owners of those addresses.
    """
    import llvmlite.binding as llvm

    exports = tuple(exports)
    objects = [data] if isinstance(data, bytes) else data
    builder = llvm.JITLibraryBuilder()
    for item in objects:
        builder.add_object_img(item)
    for name in unresolved_symbols(objects):
        builder.import_symbol(name, _address_of_symbol(name, symbols or {}))
    for name in exports:
        builder.export_symbol(name)
    try:
        tracker = builder.link(_linker(), f"lamina_{next(_library_numbers)}")
    except RuntimeError as failure:
        raise error(f"cannot link the compiled code: {failure}") from failure
    return LoadedCode(tracker, exports, keep_alive)


def stays_loaded(code: LoadedCode) -> None:
    """Never unload code, not even when the interpreter ends: other threads may be in it."""
    for item in (code, _linker()):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(item))


def _address_of_symbol(name: str, symbols: Mapping[str, int]) -> int:
    if name in symbols:
        return symbols[name]
    if name in BUILTIN_NAMES:
        return _builtins().addresses[name]
    if name == RUN_CHUNKS:
        from lamina.lowering.codegen.worker_pool import worker_pool

        return worker_pool().addresses[name]
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
    from lamina.lowering.codegen.support import support_object

    return load_object(support_object(BUILTINS_IR), BUILTIN_NAMES)


class IrText:
    """LLVM IR texts of the parts of a module, kept in little memory, for listings on demand."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        self.packed = tuple(packed)
        """The texts as zlib compresses them."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> IrText:
        """The text of each part."""
        return cls([zlib.compress(text.encode(), 1) for text in texts])

    def parts(self) -> list[str]:
        """The texts as they were compiled."""
        return [zlib.decompress(packed).decode() for packed in self.packed]

    def linked(self, *others: str) -> str:
        """The parts, and other texts, as one module."""
        import llvmlite.binding as llvm

        texts = [*self.parts(), *others]
        if len(texts) == 1:
            return texts[0]
        context = llvm.create_context()
        module = llvm.parse_assembly(texts[0], context)
        for text in texts[1:]:
            module.link_in(llvm.parse_assembly(text, context))
        return str(module)


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
    from llvmlite.binding import ffi

    with _Timed(timings, "parse"):
        module = _parse(text, machine)
    with _Timed(timings, "optimise"):
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = options.slp_vectorization = level > 1
        options.loop_interleaving = options.loop_unrolling = level > 1
        builder = llvm.create_pass_builder(machine, options)
        manager = builder.getModulePassManager()
        _unlocked().LLVMPY_RunNewModulePassManager(manager, module, builder)
        # llvmlite 0.50 never frees a pass manager: its class inherits an empty method for it.
        ffi.lib.LLVMPY_DisposeNewModulePassManger(manager)
        manager.detach()
    return module


def _emit(machine: TargetMachine, module: ModuleRef, *, as_object: bool = True) -> bytes:
    """Object code, or assembly."""
    from llvmlite.binding import ffi

    with ffi.OutputString() as problem:
        buffer = _unlocked().LLVMPY_TargetMachineEmitToMemory(machine, module, int(as_object), problem)
        if not buffer:
            raise error(f"LLVM cannot generate code: {problem}")
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


@cache
def _unlocked() -> Any:
    """llvmlite's library without the lock that llvmlite holds around each call.

    For the two calls that take nearly all the time. They touch only objects of the calling thread: LLVM
    shares nothing between contexts.
    """
    from llvmlite.binding import ffi

    library = ctypes.CDLL(ffi.lib._name)
    for name in ("LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"):
        locked, unlocked = getattr(ffi.lib, name), getattr(library, name)
        unlocked.argtypes, unlocked.restype = locked.argtypes, locked.restype
    return library


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
