"""Where the module to compile comes from: a file, which may never have to be read, or a module at hand."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lamina.lowering.cache.digests import file_digest
from lamina.lowering.formats.files_read import noting_files, state_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class Source(Protocol):
    """A model before it is compiled."""

    def digest(self) -> str | None:
        """A digest of all that the module follows from; None where there is none to be had."""
        ...

    def module(self) -> ModuleOp:
        """The module."""
        ...

    def again(self) -> Callable[[], ModuleOp | None]:
        """What gives the module once more later, for a profile, or None when it is gone."""
        ...

    def is_unchanged(self) -> bool:
        """Whether the digest is that of the module that was given."""
        ...


class FileSource:
    """A model's file, which is read at the first need."""

    def __init__(self, path: str | Path, entry: str, donate: Sequence[int | str]) -> None:
        self.path = Path(path)
        self._given = path
        self.files: dict[Path, tuple[int, ...]] = {}
        """Other files that the model was read from, and their state then."""
        self._entry = entry
        self._donate = donate
        self._seen: dict[Path, tuple[int, ...]] = {}

    def digest(self) -> str | None:
        found = self.digest_of(self.path)
        return found and f"{self.path.suffix} {found}"

    def digest_of(self, path: Path) -> str | None:
        """The digest of a file of this model; None for what cannot be read, or is no ordinary file."""
        try:
            if not path.is_file():  # what is read from a pipe is gone
                return None
            with path.open("rb") as file:
                about = os.fstat(file.fileno())
                self._seen[path] = state_of(about)
                return file_digest(file.fileno(), about.st_size)
        except OSError:
            return None

    def module(self) -> ModuleOp:
        with noting_files() as files:
            module = self._read()
        self.files = files
        return module

    def _read(self) -> ModuleOp:
        from lamina.lowering.api import load

        return donated(load(self._given), self._entry, self._donate)  # which knows what is no path

    def is_unchanged(self) -> bool:
        for path, state in (*self._seen.items(), *self.files.items()):
            try:
                if state_of(path.stat()) != state:
                    return False
            except OSError:
                return False
        return True

    def again(self) -> Callable[[], ModuleOp | None]:
        return self._read


class ModuleSource:
    """A module, which is not changed; ``owned`` says that nobody else keeps it."""

    def __init__(
        self, module: ModuleOp, entry: str, donate: Sequence[int | str], *, owned: bool = False
    ) -> None:
        self._module = donated(module.clone(), entry, donate) if donate else module
        self._owned = owned or bool(donate)

    def digest(self) -> str | None:
        from lamina.lowering.cache.keys import is_all_ours, module_digest

        return module_digest(self._module) if is_all_ours(self._module) else None

    def module(self) -> ModuleOp:
        return self._module

    def again(self) -> Callable[[], ModuleOp | None]:
        # A caller's module is not kept alive for a profile that may never be asked for.
        return self.module if self._owned else weakref.ref(self._module)

    def is_unchanged(self) -> bool:
        return True


class LoadedSource(ModuleSource):
    """A model that is an object of another library, such as an ``onnx.ModelProto``."""

    def __init__(self, model: Any, entry: str, donate: Sequence[int | str]) -> None:
        from lamina.lowering.api import load

        super().__init__(load(model), entry, donate)
        self._again = lambda: donated(load(model), entry, donate)

    def again(self) -> Callable[[], ModuleOp | None]:
        return self._again


def source_of(model: Any, entry: str, donate: Sequence[int | str]) -> Source:
    """Where the module of a model comes from: of a path, a module, or what else :func:`lamina.load` takes."""
    if isinstance(model, str | Path):
        return FileSource(model, entry, donate)
    from xdsl.dialects.builtin import ModuleOp

    return (ModuleSource if isinstance(model, ModuleOp) else LoadedSource)(model, entry, donate)


def donated(module: ModuleOp, entry: str, donate: Sequence[int | str]) -> ModuleOp:
    """The module, whose entry may overwrite some of its arguments."""
    if donate:
        from lamina.passes.nn.nn_donate import donate as donate_arguments

        donate_arguments(module, entry, donate)
    return module
