"""Printing IR text: the entry points over :class:`lamina.dialects.core.writing.writer.Writer`."""

from __future__ import annotations

from typing import IO

from xdsl.ir import Operation

from lamina.dialects.core.writing.state import Options
from lamina.dialects.core.writing.writer import Writer


def print_ir(
    op: Operation,
    stream: IO[str],
    generic: bool = False,
    locations: bool = False,
    elide: int | None = None,
    local_scope: bool = False,
) -> None:
    """Write MLIR text of an operation to a stream piece by piece, the data of its resources after it."""
    for piece in _writer(op, generic, locations, elide, local_scope).pieces():
        stream.write(piece)


def to_text(
    op: Operation,
    generic: bool = False,
    locations: bool = False,
    elide: int | None = None,
    local_scope: bool = False,
) -> str:
    """MLIR text of an operation, with the data of its resources after it.

    ``elide`` leaves out constants of more elements than that (and all resource data): such text is for
    people, and is refused where the data is needed. ``local_scope`` writes types, attributes and locations in
    place, not as aliases outside of the op.
    """
    return "".join(_writer(op, generic, locations, elide, local_scope).pieces())


def _writer(op: Operation, generic: bool, locations: bool, elide: int | None, local_scope: bool) -> Writer:
    hidden = None if elide is None else 0
    return Writer(
        op, Options(generic, locations, elide=elide, elide_resources=hidden, local_scope=local_scope)
    )
