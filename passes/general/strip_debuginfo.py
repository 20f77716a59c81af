"""``strip-debuginfo``: forget where operations and block arguments come from."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation

from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


@dataclass(frozen=True)
class StripDebuginfo(Pass):
    """Replace every location by the unknown one.

    Operations stay as they are; errors of later passes no longer say where in the input they belong.

    ```mlir
    func.func @f(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32 loc("layer1")
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

    name = "strip-debuginfo"
    anchor = ANY_OP

    def run(self, op: Operation, ctx: PassContext) -> None:
        strip_debug_info(op)


def strip_debug_info(root: Operation) -> None:
    """Set the location of ``root`` and of everything inside it to the unknown one."""
    unknown = UnknownLoc()
    for op in root.walk():
        op.location = unknown
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.location = unknown
