"""Every structured operation shows its maps, iterators and body in one form; the named ones round-trip."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.dialects.linalg.structured import StructuredView, as_generic, is_structured, static_loop_sizes

WINDOW = "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}"
VOLUME = "{dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}"
ROW = "{dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}"
UNARY = ("abs", "ceil", "floor", "negf", "reciprocal", "round", "rsqrt", "square", "tanh", "erf", "exp")
BINARY = ("add", "sub", "mul", "div", "max", "min")
CASES = {
    # name: (attributes, input types, output type, loop sizes)
    "matmul": ("", ["2x3xf32", "3x4xf32"], "2x4xf32", (2, 4, 3)),
    "batch_matmul": ("", ["5x2x3xf32", "5x3x4xf32"], "5x2x4xf32", (5, 2, 4, 3)),
    "matvec": ("", ["2x3xf32", "3xf32"], "2xf32", (2, 3)),
    "vecmat": ("", ["3xf32", "3x4xf32"], "4xf32", (4, 3)),
    "batch_matvec": ("", ["5x2x3xf32", "5x3xf32"], "5x2xf32", (5, 2, 3)),
    "batch_vecmat": ("", ["5x3xf32", "5x3x4xf32"], "5x4xf32", (5, 4, 3)),
    "dot": ("", ["3xf32", "3xf32"], "f32", (3,)),
    "conv_2d_nchw_fchw": (WINDOW, ["1x3x9x7xf32", "4x3x3x3xf32"], "1x4x4x3xf32", (1, 4, 4, 3, 3, 3, 3)),
    "conv_2d_nhwc_hwcf": (WINDOW, ["1x9x7x3xf32", "3x3x3x4xf32"], "1x4x3x4xf32", (1, 4, 3, 4, 3, 3, 3)),
    "conv_2d_nhwc_fhwc": (WINDOW, ["1x9x7x3xf32", "4x3x3x3xf32"], "1x4x3x4xf32", (1, 4, 3, 4, 3, 3, 3)),
    "conv_1d_nwc_wcf": (ROW, ["1x9x3xf32", "3x3x4xf32"], "1x5x4xf32", (1, 5, 4, 3, 3)),
    "conv_1d_ncw_fcw": (ROW, ["1x3x9xf32", "4x3x3xf32"], "1x4x5xf32", (1, 4, 5, 3, 3)),
    "conv_3d_ndhwc_dhwcf": (
        VOLUME, ["1x4x4x4x2xf32", "3x3x3x2x5xf32"], "1x2x2x2x5xf32", (1, 2, 2, 2, 5, 3, 3, 3, 2)),
    "depthwise_conv_2d_nhwc_hwc": (WINDOW, ["1x9x7x3xf32", "3x3x3xf32"], "1x4x3x3xf32", (1, 4, 3, 3, 3, 3)),
    "depthwise_conv_2d_nchw_chw": (WINDOW, ["1x3x9x7xf32", "3x3x3xf32"], "1x3x4x3xf32", (1, 4, 3, 3, 3, 3)),
    "depthwise_conv_2d_nhwc_hwcm": (
        WINDOW, ["1x9x7x3xf32", "3x3x3x2xf32"], "1x4x3x3x2xf32", (1, 4, 3, 3, 2, 3, 3)),
    "pooling_nchw_max": (WINDOW, ["1x3x9x7xf32", "3x3xf32"], "1x3x4x3xf32", (1, 3, 4, 3, 3, 3)),
    "pooling_nchw_sum": (WINDOW, ["1x3x9x7xf32", "3x3xf32"], "1x3x4x3xf32", (1, 3, 4, 3, 3, 3)),
    "pooling_nhwc_max": (WINDOW, ["1x9x7x3xf32", "3x3xf32"], "1x4x3x3xf32", (1, 4, 3, 3, 3, 3)),
    "pooling_nhwc_min": (WINDOW, ["1x9x7x3xf32", "3x3xf32"], "1x4x3x3xf32", (1, 4, 3, 3, 3, 3)),
    "pooling_nhwc_sum": (WINDOW, ["1x9x7x3xf32", "3x3xf32"], "1x4x3x3xf32", (1, 4, 3, 3, 3, 3)),
    "copy": ("", ["2x3xf32"], "2x3xf32", (2, 3)),
    "powf": ("", ["2x3xf32", "2x3xf32"], "2x3xf32", (2, 3)),
    "div_unsigned": ("", ["2x3xi32", "2x3xi32"], "2x3xi32", (2, 3)),
    **{name: ("", ["2x3xf32"], "2x3xf32", (2, 3)) for name in UNARY},
    **{name: ("", ["2x3xf32", "2x3xf32"], "2x3xf32", (2, 3)) for name in BINARY},
}  # fmt: skip


def module_of(name: str) -> ModuleOp:
    attributes, inputs, output, _ = CASES[name]
    arguments = ", ".join(f"%{i}: tensor<{kind}>" for i, kind in enumerate([*inputs, output]))
    names = ", ".join(f"%{i}" for i in range(len(inputs)))
    types = ", ".join(f"tensor<{kind}>" for kind in inputs)
    module = parse(
        f"func.func @main({arguments}) -> tensor<{output}> {{\n%r = linalg.{name} {attributes} "
        f"ins({names} : {types}) outs(%{len(inputs)} : tensor<{output}>) -> tensor<{output}>\n"
        f"return %r : tensor<{output}>\n}}"
    )
    verify(module)
    return module


def view_of(module: ModuleOp) -> StructuredView:
    (op,) = [op for op in module.walk() if is_structured(op)]
    return as_generic(op)


@pytest.mark.parametrize("name", CASES)
def test_the_loops_of_a_named_operation(name: str) -> None:
    view = view_of(module_of(name))
    assert static_loop_sizes(view) == CASES[name][3]
    assert len(view.body.args) == len(view.operands)
    assert view.is_parallel == ("reduction" not in view.iterator_types)


@pytest.mark.parametrize("name", CASES)
def test_a_named_operation_round_trips(name: str) -> None:
    text = to_text(module_of(name))
    assert to_text(parse(text)) == text


@pytest.mark.parametrize("name", CASES)
def test_mlir_opt_agrees_on_the_maps_and_the_body(name: str, mlir_opt) -> None:
    module = module_of(name)
    generalised = view_of(parse(mlir_opt(to_text(module), "--linalg-generalize-named-ops")))
    ours = view_of(module)
    assert ours.iterator_types == generalised.iterator_types
    assert scalar_ops(ours) == scalar_ops(generalised)
    for mine, theirs, operand in zip(
        ours.indexing_maps, generalised.indexing_maps, ours.operands, strict=True
    ):
        assert values(mine) == values(theirs), operand


def scalar_ops(view: StructuredView) -> list[str]:
    """The operations of the body; mlir-opt moves constants out of it."""
    return [op.name for op in view.body.ops if op.name != "arith.constant"]


def values(indexing_map: AffineMap) -> list[tuple[int, ...]]:
    """What a map gives for some indices: maps that are written differently may be the same."""
    points = ([p * (d + 2) % 7 for d in range(indexing_map.num_dims)] for p in range(9))
    return [indexing_map.eval(point, []) for point in points]


def test_whether_the_output_is_read() -> None:
    assert view_of(module_of("matmul")).reads_output(0)
    assert not view_of(module_of("exp")).reads_output(0)


def test_other_operations_are_an_error() -> None:
    with pytest.raises(LaminaError, match="is not a structured linalg operation"):
        as_generic(module_of("exp"))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_named_operations_compute_with_complex_numbers(name: str) -> None:
    kind = "tensor<4xcomplex<f32>>"
    module = parse(
        f"func.func @f(%a: {kind}, %s: complex<f32>) -> {kind} {{\n"
        f"  %0 = linalg.fill ins(%s : complex<f32>) outs(%a : {kind}) -> {kind}\n"
        f"  %1 = linalg.{name} ins(%0, %a : {kind}, {kind}) outs(%a : {kind}) -> {kind}\n"
        f"  return %1 : {kind}\n}}"
    )
    verify(module)
    assert [op.name for op in module.walk() if op.name.startswith("complex.")] == [f"complex.{name}"]
    assert to_text(parse(to_text(module))) == to_text(module)


def test_contractions_of_complex_numbers_multiply_and_add_them() -> None:
    kind = "tensor<4x4xcomplex<f32>>"
    module = parse(
        f"func.func @f(%a: {kind}) -> {kind} {{\n"
        f"  %0 = linalg.matmul ins(%a, %a : {kind}, {kind}) outs(%a : {kind}) -> {kind}\n"
        f"  return %0 : {kind}\n}}"
    )
    verify(module)
    names = [op.name for op in module.walk() if op.name.startswith("complex.")]
    assert names == ["complex.mul", "complex.add"]


def test_a_broadcast_along_no_dimension_is_written() -> None:
    kind = "tensor<2x3xf32>"
    text = (
        f"func.func @f(%a: {kind}) -> {kind} {{\n"
        f"  %0 = linalg.broadcast ins(%a : {kind}) outs(%a : {kind}) dimensions = []\n"
        f"  return %0 : {kind}\n}}"
    )
    module = parse(text)
    verify(module)
    assert "dimensions = []" in to_text(module)
