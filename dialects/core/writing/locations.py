"""Locations as text: ``loc("file":1:2)``, names, call sites, fused locations, and their aliases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from lamina.dialects.core.writing.aliases import AliasWriter
from lamina.dialects.core.writing.quoting import quoted

_RANGE = "builtin.file_line_range_loc"


class LocationWriter(AliasWriter):
    """Writes locations."""

    def attribute_text(self, attribute: Attribute) -> str:
        """The text of an attribute with its type."""
        if attribute.__class__ in _LOCATIONS or attribute.name == _RANGE:
            text = self.location_alias(attribute, deferrable=False)
            return f"loc({text})" if self.options.local_scope else text
        return super().attribute_text(attribute)

    def location(self, location: Attribute) -> None:
        """Write the location of an op after a blank, by its alias."""
        pretty = self.options.pretty_locations
        self.put(f" {pretty_text(location)}" if pretty else f" loc({self.location_alias(location)})")

    def argument_location(self, location: Attribute) -> None:
        """Write the location of a block argument after a blank, in full."""
        if self.options.pretty_locations:
            self.put(f" {pretty_text(location)}")
        else:
            self.put(f" loc({self.location_text(location, deferrable=False)})")

    def location_alias(self, location: Attribute, deferrable: bool = True) -> str:
        """What stands in the parentheses of ``loc(…)``."""
        if self.options.local_scope:
            return self.location_text(location, deferrable)
        return self.alias(
            location, "loc", lambda: f"loc({self.location_text(location, deferrable)})", deferrable
        )

    def location_text(self, location: Attribute, deferrable: bool = True) -> str:
        """A location in full, those in it by their aliases."""
        write = _range if location.name == _RANGE else _LOCATIONS[location.__class__]
        return write(self, location, deferrable)


def pretty_text(location: Any) -> str:
    """A location as people want to see it: ``file.mlir:3:4``, ``"name"(…)``, ``callee at caller``."""
    if isinstance(location, UnknownLoc | NoneAttr):
        return "[unknown]"
    if isinstance(location, NameLoc):
        inside = location.location
        outer = isinstance(inside, UnknownLoc | NoneAttr)
        return quoted(location.desc.data) + ("" if outer else f"({pretty_text(inside)})")
    if isinstance(location, CallSiteLoc):
        return f"{pretty_text(location.callee)} at {pretty_text(location.caller)}"
    if isinstance(location, FusedLoc):
        parts: Any = location.locations
        return f"[{', '.join([pretty_text(part) for part in parts.data])}]"
    return f"{location.filename.data}:{location.line.data}:{location.column.data}"


def _unknown(w: LocationWriter, location: Any, deferrable: bool) -> str:
    return "unknown"


def _file(w: LocationWriter, location: Any, deferrable: bool) -> str:
    return f"{quoted(location.filename.data)}:{location.line.data}:{location.column.data}"


def _range(w: LocationWriter, location: Any, deferrable: bool) -> str:
    last = "" if location.end_line == location.line else location.end_line.data
    return f"{_file(w, location, deferrable)} to {last}:{location.end_column.data}"


def _name(w: LocationWriter, location: Any, deferrable: bool) -> str:
    child = location.location
    if child.__class__ in (UnknownLoc, NoneAttr):
        return quoted(location.desc.data)
    return f"{quoted(location.desc.data)}({w.location_alias(child, deferrable)})"


def _call_site(w: LocationWriter, location: Any, deferrable: bool) -> str:
    callee = w.location_alias(location.callee, deferrable)
    return f"callsite({callee} at {w.location_alias(location.caller, deferrable)})"


def _fused(w: LocationWriter, location: Any, deferrable: bool) -> str:
    metadata = location.metadata
    head = "" if metadata.__class__ is NoneAttr else f"<{w.attribute_text(metadata)}>"
    parts = [w.location_alias(part, deferrable) for part in location.locations.data]
    return f"fused{head}[{', '.join(parts)}]"


_LOCATIONS: dict[type, Callable[[Any, Any, bool], str]] = {
    UnknownLoc: _unknown,
    FileLineColLoc: _file,
    NameLoc: _name,
    CallSiteLoc: _call_site,
    FusedLoc: _fused,
}
