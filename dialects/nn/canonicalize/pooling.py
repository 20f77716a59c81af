"""Simplifications of pooling."""

from __future__ import annotations

from lamina.dialects.nn.base import NnOp, ShapeError
from lamina.dialects.nn.canonicalize._simplification import defining, simplification
from lamina.dialects.nn.canonicalize._structure import like
from lamina.dialects.nn.canonicalize.convolution import is_positive_zero, padding_value, spatial_padding
from lamina.dialects.nn.movement import PadOp
from lamina.dialects.nn.pooling import AvgPool2dOp, MaxPool2dOp
from lamina.dialects.nn.reference._numerics import lowest
from lamina.dialects.nn.shapes._windows import channels_last


@simplification("nn.max_pool2d")
def max_pool2d_of_lowest_padding(op: MaxPool2dOp) -> NnOp | None:
    """Padding with the lowest value becomes part of the pooling's own, which never is the maximum."""
    pad = defining(op.x, "nn.pad")
    if pad is None or padding_value(pad) != lowest(padding_value(pad).dtype):
        return None
    return _with_padding(op, pad)


@simplification("nn.avg_pool2d")
def avg_pool2d_of_zero_padding(op: AvgPool2dOp) -> NnOp | None:
    """Padding with zeros becomes part of the pooling's own, counted as elements.

    A pooling that has padding of its own which it does not count cannot take it up.
    """
    pad = defining(op.x, "nn.pad")
    if pad is None or not is_positive_zero(padding_value(pad)):
        return None
    if any(op.attribute("pads")) and not op.attribute("count_include_pad"):
        return None
    return _with_padding(op, pad, count_include_pad=True)


def _with_padding(op: MaxPool2dOp | AvgPool2dOp, pad: PadOp, **more: bool) -> NnOp | None:
    """The pooling of the unpadded value, if it has the same windows.

    With ceil_mode it may have fewer: none starts in its padding at the bottom or right.
    """
    added = spatial_padding(pad, channels_last(op))
    if added is None:
        return None
    pads = [own + extra for own, extra in zip(op.attribute("pads"), added, strict=True)]
    made = like(op, op.name, [pad.x], **{**op.properties, "pads": pads, **more})
    if made is None:
        return None
    try:
        same = made.infer() == op.infer()
    except ShapeError:
        same = False
    if not same:
        made.drop_all_references()
        return None
    return made
