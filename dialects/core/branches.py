"""Which operands a branch passes on to the blocks it jumps to."""

from __future__ import annotations

from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

Span = tuple[int, int]
"""The first operand for a successor, and the one behind the last."""


def _ints(attribute: Attribute | None) -> list[int]:
    if attribute is None:
        return []
    return [int(size) for size in attribute.get_values()]  # pyright: ignore[reportAttributeAccessIssue]


def successor_spans(op: Operation) -> list[Span] | None:
    """For each successor the operands that it gets; None for an op whose passing on is not known."""
    name = op.name
    if name in ("cf.br", "llvm.br"):
        return [(0, len(op.operands))]
    if name not in ("cf.cond_br", "llvm.cond_br", "cf.switch", "llvm.switch"):
        return None
    sizes = _ints(op.get_attr_or_prop("operandSegmentSizes"))
    if len(sizes) != 3:
        return None
    lengths = sizes[1:]
    if name.endswith("switch"):
        lengths = [sizes[1], *_ints(op.get_attr_or_prop("case_operand_segments"))]
        if sum(lengths[1:]) != sizes[2]:
            return None
    spans: list[Span] = []
    start = sizes[0]
    for length in lengths:
        spans.append((start, start + length))
        start += length
    return spans if len(spans) == len(op.successors) else None


def set_successor_operands(op: Operation, index: int, values: list[SSAValue]) -> None:
    """Let a branch pass other values, more or fewer, to its ``index``-th successor."""
    spans = successor_spans(op)
    assert spans is not None
    start, end = spans[index]
    operands = list(op.operands)
    op.operands = operands[:start] + values + operands[end:]
    if op.name.endswith(".br"):
        return
    sizes = _ints(op.get_attr_or_prop("operandSegmentSizes"))
    change = len(values) - (end - start)
    if op.name.endswith("switch") and index > 0:
        cases = _ints(op.get_attr_or_prop("case_operand_segments"))
        cases[index - 1] += change
        _set_ints(op, "case_operand_segments", cases)
        sizes[2] += change
    else:
        sizes[1 + index] += change
    _set_ints(op, "operandSegmentSizes", sizes)


def _set_ints(op: Operation, name: str, values: list[int]) -> None:
    from xdsl.dialects.builtin import DenseArrayBase, i32

    held = op.attributes if name in op.attributes else op.properties
    held[name] = DenseArrayBase.from_list(i32, values)


def incoming(argument: BlockArgument) -> list[SSAValue] | None:
    """The values that predecessors pass for a block argument; None where one is not known."""
    values: list[SSAValue] = []
    for op, index in edges_into(argument.block):
        spans = successor_spans(op)
        if spans is None:
            return None
        values.append(op.operands[spans[index][0] + argument.index])
    return values


def edges_into(block: Block) -> list[tuple[Operation, int]]:
    """The terminators that jump to a block, each with the position of the successor."""
    return [(use.operation, use.index) for use in block.uses]
