"""What has been read of an op whose form is read step by step."""

from __future__ import annotations

from typing import Any


class State:
    """The parts of an op by the names of its definition."""

    __slots__ = ("at", "attributes", "operands", "regions", "successors", "types", "values")

    def __init__(self, at: int) -> None:
        self.at = at
        self.operands: dict[str, list[Any]] = {}
        """Unresolved operands by group."""
        self.types: dict[str, list[Any]] = {}
        """Types that were read, by group of operands or results."""
        self.attributes: dict[str, Any] = {}
        """Inherent and other attributes."""
        self.regions: dict[str, list[Any]] = {}
        self.successors: dict[str, list[Any]] = {}
        self.values: dict[str, list[Any]] = {}
        """Operands that stand with their types and are resolved already, by group."""
