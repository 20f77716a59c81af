"""Ops that no derivative passes: each with the reason. Cotangents end there, as at a constant."""

from __future__ import annotations

_STEPS = "is constant between its jumps, so its derivative is zero"
_CHOICE = "gives i1"
_INTEGER = "takes or gives integers"
_INDEX = "gives indices or extents"

NOT_DIFFERENTIABLE: dict[str, str] = {
    **dict.fromkeys(("nn.sign", "nn.floor", "nn.ceil", "nn.round"), _STEPS),
    **dict.fromkeys(
        ("nn.equal", "nn.not_equal", "nn.less", "nn.less_equal", "nn.greater", "nn.greater_equal"), _CHOICE
    ),
    **dict.fromkeys(("nn.logical_and", "nn.logical_or", "nn.logical_xor", "nn.logical_not"), _CHOICE),
    **dict.fromkeys(("nn.isnan", "nn.isinf", "nn.reduce_and", "nn.reduce_or"), _CHOICE),
    **dict.fromkeys(("nn.bitwise_and", "nn.bitwise_or", "nn.bitwise_xor", "nn.bitwise_not"), _INTEGER),
    **dict.fromkeys(("nn.shift_left", "nn.shift_right"), _INTEGER),
    **dict.fromkeys(("nn.argmax", "nn.argmin", "nn.argsort", "nn.shape_of"), _INDEX),
    "nn.bitcast": "takes numbers apart into bits",
    "nn.constant": "has no operands",
    **dict.fromkeys(("nn.rng_uniform", "nn.rng_normal"), "has no operands but a key"),
    "nn.stop_gradient": "stops derivatives: that is what it is for",
}
"""Ops through which no derivative goes, by name, with the reason."""
