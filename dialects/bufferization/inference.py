"""Result types that upstream derives in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from lamina.dialects.core.ods.syntax import infers


@infers("bufferization.dealloc")
def infer_dealloc(operands: list[list[Attribute]], attributes: dict[str, Any], regions: Any) -> list[Any]:
    """One condition for each retained memref."""
    return [i1] * len(operands[2])
