"""Loops compute what the structured operations do: against NumPy, and against the interpreter on linalg."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.interpreter import interpret_function
from lamina.lowering.loops._lowering import linalg_to_loops
from lamina.lowering.loops.promote_reduction_accumulators import promote_reduction_accumulators


def lowered(text: str, *, parallel: bool = False, promote: bool = False) -> ModuleOp:
    module = parse(text)
    verify(module)
    linalg_to_loops(module, parallel=parallel)
    if promote:
        promote_reduction_accumulators(module)
    verify(module)
    assert not any(op.name.startswith("linalg.") for op in module.walk())
    return module


def run(module: ModuleOp, *arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays after the function has worked on copies of them."""
    copies = [array.copy() for array in arrays]
    interpret_function(module, "main", copies)
    return copies


def on_buffers(op: str, *types: str) -> str:
    arguments = ", ".join(f"%{i}: memref<{kind}>" for i, kind in enumerate(types))
    return f"func.func @main({arguments}) {{\n%c = arith.constant 3.0 : f32\n{op}\nreturn\n}}"


WINDOW = "{dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}"
OPERATIONS = {
    "fill": ("linalg.fill ins(%c : f32) outs(%0 : memref<3x4xf32>)", ["3x4xf32"]),
    "matmul": (
        "linalg.matmul ins(%0, %1 : memref<3x4xf32>, memref<4x5xf32>) outs(%2 : memref<3x5xf32>)",
        ["3x4xf32", "4x5xf32", "3x5xf32"],
    ),
    "batch_matmul": (
        "linalg.batch_matmul ins(%0, %1 : memref<2x3x4xf32>, memref<2x4x2xf32>) outs(%2 : memref<2x3x2xf32>)",
        ["2x3x4xf32", "2x4x2xf32", "2x3x2xf32"],
    ),
    "mixed matmul": (
        "linalg.matmul ins(%0, %1 : memref<3x4xi8>, memref<4x5xi8>) outs(%2 : memref<3x5xi32>)",
        ["3x4xi8", "4x5xi8", "3x5xi32"],
    ),
    "dot": (
        "linalg.dot ins(%0, %1 : memref<6xf32>, memref<6xf32>) outs(%2 : memref<f32>)",
        ["6xf32", "6xf32", "f32"],
    ),
    "conv_2d_nchw_fchw": (
        f"linalg.conv_2d_nchw_fchw {WINDOW} ins(%0, %1 : memref<1x2x7x5xf32>, memref<3x2x3x2xf32>) "
        "outs(%2 : memref<1x3x3x4xf32>)",
        ["1x2x7x5xf32", "3x2x3x2xf32", "1x3x3x4xf32"],
    ),
    "depthwise_conv_2d_nhwc_hwc": (
        f"linalg.depthwise_conv_2d_nhwc_hwc {WINDOW} ins(%0, %1 : memref<1x7x5x2xf32>, memref<3x2x2xf32>) "
        "outs(%2 : memref<1x3x4x2xf32>)",
        ["1x7x5x2xf32", "3x2x2xf32", "1x3x4x2xf32"],
    ),
    "pooling_nhwc_max": (
        f"linalg.pooling_nhwc_max {WINDOW} ins(%0, %1 : memref<1x7x5x2xf32>, memref<3x2xf32>) "
        "outs(%2 : memref<1x3x4x2xf32>)",
        ["1x7x5x2xf32", "3x2xf32", "1x3x4x2xf32"],
    ),
    "transpose": (
        "linalg.transpose ins(%0 : memref<2x3x4xf32>) outs(%1 : memref<4x2x3xf32>) permutation = [2, 0, 1]",
        ["2x3x4xf32", "4x2x3xf32"],
    ),
    "broadcast": (
        "linalg.broadcast ins(%0 : memref<3xf32>) outs(%1 : memref<2x3x4xf32>) dimensions = [0, 2]",
        ["3xf32", "2x3x4xf32"],
    ),
    "reduce": (
        "linalg.reduce ins(%0 : memref<2x3x4xf32>) outs(%1 : memref<2x4xf32>) dimensions = [1]\n"
        "(%a: f32, %b: f32) {\n%s = arith.addf %a, %b : f32\nlinalg.yield %s : f32\n}",
        ["2x3x4xf32", "2x4xf32"],
    ),
    "strided map and index": (
        "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + 1, d1)>, "
        'affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} '
        "ins(%0 : memref<7x4xf32>) outs(%1 : memref<4x3xf32>) {\n^bb0(%a: f32, %b: f32):\n"
        "%i = linalg.index 1 : index\n%j = arith.index_cast %i : index to i32\n"
        "%f = arith.sitofp %j : i32 to f32\n%s = arith.addf %a, %f : f32\nlinalg.yield %s : f32\n}",
        ["7x4xf32", "4x3xf32"],
    ),
    "two outputs": (
        "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, "
        'affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} '
        "ins(%0 : memref<5x3xf32>) outs(%1, %2 : memref<5xf32>, memref<5xf32>) {\n"
        "^bb0(%a: f32, %b: f32, %d: f32):\n%s = arith.addf %a, %b : f32\n"
        "%t = arith.maximumf %d, %a : f32\nlinalg.yield %s, %t : f32, f32\n}",
        ["5x3xf32", "5xf32", "5xf32"],
    ),
    "nothing to do": ("linalg.fill ins(%c : f32) outs(%0 : memref<0x4xf32>)", ["0x4xf32"]),
}


def random_arrays(types: list[str]) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    arrays = []
    for kind in types:
        *shape, element = kind.split("x")
        dtype = {"f32": np.float32, "i8": np.int8, "i32": np.int32}[element]
        arrays.append(np.asarray(generator.integers(-5, 6, [int(n) for n in shape]).astype(dtype)))
    return arrays


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("form", ["loops", "parallel", "promoted"])
def test_loops_compute_what_the_operation_does(name: str, form: str) -> None:
    op, types = OPERATIONS[name]
    text = on_buffers(op, *types)
    arrays = random_arrays(types)
    expected = run(parse(text), *arrays)
    got = run(lowered(text, parallel=form == "parallel", promote=form == "promoted"), *arrays)
    for result, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_a_convolution_against_numpy() -> None:
    op, types = OPERATIONS["conv_2d_nchw_fchw"]
    x, w, y = random_arrays(types)
    expected = y.copy()
    for oh, ow in np.ndindex(3, 4):
        window = x[0, :, 2 * oh : 2 * oh + 3, ow : ow + 2]
        expected[0, :, oh, ow] += np.einsum("chw,fchw->f", window, w)
    np.testing.assert_array_equal(run(lowered(on_buffers(op, *types)), x, w, y)[2], expected)


@pytest.mark.parametrize("name", OPERATIONS)
def test_mlir_opt_accepts_the_loops(name: str, mlir_opt) -> None:
    op, types = OPERATIONS[name]
    for parallel in (False, True):
        mlir_opt(to_text(lowered(on_buffers(op, *types), parallel=parallel)))


def test_dynamic_extents_are_read_from_the_buffers() -> None:
    op = "linalg.matmul ins(%0, %1 : memref<?x?xf32>, memref<?x?xf32>) outs(%2 : memref<?x?xf32>)"
    text = on_buffers(op, "?x?xf32", "?x?xf32", "?x?xf32")
    a, b, c = random_arrays(["3x4xf32", "4x5xf32", "3x5xf32"])
    np.testing.assert_array_equal(run(lowered(text), a, b, c)[2], c + a @ b)


def test_parallel_iterators_become_one_parallel_loop() -> None:
    op, types = OPERATIONS["matmul"]
    module = lowered(on_buffers(op, *types), parallel=True)
    names = [operation.name for operation in module.walk()]
    assert names.count("scf.parallel") == 1
    assert names.count("scf.for") == 1


def test_a_loop_of_one_iteration_is_left_out() -> None:
    op = "linalg.fill ins(%c : f32) outs(%0 : memref<1x4x1xf32>)"
    names = [operation.name for operation in lowered(on_buffers(op, "1x4x1xf32")).walk()]
    assert names.count("scf.for") == 1


STRIDED = "memref<2x3xf32, strided<[5, 1], offset: 1>>"


def test_a_strided_copy_becomes_loops_and_a_plain_one_stays() -> None:
    body = f'"memref.copy"(%0, %v) : (memref<2x3xf32>, {STRIDED}) -> ()\n'
    body += '"memref.copy"(%0, %2) : (memref<2x3xf32>, memref<2x3xf32>) -> ()'
    view = f"%v = memref.subview %1[0, 1] [2, 3] [1, 1] : memref<4x5xf32> to {STRIDED}\n"
    module = lowered(on_buffers(view + body, "2x3xf32", "4x5xf32", "2x3xf32"))
    names = [operation.name for operation in module.walk()]
    assert names.count("memref.copy") == 1
    assert names.count("scf.for") == 2
    source, target, plain = random_arrays(["2x3xf32", "4x5xf32", "2x3xf32"])
    expected = target.copy()
    expected[0:2, 1:4] = source
    got = run(module, source, target, plain)
    np.testing.assert_array_equal(got[1], expected)
    np.testing.assert_array_equal(got[2], source)


def test_tensors_are_an_error_with_advice() -> None:
    text = (
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "%r = linalg.exp ins(%x : tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>\n"
        "return %r : tensor<2xf32>\n}"
    )
    with pytest.raises(LaminaError, match="run one-shot-bufferize first"):
        linalg_to_loops(parse(text), parallel=False)
