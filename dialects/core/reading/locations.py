"""Reading locations: files with line and column, ranges, names, call sites, fused and unknown ones."""

from __future__ import annotations

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

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import array_of, int_attr, string_attr, unchecked
from lamina.dialects.core.reading.types import TypeReader

_UNSIGNED = regex(r"0x[0-9A-Fa-f]++|[0-9]++")
_NONE, _UNKNOWN = NoneAttr(), UnknownLoc()
_KINDS: set[type] = {UnknownLoc, FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc}
_MOST_NESTED = 1000


def is_location(attribute: Attribute) -> bool:
    """Whether an attribute is a location."""
    return attribute.__class__ in _KINDS or attribute.name == "builtin.file_line_range_loc"


class LocationReader(TypeReader):
    """Reads locations."""

    _location_depth = 0

    def location(self) -> Any:
        """``(instance)``, after the word ``loc``."""
        if not self.accept("("):
            self.fail("expected '(' in inline location")
        found = self.location_instance()
        if not self.accept(")"):
            self.fail("expected ')' in inline location")
        return found

    def optional_location(self) -> Any:
        """``loc(instance)``, or None where the text does not go on with it."""
        return self.location() if self.accept("loc") else None

    def location_instance(self) -> Any:
        """What stands within ``loc(…)``."""
        text, start = self.text, self.at
        if text.startswith('"', start):
            return self._file_or_name()
        if text.startswith("#", start):
            found = self.extended("#")
            return found if is_location(found) else self.fail("expected location attribute", start)
        self._location_depth += 1
        if self._location_depth > _MOST_NESTED:
            self.fail(f"more than {_MOST_NESTED} nested locations")
        if self.accept("unknown"):
            found = _UNKNOWN
        elif self.accept("callsite"):
            found = self._callsite()
        elif self.accept("fused"):
            found = self._fused()
        else:
            self.fail("expected location instance")
        self._location_depth -= 1
        return found

    def _file_or_name(self) -> Attribute:
        name = string_attr(self.string())
        if self.accept(":"):
            return self._in_file(name)
        if not self.accept("("):
            return unchecked(NameLoc, desc=name, location=_NONE)
        child = self.location_instance()
        if not self.accept(")"):
            self.fail("expected ')' after child location of NameLoc")
        return unchecked(NameLoc, desc=name, location=_NONE if child.__class__ is UnknownLoc else child)

    def _in_file(self, name: Attribute) -> Attribute:
        line = self._unsigned("expected integer line number in FileLineColRange")
        if not self.accept(":"):
            return unchecked(FileLineColLoc, filename=name, line=int_attr(line), column=int_attr(0))
        column = self._unsigned("expected integer column number in FileLineColRange")
        if not self.accept("to"):
            return unchecked(FileLineColLoc, filename=name, line=int_attr(line), column=int_attr(column))
        from lamina.dialects.builtin.attributes import FileLineColRangeLoc

        last = line
        if not self.text.startswith(":", self.at):
            last = self._unsigned(_AFTER_TO)
        if not self.accept(":"):
            self.fail(_AFTER_TO)
        places = (line, column, last, self._unsigned("expected integer column number in FileLineColRange"))
        names = ("line", "column", "end_line", "end_column")
        numbers = dict(zip(names, map(int_attr, places), strict=True))
        return unchecked(FileLineColRangeLoc, filename=name, **numbers)

    def _unsigned(self, message: str) -> int:
        found = _UNSIGNED.match(self.text, self.at)
        if found is None or len(found.group()) > 18:
            self.fail(message)
        self.advance(found.end())
        return int(found.group(), 0) if "x" in found.group() else int(found.group())

    def _callsite(self) -> Attribute:
        if not self.accept("("):
            self.fail("expected '(' in callsite location")
        callee = self.location_instance()
        if not self.accept("at"):
            self.fail("expected 'at' in callsite location")
        caller = self.location_instance()
        if not self.accept(")"):
            self.fail("expected ')' in callsite location")
        return unchecked(CallSiteLoc, callee=callee, caller=caller)

    def _fused(self) -> Attribute:
        metadata: Attribute = _NONE
        if self.accept("<"):
            metadata = self.attribute()
            if not self.accept(">"):
                self.fail("expected '>' after fused location metadata")
        if not self.accept("["):
            self.fail("expected '[' in fused location")
        parts: list[Attribute] = []
        if not self.text.startswith("]", self.at):
            parts.append(self.location_instance())
            while self.accept(","):
                parts.append(self.location_instance())
        if not self.accept("]"):
            self.fail("expected ']' in fused location")
        return fused(parts, metadata)


def fused(parts: list[Attribute], metadata: Attribute = _NONE) -> Attribute:
    """The fusion of locations: each once, those of inner fusions with the same metadata among them."""
    unique: dict[Attribute, None] = {}
    for part in parts:
        if isinstance(part, FusedLoc) and part.metadata == metadata:
            unique |= dict.fromkeys(part.locations.data)  # pyright: ignore[reportAttributeAccessIssue]
        elif part.__class__ is not UnknownLoc:
            unique[part] = None
    unique.pop(_UNKNOWN, None)
    if len(unique) < 2 and metadata is _NONE:
        return next(iter(unique), _UNKNOWN)
    return unchecked(FusedLoc, locations=array_of(unique or (_UNKNOWN,)), metadata=metadata)


_AFTER_TO = "expected either integer or `:` post `to` in FileLineColRange"
