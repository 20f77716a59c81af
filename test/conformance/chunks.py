"""Upstream's own test files, split into the pieces that they are made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

DIALECTS = [
    "Linalg",
    "SCF",
    "Vector",
    "MemRef",
    "Arith",
    "Tensor",
    "LLVMIR",
    "Func",
    "Bufferization",
    "Affine",
    "Math",
    "ControlFlow",
    "UB",
    "Complex",
    "Index",
    "Builtin",
]
OPERATIONS = frozenset(
    [
        "builtin",
        "func",
        "arith",
        "math",
        "complex",
        "index",
        "ub",
        "cf",
        "scf",
        "affine",
        "tensor",
        "bufferization",
        "linalg",
        "memref",
        "vector",
        "llvm",
    ]
)
_SEPARATOR = re.compile(r"^// -----.*\n", re.MULTILINE)
_EXPECTED = re.compile(r"expected-(error|warning|remark|note)(?:-re)?(?:\s*@([+-]\d+|above|below|unknown))?")


@dataclass(frozen=True)
class Chunk:
    """One piece of a test file; ``line`` is that of its first line in the file."""

    dialect: str
    path: Path
    number: int
    line: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.dialect}/{self.path.name}#{self.number}"

    @cached_property
    def expected_errors(self) -> frozenset[int]:
        """The lines of the chunk, from 1, on which an error is expected (0: anywhere)."""
        found: set[int] = set()
        for number, line in enumerate(self.text.split("\n"), 1):
            for kind, where in _EXPECTED.findall(line):
                if kind == "error":
                    found.add(self._line(number, where))
        return frozenset(found)

    def _line(self, number: int, where: str) -> int:
        if where == "unknown":
            return 0
        if where in ("above", "below"):
            step = -1 if where == "above" else 1
            lines = self.text.split("\n")
            at = number + step
            # Several annotations may follow each other: they are about the same line.
            while 1 <= at <= len(lines) and re.match(r"\s*//\s*expected-", lines[at - 1]):
                at += step
            return at
        return number + int(where) if where else number


def upstream_tests() -> Path | None:
    """The folder ``mlir/test`` of upstream's sources (``$LAMINA_UPSTREAM_TESTS``), or None."""
    found = os.environ.get("LAMINA_UPSTREAM_TESTS")
    return Path(found) if found else None


def chunks(root: Path, dialects: tuple[str, ...] | list[str] = ()) -> Iterator[Chunk]:
    """All chunks of the dialects' folders and of ``IR``."""
    for dialect in dialects or [*DIALECTS, "IR"]:
        folder = root / dialect if dialect == "IR" else root / "Dialect" / dialect
        for path in sorted(folder.rglob("*.mlir")):
            text = path.read_bytes().decode("utf-8", "replace")
            line = 1
            for number, part in enumerate(_SEPARATOR.split(text)):
                if part.strip():
                    yield Chunk(dialect, path, number, line, part)
                line += part.count("\n") + 1
