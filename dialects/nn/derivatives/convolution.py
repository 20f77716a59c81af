"""Derivatives of convolutions. The three ops are each other's: no derivative of any order needs a fourth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import DYNAMIC, derivative, expansion
from lamina.dialects.nn.derivatives._rules import Adjoint
from lamina.dialects.nn.derivatives._terms import Term
from lamina.dialects.nn.derivatives.movement import padded, spread
from lamina.dialects.nn.shapes._windows import windows

_ATTRIBUTES = ("strides", "pads", "dilations", "groups", "layout")


@derivative("nn.conv2d")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, w = at.operands[:2]
    by_x = at.grad.conv_transpose2d(w, **_same(at), size=_spatial(at, x)) if at.needs[0] else None
    by_w = x.conv2d_filter_gradient(at.grad, **_same(at), kernel=_kernel(at, w)) if at.needs[1] else None
    if len(at.operands) == 2:
        return by_x, by_w
    others = [0, 1, 2] if at.attribute("layout") == "NHWC" else [0, 2, 3]
    return by_x, by_w, at.grad.reduce_sum(axes=others)


@derivative("nn.conv_transpose2d")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, w = at.operands
    by_x = at.grad.conv2d(w, **_same(at)) if at.needs[0] else None
    by_w = at.grad.conv2d_filter_gradient(x, **_same(at), kernel=_kernel(at, w)) if at.needs[1] else None
    return by_x, by_w


@derivative("nn.conv2d_filter_gradient")
def _(at: Adjoint) -> Sequence[Term | None]:
    x, grad = at.operands
    by_x = grad.conv_transpose2d(at.grad, **_same(at), size=_spatial(at, x)) if at.needs[0] else None
    return by_x, x.conv2d(at.grad, **_same(at)) if at.needs[1] else None


def _same(at: Adjoint) -> dict[str, Any]:
    return {name: at.op.properties[name] for name in _ATTRIBUTES if name in at.op.properties}


def _spatial(at: Adjoint, x: Term) -> list[int]:
    """Height and width of an image."""
    first = 1 if at.attribute("layout") == "NHWC" else 2
    return _known(at, x.shape[first : first + 2])


def _kernel(at: Adjoint, w: Term) -> list[int]:
    """Height and width of a filter."""
    return _known(at, w.shape[:2] if at.attribute("layout") == "NHWC" else w.shape[2:])


def _known(at: Adjoint, extents: Sequence[int]) -> list[int]:
    if DYNAMIC in extents:
        raise error("has images or filters of unknown extents", at.op, hint="run nn-set-shapes first")
    return list(extents)


@expansion("nn.conv_transpose2d")
def conv_transpose2d(op: Any, x: Term, w: Term) -> Term:
    """A convolution of x, its elements spread by the strides, with the filter turned around."""
    last = op.attribute("layout") == "NHWC"
    first = 1 if last else 2
    height, width = w.shape[:2] if last else w.shape[2:]
    pair = windows(op, (height, width))
    pads = [0, 0, 0, 0]
    for i, (window, extent) in enumerate(zip(pair, op.attribute("size"), strict=True)):
        x = spread(x, first + i, window.stride)
        low = window.reach - 1 - window.low
        high = extent + window.reach - 1 - x.shape[first + i] - low
        x = padded(x, first + i, min(low, 0), min(high, 0))
        pads[i], pads[2 + i] = max(low, 0), max(high, 0)
    attributes = {"dilations": op.properties["dilations"], "groups": op.properties["groups"]}
    turned = _turned(w, op.attribute("groups"), last)
    return x.conv2d(turned, **attributes, layout=op.properties["layout"], pads=pads)


def _turned(w: Term, groups: int, last: bool) -> Term:
    """The filter with its places reversed, and input and output channels exchanged within each group."""
    spatial = (0, 1) if last else (2, 3)
    sizes = [w.shape[a] for a in spatial]
    for axis, size in zip(spatial, sizes, strict=True):
        w = w.reversed(axis) if size > 1 else w
    if last:
        depth, count = w.shape[2], w.shape[3]
        if groups == 1:
            return w.transpose(permutation=[0, 1, 3, 2])
        w = w.reshape(shape=[*sizes, depth, groups, count // groups]).transpose(permutation=[0, 1, 4, 3, 2])
        return w.reshape(shape=[*sizes, count // groups, groups * depth])
    count, depth = w.shape[0], w.shape[1]
    if groups == 1:
        return w.transpose(permutation=[1, 0, 2, 3])
    w = w.reshape(shape=[groups, count // groups, depth, *sizes]).transpose(permutation=[0, 2, 1, 3, 4])
    return w.reshape(shape=[groups * depth, count // groups, *sizes])
