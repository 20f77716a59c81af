"""Printing IR text: the entry points over :class:`lamina.dialects.core.writing.writer.Writer`."""

from __future__ import annotations

from typing import IO, Any

from xdsl.ir import Operation

from lamina.dialects.core.writing.state import Options
from lamina.dialects.core.writing.writer import Writer


def print_ir(
    op: Operation,
    stream: IO[str],
    generic: bool = False,
    locations: bool = False,
    elide: int | None = None,
    **more: Any,
) -> None:
    """Write MLIR text of an operation to a stream piece by piece, the data of its resources after it."""
    for piece in _writer(op, generic, locations, elide, more).pieces():
        stream.write(piece)


def to_text(
    op: Operation,
    generic: bool = False,
    locations: bool = False,
    elide: int | None = None,
    **more: Any,
) -> str:
    """MLIR text of an operation, with the data of its resources after it.

    ``elide`` leaves out constants of more elements than that (and all resource data): such text is for
    people, and is refused where the data is needed. ``more`` are further fields of
    :class:`lamina.dialects.core.writing.state.Options`, as ``local_scope``.
    """
    return "".join(_writer(op, generic, locations, elide, more).pieces())


def _writer(op: Operation, generic: bool, locations: bool, elide: int | None, more: dict[str, Any]) -> Writer:
    if elide is not None:
        more = {"elide_resources": 0, **more}
    return Writer(op, Options(generic, locations, elide, **more))
