"""The arena: buffers in use at the same time never overlap, and the plan is near the lower bound."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers._offsets import Request, lower_bound, plan_offsets
from lamina.lowering.buffers.buffer_results_to_out_params import buffer_results_to_out_params
from lamina.lowering.buffers.one_shot_bufferize import one_shot_bufferize
from lamina.lowering.buffers.plan_arena import plan_arena
from lamina.lowering.interpreter import interpret_function
from lamina.passes.framework.manager import PassManager


@pytest.mark.parametrize("seed", range(5))
def test_buffers_in_use_at_the_same_time_do_not_overlap(seed: int) -> None:
    generator = np.random.default_rng(seed)
    requests = []
    for _ in range(200):
        first = int(generator.integers(0, 300))
        size, length = int(generator.integers(0, 5000)), int(generator.integers(0, 40))
        requests.append(Request(size, first, first + length))
    plan = plan_offsets(requests)
    assert all(offset % 64 == 0 for offset in plan.offsets)
    for i, one in enumerate(requests):
        assert plan.offsets[i] + one.size <= plan.total
        for j in range(i):
            other = requests[j]
            if one.first <= other.last and other.first <= one.last:
                apart = plan.offsets[i] + one.room <= plan.offsets[j]
                assert apart or plan.offsets[j] + other.room <= plan.offsets[i]
    assert lower_bound(requests) <= plan.total <= 1.2 * lower_bound(requests)


def test_no_buffers_need_no_bytes() -> None:
    assert plan_offsets([]).total == 0
    assert plan_offsets([Request(0, 0, 5)]).total == 0


def planned(text: str) -> tuple[ModuleOp, int]:
    module = parse(text)
    verify(module)
    (report,) = plan_arena(module)
    verify(module)
    return module, report.peak


BUFFER = "memref<16xf32>"
USE = "func.func private @use(memref<16xf32>, memref<16xf32>)\n"


def calls(*pairs: str) -> str:
    names = dict.fromkeys("".join(pairs))
    body = "".join(f"%{n} = memref.alloc() : {BUFFER}\n" for n in names)
    body += "".join(f"call @use(%{a}, %{b}) : ({BUFFER}, {BUFFER}) -> ()\n" for a, b in pairs)
    return f"{USE}func.func @main() {{\n{body}return\n}}"


@pytest.mark.parametrize(
    ("pairs", "buffers"), [(["aa"], 1), (["ab"], 2), (["ab", "bc", "cd"], 2), (["ab", "bc", "ca"], 3)]
)
def test_a_chain_alternates_between_two_buffers(pairs: list[str], buffers: int) -> None:
    assert planned(calls(*pairs))[1] == 64 * buffers


def test_a_buffer_used_in_a_loop_is_in_use_during_the_whole_loop() -> None:
    text = (
        f"{USE}func.func @main(%n: index) {{\n%c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n"
        + "".join(f"%{n} = memref.alloc() : {BUFFER}\n" for n in "abc")
        + f"scf.for %i = %c0 to %n step %c1 {{\ncall @use(%a, %a) : ({BUFFER}, {BUFFER}) -> ()\n"
        f"call @use(%b, %c) : ({BUFFER}, {BUFFER}) -> ()\n}}\nreturn\n}}"
    )
    assert planned(text)[1] == 3 * 64


def test_a_view_keeps_its_buffer_in_use() -> None:
    text = (
        f"{USE}func.func @main() {{\n%a = memref.alloc() : memref<4x4xf32>\n"
        f"%v = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into {BUFFER}\n"
        f"%b = memref.alloc() : {BUFFER}\ncall @use(%b, %b) : ({BUFFER}, {BUFFER}) -> ()\n"
        f"%c = memref.alloc() : {BUFFER}\ncall @use(%c, %c) : ({BUFFER}, {BUFFER}) -> ()\n"
        f"call @use(%v, %v) : ({BUFFER}, {BUFFER}) -> ()\nreturn\n}}"
    )
    assert planned(text)[1] == 64  # nothing is in use together: %a only from its first use on
    written_first = text.replace(
        "%b = memref.alloc()", f"call @use(%v, %v) : ({BUFFER}, {BUFFER}) -> ()\n%b = memref.alloc()"
    )
    assert planned(written_first)[1] == 128


KERNEL = (
    "func.func private @kernel(%x: memref<16xf32>) {\n%s = memref.alloc() : memref<16xf32>\n"
    '"memref.copy"(%x, %s) : (memref<16xf32>, memref<16xf32>) -> ()\nreturn\n}\n'
)


def test_buffers_of_kernels_come_from_the_callers_arena() -> None:
    text = (
        KERNEL + "func.func @main(%x: memref<16xf32>) {\ncall @kernel(%x) : (memref<16xf32>) -> ()\n"
        "call @kernel(%x) : (memref<16xf32>) -> ()\nreturn\n}"
    )
    module, peak = planned(text)
    assert peak == 64
    assert not any(isinstance(op, memref.AllocOp) for op in module.walk())
    assert "%s: memref<16xf32> {lamina.scratch}" in to_text(module)


def test_the_arena_of_an_entry_that_is_called_is_part_of_the_callers() -> None:
    text = (
        f"{USE}func.func @inner() {{\n%a = memref.alloc() : {BUFFER}\n"
        f"call @use(%a, %a) : ({BUFFER}, {BUFFER}) -> ()\nreturn\n}}\n"
        "func.func @outer() {\ncall @inner() : () -> ()\nreturn\n}"
    )
    module = parse(text)
    inner, outer = plan_arena(module)
    verify(module)
    assert (inner.peak, outer.peak) == (64, 64)


def test_dynamic_buffers_stay_with_one_warning() -> None:
    text = (
        "func.func private @use(memref<?xf32>)\nfunc.func @main(%n: index) {\n"
        "%a = memref.alloc(%n) : memref<?xf32>\n%b = memref.alloc(%n) : memref<?xf32>\n"
        "call @use(%a) : (memref<?xf32>) -> ()\ncall @use(%b) : (memref<?xf32>) -> ()\nreturn\n}"
    )
    manager = PassManager()
    module = parse(text)
    manager.run(module, "plan-arena")
    assert sum(isinstance(op, memref.AllocOp) for op in module.walk()) == 2
    assert [d.severity for d in manager.diagnostics] == ["warning"]


def test_the_plan_is_written_on_the_views_where_asked_for() -> None:
    module = parse(calls("ab", "bc"))
    PassManager().run(module, "plan-arena{annotate-plan=true}")
    assert to_text(module).count("lamina.lifetime = array<i64:") == 3


@pytest.mark.parametrize("seed", range(6))
def test_programs_compute_the_same_in_an_arena(seed: int, random_program) -> None:
    text = random_program(300 + seed)
    module = parse(text)
    one_shot_bufferize(module)
    buffer_results_to_out_params(module)
    plan_arena(module)
    verify(module)
    assert not any(isinstance(op, memref.AllocOp) for op in module.walk())
    entry = next(op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == "main")
    inputs = [np.arange(16, dtype=np.float32).reshape(4, 4) % k for k in (5, 7)]
    arguments = [*inputs, np.int64(2), np.bool_(seed % 2)]
    expected = interpret_function(parse(text), "main", arguments)
    shapes = [kind.get_shape() for kind in list(entry.function_type.inputs)[4:]]  # pyright: ignore[reportAttributeAccessIssue]
    results = [np.zeros(shape, np.float32) for shape in shapes[:-1]]
    arena = np.full(shapes[-1], 85, np.int8)
    interpret_function(module, "main", [*(np.array(a) for a in arguments), *results, arena])
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
