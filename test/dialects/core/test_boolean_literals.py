"""Dense literals of i1 keep their elements between Lamina and upstream, in short and in hexadecimal form."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.text import parse, to_text


def elements(module: ModuleOp) -> np.ndarray:
    (op,) = [op for op in module.walk() if isinstance(op, arith.ConstantOp)]
    return as_array(op.value)


@pytest.mark.parametrize("count", [1, 3, 8, 100, 101, 200])
def test_the_elements_survive_both_ways(count: int, mlir_opt) -> None:
    wanted = np.random.default_rng(count).integers(0, 2, count).astype(np.bool_)
    wanted[0] = True
    literal = ", ".join("true" if value else "false" for value in wanted)
    text = f"func.func @f() {{\n%c = arith.constant dense<[{literal}]> : vector<{count}xi1>\nreturn\n}}"
    module = parse(text)
    np.testing.assert_array_equal(elements(module).astype(np.int8), wanted.astype(np.int8))
    back = parse(mlir_opt(to_text(module)))
    np.testing.assert_array_equal(elements(back), wanted)
    np.testing.assert_array_equal(elements(parse(to_text(back))), wanted)
