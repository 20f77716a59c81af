"""``--verify-roundtrip``: what was read is the same after it was printed and read again."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import LaminaError, error, note
from lamina.dialects.core.text import parse, to_text

_NAME = "<round trip>"


def check_roundtrip(root: Operation, context: Context) -> None:
    """Print and read an operation in both forms; :class:`LaminaError` where it comes back otherwise."""
    expected = to_text(root, generic=True)
    for generic in (False, True):
        text = to_text(root, generic)
        try:
            again = parse(text, _NAME, context)
        except LaminaError as problem:
            first = problem.diagnostics[0]
            line = first.location.line if first.location and first.location.file == _NAME else 0
            shown = f": {text.splitlines()[line - 1].strip()}" if line else ""
            raise error(f"what is printed cannot be read: {first.message}{shown}", root) from problem
        got = _matching(again, root)
        actual = to_text(got, generic=True)
        if actual != expected:
            pairs = zip(expected.splitlines(), actual.splitlines(), strict=False)
            before, after = next(((a, b) for a, b in pairs if a != b), ("", ""))
            notes = [note(f"before: {before.strip()}"), note(f"after:  {after.strip()}")]
            raise error("differs after it was printed and read again", root, notes=notes)


def _matching(module: Operation, root: Operation) -> Operation:
    """What was read, without a module that reading has put around it."""
    if module.name != root.name or root.name != "builtin.module":
        first = module.regions[0].block.first_op
        if first is not None:
            return first
    return module
