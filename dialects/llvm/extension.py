"""The llvm dialect's missing operations, to join xDSL's under the same dialect name."""

from __future__ import annotations

from xdsl.ir import Attribute, Operation

from lamina.dialects.llvm import (
    annotations,
    atomics,
    control,
    globals,
    hints,
    intrinsics,
    memory,
    reductions,
    transfers,
    values,
)

OPERATIONS: list[type[Operation]] = [
    *values.OPERATIONS,
    *intrinsics.OPERATIONS,
    *reductions.OPERATIONS,
    *memory.OPERATIONS,
    *transfers.OPERATIONS,
    *atomics.OPERATIONS,
    *control.OPERATIONS,
    *globals.OPERATIONS,
    *hints.OPERATIONS,
]
"""Those that stand in xDSL's dialect under the same name replace them."""

ATTRIBUTES: list[type[Attribute]] = [*annotations.ATTRIBUTES]
