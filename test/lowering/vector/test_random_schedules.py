"""Any schedule gives the same result: random ones are followed and run by the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lamina
from lamina.lowering.vector._groups import form_groups
from lamina.lowering.vector._schedule import ATTRIBUTE, Schedule
from lamina.lowering.vector.linalg_collapse_loops import collapse_loops
from lamina.lowering.vector.vectorize_dispatches import vectorize_function

sys.path.insert(0, str(Path(__file__).parent))
from kernels import MAXIMUM, Kernel, conv, conv_nchw, depthwise, matmul, max_pool, reduction

_MAKERS = (
    lambda: matmul(5, 7, 9),
    lambda: matmul(5, 7, 9, left="d2, d0", right="d1, d2"),
    lambda: conv((3, 4), 2, 5, 2),
    lambda: conv((3, 3), 2, 5, 2, stride=2),
    lambda: conv((3, 4), 3, 5, 1),
    lambda: conv_nchw((2, 5), 2, 3, 2, stride=2),
    lambda: depthwise((3, 4), 5, 2),
    lambda: max_pool((2, 3), 5, 2, 1),
    lambda: reduction((5, 9), (1,)),
    lambda: reduction((5, 9), (0,), MAXIMUM),
    lambda: reduction((3, 4, 5), (0, 2)),
)


def _random_schedule(
    random: np.random.Generator, sizes: tuple[int, ...], reduced: frozenset[int]
) -> Schedule:
    tile = [1] * len(sizes)
    for loop in random.permutation(len(sizes))[:3]:
        tile[loop] = int(random.integers(1, min(sizes[loop], 6) + 1))
    order = tuple(int(loop) for loop in random.permutation(len(sizes)))
    vector = int(random.integers(len(sizes)))
    pack = int(random.integers(2)) if reduced and random.integers(2) else None
    chosen = [
        int(loop) for loop in random.permutation(len(sizes)) if random.integers(3) == 0 and loop != vector
    ]
    for loop in reduced & {*chosen}:
        tile[loop] = 1
    block_sizes = tuple(int(random.integers(1, sizes[loop] + 1)) for loop in chosen)
    return Schedule(tuple(tile), order, vector, None if chosen else pack, tuple(chosen), block_sizes)


def _packed_block(random: np.random.Generator, sizes: tuple[int, ...], reduced: frozenset[int]) -> Schedule:
    """A schedule of a product that packs a factor for blocks of its columns."""
    vector = len(sizes) - len(reduced) - 1
    divisors = [n for n in range(2, sizes[vector] + 1) if sizes[vector] % n == 0]
    tile = int(random.choice(divisors))
    blocks = [int(loop) for loop in random.permutation(len(sizes)) if random.integers(4)]
    whole = [int(random.integers(1, size + 1)) for size in sizes]
    whole[vector] = tile * int(random.integers(1, sizes[vector] // tile + 1))
    steps = [1 if d in reduced else int(random.integers(1, size + 1)) for d, size in enumerate(sizes)]
    steps[vector] = tile
    order = tuple(int(loop) for loop in random.permutation(len(sizes)))
    blocks = blocks or [vector]
    return Schedule(tuple(steps), order, vector, 1, tuple(blocks), tuple(whole[d] for d in blocks))


_Maker = Callable[[np.random.Generator, tuple[int, ...], frozenset[int]], Schedule]


def _follow(kernel: Kernel, random: np.random.Generator, make: _Maker) -> tuple[ModuleOp, Schedule]:
    module = lamina.parse(kernel.text())
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    if random.integers(2):
        collapse_loops(function)
    (group,) = form_groups(function.body.block)
    schedule = make(random, group.root.sizes, group.root.reductions)
    if schedule.pack is not None and schedule.pack >= len(group.root.inputs):
        schedule = replace(schedule, pack=None)
    group.root.op.attributes[ATTRIBUTE] = schedule.attribute()
    assert vectorize_function(function) == (1, 0), schedule
    return module, schedule


def _check(kernel: Kernel, random: np.random.Generator, make: _Maker) -> None:
    module, schedule = _follow(kernel, random, make)
    got = lamina.interpret(module, *kernel.inputs)
    np.testing.assert_allclose(
        got, kernel.expected, rtol=1e-5, atol=1e-5, err_msg=f"{kernel.name} {schedule}"
    )
    pipeline = "one-shot-bufferize{bufferize-function-boundaries=true},lower-vector-multi-dim"
    lamina.run_pipeline(module, pipeline)
    assert "x" not in "".join(_vector_shapes(module)), "a vector of rank 2 or more is left"
    got = lamina.interpret(module, *kernel.inputs)
    np.testing.assert_allclose(
        got, kernel.expected, rtol=1e-5, atol=1e-5, err_msg=f"{kernel.name} {schedule}"
    )


def _check_seed(seed: int) -> None:
    _check(_MAKERS[seed % len(_MAKERS)](), np.random.default_rng(seed), _random_schedule)


def _vector_shapes(module: ModuleOp) -> list[str]:
    """The shapes of all vectors, as in ``4`` and ``4x8``."""
    values = [value for op in module.walk() for value in (*op.results, *op.operands)]
    shapes = [v.type.get_shape() for v in values if v.type.name == "vector"]  # pyright: ignore[reportAttributeAccessIssue]
    return ["x".join(map(str, shape)) for shape in shapes]


@pytest.mark.parametrize("seed", range(33))
def test_a_random_schedule_gives_the_result_of_numpy(seed: int) -> None:
    _check_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(33, 433))
def test_many_random_schedules_give_the_result_of_numpy(seed: int) -> None:
    _check_seed(seed)


@pytest.mark.parametrize("seed", range(24))
def test_blocks_with_a_packed_factor(seed: int) -> None:
    random = np.random.default_rng(seed)
    m, k, n = (int(size) for size in random.integers(2, 13, 3))
    kernel = matmul(m, k, n)
    _check(kernel, random, _packed_block)
