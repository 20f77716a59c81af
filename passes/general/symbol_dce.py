"""``symbol-dce``: remove the symbols that nobody can reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.passes.framework.effects import is_registered
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext
from lamina.passes.general._symbols import is_symbol_table, references_of, symbol_name, symbols_of, visibility


@dataclass(frozen=True)
class SymbolDce(Pass):
    """Remove functions, globals and other symbols that are not visible outside and are not used.

    What a dead symbol refers to dies with it. Public symbols stay. ``nested`` ones stay only where somebody
    may look into the symbol table they are in. An operation that no dialect defines and that has a region may
    be a symbol table of its own: that is an error.

    ```mlir
    func.func private @unused() {
      return
    }
    func.func private @used() {
      return
    }
    func.func @main() {
      func.call @used() : () -> ()
      return
    }
    ```

    ```mlir
    func.func private @used() {
      func.return
    }
    func.func @main() {
      func.call @used() : () -> ()
      func.return
    }
    ```
    """

    name = "symbol-dce"
    anchor = ANY_OP
    statistics = {"num-dce'd": "symbols removed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("num-dce'd", remove_dead_symbols(op))


def remove_dead_symbols(root: Operation) -> int:
    """Remove the dead symbols of the symbol table ``root`` and of those inside; returns how many."""
    if not is_symbol_table(root):
        raise error("defines no symbol table", root, hint="anchor `symbol-dce` on builtin.module")
    hidden = root.parent_op() is None or symbol_name(root) is None or visibility(root) == "private"
    liveness = _Liveness(root)
    liveness.table(root, hidden)
    dead = [
        op
        for table in root.walk()
        if is_symbol_table(table)
        for op in symbols_of(table).values()
        if op not in liveness.live
    ]
    for op in dead:
        op.detach()
    for op in dead:
        op.erase(safe_erase=False)
    return len(dead)


class _Liveness:
    """The symbols that are reached, from what is visible outside and from operations that are no symbols."""

    def __init__(self, root: Operation) -> None:
        self.live: set[Operation] = set()
        self._root = root
        self._symbols: dict[Operation, dict[str, Operation]] = {}
        self._pending: list[tuple[Operation, bool]] = []
        self._hidden: dict[Operation, bool] = {}

    def table(self, root: Operation, hidden: bool) -> None:
        """Mark everything that is live in a symbol table; ``hidden``: nobody outside looks into it."""
        self._enter(root, hidden)
        while self._pending:
            self._visit(*self._pending.pop())

    def _enter(self, table: Operation, hidden: bool) -> None:
        self._hidden[table] = hidden
        for region in table.regions:
            for block in region.blocks:
                for op in block.ops:
                    if symbol_name(op) is None or not _may_be_discarded(op, hidden):
                        self._mark(op, hidden)

    def _mark(self, op: Operation, hidden: bool) -> None:
        if op not in self.live:
            self.live.add(op)
            self._pending.append((op, hidden))

    def _visit(self, op: Operation, hidden: bool) -> None:
        """Follow what a live operation, and those inside it, refer to."""
        if not is_registered(op) and len(op.regions) == 1:
            raise error(
                "may be a symbol table that is not known",
                op,
                hint="register its dialect, or run `symbol-dce` where it does not occur",
            )
        for reference in references_of(op):
            for symbol in self._resolved(op, reference):
                self._mark(symbol, self._hidden_around(symbol))
        if is_symbol_table(op):
            self._enter(op, hidden or symbol_name(op) is None or visibility(op) == "private")
            return
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    self._mark(inner, hidden)

    def _hidden_around(self, symbol: Operation) -> bool:
        parent = symbol.parent_op()
        return self._hidden.get(parent, False) if parent is not None else False

    def _resolved(self, op: Operation, reference: SymbolRefAttr) -> Iterator[Operation]:
        """What a reference names on its way, from the nearest symbol table that knows its first part."""
        table = op.parent_op()
        while table is not None:
            found = self._lookup(table, reference.root_reference.data)
            if found is not None:
                break
            if table is self._root:
                return
            table = table.parent_op()
        else:
            return
        yield found
        for part in reference.nested_references.data:
            found = self._lookup(found, part.data)
            if found is None:
                return
            yield found

    def _lookup(self, table: Operation, name: str) -> Operation | None:
        if not is_symbol_table(table):
            return None
        if table not in self._symbols:
            self._symbols[table] = symbols_of(table)
        return self._symbols[table].get(name)


def _may_be_discarded(op: Operation, hidden: bool) -> bool:
    seen_from = visibility(op)
    return seen_from == "private" or (hidden and seen_from == "nested")
