"""Whether a pass changed anything: a number that stands for all of an operation."""

from __future__ import annotations

from xdsl.ir import Operation


def fingerprint(root: Operation) -> int:
    """A hash of the ops under ``root``: their identity, operands, types, attributes, locations, blocks.

    Equal before and after a pass, surely but for chance, where the pass changed nothing. An op that was
    replaced by an equal one counts as a change. Holds within one process.
    """
    parts: list[object] = []
    for op in root.walk():
        parts.append((id(op), op.name, id(op.parent), op.location))
        parts.append(tuple(id(value) for value in op.operands))
        parts.append(tuple(value.type for value in op.results))
        parts.append(
            tuple((name, hash(held)) for name, held in (*op.properties.items(), *op.attributes.items()))
        )
        parts.append(tuple(id(block) for block in op.successors))
        for region in op.regions:
            for block in region.blocks:
                parts.append((id(block), block.arg_types))
    return hash(tuple(parts))
