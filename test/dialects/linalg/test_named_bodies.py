"""The generic form of named structured operations has the body that mlir-opt gives them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lamina

F32, I8, I32 = "f32", "i8", "i32"
PRODUCTS = {
    "batch_reduce_matmul": ("2x3x4", "2x4x5", "3x5"),
    "mmt4d": ("2x3x4x1", "5x3x6x1", "2x5x4x6"),
    "batch_mmt4d": ("7x2x3x4x1", "7x5x3x6x1", "7x2x5x4x6"),
    "conv_1d": ("6", "3", "4"),
    "conv_2d": ("6x7", "3x3", "4x5"),
    "conv_3d": ("6x7x8", "3x3x3", "4x5x6"),
    "conv_3d_ncdhw_fcdhw": ("1x2x6x6x6", "4x2x3x3x3", "1x4x4x4x4"),
    "depthwise_conv_1d_ncw_cw": ("1x2x6", "2x3", "1x2x4"),
    "depthwise_conv_1d_nwc_wc": ("1x6x2", "3x2", "1x4x2"),
    "depthwise_conv_1d_nwc_wcm": ("1x6x2", "3x2x5", "1x4x2x5"),
    "depthwise_conv_3d_ncdhw_cdhw": ("1x2x6x6x6", "2x3x3x3", "1x2x4x4x4"),
    "depthwise_conv_3d_ndhwc_dhwc": ("1x6x6x6x2", "3x3x3x2", "1x4x4x4x2"),
    "depthwise_conv_3d_ndhwc_dhwcm": ("1x6x6x6x2", "3x3x3x2x5", "1x4x4x4x2x5"),
}
QUANTISED = {
    "quantized_batch_matmul": ("2x3x4", "2x4x5", "2x3x5"),
    "conv_2d_nhwc_hwcf_q": ("1x6x6x2", "3x3x2x4", "1x4x4x4"),
    "conv_2d_nhwc_fhwc_q": ("1x6x6x2", "4x3x3x2", "1x4x4x4"),
    "conv_2d_nchw_fchw_q": ("1x2x6x6", "4x2x3x3", "1x4x4x4"),
    "conv_2d_nhwgc_gfhwc_q": ("1x6x6x3x2", "3x4x3x3x2", "1x4x4x3x4"),
    "conv_2d_ngchw_gfchw_q": ("1x3x2x6x6", "3x4x2x3x3", "1x3x4x4x4"),
    "conv_3d_ndhwc_dhwcf_q": ("1x6x6x6x2", "3x3x3x2x4", "1x4x4x4x4"),
    "depthwise_conv_2d_nhwc_hwc_q": ("1x6x6x2", "3x3x2", "1x4x4x2"),
    "depthwise_conv_2d_nhwc_hwcm_q": ("1x6x6x2", "3x3x2x4", "1x4x4x2x4"),
}
POOLINGS = {
    "pooling_nwc": ("1x6x2", "3", "1x4x2", "sum max max_unsigned min min_unsigned"),
    "pooling_ncw": ("1x2x6", "3", "1x2x4", "sum max"),
    "pooling_nhwc": ("1x6x6x2", "3x3", "1x4x4x2", "sum max max_unsigned min min_unsigned"),
    "pooling_nchw": ("1x2x6x6", "3x3", "1x2x4x4", "sum max"),
    "pooling_ndhwc": ("1x6x6x6x2", "3x3x3", "1x4x4x4x2", "sum max min"),
}


def program(name: str, inputs: list[str], output: str, more: str = "") -> str:
    """A function around one operation on tensors and scalars."""
    names = [f"%a{number}" for number in range(len(inputs))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip([*names, "%out"], [*inputs, output], strict=True))
    ins = f"{', '.join(names)} : {', '.join(inputs)}"
    return (
        f"func.func @f({arguments}) -> {output} {{\n"
        f"  %0 = linalg.{name} {more}ins({ins}) outs(%out : {output}) -> {output}\n"
        f"  return %0 : {output}\n}}\n"
    )


def programs() -> list[str]:
    """A program for each operation, and each kind of element that makes a difference."""
    found: list[str] = []
    for name, shapes in PRODUCTS.items():
        for inner, outer in ((F32, F32), (I8, I32)):
            left, right, out = (
                f"tensor<{s}x{t}>" for s, t in zip(shapes, (inner, inner, outer), strict=True)
            )
            found.append(program(name, [left, right], out))
    for name, (left, right, out) in QUANTISED.items():
        inputs = [f"tensor<{left}xi8>", f"tensor<{right}xi8>", I32, I32]
        found.append(program(name, inputs, f"tensor<{out}xi32>"))
    for name, (image, window, out, ends) in POOLINGS.items():
        for end in ends.split():
            for inner, outer in ((F32, F32), (I32, I32), (I8, I32))[: 2 if "nchw" in name else 3]:
                if not ("unsigned" in end and inner == F32):
                    inputs = [f"tensor<{image}x{inner}>", f"tensor<{window}x{outer}>"]
                    found.append(program(f"{name}_{end}", inputs, f"tensor<{out}x{outer}>"))
    kinds = {"exp": 1, "square": 1, "add": 2, "max_signed": 2, "min_signed": 2, "div": 2}
    for kind, count in kinds.items():
        t = "tensor<4x5xf32>"
        found.append(program("elementwise", [t] * count, t, f"kind=#linalg.elementwise_kind<{kind}> "))
    for kind in ("max_unsigned", "min_unsigned"):
        t = "tensor<4x5xi32>"
        found.append(program("elementwise", [t] * 2, t, f"kind=#linalg.elementwise_kind<{kind}> "))
    return found


@pytest.mark.parametrize("text", programs())
def test_the_generic_form_is_upstreams(mlir_opt: Callable[..., str], text: str) -> None:
    ours = lamina.to_text(lamina.parse(text), generic=True)
    assert mlir_opt(ours, "--mlir-print-op-generic") == mlir_opt(text, "--mlir-print-op-generic")
