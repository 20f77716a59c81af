"""Convolutions and poolings for the table of derivative cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from derivative_cases import Case, case, floats
from xdsl.dialects.builtin import TensorType, f64
from xdsl.dialects.test import TestOp

from lamina.dialects.nn.base import make

_CONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((1, 2, 4, 5), (3, 2, 2, 3), {}),
    ((2, 2, 5, 5), (2, 2, 3, 3), {"strides": [2, 2], "pads": [1, 0, 1, 2]}),
    ((1, 2, 6, 5), (2, 1, 2, 2), {"groups": 2, "dilations": [2, 1]}),
    ((1, 2, 6, 6), (4, 1, 3, 2), {"groups": 2, "strides": [2, 3], "dilations": [1, 2], "pads": [2, 2, 2, 2]}),
    ((1, 1, 4, 4), (1, 1, 1, 1), {"strides": [2, 2]}),
]
_POOLINGS: list[dict[str, Any]] = [
    {"kernel": [2, 2], "strides": [2, 2]},
    {"kernel": [2, 3], "strides": [2, 3], "pads": [1, 0, 0, 1]},
    {"kernel": [3, 2], "strides": [2, 1], "pads": [1, 1, 1, 0]},
    {"kernel": [2, 2], "strides": [1, 2], "dilations": [2, 1]},
    {"kernel": [2, 2], "strides": [3, 3]},
    {"kernel": [3, 3], "strides": [2, 2], "ceil_mode": True},
]


def convolution_cases() -> list[Case]:
    """Convolutions and their gradients: padding, strides, dilations, groups, in both layouts."""
    cases: list[Case] = []
    for image, kernel, attributes in _CONVOLUTIONS:
        for layout in ("NCHW", "NHWC"):
            x, w, g = (
                floats(*image),
                floats(*kernel, seed=1),
                floats(*_places(image, kernel, attributes), seed=2),
            )
            if layout == "NHWC":
                x, g, w = x.transpose(0, 2, 3, 1), g.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)
            x, g, w = (np.ascontiguousarray(a) for a in (x, g, w))
            common = {**attributes, "layout": layout}
            cases += [
                case("conv2d", x, w, floats(kernel[0], seed=3), note=layout, **common),
                case("conv_transpose2d", g, w, note=layout, **common, size=list(image[2:])),
                case("conv2d_filter_gradient", x, g, note=layout, **common, kernel=list(kernel[2:])),
            ]
    return cases


def _places(image: Sequence[int], kernel: Sequence[int], attributes: dict[str, Any]) -> list[int]:
    """The shape of a convolution's result, by the formula of its documentation."""
    pads, strides = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    dilations = attributes.get("dilations", [1, 1])
    return [image[0], kernel[0]] + [
        (image[2 + i] + pads[i] + pads[2 + i] - (kernel[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1
        for i in (0, 1)
    ]


def pooling_cases() -> list[Case]:
    """Poolings with windows side by side, that overlap, that leave elements out, that reach outside."""
    cases: list[Case] = []
    for shape, layout in (((1, 2, 5, 6), "NCHW"), ((1, 5, 6, 2), "NHWC")):
        first = 2 if layout == "NCHW" else 1
        for kind in _POOLINGS:
            common = {**kind, "layout": layout}
            note = "-".join([layout, *(str(v) for v in kind.values())])
            x = TestOp(result_types=[TensorType(f64, shape)]).results[0]
            pooled = make("nn.max_pool2d", [x], **common).results[0].type
            assert isinstance(pooled, TensorType)
            places, size = tuple(pooled.get_shape()), list(shape[first : first + 2])
            cases += [
                case("max_pool2d", shape, note=note, **common),
                case("max_pool2d_gradient", shape, places, note=note, **common),
                case("avg_pool2d", shape, note=note, **common),
                case("avg_pool2d", shape, note=f"{note}-all", **common, count_include_pad=True),
                case("avg_pool2d_gradient", places, note=note, **common, size=size),
            ]
    return cases
