"""The LLVM IR emitter against mlir-translate: the same text after normalisation, and the same results."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.ods.classes import written_classes
from lamina.dialects.core.text import parse
from lamina.lowering.codegen.llvm_emitter import LITERALS
from lamina.lowering.codegen.llvm_functions import EMITTERS
from lamina.lowering.codegen.llvm_intrinsics import INTRINSICS
from lamina.lowering.formats.llvm_ir import emit_llvm_ir

MAIN = "llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {{\n{}\n  llvm.return\n}}\n"


def _straight(*lines: str, before: str = "") -> str:
    """A ``@main`` of three pointers with the given lines as its body."""
    return before + MAIN.format("\n".join(f"  {line}" for line in lines))


def _elementwise(kind: str, *lines: str) -> str:
    """A body that loads %x from %a and %y from %b, and stores %z to %c."""
    access = "{alignment = 4 : i64}"
    return _straight(
        f"%x = llvm.load %a {access} : !llvm.ptr -> {kind}",
        f"%y = llvm.load %b {access} : !llvm.ptr -> {kind}",
        *lines,
        f"llvm.store %z, %c {access} : {kind}, !llvm.ptr",
    )


def _chain(kind: str, *operations: str) -> str:
    """Binary operations, each of the previous result and %y."""
    names = ["x", *(f"r{i}" for i in range(len(operations) - 1)), "z"]
    lines = [
        f"%{new} = {operation.format(f'%{old}, %y')} : {kind}"
        for operation, old, new in zip(operations, names, names[1:], strict=False)
    ]
    return _elementwise(kind, *lines)


LOOP = """
llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {
  %c0 = llvm.mlir.constant(0 : index) : i64
  %c1 = llvm.mlir.constant(1 : index) : i64
  %n = llvm.mlir.constant(64 : index) : i64
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^bb1(%c0, %zero : i64, f32)
^bb1(%i: i64, %sum: f32):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^bb2, ^bb3
^bb2:
  %p = llvm.getelementptr inbounds|nuw %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %p : !llvm.ptr -> f32
  %s = llvm.fadd %sum, %x {fastmathFlags = #llvm.fastmath<reassoc, contract>} : f32
  %next = llvm.add %i, %c1 overflow<nsw, nuw> : i64
  llvm.br ^bb1(%next, %s : i64, f32) {loop_annotation = #llvm.loop_annotation<HINTS>}
^bb3:
  llvm.store %sum, %c {alignment = 4 : i64} : f32, !llvm.ptr
  llvm.return
}
"""

BRANCHES = """
llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> i32
  %y = llvm.load %b : !llvm.ptr -> i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %low = llvm.and %x, %three : i32
  llvm.switch %low : i32, ^bb4(%x : i32) [
    1: ^bb3(%y : i32),
    2: ^bb4(%y : i32),
    -1: ^bb2
  ]
^bb2:
  llvm.br ^bb3(%low : i32)
^bb3(%u: i32):
  %less = llvm.icmp "ult" %u, %x : i32
  llvm.cond_br %less, ^bb4(%u : i32), ^bb4(%low : i32)
^bb4(%v: i32):
  llvm.store %v, %c : i32, !llvm.ptr
  llvm.return
}
"""

ORDER = """
llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {
  llvm.br ^bb2
^bb1:
  llvm.store %sum, %c : i32, !llvm.ptr
  llvm.return
^bb2:
  %two = llvm.mlir.constant(2 : i32) : i32
  %x = llvm.load %a : !llvm.ptr -> i32
  %sum = llvm.add %x, %two : i32
  llvm.br ^bb1
}
"""

GLOBALS = (
    'llvm.mlir.global internal constant @text("a\\"b\\\\0A") {alignment = 16 : i64, addr_space = 0 : i32}\n'
    "llvm.mlir.global private constant @floats(dense<[[1.5, -0.0], [3.4e38, 3.0e-45]]> : tensor<2x2xf32>)"
    " {addr_space = 0 : i32} : !llvm.array<2 x array<2 x f32>>\n"
    "llvm.mlir.global internal @ints(dense<[1, -2, 3]> : tensor<3xi16>)"
    " {addr_space = 0 : i32} : !llvm.array<3 x i16>\n"
    "llvm.mlir.global internal constant @splat(dense<7> : tensor<4xi8>)"
    " {addr_space = 0 : i32} : !llvm.array<4 x i8>\n"
    "llvm.mlir.global external constant @outside()"
    " {alignment = 64 : i64, addr_space = 0 : i32} : !llvm.array<2 x f32>\n"
    "llvm.mlir.global internal @zero() {addr_space = 0 : i32} : !llvm.struct<(i32, f64)> {\n"
    "  %0 = llvm.mlir.zero : !llvm.struct<(i32, f64)>\n  llvm.return %0 : !llvm.struct<(i32, f64)>\n}\n"
    "llvm.mlir.global internal @pointer() {addr_space = 0 : i32} : !llvm.ptr {\n"
    "  %0 = llvm.mlir.addressof @ints : !llvm.ptr\n  llvm.return %0 : !llvm.ptr\n}\n"
)

CALLS = (
    "llvm.func internal @twice(%x: f32 {llvm.noundef}) -> (f32 {llvm.noundef})"
    " attributes {no_inline, no_unwind} {\n"
    "  %0 = llvm.fadd %x, %x : f32\n  llvm.return %0 : f32\n}\n"
    "llvm.func @expf(f32) -> f32\n"
)

ATTRIBUTES = """
llvm.func @f(%a: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly, llvm.nonnull, llvm.align = 64 : i64,
    llvm.dereferenceable = 12 : i64, nn.name = "x", lamina.type = tensor<3xf32>}, %n: i8 {llvm.signext})
    attributes {no_inline, will_return, passthrough = ["nofree", ["prefer-vector-width", "256"]],
      memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none,
      errnoMem = none, targetMem0 = none, targetMem1 = none>} {
  llvm.return
}
llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {
  llvm.return
}
"""

V8 = "vector<8xf32>"
PROGRAMS = {
    "integers": _chain(
        "i32",
        "llvm.add {} overflow<nsw>",
        "llvm.sub {} overflow<nuw>",
        "llvm.mul {}",
        "llvm.xor {}",
        "llvm.and {}",
        "llvm.or disjoint {}",
        "llvm.shl {} overflow<nsw, nuw>",
    )
    .replace("overflow<nsw, nuw>", "")
    .replace("disjoint ", ""),
    "divisions": _elementwise(
        "i32",
        "%one = llvm.mlir.constant(1 : i32) : i32",
        "%d = llvm.or %y, %one : i32",
        *(f"%{op} = llvm.{op} %x, %d : i32" for op in ("udiv", "sdiv", "urem", "srem")),
        "%p = llvm.add %udiv, %sdiv : i32",
        "%q = llvm.add %urem, %srem : i32",
        "%z = llvm.xor %p, %q : i32",
    ),
    "floats": _chain(
        "f32",
        "llvm.fadd {}",
        "llvm.fmul {} {{fastmathFlags = #llvm.fastmath<nnan, nsz>}}",
        "llvm.fsub {}",
        "llvm.fdiv {} {{fastmathFlags = #llvm.fastmath<fast>}}",
    ),
    "comparisons": _elementwise(
        "f32",
        '%l = llvm.fcmp "olt" %x, %y : f32',
        '%u = llvm.fcmp "uno" %x, %y : f32',
        '%t = llvm.fcmp "_true" %x, %y : f32',
        "%o = llvm.or %l, %u : i1",
        "%k = llvm.and %o, %t : i1",
        "%z = llvm.select %k, %x, %y : i1, f32",
    ),
    "conversions": _elementwise(
        "i32",
        "%t = llvm.trunc %x : i32 to i8",
        "%s = llvm.sext %t : i8 to i64",
        "%u = llvm.zext %t : i8 to i64",
        "%f = llvm.sitofp %s : i64 to f64",
        "%g = llvm.uitofp %u : i64 to f64",
        "%h = llvm.fadd %f, %g : f64",
        "%n = llvm.fptrunc %h : f64 to f32",
        "%e = llvm.fpext %n : f32 to f64",
        "%i = llvm.fptosi %e : f64 to i32",
        "%j = llvm.bitcast %n : f32 to i32",
        "%z = llvm.xor %i, %j : i32",
    ),
    "half precision": _elementwise(
        "f32",
        "%h = llvm.fptrunc %x : f32 to f16",
        "%k = llvm.mlir.constant(1.5 : f16) : f16",
        "%m = llvm.fmul %h, %k : f16",
        "%e = llvm.fpext %m : f16 to f32",
        "%w = llvm.fptrunc %y : f32 to bf16",
        "%o = llvm.mlir.constant(-3.140630e+00 : bf16) : bf16",
        "%v = llvm.fadd %w, %o : bf16",
        "%g = llvm.fpext %v : bf16 to f32",
        "%z = llvm.fadd %e, %g : f32",
    ),
    "vectors": _elementwise(
        V8,
        "%i = llvm.mlir.constant(3 : i32) : i32",
        f"%e = llvm.extractelement %x[%i : i32] : {V8}",
        f"%n = llvm.insertelement %e, %y[%i : i32] : {V8}",
        f"%s = llvm.shufflevector %n, %x [0, 8, 1, 9, -1, 10, 3, 11] : {V8}",
        f"%k = llvm.mlir.constant(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.1]> : {V8}) : {V8}",
        f"%w = llvm.mlir.constant(dense<2.5> : {V8}) : {V8}",
        f'%l = llvm.fcmp "oge" %s, %w : {V8}',
        f"%q = llvm.select %l, %s, %k : vector<8xi1>, {V8}",
        f"%p = llvm.mlir.poison : {V8}",
        f"%b0 = llvm.shufflevector %q, %p [0, 1, 2, 3, 4, 5, 6, 7] : {V8}",
        f"%z = llvm.intr.fma(%b0, %w, %k) : ({V8}, {V8}, {V8}) -> {V8}",
    ),
    "masks": _straight(
        "%m = llvm.mlir.constant(dense<[1, 0, 1, 1, 0, 0, 1, 0]> : vector<8xi1>) : vector<8xi1>",
        f"%u = llvm.mlir.zero : {V8}",
        "%x = llvm.intr.masked.load %a, %m, %u {alignment = 4 : i32} : "
        f"(!llvm.ptr, vector<8xi1>, {V8}) -> {V8}",
        f"llvm.intr.masked.store %x, %c, %m {{alignment = 4 : i32}} : {V8}, vector<8xi1> into !llvm.ptr",
    ),
    "reductions": _elementwise(
        V8,
        "%start = llvm.mlir.constant(0.5 : f32) : f32",
        '%s = "llvm.intr.vector.reduce.fadd"(%start, %x) <{fastmathFlags = #llvm.fastmath<reassoc>}> : '
        f"(f32, {V8}) -> f32",
        f"%m = llvm.intr.vector.reduce.fmaximum(%y) : ({V8}) -> f32",
        f"%i = llvm.bitcast %y : {V8} to vector<8xi32>",
        '%r = "llvm.intr.vector.reduce.smax"(%i) : (vector<8xi32>) -> i32',
        "%j = llvm.bitcast %r : i32 to f32",
        f"%p0 = llvm.mlir.undef : {V8}",
        *(f"%n{k} = llvm.mlir.constant({k} : i64) : i64" for k in range(3)),
        f"%p1 = llvm.insertelement %s, %x[%n0 : i64] : {V8}",
        f"%p2 = llvm.insertelement %m, %p1[%n1 : i64] : {V8}",
        f"%z = llvm.insertelement %j, %p2[%n2 : i64] : {V8}",
    ),
    "intrinsics": _elementwise(
        "f32",
        *(
            f"%{name} = llvm.intr.{name}(%x) : (f32) -> f32"
            for name in ("fabs", "sqrt", "floor", "ceil", "trunc", "roundeven", "exp", "log", "sin", "tanh")
        ),
        "%p = llvm.intr.pow(%fabs, %y) {fastmathFlags = #llvm.fastmath<afn>} : (f32, f32) -> f32",
        "%q = llvm.intr.maximum(%sqrt, %y) : (f32, f32) -> f32",
        "%s = llvm.intr.minnum(%q, %p) : (f32, f32) -> f32",
        "%z = llvm.intr.copysign(%s, %y) : (f32, f32) -> f32",
    ),
    "integer intrinsics": _elementwise(
        "i32",
        '%n = "llvm.intr.abs"(%x) <{is_int_min_poison = false}> : (i32) -> i32',
        '%l = "llvm.intr.ctlz"(%n) <{is_zero_poison = false}> : (i32) -> i32',
        "%p = llvm.intr.ctpop(%y) : (i32) -> i32",
        "%m = llvm.intr.umax(%l, %p) : (i32, i32) -> i32",
        "%f = llvm.intr.fshl(%m, %x, %y) : (i32, i32, i32) -> i32",
        '%o = "llvm.intr.sadd.with.overflow"(%f, %x) : (i32, i32) -> !llvm.struct<(i32, i1)>',
        "%z = llvm.extractvalue %o[0] : !llvm.struct<(i32, i1)>",
    ),
    "memory": _straight(
        "%n = llvm.mlir.constant(32 : i64) : i64",
        "%p = llvm.getelementptr inbounds %a[4] : (!llvm.ptr) -> !llvm.ptr, f32",
        '"llvm.intr.memcpy"(%c, %p, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()',
        "%byte = llvm.mlir.constant(-1 : i8) : i8",
        "%q = llvm.getelementptr %c[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i8",
        '"llvm.intr.memset"(%q, %byte, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()',
        "%s = llvm.alloca %n x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr",
        f"%v = llvm.load %a {{alignment = 32 : i64, nontemporal}} : !llvm.ptr -> {V8}",
        f"llvm.store %v, %s {{alignment = 32 : i64}} : {V8}, !llvm.ptr",
        f"%w = llvm.load %s {{alignment = 32 : i64}} : !llvm.ptr -> {V8}",
        "%t = llvm.getelementptr inbounds %b[0, 1, %n] : (!llvm.ptr, i64) -> !llvm.ptr,"
        " !llvm.struct<(array<2 x f32>, array<64 x f32>)>",
        f"llvm.store %w, %t {{alignment = 4 : i64}} : {V8}, !llvm.ptr",
        f"llvm.store %v, %b {{alignment = 32 : i64, nontemporal}} : {V8}, !llvm.ptr",
        "llvm.fence seq_cst",
    ),
    "addresses": _straight(
        "%i = llvm.ptrtoint %a : !llvm.ptr to i64",
        "%k = llvm.mlir.constant(8 : i64) : i64",
        "%j = llvm.add %i, %k : i64",
        "%p = llvm.inttoptr %j : i64 to !llvm.ptr",
        "%x = llvm.load volatile %p : !llvm.ptr -> i64",
        "llvm.store volatile %x, %c : i64, !llvm.ptr",
    ),
    "aggregates": _straight(
        "%x = llvm.load %a : !llvm.ptr -> i64",
        "%u = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<2 x i64>)>",
        "%0 = llvm.insertvalue %a, %u[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>)>",
        "%1 = llvm.insertvalue %x, %0[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>)>",
        "%y = llvm.extractvalue %1[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>)>",
        "llvm.store %y, %c : i64, !llvm.ptr",
    ),
    "atomics": _straight(
        "%x = llvm.load %a atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64",
        "%o = llvm.atomicrmw add %b, %x monotonic : !llvm.ptr, i64",
        "%r = llvm.cmpxchg %c, %x, %o acq_rel monotonic : !llvm.ptr, i64",
        "llvm.store %x, %c atomic release {alignment = 8 : i64} : i64, !llvm.ptr",
    ),
    "globals": _straight(
        "%p = llvm.mlir.addressof @floats : !llvm.ptr",
        "%x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>",
        "llvm.store %x, %c {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr",
        "%q = llvm.mlir.addressof @text : !llvm.ptr",
        "%y = llvm.load %q : !llvm.ptr -> i32",
        "llvm.store %y, %b : i32, !llvm.ptr",
        before=GLOBALS,
    ),
    "calls": _straight(
        "%x = llvm.load %a : !llvm.ptr -> f32",
        "%t = llvm.call @twice(%x) : (f32) -> f32",
        "%f = llvm.mlir.addressof @twice : !llvm.ptr",
        "%u = llvm.call %f(%t) : !llvm.ptr, (f32) -> f32",
        "%e = llvm.call @expf(%u) {fastmathFlags = #llvm.fastmath<contract>} : (f32) -> f32",
        "llvm.store %e, %c : f32, !llvm.ptr",
        before=CALLS,
    ),
    "loop": LOOP.replace("HINTS", "mustProgress = true"),
    "loop hints": LOOP.replace(
        "HINTS",
        "vectorize = <disable = false, width = 8 : i32>, interleave = <count = 2 : i32>,"
        " unroll = <disable = true>, mustProgress = true",
    ),
    "branches": BRANCHES,
    "block order": ORDER,
    "attributes": ATTRIBUTES,
}


def _inputs() -> list[np.ndarray]:
    """Three buffers of 128 floats; the bits of the first are small integers, too."""
    rng = np.random.default_rng(7)
    return [rng.uniform(-4, 4, 128).astype(np.float32) for _ in range(3)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_that_of_mlir_translate(
    name: str, mlir_translate: Callable[..., str], normalised: Callable[[str], list[str]]
) -> None:
    if name in ("branches", "half precision"):
        pytest.skip("upstream splits every doubled edge and folds constants: only results are compared")
    theirs = mlir_translate(PROGRAMS[name], "--mlir-to-llvmir")
    assert normalised(emit_llvm_ir(parse(PROGRAMS[name]))) == normalised(theirs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_mlir_translate(
    name: str, mlir_translate: Callable[..., str], run_main: Callable[..., list[np.ndarray]]
) -> None:
    ours = run_main(emit_llvm_ir(parse(PROGRAMS[name])), _inputs())
    theirs = run_main(mlir_translate(PROGRAMS[name], "--mlir-to-llvmir"), _inputs())
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine.view(np.uint32), other.view(np.uint32))


def test_sum_in_a_loop_is_computed(run_main: Callable[..., list[np.ndarray]]) -> None:
    a, b, c = _inputs()
    _, _, result = run_main(emit_llvm_ir(parse(PROGRAMS["loop"])), [a, b, c])
    np.testing.assert_allclose(result[0], a[:64].sum(dtype=np.float64), rtol=1e-5)


@pytest.mark.parametrize(("x", "y", "expected"), [(9, 5, 5), (10, 5, 5), (8, 5, 8), (5, 7, 1)])
def test_switch_and_doubled_edges_choose_the_right_value(
    x: int, y: int, expected: int, run_main: Callable[..., list[np.ndarray]]
) -> None:
    buffers = [np.array([value], np.int32) for value in (x, y, 0)]
    assert run_main(emit_llvm_ir(parse(BRANCHES)), buffers)[2][0] == expected


def test_private_function_is_internal_and_block_without_predecessor_takes_poison() -> None:
    text = emit_llvm_ir(
        parse(
            'llvm.func @kernel(%x: i32) -> i32 attributes {sym_visibility = "private"} {\n'
            "  llvm.return %x : i32\n^bb1(%y: i32):\n  llvm.return %y : i32\n}"
        )
    )
    assert re.search(r"define internal i32 @kernel\(i32", text)
    assert "ret i32 poison" in text


def test_constants_of_all_widths_are_exact() -> None:
    module = parse(
        "llvm.func @f() {\n"
        "  %p = llvm.mlir.zero : !llvm.ptr\n"
        "  %0 = llvm.mlir.constant(true) : i1\n  llvm.store %0, %p : i1, !llvm.ptr\n"
        "  %1 = llvm.mlir.constant(255 : i8) : i8\n  llvm.store %1, %p : i8, !llvm.ptr\n"
        "  %2 = llvm.mlir.constant(0.1 : f32) : f32\n  llvm.store %2, %p : f32, !llvm.ptr\n"
        "  %3 = llvm.mlir.constant(0.1 : f64) : f64\n  llvm.store %3, %p : f64, !llvm.ptr\n"
        "  %4 = llvm.mlir.constant(1.0 : f16) : f16\n  llvm.store %4, %p : f16, !llvm.ptr\n"
        "  llvm.return\n}"
    )
    stores = re.findall(r"store (.*), ptr null", emit_llvm_ir(module))
    assert stores[:2] == ["i1 true", "i8 -1"]
    assert stores[2] == f"float 0x{int(np.float64(np.float32(0.1)).view(np.uint64)):016X}"
    assert stores[3] == f"double 0x{int(np.float64(0.1).view(np.uint64)):016X}"
    assert stores[4] == "half 0xH3C00"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f() { return }", "'func.func' op has no translation"),
        (
            "llvm.func @f() {\n  %0 = arith.constant 1 : i32\n  llvm.return\n}",
            "'arith.constant' op has no translation",
        ),
        (
            'llvm.func @f(%a: i32) {\n  %0 = "llvm.intr.is.constant"(%a) : (i32) -> i1\n  llvm.return\n}',
            "'llvm.intr.is.constant' op",
        ),
    ],
)
def test_operation_of_another_level_is_an_error_with_a_place(text: str, message: str) -> None:
    module = parse(text, allow_unregistered=True)
    with pytest.raises(LaminaError, match=re.escape(message)) as caught:
        emit_llvm_ir(module)
    assert caught.value.diagnostics[0].location is not None
    assert "--lower-to-llvm" in str(caught.value) or "call_intrinsic" in str(caught.value)


def test_every_operation_with_a_class_of_its_own_has_a_translation() -> None:
    known = {*EMITTERS, *LITERALS, *INTRINSICS, "llvm.func", "llvm.mlir.global"}
    assert set(written_classes("llvm")) <= known


def test_bound_constant_is_external_or_inlined() -> None:
    text = (
        "llvm.mlir.global external constant @w() {addr_space = 0 : i32, alignment = 64 : i64,"
        " lamina.value = dense<[1, 2]> : tensor<2xi8>} : !llvm.array<2 x i8>"
    )
    assert "@w = external constant [2 x i8], align 64" in emit_llvm_ir(parse(text))
    assert '@w = internal constant [2 x i8] c"\\01\\02", align 64' in emit_llvm_ir(
        parse(text), inline_constants=True
    )
