"""Control flow between an op and its regions: values that are passed fit where they arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error, note, op_name


def check_edge(
    op: Operation, source: Operation, to: str, passed: Sequence[Any], taken: Sequence[Any]
) -> None:
    """What a terminator (or the op itself) passes to a region, or back to its parent.

    ``to`` names the place as upstream does: ``parent`` or ``Region #1``.
    """
    where = "parent" if source is op else f"Operation {op_name(source)}"
    edge = f"along control flow edge from {where} to {to}"
    notes = [] if source is op else [note("region branch point", source)]
    if len(passed) != len(taken):
        raise error(
            f"{edge}: region branch point has {len(passed)} operands, but region successor needs "
            f"{len(taken)} inputs",
            op,
            notes=notes,
        )
    for number, (given, wanted) in enumerate(zip(passed, taken, strict=True)):
        if given.type is not wanted.type and given.type != wanted.type:
            raise error(
                f"{edge}: successor operand type #{number} '{given.type}' should match successor input type "
                f"#{number} '{wanted.type}'",
                op,
                notes=notes,
            )


def check_loop(
    op: Operation, inits: Sequence[Any], arguments: Sequence[Any], yielded: Sequence[Any] | None
) -> None:
    """Initial values, arguments, yielded values (None without a yield) and results of a loop agree."""
    results = op.results
    if len(inits) != len(arguments):
        message = f"different number of inits and region iter_args: {len(inits)} != {len(arguments)}"
        raise error(message, op)
    if yielded is not None and len(arguments) != len(yielded):
        message = "different number of region iter_args and yielded values"
        raise error(f"{message}: {len(arguments)} != {len(yielded)}", op)
    if len(results) != len(arguments):
        message = "different number of loop results and region iter_args"
        raise error(f"{message}: {len(results)} != {len(arguments)}", op)
    for number, (init, argument) in enumerate(zip(inits, arguments, strict=True)):
        _same(op, number, ("init", init), ("region iter_arg", argument))
        if yielded:
            _same(op, number, ("region iter_arg", argument), ("yielded value", yielded[number]))
    for number, (argument, result) in enumerate(zip(arguments, results, strict=True)):
        _same(op, number, ("region iter_arg", argument), ("loop result", result))


def _same(op: Operation, number: int, one: tuple[str, Any], other: tuple[str, Any]) -> None:
    first, second = one[1].type, other[1].type
    if first is not second and first != second:
        raise error(
            f"{number}-th {one[0]} and {number}-th {other[0]} have different type: '{first}' != '{second}'",
            op,
        )
