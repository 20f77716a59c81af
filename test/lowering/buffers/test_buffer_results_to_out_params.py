"""Results become arguments, written where they are produced unless a copy is needed."""

from __future__ import annotations

import pytest

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers.buffer_results_to_out_params import OutParams, buffer_results_to_out_params
from lamina.passes.framework.manager import PassManager

KIND = "memref<4xf32>"
FILLED = "%a = memref.alloc() : memref<4xf32>\nlinalg.fill ins(%v : f32) outs(%a : memref<4xf32>)\n"


def converted(text: str) -> tuple[str, OutParams]:
    module = parse(text)
    verify(module)
    report = buffer_results_to_out_params(module)
    verify(module)
    return to_text(module), list(report.values())[-1]


def main(body: str, results: str = KIND) -> str:
    return f"func.func @main(%v: f32, %x: {KIND}) -> ({results}) {{\n{body}\n}}"


def test_an_allocation_that_is_returned_becomes_the_argument() -> None:
    text, outcome = converted(main(FILLED + f"return %a : {KIND}"))
    assert (outcome.redirected, outcome.copied) == (1, 0)
    assert "memref.alloc" not in text
    assert "%a: memref<4xf32> {lamina.result = 0 : i64}" in text


def test_attributes_of_the_result_move_onto_the_argument() -> None:
    text, _ = converted(main(FILLED + f"return %a : {KIND}", f'{KIND} {{nn.name = "y"}}'))
    assert '%a: memref<4xf32> {lamina.result = 0 : i64, nn.name = "y"}' in text


@pytest.mark.parametrize("returned", ["%x", "%g"])
def test_an_input_or_a_constant_that_is_returned_is_copied(returned: str) -> None:
    constant = 'memref.global "private" constant @k : memref<4xf32> = dense<1.0>\n'
    body = f"%g = memref.get_global @k : {KIND}\nreturn {returned} : {KIND}"
    text, outcome = converted(constant + main(body))
    assert (outcome.redirected, outcome.copied) == (0, 1)
    assert "memref.copy" in text


def test_a_value_that_is_returned_twice_is_copied_once() -> None:
    _, outcome = converted(main(FILLED + f"return %a, %a : {KIND}, {KIND}", f"{KIND}, {KIND}"))
    assert (outcome.redirected, outcome.copied) == (1, 1)


def test_reshapes_of_an_allocation_are_turned_around() -> None:
    body = (
        FILLED + f"%b = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : {KIND} into memref<2x2xf32>\n"
    )
    body += "%c = memref.expand_shape %b [[0], [1, 2]] output_shape [2, 1, 2] : memref<2x2xf32> into "
    body += "memref<2x1x2xf32>\nreturn %c : memref<2x1x2xf32>"
    text, outcome = converted(main(body, "memref<2x1x2xf32>"))
    assert (outcome.redirected, outcome.copied) == (1, 0)
    assert "memref.alloc" not in text


def test_a_private_function_gets_its_buffer_from_the_caller() -> None:
    make = f"func.func private @make(%v: f32) -> {KIND} {{\n{FILLED}return %a : {KIND}\n}}\n"
    text, outcome = converted(make + main(f"%r = call @make(%v) : (f32) -> {KIND}\nreturn %r : {KIND}"))
    assert outcome.redirected == 1
    assert "memref.alloc" not in text
    assert text.count("lamina.result") == 1


def test_other_results_stay() -> None:
    text, _ = converted(main(FILLED + f"return %v, %a : f32, {KIND}", f"f32, {KIND}"))
    assert "lamina.result = 1 : i64" in text
    assert "return %v : f32" in text


def test_results_of_dynamic_shape_stay_with_a_warning() -> None:
    text = (
        "func.func @main(%n: index) -> memref<?xf32> {\n%a = memref.alloc(%n) : memref<?xf32>\n"
        "return %a : memref<?xf32>\n}"
    )
    manager = PassManager()
    manager.run(parse(text), "buffer-results-to-out-params")
    assert [d.severity for d in manager.diagnostics] == ["warning"]
