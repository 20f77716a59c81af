"""Large constants: their digits are read and written by tables, which must agree with Python's own."""

from __future__ import annotations

import random

import numpy as np
import pytest

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.hexadecimal import LARGE, bytes_of_digits, digits_into, hexadecimal_pieces

DATA = random.Random(1).randbytes(LARGE + 10)


@pytest.mark.parametrize("size", [0, 1, 7, 1 << 14, LARGE, LARGE + 10])
def test_digits_are_those_of_python(size: int) -> None:
    digits = DATA[:size].hex()
    assert "".join(hexadecimal_pieces(DATA[:size])) == digits.upper()
    for text in (digits, digits.upper()):
        assert bytes_of_digits(f"0x{text}!", 2, 2 + len(text)) == DATA[:size]


def test_half_a_byte_is_no_byte() -> None:
    assert bytes_of_digits("abc", 0, 3) is None


@pytest.mark.parametrize("size", [40, 2 * LARGE + 100])
@pytest.mark.parametrize("wrong", ["g", " ", "\u0660", "\U0001f600", "\0"])
def test_what_is_no_digit_is_found_wherever_it_stands(size: int, wrong: str) -> None:
    for place in (0, size // 2 + 1, size - 1):
        text = "9f" * (size // 2)
        text = text[:place] + wrong + text[place + 1 :]
        assert bytes_of_digits(text, 0, size) is None
        assert digits_into(text, 0, size, np.empty(size // 2, np.uint8)) == place


def module(attribute: str) -> str:
    return f"module attributes {{test.a = {attribute}, test.b = {attribute}}} {{\n}}\n"


def test_a_large_constant_is_written_as_it_was_read_each_time_it_is_used() -> None:
    constant = f'dense<"0x{DATA.hex().upper()}"> : tensor<{len(DATA)}xi8>'
    text = module(constant)
    assert lamina.to_text(lamina.parse(text)) == text


def test_a_large_constant_in_the_definition_of_an_alias() -> None:
    constant = f'dense<"0x{DATA.hex().upper()}"> : tensor<{len(DATA)}xi8>'
    text = f"module {{\n}} loc(fused<{constant}>[unknown])\n"
    printed = lamina.to_text(lamina.parse(text), locations=True)
    assert printed.count(constant) == 1 and "\0" not in printed
    assert lamina.to_text(lamina.parse(printed), locations=True) == printed


def test_a_wrong_digit_in_a_large_constant_is_an_error() -> None:
    digits = DATA.hex()
    constant = f'dense<"0x{digits[:-1]}g"> : tensor<{len(DATA)}xi8>'
    with pytest.raises(LaminaError, match="expected string containing hex digits starting with `0x`"):
        lamina.parse(module(constant))
