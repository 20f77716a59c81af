"""What upstream verifies of cf in C++."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies


@verifies("cf.cond_br")
def check_branch_weights(op: Operation) -> None:
    """A weight for each successor, not all of them zero."""
    weights: Any = attribute(op, "branch_weights")
    if not isinstance(weights, DenseArrayBase):
        return
    numbers, successors = weights.get_values(), len(op.successors)
    if len(numbers) != successors:
        raise error(
            f"expects number of branch weights to match number of successors: {len(numbers)} vs {successors}",
            location_of(op),
        )
    if not any(numbers):
        raise error("branch weights cannot all be zero", location_of(op))


@verifies("cf.switch")
def switch(op: Operation) -> None:
    """A value of the flag's type for each case."""
    values: Any = attribute(op, "case_values")
    cases, flag = len(op.successors) - 1, op.operands[0].type
    if values is None:
        if cases:
            raise error(f"number of case values (0) should match number of case destinations ({cases})", op)
        return
    if values.type.element_type != flag:
        raise error(f"'flag' type ('{flag}') should match case value type ('{values.type.element_type}')", op)
    count = math.prod(values.type.get_shape())
    if count != cases:
        raise error(f"number of case values ({count}) should match number of case destinations ({cases})", op)
