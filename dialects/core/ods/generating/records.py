"""The records of one ``llvm-tblgen --dump-json``, and what can be read off any of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeGuard

Record = dict[str, Any]


class Dump:
    """All records of one run of llvm-tblgen."""

    def __init__(self, records: dict[str, Any]) -> None:
        self.records = records

    def __getitem__(self, reference: str | Record) -> Record:
        """A record by its name or by a reference to it."""
        name = reference if isinstance(reference, str) else reference["def"]
        return self.records[name]

    def of_class(self, *classes: str) -> Iterator[Record]:
        """Every record that derives from one of the classes, in the order of the file."""
        for kind in classes:
            for name in self.records["!instanceof"].get(kind, []):
                yield self.records[name]

    def dialect_of(self, record: Record, field: str = "opDialect") -> str:
        """The name of the dialect of an op, a type or an attribute; "" where it has none."""
        reference = record.get(field)
        return self[reference]["name"] if reference else ""


def derives(record: Record, *classes: str) -> bool:
    """Whether a record derives from one of the classes."""
    return any(kind in record["!superclasses"] for kind in classes)


def arguments(dag: Record) -> list[tuple[Any, str]]:
    """The named members of a dag: ``(reference or text, name)``."""
    return [(value, name or "") for value, name in dag["args"]]


def plain(cpp: str) -> str:
    """A C++ expression on one line, without the namespaces that stand everywhere and outer parentheses."""
    text = re.sub(r"\s+", " ", cpp).strip()
    text = re.sub(r"(?:::)?\b(?:mlir|llvm)::", "", text)
    text = re.sub(r"(?<![\w>])::(?=\w)", "", text)
    while text.startswith("(") and _closes_at_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def cpp_class(record: Record) -> str:
    """The C++ class of an op: its record's name after the first underscore (upstream's rule)."""
    name = record["!name"]
    return name.partition("_")[2] or name if not name.startswith("_") else name


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a field holds text that is not empty."""
    return isinstance(value, str) and bool(value.strip())
