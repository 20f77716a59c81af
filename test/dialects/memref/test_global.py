"""Globals hold any constant, and read and print upstream's form."""

from __future__ import annotations

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify

RESOURCE = '\n{-# dialect_resources: { builtin: { w: "0x400000000000803F00000040" } } #-}\n'
FORMS = {
    "constant": 'memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]> '
    "{alignment = 64 : i64}",
    "splat": 'memref.global "private" constant @c : memref<2xf32> = dense<1.0>',
    "resource": 'memref.global "private" constant @c : memref<2xf32> = dense_resource<w>' + RESOURCE,
    "uninitialised": "memref.global @c : memref<2xf32> = uninitialized",
    "external": 'memref.global "private" @c : memref<2xf32>',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_global_round_trips(form: str, mlir_opt) -> None:
    module = parse(FORMS[form])
    verify(module)
    text = to_text(module)
    assert to_text(parse(text)) == text
    assert "memref.global" in mlir_opt(text)
    generic = parse(to_text(module, generic=True))
    verify(generic)
    assert to_text(generic) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '"memref.global"() <{sym_name = "c", type = memref<?xf32>}> : () -> ()',
            "type should be static shaped memref",
        ),
        (
            '"memref.global"() <{sym_name = "c", type = memref<2xf32>, '
            "initial_value = dense<1.0> : tensor<3xf32>}> : () -> ()",
            "initial value shape expected to be 2 but was 3",
        ),
        (
            '"memref.global"() <{sym_name = "c", type = memref<2xf32>, initial_value = 1 : i32}> : () -> ()',
            "initial value should be a unit or elements attribute",
        ),
    ],
)
def test_a_wrong_global_is_an_error(text: str, message: str) -> None:
    with pytest.raises(LaminaError, match=message):
        verify(parse(text))
