"""The type that an attribute carries."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import NoneType
from xdsl.ir import Attribute


def type_of_attribute(value: Any) -> Attribute:
    """The type of an integer, float, elements or other typed attribute; ``none`` for one without type."""
    getter = getattr(value, "get_type", None)
    if getter is not None:
        return getter()
    found = getattr(value, "type", None)
    return found if isinstance(found, Attribute) else NoneType()
