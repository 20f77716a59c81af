"""Accumulators move into registers only where no other access may touch them."""

from __future__ import annotations

import pytest

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.loops._lowering import linalg_to_loops
from lamina.lowering.loops.promote_reduction_accumulators import promote_reduction_accumulators


def promoted(body: str, arguments: str = "%x: memref<8xf32>, %s: memref<f32>, %t: memref<f32>") -> int:
    text = (
        f"func.func @main({arguments}, %arena: memref<256xi8>) {{\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"
        f"%c64 = arith.constant 64 : index\n{body}\nreturn\n}}"
    )
    module = parse(text)
    verify(module)
    count = promote_reduction_accumulators(module)
    verify(module)
    return count


def loop(body: str) -> str:
    return f"scf.for %i = %c0 to %c8 step %c1 {{\n{body}\n}}"


SUM = (
    "%a = memref.load %x[%i] : memref<8xf32>\n%b = memref.load %s[] : memref<f32>\n"
    "%c = arith.addf %a, %b : f32\nmemref.store %c, %s[] : memref<f32>\n"
)


def test_a_sum_is_promoted() -> None:
    assert promoted(loop(SUM)) == 1


def test_all_loops_of_a_convolution_are_promoted() -> None:
    text = (
        "func.func @main(%x: memref<1x8x8x4xf32>, %w: memref<3x3x4x5xf32>, %y: memref<1x6x6x5xf32>) {\n"
        "linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} "
        "ins(%x, %w : memref<1x8x8x4xf32>, memref<3x3x4x5xf32>) outs(%y : memref<1x6x6x5xf32>)\nreturn\n}"
    )
    module = parse(text)
    linalg_to_loops(module, parallel=False)
    assert promote_reduction_accumulators(module) == 3
    verify(module)
    assert to_text(module).count("iter_args") == 3


REFUSED = {
    "the place changes": loop(
        "%b = memref.load %x[%i] : memref<8xf32>\n%c = arith.addf %b, %b : f32\n"
        "memref.store %c, %x[%i] : memref<8xf32>"
    ),
    "the buffer is read at another place": loop(
        "%a = memref.load %x[%i] : memref<8xf32>\n%b = memref.load %x[%c0] : memref<8xf32>\n"
        "%c = arith.addf %a, %b : f32\nmemref.store %c, %x[%c0] : memref<8xf32>"
    ),
    "a view of the buffer is read": "%v = memref.expand_shape %s [] output_shape [1] : memref<f32> into "
    "memref<1xf32>\n" + loop("%z = memref.load %v[%c0] : memref<1xf32>\n" + SUM),
    "a call may touch it": loop(
        SUM + "func.call @main(%x, %s, %t, %arena) : "
        "(memref<8xf32>, memref<f32>, memref<f32>, memref<256xi8>) -> ()"
    ),
    "it is not stored in every iteration": loop(
        "%p = arith.cmpi eq, %i, %c1 : index\nscf.if %p {\n" + SUM + "}"
    ),
    "views of the arena overlap": "%u = memref.view %arena[%c0][] : memref<256xi8> to memref<32xf32>\n"
    "%v = memref.view %arena[%c64][] : memref<256xi8> to memref<f32>\n"
    + loop(SUM.replace("%x[%i] : memref<8xf32>", "%u[%i] : memref<32xf32>").replace("%s", "%v")),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_it_is_refused_where(reason: str) -> None:
    assert promoted(REFUSED[reason]) == 0


def test_separate_views_of_the_arena_do_not_disturb() -> None:
    views = "%u = memref.view %arena[%c0][] : memref<256xi8> to memref<16xf32>\n"
    views += "%v = memref.view %arena[%c64][] : memref<256xi8> to memref<f32>\n"
    body = SUM.replace("%x[%i] : memref<8xf32>", "%u[%i] : memref<16xf32>").replace("%s", "%v")
    assert promoted(views + loop(body)) == 1
