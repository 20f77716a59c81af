"""Result types of the memref dialect that upstream infers in C++."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute

from lamina.dialects.core.ods.syntax import infers


@infers("memref.distinct_objects")
def _distinct(operands: list[list[Any]], attributes: dict[str, Any], regions: Any = None) -> list[Attribute]:
    """The operands' types."""
    return list(operands[0])
