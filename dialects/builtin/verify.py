"""What upstream verifies of the builtin operations in C++."""

from __future__ import annotations

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.registry import verifies

_OF_SYMBOLS = ("sym_name", "sym_visibility")


@verifies("builtin.module")
def module(op: Operation) -> None:
    """Attributes belong to a dialect, by the prefix of their name."""
    for name in op.attributes:
        if "." not in name and name not in _OF_SYMBOLS:
            raise error(f"can only contain attributes with dialect-prefixed names, found: '{name}'", op)


@verifies("builtin.unrealized_conversion_cast", types_only=True)
def unrealized_conversion_cast(op: Operation) -> None:
    """A cast has a result."""
    if not op.results:
        raise error("expected at least one result for cast operation", op)
