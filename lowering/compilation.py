"""The public entry point ``compile``: from a model to an executable, or from the cache where it is there.

Imports nothing that only a compilation needs: what comes from the cache is called without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.dialects.core.diagnostics import error
from lamina.lowering.cache.kept import Kept
from lamina.lowering.cache.settings import cache_folder
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.signature import EntrySignature
from lamina.lowering.codegen.target import host_target
from lamina.lowering.executable import Executable
from lamina.lowering.sources import FileSource, ModuleSource, Source, source_of
from lamina.lowering.specialized import Shapes, Specialized
from lamina.passes.framework.collection import rare_collections

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from lamina.lowering.profiling import Profile

Compiled: TypeAlias = Executable | Specialized


def compile(
    module: ModuleOp | str | Path,
    entry: str = "main",
    threads: int | None = None,
    *,
    donate: Sequence[int | str] = (),
    cache: bool | str | Path | None = None,
    winograd: str | None = None,
    **named: Any,
) -> Compiled:
    """Compile a module (at any level) or a model file to native code for this machine.

    The module itself is not changed. Where shapes are dynamic, code is made at the first call with new
    shapes and kept. ``donate`` names arguments (by number or name) whose memory a call overwrites: results
    of their names or types are left there, and the call returns the caller's arrays. ``threads`` bounds the
    threads of a call, its own among them (default: the cores that this process may use); results do not
    depend on it.

    Code is also kept on disk, and found there at the next start: see docs/compile-time.md. ``cache`` is a
    folder, or False for none (default: what the environment's ``LAMINA_CACHE`` says, or a folder of this
    user).

    ``winograd`` is ``off``, ``f2``, ``f4`` or ``auto``, the default: whether 3 x 3 convolutions may take
    fewer products and round a little more.
    Raises :class:`LaminaError`.
    """
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise error(f"threads must be a whole number from 1, not {threads!r}")
    if named:
        raise error(f"compile has no option '{next(iter(named))}'")
    if winograd is None:
        source = source_of(module, entry, donate)
    else:
        source = ModuleSource(_with_winograd(module, winograd), entry, donate, owned=True)
    asked = {"entry": entry, "threads": threads or host_target().cores, "donate": list(donate)}
    with rare_collections():  # what is imported stays, too
        return _Compilation(source, entry, threads, Kept.of(cache_folder(cache), source, **asked)).run()


def _with_winograd(module: ModuleOp | str | Path, choice: str) -> ModuleOp:
    """A copy of a module that says how its convolutions are computed."""
    from xdsl.dialects.builtin import ModuleOp, StringAttr

    from lamina.lowering.api import load

    copy = module.clone() if isinstance(module, ModuleOp) else load(module)
    copy.attributes["lamina.winograd"] = StringAttr(choice)
    return copy


@dataclass
class _Compilation:
    """A model and what is asked of it; lives on in a model whose shapes are open."""

    source: Source
    entry: str
    threads: int | None
    kept: Kept | None
    module: ModuleOp | None = None

    def run(self) -> Compiled:
        started = time.perf_counter()
        found = self.kept.first() if self.kept else None
        if isinstance(found, CompiledCode):
            return self.executable(found, {"cache": time.perf_counter() - started})
        if found is not None:
            return self.specialized(found)
        from lamina.lowering.specialize import open_signature

        module = self.source.module()
        signature = open_signature(module, self.entry)
        if signature is None:
            return self.made(module, None, spent=isinstance(self.source, FileSource))
        self.module = module
        if self.kept:
            self.kept.store_signature(signature)
        return self.specialized(signature)

    def specialized(self, signature: EntrySignature) -> Specialized:
        if isinstance(self.source, ModuleSource):
            # The caller may change the module before the first call.
            self.source = ModuleSource(self.source.module().clone(), self.entry, (), owned=True)
            self.module = self.source.module()
        return Specialized(self.entry, signature, self.code_for)

    def code_for(self, shapes: Shapes) -> Executable:
        """The code for a set of shapes, from the cache or made now."""
        started = time.perf_counter()
        found = self.kept.find(shapes) if self.kept else None
        if found is not None:
            return self.executable(found, {"cache": time.perf_counter() - started})
        if self.module is None:
            self.module = self.source.module()
            if not self.source.is_unchanged():
                hint = "compile it again"
                raise error("the model's file has changed since it was compiled for other shapes", hint=hint)
        return self.made(self.module, shapes)

    def made(self, module: ModuleOp, shapes: Shapes | None, *, spent: bool = False) -> Executable:
        from lamina.lowering.specialize import compile_code

        code, timings = compile_code(module, self.entry, shapes, self.threads, spent=spent)
        if self.kept:
            self.kept.store(code, shapes)
        return self.executable(code, timings)

    def executable(self, code: CompiledCode, timings: Mapping[str, float]) -> Executable:
        made = Executable(code, timings)
        shapes = tuple(info.shape for info in code.signature.inputs)
        made.measure = _profiler(self.source.again(), self.entry, shapes, self.threads)
        return made


def _profiler(
    source: Callable[[], ModuleOp | None], entry: str, shapes: Shapes, threads: int | None
) -> Callable[[Sequence[Any], int], Profile]:
    """What profiles a model; what it needs is imported when it is asked to."""

    def measure(inputs: Sequence[Any], calls: int) -> Profile:
        from lamina.lowering.specialize import profile

        return profile(source(), entry, shapes, threads, inputs, calls)

    return measure
