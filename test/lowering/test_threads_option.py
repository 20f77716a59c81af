"""``threads`` of ``lamina.compile`` is checked."""

from __future__ import annotations

import pytest

import lamina

MODULE = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}"


@pytest.mark.parametrize("threads", [0, -1, "a", 1.5])
def test_a_wrong_number_of_threads_is_an_error(threads: object) -> None:
    with pytest.raises(lamina.LaminaError, match="threads must be a whole number from 1, not"):
        lamina.compile(lamina.parse(MODULE), threads=threads)  # pyright: ignore[reportArgumentType]
