"""Concurrent loops write their parts into the shared output's buffer."""

from __future__ import annotations

import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers.one_shot_bufferize import one_shot_bufferize
from lamina.lowering.interpreter import interpret_function
from lamina.lowering.loops.scf_forall_to_parallel import forall_to_parallel


def program(body: str, initial: str = "%e") -> str:
    return (
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
        "%e = tensor.empty() : tensor<8xf32>\n"
        f"%r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = {initial}) -> (tensor<8xf32>) {{\n"
        f"{body}scf.forall.in_parallel {{\n"
        "tensor.parallel_insert_slice %w into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>\n}\n}\n"
        "return %r : tensor<8xf32>\n}"
    )


READ = "%a = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
SLICE = "%s = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
EXP = "%w = linalg.exp ins(%a : tensor<4xf32>) outs({} : tensor<4xf32>) -> tensor<4xf32>\n"


@pytest.mark.parametrize(
    ("body", "copies", "allocations"),
    [
        (READ + SLICE + EXP.format("%s"), 0, 1),
        (READ + "%n = tensor.empty() : tensor<4xf32>\n" + EXP.format("%n"), 1, 2),
    ],
)
def test_each_iteration_writes_its_part(body: str, copies: int, allocations: int, mlir_opt) -> None:
    module = parse(program(body))
    verify(module)
    counts = one_shot_bufferize(module)
    verify(module)
    assert (counts["copies"], counts["allocations"]) == (copies, allocations)
    mlir_opt(to_text(module))
    assert forall_to_parallel(module) == 1
    verify(module)
    mlir_opt(to_text(module))
    x = np.arange(8, dtype=np.float32)
    np.testing.assert_allclose(interpret_function(module, "main", [x])[0], np.exp(x), rtol=1e-6)


def test_an_input_is_copied_before_it_is_shared() -> None:
    module = parse(program(READ + SLICE + EXP.format("%s"), initial="%x"))
    assert one_shot_bufferize(module)["copies"] == 1


def test_a_buffer_from_outside_is_not_written_by_all_iterations() -> None:
    module = parse(
        "func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {\n"
        "%n = tensor.empty() : tensor<4xf32>\n"
        + program(READ.replace("%x[%i]", "%o[%i]") + EXP.format("%n")).split("\n", 1)[1]
    )
    one_shot_bufferize(module)
    (loop,) = [op for op in module.walk() if op.name == "scf.forall"]
    assert any(op.name == "memref.alloc" for op in loop.walk())


def test_reading_what_other_iterations_write_is_an_error() -> None:
    whole = "%b = tensor.extract_slice %o[0] [4] [1] : tensor<8xf32> to tensor<4xf32>\n"
    module = parse(program(whole + EXP.format("%b").replace("ins(%a", "ins(%b")))
    with pytest.raises(LaminaError, match="read elsewhere"):
        one_shot_bufferize(module)


def test_shared_outputs_have_to_be_buffers_first() -> None:
    with pytest.raises(LaminaError, match="run one-shot-bufferize first"):
        forall_to_parallel(parse(program(READ + SLICE + EXP.format("%s"))))
