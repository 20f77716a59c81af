"""Values are computed in the destination they end up in, and mean the same as before."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers.eliminate_empty_tensors import eliminate_empty_tensors
from lamina.lowering.buffers.one_shot_bufferize import one_shot_bufferize
from lamina.lowering.interpreter import interpret_function

OUT = "{bufferization.writable = true}"


def function(body: str, arguments: str, results: str) -> str:
    return (
        f"func.func @main({arguments}) -> ({results}) {{\n%zero = arith.constant 0.0 : f32\n"
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        f"{body}\n}}"
    )


def exp(result: str, value: str, target: str, kind: str = "tensor<4xf32>") -> str:
    return f"{result} = linalg.exp ins({value} : {kind}) outs({target} : {kind}) -> {kind}\n"


def reduced(text: str) -> tuple[ModuleOp, int, int, int]:
    """The bufferised module, the empty tensors eliminated, and the allocations and copies left."""
    module = parse(text)
    verify(module)
    count = eliminate_empty_tensors(module)
    verify(module)
    counts = one_shot_bufferize(module)
    verify(module)
    return module, count, counts["allocations"], counts["copies"]


CONCAT = (
    "%a = tensor.empty() : tensor<4xf32>\n" + exp("%u", "%x", "%a")
    + "%b = tensor.empty() : tensor<4xf32>\n" + exp("%v", "%u", "%b")
    + "%w = tensor.empty() : tensor<8xf32>\n"
    "%i = tensor.insert_slice %u into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>\n"
    "%j = tensor.insert_slice %v into %i[4] [4] [1] : tensor<4xf32> into tensor<8xf32>\n"
    "return %j : tensor<8xf32>"
)  # fmt: skip


def test_the_parts_of_a_concatenation_are_computed_in_place() -> None:
    text = function(CONCAT, "%x: tensor<4xf32>", "tensor<8xf32>").replace("ins(%u", "ins(%x")
    module, count, allocations, copies = reduced(text)
    assert (count, allocations, copies) == (2, 1, 0)
    x = np.array([0, 1, 2, 3], np.float32)
    (got,) = interpret_function(module, "main", [x])
    np.testing.assert_allclose(got, np.concatenate([np.exp(x), np.exp(x)]), rtol=1e-6)


def test_a_part_that_is_used_otherwise_keeps_its_buffer() -> None:
    module, count, _, _ = reduced(function(CONCAT, "%x: tensor<4xf32>", "tensor<8xf32>"))
    assert count == 1
    x = np.array([0, 1, 0, 1], np.float32)
    (got,) = interpret_function(module, "main", [x])
    np.testing.assert_allclose(got, np.concatenate([np.exp(x), np.exp(np.exp(x))]), rtol=1e-6)


def test_what_is_padded_is_computed_inside_the_padding() -> None:
    body = "%a = tensor.empty() : tensor<4xf32>\n" + exp("%u", "%x", "%a")
    body += "%p = tensor.empty() : tensor<6xf32>\n"
    body += "%f = linalg.fill ins(%zero : f32) outs(%p : tensor<6xf32>) -> tensor<6xf32>\n"
    body += "%r = tensor.insert_slice %u into %f[1] [4] [1] : tensor<4xf32> into tensor<6xf32>\n"
    text = function(body + "return %r : tensor<6xf32>", "%x: tensor<4xf32>", "tensor<6xf32>")
    module, count, allocations, copies = reduced(text)
    assert (count, allocations, copies) == (1, 1, 0)
    x = np.array([0, 1, 2, 3], np.float32)
    np.testing.assert_allclose(interpret_function(module, "main", [x])[0], np.pad(np.exp(x), 1), rtol=1e-6)


def test_the_input_of_an_epilogue_is_computed_in_the_result() -> None:
    kind = "tensor<3x3xf32>"
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    body = (
        f"%e = tensor.empty() : {kind}\n"
        f"%f = linalg.fill ins(%zero : f32) outs(%e : {kind}) -> {kind}\n"
        f"%m = linalg.matmul ins(%x, %x : {kind}, {kind}) outs(%f : {kind}) -> {kind}\n"
        f"%r = linalg.generic {{indexing_maps = [{same}, {same}], "
        'iterator_types = ["parallel", "parallel"]} '
        f"ins(%m : {kind}) outs(%o : {kind}) {{\n^bb0(%a: f32, %b: f32):\n"
        f"%s = arith.maximumf %a, %zero : f32\nlinalg.yield %s : f32\n}} -> {kind}\nreturn %r : {kind}"
    )
    text = function(body, f"%x: {kind}, %o: {kind} {OUT}", kind).replace("func.func", "func.func private")
    module, count, allocations, copies = reduced(text)
    assert (count, allocations, copies) == (1, 0, 0)
    x, out = np.arange(-4, 5, dtype=np.float32).reshape(3, 3), np.zeros((3, 3), np.float32)
    interpret_function(module, "main", [x, out])
    np.testing.assert_array_equal(out, np.maximum(x @ x, 0))


def test_a_returned_value_is_computed_in_an_unused_writable_argument() -> None:
    body = "%e = tensor.empty() : tensor<4xf32>\n" + exp("%u", "%x", "%e") + "return %u : tensor<4xf32>"
    text = function(body, f"%x: tensor<4xf32>, %o: tensor<4xf32> {OUT}", "tensor<4xf32>")
    _, count, allocations, copies = reduced(text.replace("func.func", "func.func private"))
    assert (count, allocations, copies) == (1, 0, 0)


@pytest.mark.parametrize("value", ["%t", "%x"])
def test_a_loop_computes_its_next_value_in_the_iteration_argument(value: str) -> None:
    body = (
        "%s = tensor.empty() : tensor<4xf32>\n"
        "%f = linalg.fill ins(%zero : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>\n"
        "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %f) -> (tensor<4xf32>) {\n"
        "%e = tensor.empty() : tensor<4xf32>\n" + exp("%u", value, "%e")
        + "scf.yield %u : tensor<4xf32>\n}\nreturn %r : tensor<4xf32>"
    )  # fmt: skip
    module, count, allocations, copies = reduced(function(body, "%x: tensor<4xf32>", "tensor<4xf32>"))
    assert (count, allocations, copies) == (1, 1, 0)
    (got,) = interpret_function(module, "main", [np.ones(4, np.float32)])
    step = {"%t": np.exp(np.exp(np.exp(0.0))), "%x": np.exp(1.0)}[value]
    np.testing.assert_allclose(got, np.full(4, step), rtol=1e-6)


def test_an_iteration_argument_that_is_read_later_is_left_alone() -> None:
    body = (
        "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {\n"
        "%e = tensor.empty() : tensor<4xf32>\n" + exp("%u", "%x", "%e")
        + "%v = tensor.extract %t[%i] : tensor<4xf32>\n"
        "%w = tensor.insert %v into %u[%c0] : tensor<4xf32>\n"
        "scf.yield %w : tensor<4xf32>\n}\nreturn %r : tensor<4xf32>"
    )  # fmt: skip
    assert reduced(function(body, "%x: tensor<4xf32>", "tensor<4xf32>"))[1] == 0


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_mean_the_same(seed: int, random_program) -> None:
    text = random_program(200 + seed)
    module, *_ = reduced(text)
    inputs = [np.arange(16, dtype=np.float32).reshape(4, 4) % k for k in (5, 7)]
    arguments = [np.int64(2), np.bool_(seed % 2)]
    expected = interpret_function(parse(text), "main", [*inputs, *arguments])
    got = interpret_function(module, "main", [*(a.copy() for a in inputs), *arguments])
    for result, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
