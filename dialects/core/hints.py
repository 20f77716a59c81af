"""What to do about a message: hints for errors whose message alone does not say how to go on."""

from __future__ import annotations

import re

_HINTS = (
    (r"expected non-empty function body", "end it with a terminator, such as 'return'"),
    (r"block with no terminator", "end the block with a terminator, such as 'return'"),
    (r"expected location instance", 'write loc("file":1:2) or loc(unknown)'),
    (
        r"undefined symbol alias id '.*'",
        "an alias is defined on a line of its own, as #name = … or !name = …",
    ),
    (
        r"expected non-function type",
        "a type is i32, f32, index, tensor<2x3xf32>, memref<…>, vector<…> or !dialect.name",
    ),
    (r"expected SSA operand", "a value is written %name"),
    (r"expected attribute value", 'an attribute is a number, "text", [a list], {a = 1}, @name or #name'),
    (r"use of undeclared identifier", "a map may use the names in its own (dimensions)[symbols]"),
    (r"number of operands and types do not match", "write one type for each operand"),
    (r"operation defines \d+ results but was provided", "write %name:N = … for N results"),
    (r"cannot name an operation with no results", "leave out the name and '='"),
    (r"duplicate key '.*' in dictionary attribute", "give each attribute once"),
    (r"reference to an undefined block", "a block starts with its name, as ^bb1:"),
)


def hint_for(message: str) -> str | None:
    """The hint for a message, or None."""
    # Compiled when the first error is met, not at start-up.
    return next((hint for pattern, hint in _HINTS if re.search(pattern, message)), None)
