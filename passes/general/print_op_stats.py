"""``print-op-stats``: how often each operation occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import Diagnostic, op_name
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option


@dataclass(frozen=True)
class PrintOpStats(Pass):
    """Count the operations by name and report the counts as a remark.

    The program stays as it is. The remark's text is MLIR's table, or a JSON object with ``json=true``; it
    starts on a line of its own below the remark's heading.

    ```mlir
    func.func @f(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      return %0 : i32
    }
    ```

    ```mlir
    func.func @f(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      func.return %0 : i32
    }
    ```
    """

    name = "print-op-stats"
    anchor = ANY_OP

    json: bool = option(False, "print the stats as JSON")

    def run(self, op: Operation, ctx: PassContext) -> None:
        counts = count_operations(op)
        text = as_json(counts) if self.json else as_table(counts)
        ctx.diagnostics.append(Diagnostic(f"{self.name}\n{text}", severity="remark"))


def count_operations(root: Operation) -> dict[str, int]:
    """How often each operation name occurs in ``root``, itself included, in the order of the names."""
    return dict(sorted(Counter(op_name(op) for op in root.walk()).items()))


def as_json(counts: Mapping[str, int]) -> str:
    """The counts as a JSON object, laid out as MLIR does."""
    return "{\n" + ",\n".join(f'  "{name}" : {count}' for name, count in counts.items()) + "\n}"


def as_table(counts: Mapping[str, int]) -> str:
    """The counts as MLIR's table: the dialects aligned to the right of their column, the rest to the left."""
    rows = [(*_split(name), count) for name, count in counts.items()]
    left = max((len(dialect) for dialect, _, _ in rows), default=0)
    right = max((len(rest) for _, rest, _ in rows), default=0)
    lines = [f"  {dialect:>{left}}{rest:<{right}} , {count}" for dialect, rest, count in rows]
    return "\n".join(["Operations encountered:", "-----------------------", *lines])


def _split(name: str) -> tuple[str, str]:
    """The dialect, and the rest with its dot; a name without a dialect is all rest, past the dot's column."""
    dialect, dot, rest = name.partition(".")
    return (dialect, dot + rest) if dot else ("", " " + name)
