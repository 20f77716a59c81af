"""Functions whose callers are all known: private ones that are called and otherwise not referred to."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation

from lamina.passes.framework.walk import ops_inside
from lamina.passes.general._symbols import is_symbol_table, references_of, symbols_of, visibility

_FUNCTIONS = {"func.func": "func.return", "llvm.func": "llvm.return"}
_CALLS = frozenset(("func.call", "llvm.call"))


@dataclass
class Calls:
    """Who calls whom inside an op."""

    closed: set[Operation] = field(default_factory=set[Operation])
    """The functions whose callers are all known."""
    callers: dict[Operation, list[Operation]] = field(default_factory=dict[Operation, list[Operation]])
    """The calls of each function that is called."""
    callees: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    """The function with a body that a call calls."""


def is_function(op: Operation) -> bool:
    """Whether the op is a function of func or llvm that has a body."""
    return op.name in _FUNCTIONS and op.regions[0].blocks.first is not None


def is_return(op: Operation, function: Operation) -> bool:
    """Whether a terminator gives its operands back to the function's callers."""
    return op.name == _FUNCTIONS[function.name]


def calls_inside(root: Operation) -> Calls:
    """Resolve the calls inside ``root``; a reference that is no call makes its function's callers unknown."""
    symbols: dict[Operation, dict[str, Operation]] = {}
    calls = Calls()
    for op in (root, *ops_inside(root)):
        if is_symbol_table(op):
            symbols[op] = symbols_of(op)
            hidden = root.parent is None or (op is not root and visibility(op) == "private")
            for symbol in symbols[op].values():
                seen_from = visibility(symbol)
                if is_function(symbol) and (seen_from == "private" or (hidden and seen_from == "nested")):
                    calls.closed.add(symbol)
    for op in (root, *ops_inside(root)):
        for reference in references_of(op):
            _follow(op, reference, root, symbols, calls)
    return calls


def _follow(
    op: Operation,
    reference: SymbolRefAttr,
    root: Operation,
    symbols: dict[Operation, dict[str, Operation]],
    calls: Calls,
) -> None:
    target = _resolve(op, reference, root, symbols)
    if target is None or not is_function(target):
        return
    if op.name in _CALLS and op.get_attr_or_prop("callee") is reference and _fits(op, target):
        calls.callees[op] = target
        calls.callers.setdefault(target, []).append(op)
    else:
        calls.closed.discard(target)


def _fits(call: Operation, function: Operation) -> bool:
    entry = function.regions[0].blocks.first
    assert entry is not None
    return call.name.partition(".")[0] == function.name.partition(".")[0] and len(call.operands) >= len(
        entry.args
    )


def _resolve(
    op: Operation, reference: SymbolRefAttr, root: Operation, symbols: dict[Operation, dict[str, Operation]]
) -> Operation | None:
    """What a reference names: its first part in the nearest symbol table that has it."""
    table = op if op is root else op.parent_op()
    while table is not None:
        found = symbols.get(table, {}).get(reference.root_reference.data)
        if found is not None:
            break
        if table is root:
            return None
        table = table.parent_op()
    else:
        return None
    for part in reference.nested_references.data:
        found = symbols.get(found, {}).get(part.data)
        if found is None:
            return None
    return found
