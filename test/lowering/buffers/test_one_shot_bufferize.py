"""Bufferisation: results stay the same, and no copy is made that the semantics do not ask for."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers.one_shot_bufferize import one_shot_bufferize
from lamina.lowering.interpreter import interpret_function
from lamina.lowering.loops._lowering import linalg_to_loops

ID = "affine_map<(d0) -> (d0)>"


def bufferized(text: str) -> tuple[ModuleOp, Counter[str]]:
    module = parse(text)
    verify(module)
    counts = one_shot_bufferize(module)
    verify(module)
    return module, counts


def copies(text: str) -> int:
    return bufferized(text)[1]["copies"]


def allocations(text: str) -> int:
    return bufferized(text)[1]["allocations"]


def function(body: str, arguments: str = "%x: tensor<8xf32>", results: str = "tensor<8xf32>") -> str:
    """A private function whose body may use the constants %zero, %c0 to %c8."""
    constants = "\n".join(f"%c{i} = arith.constant {i} : index" for i in range(9))
    head = f"func.func @f({arguments}) -> ({results}) {{"
    return f"{head}\n%zero = arith.constant 0.0 : f32\n{constants}\n{body}\n}}"


def fill(result: str, operand: str, kind: str = "tensor<8xf32>") -> str:
    return f"{result} = linalg.fill ins(%zero : f32) outs({operand} : {kind}) -> {kind}\n"


EMPTY = "%e = tensor.empty() : tensor<8xf32>\n"
WRITABLE = "%x: tensor<8xf32> {bufferization.writable = true}"


def test_a_chain_of_updates_works_in_one_buffer() -> None:
    body = EMPTY + fill("%0", "%e")
    for i in range(5):
        body += f"%{i + 1} = tensor.insert %zero into %{i}[%c{i}] : tensor<8xf32>\n"
    _, counts = bufferized(function(body + "return %5 : tensor<8xf32>"))
    assert counts["copies"] == 0
    assert counts["allocations"] == 1


def test_a_value_that_is_read_later_is_not_overwritten() -> None:
    body = EMPTY + fill("%0", "%e") + "%1 = tensor.insert %zero into %0[%c0] : tensor<8xf32>\n"
    body += "%v = tensor.extract %0[%c1] : tensor<8xf32>\n"
    body += "%2 = tensor.insert %v into %1[%c2] : tensor<8xf32>\nreturn %2 : tensor<8xf32>"
    assert copies(function(body)) == 1


def test_a_destination_that_is_not_read_is_replaced_without_a_copy() -> None:
    body = EMPTY + fill("%0", "%e") + fill("%1", "%0")
    body += "%v = tensor.extract %0[%c1] : tensor<8xf32>\n"
    body += "%2 = tensor.insert %v into %1[%c2] : tensor<8xf32>\nreturn %2 : tensor<8xf32>"
    _, counts = bufferized(function(body))
    assert (counts["copies"], counts["allocations"]) == (0, 2)


@pytest.mark.parametrize(("argument", "expected"), [("%x: tensor<8xf32>", 1), (WRITABLE, 0)])
def test_an_argument_is_written_only_where_it_is_writable(argument: str, expected: int) -> None:
    body = "%1 = tensor.insert %zero into %x[%c0] : tensor<8xf32>\nreturn %1 : tensor<8xf32>"
    assert copies(function(body, argument)) == expected


def test_a_constant_is_not_written() -> None:
    body = "%k = arith.constant dense<1.0> : tensor<8xf32>\n"
    body += "%1 = tensor.insert %zero into %k[%c0] : tensor<8xf32>\nreturn %1 : tensor<8xf32>"
    module, counts = bufferized(function(body))
    assert counts["copies"] == 1
    assert 'memref.global "private" constant @const_' in to_text(module)


def test_equal_constants_share_a_global() -> None:
    body = "".join(f"%k{i} = arith.constant dense<1.0> : tensor<8xf32>\n" for i in range(3))
    body += "%o = tensor.empty() : tensor<8xf32>\n"
    body += "%r = linalg.add ins(%k0, %k1 : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) "
    body += "-> tensor<8xf32>\nreturn %r : tensor<8xf32>"
    assert to_text(bufferized(function(body))[0]).count("memref.global") == 1


def test_updating_a_slice_and_putting_it_back_needs_no_copy() -> None:
    body = "%s = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    body += fill("%w", "%s", "tensor<4xf32>")
    body += "%r = tensor.insert_slice %w into %x[2] [4] [1] : tensor<4xf32> into tensor<8xf32>\n"
    _, counts = bufferized(function(body + "return %r : tensor<8xf32>", WRITABLE))
    assert (counts["copies"], counts["allocations"]) == (0, 0)


def test_a_slice_that_is_put_back_elsewhere_is_copied() -> None:
    body = "%s = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    body += "%r = tensor.insert_slice %s into %x[3] [4] [1] : tensor<4xf32> into tensor<8xf32>\n"
    _, counts = bufferized(function(body + "return %r : tensor<8xf32>", WRITABLE))
    assert counts["copies"] == 2  # the tensor, as both overlap, and the slice into it


def test_separate_slices_of_a_tensor_are_updated_in_place() -> None:
    body = "%a = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    body += "%b = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    body += fill("%w", "%a", "tensor<4xf32>")
    body += "%r = linalg.add ins(%w, %b : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) "
    body += "-> tensor<4xf32>\nreturn %r : tensor<4xf32>"
    _, counts = bufferized(function(body, WRITABLE, "tensor<4xf32>"))
    assert counts["copies"] == 1  # only the returned part of the argument


def test_elementwise_operations_may_read_what_they_overwrite() -> None:
    generic = (
        f'%r = linalg.generic {{indexing_maps = [{ID}, {ID}], iterator_types = ["parallel"]}} '
        "ins(%0 : tensor<8xf32>) outs(%0 : tensor<8xf32>) {\n^bb0(%a: f32, %b: f32):\n"
        "%s = arith.addf %a, %a : f32\nlinalg.yield %s : f32\n} -> tensor<8xf32>\n"
    )
    _, counts = bufferized(function(EMPTY + fill("%0", "%e") + generic + "return %r : tensor<8xf32>"))
    assert (counts["copies"], counts["allocations"]) == (0, 1)


def test_a_matmul_does_not_overwrite_its_own_input() -> None:
    kind = "tensor<4x4xf32>"
    body = f"%r = linalg.matmul ins(%x, %x : {kind}, {kind}) outs(%x : {kind}) -> {kind}\nreturn %r : {kind}"
    text = function(body, f"%x: {kind} {{bufferization.writable = true}}", kind)
    assert copies(text) == 1


def tiled_loop(update: str) -> str:
    return (
        EMPTY
        + fill("%0", "%e")
        + "%r = scf.for %i = %c0 to %c8 step %c4 iter_args(%o = %0) -> (tensor<8xf32>) {\n"
        + update
        + "}\nreturn %r : tensor<8xf32>"
    )


def test_a_loop_over_tiles_updates_its_buffer() -> None:
    update = "%s = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    update += fill("%w", "%s", "tensor<4xf32>")
    update += "%t = tensor.insert_slice %w into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>\n"
    update += "scf.yield %t : tensor<8xf32>\n"
    module, counts = bufferized(function(tiled_loop(update)))
    assert (counts["copies"], counts["allocations"]) == (0, 1)
    assert "iter_args" not in to_text(module)


def test_vector_transfers_in_a_loop_nest_update_the_destination() -> None:
    update = (
        "%u = scf.for %j = %c0 to %c4 step %c4 iter_args(%p = %o) -> (tensor<8xf32>) {\n"
        "%v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>\n"
        "%k = arith.addi %i, %j : index\n"
        "%w = vector.transfer_write %v, %p[%k] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>\n"
        "scf.yield %w : tensor<8xf32>\n}\nscf.yield %u : tensor<8xf32>\n"
    )
    module, counts = bufferized(function(tiled_loop(update)))
    assert (counts["copies"], counts["allocations"]) == (0, 1)
    assert "tensor" not in to_text(module)


def test_a_value_needed_after_a_loop_is_copied_before_it() -> None:
    update = "%t = tensor.insert %zero into %o[%i] : tensor<8xf32>\nscf.yield %t : tensor<8xf32>\n"
    text = tiled_loop(update).replace(
        "return %r : tensor<8xf32>",
        "%v = tensor.extract %0[%c0] : tensor<8xf32>\n"
        "%q = tensor.insert %v into %r[%c1] : tensor<8xf32>\nreturn %q : tensor<8xf32>",
    )
    assert copies(function(text)) == 1


def test_a_loop_that_swaps_its_tensors_saves_one_of_them() -> None:
    body = (
        EMPTY + "%g = tensor.empty() : tensor<8xf32>\n" + fill("%0", "%e") + fill("%1", "%g")
        + "%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0, %b = %1) "
        "-> (tensor<8xf32>, tensor<8xf32>) {\n"
        "%t = tensor.insert %zero into %a[%i] : tensor<8xf32>\n"
        "scf.yield %b, %t : tensor<8xf32>, tensor<8xf32>\n}\n"
        "return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>"
    )  # fmt: skip
    assert copies(function(body, results="tensor<8xf32>, tensor<8xf32>")) == 4


def test_branches_that_update_one_tensor_need_no_buffer_of_their_own() -> None:
    body = (
        EMPTY + fill("%0", "%e") + "%r = scf.if %p -> (tensor<8xf32>) {\n"
        "%a = tensor.insert %zero into %0[%c0] : tensor<8xf32>\nscf.yield %a : tensor<8xf32>\n} else {\n"
        "%v = tensor.extract %0[%c1] : tensor<8xf32>\n"
        "%b = tensor.insert %v into %0[%c2] : tensor<8xf32>\nscf.yield %b : tensor<8xf32>\n}\n"
        "return %r : tensor<8xf32>"
    )
    module, counts = bufferized(function(body, "%p: i1"))
    assert (counts["copies"], counts["allocations"]) == (0, 1)
    assert "-> (memref" not in to_text(module).split("{", 2)[2]


def test_a_while_loop_updates_its_buffer() -> None:
    body = (
        EMPTY + fill("%0", "%e")
        + "%r:2 = scf.while (%t = %0, %i = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {\n"
        "%go = arith.cmpi slt, %i, %c8 : index\nscf.condition(%go) %t, %i : tensor<8xf32>, index\n} do {\n"
        "^bb0(%u: tensor<8xf32>, %j: index):\n"
        "%w = tensor.insert %zero into %u[%j] : tensor<8xf32>\n%k = arith.addi %j, %c1 : index\n"
        "scf.yield %w, %k : tensor<8xf32>, index\n}\nreturn %r#0 : tensor<8xf32>"
    )  # fmt: skip
    assert copies(function(body)) == 0


KERNEL = """
func.func private @kernel(
    %a: tensor<8xf32>, %out: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  %r = linalg.exp ins(%a : tensor<8xf32>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
"""


def test_a_kernel_writes_into_the_buffer_its_caller_gives() -> None:
    body = EMPTY + "%r = call @kernel(%x, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>\n"
    module, counts = bufferized(KERNEL + function(body + "return %r : tensor<8xf32>"))
    assert (counts["copies"], counts["allocations"]) == (0, 1)
    assert "call @kernel(%x, %e) : (memref<8xf32>, memref<8xf32>) -> ()" in to_text(module)


def test_a_kernel_does_not_get_one_buffer_as_input_and_output() -> None:
    body = EMPTY + fill("%0", "%e")
    body += "%r = call @kernel(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>\n"
    _, counts = bufferized(KERNEL + function(body + "return %r : tensor<8xf32>"))
    assert (counts["copies"], counts["allocations"]) == (0, 2)


def test_a_result_that_is_returned_twice_is_copied_once() -> None:
    body = EMPTY + fill("%0", "%e") + "return %0, %0 : tensor<8xf32>, tensor<8xf32>"
    assert copies(function(body, results="tensor<8xf32>, tensor<8xf32>")) == 1


def test_empty_tensors_merged_by_cse_do_not_tie_values_together() -> None:
    exp = "%{1} = linalg.exp ins(%{0} : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>\n"
    body = EMPTY + "".join(exp.format(f"v{i}" if i else "x", f"v{i + 1}") for i in range(3))
    _, counts = bufferized(function(body + "return %v3 : tensor<8xf32>"))
    assert (counts["copies"], counts["allocations"]) == (0, 3)


PADDED = {
    "constant": ("%r = tensor.pad %x low[1] high[%c2] {\n^bb0(%i: index):\ntensor.yield %zero : f32\n}", "?"),
    "by index": (
        "%r = tensor.pad %x low[1] high[2] {\n^bb0(%i: index):\n%k = arith.index_cast %i : index to i32\n"
        "%v = arith.sitofp %k : i32 to f32\ntensor.yield %v : f32\n}",
        "11",
    ),
}


@pytest.mark.parametrize("kind", PADDED)
def test_padding_fills_and_copies_once(kind: str) -> None:
    op, size = PADDED[kind]
    result = f"tensor<{size}xf32>"
    text = function(f"{op} : tensor<8xf32> to {result}\nreturn %r : {result}", results=result)
    module, counts = bufferized(text.replace("@f(", "@main("))
    assert (counts["copies"], counts["allocations"]) == (1, 1)
    x = np.arange(1, 9, dtype=np.float32)
    around = np.arange(11, dtype=np.float32) if kind == "by index" else np.zeros(11, np.float32)
    around[1:9] = x
    np.testing.assert_array_equal(interpret_function(module, "main", [x])[0], around)


def test_generated_elements_are_computed_in_place() -> None:
    body = "%r = tensor.generate {\n^bb0(%i: index):\n%k = arith.index_cast %i : index to i32\n"
    body += "%v = arith.sitofp %k : i32 to f32\ntensor.yield %v : f32\n} : tensor<5xf32>\n"
    text = function(body + "return %r : tensor<5xf32>", results="tensor<5xf32>")
    module, counts = bufferized(text.replace("@f(", "@main("))
    assert (counts["copies"], counts["allocations"]) == (0, 1)
    (got,) = interpret_function(module, "main", [np.zeros(8, np.float32)])
    np.testing.assert_array_equal(got, np.arange(5))


def test_concatenation_copies_each_part_once() -> None:
    body = "%r = tensor.concat dim(0) %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>\n"
    text = function(body + "return %r : tensor<16xf32>", results="tensor<16xf32>")
    module, counts = bufferized(text.replace("@f(", "@main("))
    assert (counts["copies"], counts["allocations"]) == (2, 1)
    x = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(interpret_function(module, "main", [x])[0], np.concatenate([x, x]))


def test_reshapes_are_views() -> None:
    body = "%k = arith.constant dense<[2, 4]> : tensor<2xi64>\n"
    body += "%r = tensor.reshape %x(%k) : (tensor<8xf32>, tensor<2xi64>) -> tensor<2x4xf32>\n"
    body += "%e = tensor.empty() : tensor<2x4xf32>\n"
    body += "%s = linalg.exp ins(%r : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>\n"
    _, counts = bufferized(function(body + "return %s : tensor<2x4xf32>", results="tensor<2x4xf32>"))
    assert (counts["copies"], counts["allocations"]) == (0, 1)


def test_what_is_not_used_gets_no_buffer() -> None:
    body = EMPTY + fill("%0", "%e") + fill("%1", "%0") + "return %x : tensor<8xf32>"
    assert allocations(function(body)) == 0


REJECTED = {
    "recursively": "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "%r = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %r : tensor<2xf32>\n}",
    "several blocks": "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "cf.br ^a(%x : tensor<2xf32>)\n^a(%y: tensor<2xf32>):\nreturn %y : tensor<2xf32>\n}",
    "how it uses its tensors": "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "%r = math.exp %x : tensor<2xf32>\nreturn %r : tensor<2xf32>\n}",
}


@pytest.mark.parametrize("message", REJECTED)
def test_what_cannot_be_bufferised_is_an_error(message: str) -> None:
    with pytest.raises(LaminaError, match=message):
        one_shot_bufferize(parse(REJECTED[message]))


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_compute_the_same_on_buffers(seed: int, random_program) -> None:
    text = random_program(seed)
    module, _ = bufferized(text)
    linalg_to_loops(module, parallel=False)  # one element after another: conflicts in one op would show
    original = parse(text)
    generator = np.random.default_rng(seed)
    inputs = [generator.integers(-4, 5, (4, 4)).astype(np.float32) for _ in range(2)]
    for trips, flag in ((0, True), (2, False)):
        arguments = [*inputs, np.int64(trips), np.bool_(flag)]
        expected = interpret_function(original, "main", arguments)
        given = [array.copy() for array in inputs]
        got = interpret_function(module, "main", [*given, *arguments[2:]])
        for result, wanted in zip(got, expected, strict=True):
            np.testing.assert_array_equal(result, wanted)
        for before, after in zip(inputs, given, strict=True):
            np.testing.assert_array_equal(after, before, "an input was overwritten")


@pytest.mark.parametrize("seed", range(4))
def test_mlir_opt_accepts_bufferised_programs(seed: int, random_program, mlir_opt) -> None:
    mlir_opt(to_text(bufferized(random_program(100 + seed))[0]))


def test_a_destination_written_through_a_collapsed_view_is_returned_as_it_is() -> None:
    body = """
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %0 = tensor.insert %zero into %flat[%c1] : tensor<8xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %1 : tensor<2x4xf32>"""
    arguments = "%x: tensor<2x4xf32> {bufferization.writable = true}"
    module, counts = bufferized(function(body, arguments, "tensor<2x4xf32>").replace("@f", "private @f"))
    assert counts["copies"] == 0
    assert "expand_shape" not in to_text(module)
