"""Normalisations by the arithmetic they stand for: it is differentiated in their place."""

from __future__ import annotations

from typing import Any

from lamina.dialects.nn.base import expansion
from lamina.dialects.nn.derivatives._terms import Term


@expansion("nn.batch_norm")
def _(op: Any, x: Term, scale: Term, bias: Term, mean: Term, variance: Term) -> Term:
    axis = op.attribute("axis") % x.rank
    trailing = list(range(1, x.rank - axis))

    def along(channels: Term) -> Term:
        return channels.unsqueeze(axes=trailing) if trailing else channels

    factor = (variance + op.attribute("epsilon")).rsqrt() * scale
    return (x - along(mean)) * along(factor) + along(bias)


@expansion("nn.layer_norm")
def _(op: Any, x: Term, scale: Term, bias: Term | None = None) -> Term:
    axes = list(range(op.attribute("axis") % x.rank, x.rank))
    centred = x - x.reduce_mean(axes=axes, keepdims=True)
    variance = (centred * centred).reduce_mean(axes=axes, keepdims=True)
    normal = centred * (variance + op.attribute("epsilon")).rsqrt() * scale
    return normal if bias is None else normal + bias
