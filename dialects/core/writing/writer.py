"""The writer of IR text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any, cast

from xdsl.ir import Operation

from lamina.dialects.core.depth import room_for_nesting
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.hexadecimal import hexadecimal_pieces
from lamina.dialects.core.resources import external_of
from lamina.dialects.core.writing.bridge import Bridge
from lamina.dialects.core.writing.quoting import keyword
from lamina.dialects.core.writing.state import Options


class _Stream:
    """A stream for those who write to a printer's stream: what is written joins the text."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write(self, text: str) -> None:
        self._writer.put(text)


class Writer(Bridge):
    """Writes IR text: ``Writer(op, options).pieces()``."""

    def __init__(self, root: Operation, options: Options | None = None) -> None:
        options = options or Options()
        super().__init__(
            cast(IO[str], _Stream(self)),
            print_generic_format=options.generic,
            print_debuginfo=options.locations,
        )
        self.root = root
        self.start(options)
        self.start_aliases()
        self.start_operations()

    def pieces(self) -> Iterator[str]:
        """The text of the op with what belongs around it: aliases, and the data of resources at the end."""
        try:
            with room_for_nesting():
                self.start_names(self.root)
                self.operation(self.root)
        except RecursionError as problem:
            raise error("is nested too deeply to be printed", self.root) from problem
        yield from self.named(self.parts)
        yield from self._resources()
        yield "\n"

    def _resources(self) -> Iterator[str]:
        """The data of the resources that were written, as file metadata."""
        limit = self.options.elide_resources
        if limit == 0:
            return
        keys = self._keys_with_data(limit) if self.resource_keys else []
        external = external_of(self.root)
        if keys or external:
            yield "\n\n{-#\n"
            yield from self._data(keys)
            if external:
                yield ",\n" if keys else ""
                yield f"  external_resources: {{\n    {external}\n  }}"
            yield "\n#-}"

    def _keys_with_data(self, limit: int | None) -> list[str]:
        from lamina.dialects.core.constants import has_resource, resource

        keys = [key for key in self.resource_keys if has_resource(key)]
        return keys if limit is None else [k for k in keys if 2 * resource(k).data.nbytes + 12 <= limit]

    @staticmethod
    def _data(keys: Sequence[str]) -> Iterator[str]:
        if not keys:
            return
        # The import brings NumPy, which a text without data does not need.
        from lamina.dialects.core.constants import resource

        yield "  dialect_resources: {\n    builtin: {\n"
        for i, key in enumerate(keys):
            alignment = resource(key).alignment.to_bytes(4, "little").hex().upper()
            yield f'      {keyword(key)}: "0x{alignment}'
            yield from hexadecimal_pieces(cast(Any, resource(key).data.data))
            yield '",\n' if i + 1 < len(keys) else '"\n'
        yield "    }\n  }"


def write_text(root: Operation, options: Options | None = None) -> str:
    """The text of an operation."""
    return "".join(Writer(root, options).pieces())
