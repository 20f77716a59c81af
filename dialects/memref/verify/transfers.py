"""Transfers by direct memory access."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import rank_of


@verifies("memref.dma_start", types_only=True)
def _start(op: Operation) -> None:
    types: list[Any] = [value.type for value in op.operands]
    if len(types) < 4:
        raise error("expected at least 4 operands", op)
    position, wanted = 0, 4
    for what in ("source", "destination", "tag"):
        if what == "tag":
            if not isinstance(types[position], IndexType):
                raise error("expected num elements to be of index type", op)
            position += 1
        memref = types[position]
        if not isinstance(memref, MemRefType):
            raise error(f"expected {what} to be of memref type", op)
        rank = rank_of(memref)
        wanted += rank
        if len(types) < wanted:
            raise error(f"expected at least {wanted} operands", op)
        if not all(isinstance(type, IndexType) for type in types[position + 1 : position + 1 + rank]):
            raise error(f"expected {what} indices to be of index type", op)
        position += 1 + rank
    if len(types) not in (wanted, wanted + 2):
        raise error("incorrect number of operands", op)
    if not all(isinstance(type, IndexType) for type in types[wanted:]):
        raise error("expected stride and num elements per stride to be of type index", op)


@verifies("memref.dma_wait", types_only=True)
def _wait(op: Operation) -> None:
    wanted, found = rank_of(values(op, "tagMemRef")[0].type), len(values(op, "tagIndices"))
    if wanted != found:
        raise error(
            "expected tagIndices to have the same number of elements as the tagMemRef rank, expected "
            f"{wanted}, but got {found}",
            op,
        )
