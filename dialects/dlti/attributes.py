"""Attributes of data layouts: kept as they stand, since nothing here looks into them."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute

from lamina.dialects.core.reading.extended import attribute_syntax

_NAMES = ("dl_spec", "dl_entry", "map", "target_system_spec", "target_device_spec")


@attribute_syntax(*(f"#dlti.{name}" for name in _NAMES))
def data_layout(p: Any, name: str) -> Attribute:
    """``#dlti.dl_spec<…>`` with the attributes and types in it."""
    return p.of_table("#", name)
