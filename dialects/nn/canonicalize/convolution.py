"""Simplifications of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.canonicalize._simplification import defining, element_type, simplification
from lamina.dialects.nn.canonicalize._structure import like
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.movement import PadOp
from lamina.dialects.nn.reference.movement import fill_value
from lamina.dialects.nn.shapes._windows import channels_last


@simplification("nn.conv2d")
def conv2d_of_zero_padding(op: Conv2dOp) -> NnOp | None:
    """Padding with +0.0 along height and width becomes part of the convolution's own."""
    pad = defining(op.x, "nn.pad")
    if pad is None or not is_positive_zero(padding_value(pad)):
        return None
    added = spatial_padding(pad, channels_last(op))
    if added is None:
        return None
    pads = [own + more for own, more in zip(op.attribute("pads"), added, strict=True)]
    return like(op, op.name, [pad.x, *op.operands[1:]], **{**op.properties, "pads": pads})


def spatial_padding(pad: PadOp, nhwc: bool) -> tuple[int, int, int, int] | None:
    """Top, left, bottom and right of a constant padding that touches height and width only."""
    low, high = pad.attribute("low"), pad.attribute("high")
    first = 1 if nhwc else 2
    others = [d for d in range(4) if d not in (first, first + 1)]
    if pad.attribute("mode") != "constant" or any(low[d] or high[d] for d in others):
        return None
    return (low[first], low[first + 1], high[first], high[first + 1])


def padding_value(pad: PadOp) -> Any:
    """What a constant padding adds, as a NumPy scalar of the element type."""
    return fill_value(pad, numpy_dtype(element_type(pad.x)))


def is_positive_zero(value: Any) -> bool:
    """Zero, told from -0.0."""
    return bool(value == 0) and not np.signbit(np.float64(value))
