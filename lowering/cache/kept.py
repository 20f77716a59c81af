"""The code of one compilation in the cache: for fixed shapes under one key, otherwise a key for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.lowering.cache.entries import (
    CODE,
    FILES,
    SIGNATURE,
    Corrupt,
    header_of,
    pack,
    pack_code,
    pack_constant,
    pack_signature,
    signature_in,
    unpack_code,
    unpack_constant,
)
from lamina.lowering.cache.keys import has_foreign_code, key_of
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.signature import EntrySignature
from lamina.lowering.codegen.support import keep_support_objects, support_objects
from lamina.lowering.sources import FileSource

if TYPE_CHECKING:
    from lamina.lowering.cache.folder import Folder
    from lamina.lowering.sources import Source

_BROKEN = (Corrupt, KeyError, TypeError, ValueError, AttributeError)
"""What reading a file that only looks like an entry may raise."""


class Kept:
    """The cache's part in one compilation."""

    def __init__(self, folder: Folder, source: Source, parts: dict[str, Any]) -> None:
        self._folder = folder
        self._source = source
        self._parts = parts
        """What the key is made of."""

    @classmethod
    def of(cls, folder: Folder | None, source: Source, **request: Any) -> Kept | None:
        """The cache for a model and what is asked of it; None where nothing can be kept."""
        if folder is None or folder.problem() or has_foreign_code():
            return None
        digest = source.digest()
        return None if digest is None else cls(folder, source, {"model": digest, **request})

    def first(self) -> CompiledCode | EntrySignature | None:
        """The code for the shapes that the model fixes, or the signature of one that leaves some open."""
        header = self._header()
        if header.get("kind") == FILES and isinstance(self._source, FileSource):
            self._name_files([self._source.path.parent / name for name in header["names"]])
            header = self._header()
        if header.get("kind") == SIGNATURE:
            return signature_in(header)
        return self.find() if header.get("kind") == CODE else None

    def find(self, shapes: Sequence[Sequence[int]] | None = None) -> CompiledCode | None:
        """The code for some shapes of the inputs, or for those that the model fixes."""
        data = self._folder.read(self._key(shapes))
        if data is None:
            return None
        try:
            code, support = unpack_code(data, self._constant)
        except _BROKEN:
            return None
        keep_support_objects(support)
        return code

    def store(self, code: CompiledCode, shapes: Sequence[Sequence[int]] | None = None) -> None:
        """Keep code; that it cannot be kept is no failure."""
        if not self._settled():
            return
        pieces, apart = pack_code(code, support_objects())
        if sum(map(len, (*pieces, *apart.values()))) > self._folder.limit:
            return
        for key, data in apart.items():
            try:
                self._constant(key)
            except _BROKEN:
                self._folder.write(key, pack_constant(data))
        self._folder.write(self._key(shapes), pieces)

    def _constant(self, key: str) -> memoryview:
        return unpack_constant(self._folder.read(key))

    def store_signature(self, signature: EntrySignature) -> None:
        """Keep what is asked of calls of a model that is compiled when shapes are known."""
        if self._settled():
            self._folder.write(self._key(), pack_signature(signature))

    def _settled(self) -> bool:
        """After the model was read: its other files enter the key; whether it can be kept at all."""
        source = self._source
        if isinstance(source, FileSource) and source.files and FILES not in self._parts:
            names = [str(path.relative_to(source.path.parent)) for path in source.files]
            self._folder.write(self._key(), pack({"kind": FILES, "names": names}))
            self._name_files(list(source.files))
        return source.is_unchanged() and not has_foreign_code()

    def _name_files(self, files: Sequence[Path]) -> None:
        assert isinstance(self._source, FileSource)
        self._parts = {**self._parts, FILES: [self._source.digest_of(path) for path in files]}

    def _key(self, shapes: Sequence[Sequence[int]] | None = None) -> str:
        return key_of(**self._parts, shapes=None if shapes is None else [list(shape) for shape in shapes])

    def _header(self) -> dict[str, Any]:
        """The header of the entry for what is known so far, empty where there is none."""
        data = self._folder.read(self._key())
        try:
            return {} if data is None else header_of(data)
        except _BROKEN:
            return {}
