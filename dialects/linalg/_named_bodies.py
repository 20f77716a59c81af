"""The bodies that the names of structured operations stand for, of those whose class does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.linalg._bodies import (
    appended,
    applied,
    combine,
    drop_signs,
    elementwise,
    multiply_accumulate,
    promote,
    region_of,
)

Values = Sequence[SSAValue]
_POOLINGS: dict[str, tuple[type[Operation], type[Operation]]] = {
    "sum": (arith.AddfOp, arith.AddiOp),
    "max": (arith.MaximumfOp, arith.MaxSIOp),
    "min": (arith.MinimumfOp, arith.MinSIOp),
    "max_unsigned": (arith.MaximumfOp, arith.MaxUIOp),
    "min_unsigned": (arith.MinimumfOp, arith.MinUIOp),
}
"""The ops on floats and on integers that combine a window."""
_POOLING = re.compile(r"linalg\.pooling_[a-z]+_(\w+)")
_PRODUCT = re.compile(r"linalg\.(?:\w+_)?(?:conv_[123]d\w*|matmul|mmt4d)")
_QUANTISED = re.compile(r"linalg\.(?:\w+conv_\w+_q|conv_\w+_q|quantized_\w+)")


def named_body(name: str, inputs: Values, outputs: Values) -> Region | None:
    """The body of a pooling, product or convolution by its name; None for any other."""
    pooling = _POOLING.fullmatch(name)
    if pooling is not None:
        on_float, on_integer = _POOLINGS[pooling[1]]
        body = combine(inputs, outputs, on_float, on_integer)
        if "unsigned" in name:
            drop_signs(body)
        return body
    if _QUANTISED.fullmatch(name):
        return region_of((*inputs, *outputs), _quantised_product)
    return multiply_accumulate(inputs, outputs) if _PRODUCT.fullmatch(name) else None


def _quantised_product(args: Values, block: Block) -> SSAValue:
    """``out + (a - zero of a) * (b - zero of b)``."""
    left, right, left_zero, right_zero, total = args

    differences: list[SSAValue] = []
    for value, zero in ((left, left_zero), (right, right_zero)):
        value = promote(value, total.type, block)
        differences.append(appended(arith.SubiOp(value, promote(zero, total.type, block)), block))
    return appended(arith.AddiOp(total, appended(arith.MuliOp(differences[0], differences[1]), block)), block)


_SAME = {"max_signed": "linalg.max", "min_signed": "linalg.min"}
_UNSIGNED = {"max_unsigned": arith.MaxUIOp, "min_unsigned": arith.MinUIOp}


def elementwise_name(kind: str) -> str:
    """The named operation that has the body of a ``linalg.elementwise`` of a kind."""
    return _SAME.get(kind, f"linalg.{kind}")


def unsigned_body(kind: str, inputs: Values, outputs: Values) -> Region | None:
    """The body of a ``linalg.elementwise`` of which there is no named operation."""
    operation = _UNSIGNED.get(kind)
    return elementwise(inputs, outputs, applied(operation)) if operation is not None else None
