"""Fixtures for tests of nn ops: building one from shapes, and running one on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.dtypes import element_type
from lamina.dialects.nn.base import DYNAMIC, NnOp, make
from lamina.dialects.nn.evaluate import evaluate


def _value(kind: Attribute) -> SSAValue:
    return TestOp(result_types=[kind]).results[0]


@pytest.fixture(scope="session")
def build() -> Callable[..., NnOp]:
    """``build("nn.x", [2, 3], ([4], i64), …, axis=1)``: the verified op on such operands (f32).

    An extent of -1 stands for an unknown one.
    """

    def run(name: str, *operands: Sequence[Any], **attributes: Any) -> NnOp:
        split = [o if len(o) == 2 and isinstance(o[1], Attribute) else (o, f32) for o in operands]
        types = [TensorType(kind, [DYNAMIC if e == -1 else e for e in shape]) for shape, kind in split]
        op = make(name, [_value(kind) for kind in types], **attributes)
        op.verify()
        return op

    return run


@pytest.fixture(scope="session")
def extents() -> Callable[[NnOp], list[tuple[int, ...]]]:
    """The shapes of an op's results, with -1 for unknown extents."""

    def run(op: NnOp) -> list[tuple[int, ...]]:
        kinds = [r.type for r in op.results]
        return [
            tuple(-1 if e == DYNAMIC else e for e in k.get_shape())
            for k in kinds
            if isinstance(k, TensorType)
        ]

    return run


@pytest.fixture(scope="session")
def run() -> Callable[..., Any]:
    """``run("nn.x", array, …, axis=1)``: the reference's result, of which shape and dtype are checked."""

    def run(name: str, *arrays: np.ndarray, **attributes: Any) -> Any:
        values = [_value(TensorType(element_type(a.dtype), a.shape)) for a in arrays]
        op = make(name, values, **attributes)
        op.verify()
        results = evaluate(op, arrays)
        return results[0] if len(results) == 1 else results

    return run
