"""Parts of documentation pages that commands write: a table between two comments of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def publish(page: Path, name: str, text: str) -> None:
    """Put a text between the two comments of a page that name it."""
    start, end = markers(name)
    before, _, rest = page.read_text(encoding="utf-8").partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no comments '{start}' and '{end}'")
    page.write_text(f"{before}{start}\n{text}\n{end}{after}", encoding="utf-8")


def check_page(page: Path, name: str) -> None:
    """Refuse a page that is not there or lacks the comments, before anything takes long."""
    if not page.is_file():
        raise SystemExit(f"there is no page {page}")
    text = page.read_text(encoding="utf-8")
    missing = [marker for marker in markers(name) if marker not in text]
    if missing:
        raise SystemExit(f"{page} has no comment '{missing[0]}'")


def markers(name: str) -> tuple[str, str]:
    """The comments around a generated part."""
    return f"<!-- {name}: generated -->", f"<!-- end of {name} -->"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with its head."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
