"""Compiled entries called with NumPy arrays: values, argument forms, checks, threads, memory."""

from __future__ import annotations

import gc
import re
import signal
import threading
import time
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.lowering.codegen.arguments import check_input
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.lowering.codegen.target import Target
from lamina.lowering.executable import Executable


def _loop(count: int, *body: str) -> str:
    """A loop over ``%i`` from 0 to ``count``."""
    lines = "\n".join(f"  {line}" for line in body)
    return f"""
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant({count} : i64) : i64
  llvm.br ^head(%c0 : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
{lines}
  %next = llvm.add %i, %c1 : i64
  llvm.br ^head(%next : i64)
^end:
  llvm.return
"""


def _argument(name: str, kind: str, *attributes: str) -> str:
    return f"%{name}: !llvm.ptr {{{', '.join((f'lamina.type = tensor<{kind}>', *attributes))}}}"


def _address(result: str, base: str, kind: str) -> str:
    return f"%{result} = llvm.getelementptr inbounds %{base}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {kind}"


def _addition(kind: str = "f32", operation: str = "fadd", shape: str = "2x3", dtype: str = "") -> str:
    """``z = x + y`` on six elements."""
    extra = [f'nn.dtype = "{dtype}"'] if dtype else []
    arguments = [
        _argument("x", f"{shape}x{kind}", 'nn.name = "x"', *extra),
        _argument("y", f"{shape}x{kind}", 'nn.name = "a:b"', *extra),
        _argument("z", f"{shape}x{kind}", 'nn.name = "z"', "lamina.result = 0 : i64", *extra),
    ]
    body = _loop(
        6,
        *(_address(f"p{name}", name, kind) for name in "xyz"),
        f"%u = llvm.load %px : !llvm.ptr -> {kind}",
        f"%v = llvm.load %py : !llvm.ptr -> {kind}",
        f"%w = llvm.{operation} %u, %v : {kind}",
        f"llvm.store %w, %pz : {kind}, !llvm.ptr",
    )
    return f"llvm.func @main({', '.join(arguments)}) {{{body}}}"


def _compile(text: str, entry: str = "main") -> Executable:
    return Executable.from_llvm_module(parse(text), entry)


@pytest.fixture(scope="module")
def addition() -> Executable:
    return _compile(_addition())


def _pair() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.random((2, 3), np.float32), rng.random((2, 3), np.float32)


def test_inputs_are_given_by_position_by_name_or_as_a_dict(addition: Executable) -> None:
    x, y = _pair()
    for result in (addition(x, y), addition(x, **{"a:b": y}), addition.run({"a:b": y, "x": x})):
        assert isinstance(result, np.ndarray)
        assert np.array_equal(result, x + y)


def test_results_are_written_to_out(addition: Executable) -> None:
    x, y = _pair()
    for form in ("array", "list", "dict"):
        z = np.full((2, 3), np.nan, np.float32)
        out: Any = {"array": z, "list": [z], "dict": {"z": z}}[form]
        assert addition.run({"x": x, "a:b": y}, out=out) is z
        assert np.array_equal(z, x + y)


def test_results_are_new_arrays_of_each_call(addition: Executable) -> None:
    x, y = _pair()
    first = addition(x, y)
    second = addition(y, y)
    assert np.array_equal(first, x + y)
    assert not np.shares_memory(first, second)


def test_description_of_inputs_and_outputs(addition: Executable) -> None:
    assert [str(info) for info in addition.inputs] == ["x: float32[2, 3]", "a:b: float32[2, 3]"]
    assert [(info.name, info.shape, info.dtype) for info in addition.outputs] == [("z", (2, 3), np.float32)]
    assert repr(addition) == "<Executable main(x: float32[2, 3], a:b: float32[2, 3]) -> (z: float32[2, 3])>"


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "unaligned", "read-only"])
def test_arrays_of_any_layout_are_taken(addition: Executable, layout: str) -> None:
    x, y = _pair()
    shaped = {
        "fortran": np.asfortranarray(x),
        "strided": np.repeat(x, 2, axis=1)[:, ::2],
        "reversed": x[::-1][::-1],
        "unaligned": np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1).reshape(2, 3),
        "read-only": np.frombuffer(x.tobytes(), np.float32).reshape(2, 3),
    }[layout]
    assert np.array_equal(addition(shaped, y), x + y)


def test_python_numbers_and_lists_are_taken_where_nothing_is_lost(addition: Executable) -> None:
    _, y = _pair()
    assert np.array_equal(addition([[1, 2, 3], [4, 5, 6.5]], y), np.float32([[1, 2, 3], [4, 5, 6.5]]) + y)
    scalar = _compile(
        _addition("i32", "add", "1x6").replace("llvm.mlir.constant(6 ", "llvm.mlir.constant(6 ")
    )
    with pytest.raises(LaminaError, match="must hold int32, not float64"):
        scalar([[1.5] * 6], np.zeros((1, 6), np.int32))
    with pytest.raises(LaminaError, match="must hold int32"):
        scalar([[1 << 40] * 6], np.zeros((1, 6), np.int32))


X, Y = _pair()
MISTAKES = {
    "too few": (lambda f: f(X), "takes 2 inputs; missing: a:b"),
    "too many": (lambda f: f(X, Y, X), "takes 2 inputs, not 3"),
    "unknown name": (lambda f: f(X, **{"a:c": Y}), "has no input 'a:c'\n.*did you mean 'a:b'"),
    "given twice": (lambda f: f(X, Y, x=X), "input 'x' is given twice"),
    "dtype": (lambda f: f(X, Y.astype(np.float64)), "'a:b' must have dtype float32, not float64\n.*astype"),
    "byte order": (lambda f: f(X, Y.astype(">f4")), "must have dtype float32, not >f4\n.*astype"),
    "scalar of another dtype": (lambda f: f(X, np.float64(1)), "must have dtype float32, not float64"),
    "shape": (lambda f: f(X.T, Y), r"'x' must have shape \[2, 3\], not \[3, 2\]"),
    "ragged": (lambda f: f([[1.0], [2.0, 3.0]], Y), "input 'x' is no array"),
    "text": (lambda f: f([["a"]], Y), "input 'x' must hold float32, not str"),
    "out shape": (
        lambda f: f(X, Y, out=np.empty(6, np.float32)),
        r"must be float32\[2, 3\], not float32\[6\]",
    ),
    "out dtype": (lambda f: f(X, Y, out=np.empty((2, 3))), r"must be float32\[2, 3\], not float64\[2, 3\]"),
    "out layout": (lambda f: f(X, Y, out=np.empty((3, 2), np.float32).T), "writable, contiguous and aligned"),
    "out count": (lambda f: f(X, Y, out=(X, Y)), "gives 1 result, but `out` has 2"),
    "out name": (lambda f: f(X, Y, out={"zz": X}), "has no output 'zz'\n.*did you mean 'z'"),
    "out kind": (lambda f: f(X, Y, out=[[0.0]]), "must be a NumPy array, not list"),
    "overlap": (lambda f: f(X, Y, out=X), "`out` for 'z' shares memory with input 'x'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_say_what_was_expected_and_given(addition: Executable, mistake: str) -> None:
    call, message = MISTAKES[mistake]
    with pytest.raises(LaminaError) as caught:
        call(addition)
    assert re.search(message, str(caught.value))


@pytest.mark.parametrize(
    ("kind", "operation", "dtype", "numpy_dtype"),
    [
        ("f64", "fadd", "", np.float64),
        ("f16", "fadd", "", np.float16),
        ("bf16", "fadd", "", ml_dtypes.bfloat16),
        ("i8", "add", "", np.int8),
        ("i8", "add", "ui8", np.uint8),
        ("i64", "add", "", np.int64),
        ("i16", "add", "ui16", np.uint16),
        ("i8", "or", "i1", np.bool_),
    ],
)
def test_element_types_are_those_of_the_model(
    kind: str, operation: str, dtype: str, numpy_dtype: Any
) -> None:
    exe = _compile(_addition(kind, operation, dtype=dtype))
    rng = np.random.default_rng(3)
    x, y = ((rng.random((2, 3)) * 100 + 28).astype(numpy_dtype) for _ in range(2))
    if dtype == "i1":
        x[0] = y[0] = False
    result = exe(x, y)
    assert result.dtype == numpy_dtype
    expected = x | y if dtype == "i1" else x + y
    assert np.array_equal(result.view(f"u{x.itemsize}"), expected.view(f"u{x.itemsize}"))


WEIGHTS = np.arange(6, dtype=np.float32).reshape(2, 3)
CONSTANT = (
    "llvm.mlir.global external constant @const_a() {addr_space = 0 : i32, alignment = 64 : i64,"
    " lamina.value = dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>} : !llvm.array<6 x f32>\n"
    "llvm.mlir.global external constant @const_empty() {addr_space = 0 : i32, alignment = 64 : i64,"
    " lamina.value = dense<> : tensor<0xf32>} : !llvm.array<0 x f32>\n"
)


def _with_constant() -> str:
    function = _addition().replace(_argument("y", "2x3xf32", 'nn.name = "a:b"') + ", ", "")
    addresses = (
        "  %y = llvm.mlir.addressof @const_a : !llvm.ptr\n"
        "  %e = llvm.mlir.addressof @const_empty : !llvm.ptr\n"
        "  %q = llvm.getelementptr %e[0] : (!llvm.ptr) -> !llvm.ptr, f32\n"
    )
    return CONSTANT + function.replace("  %c0 =", addresses + "  %c0 =", 1)


def test_constants_are_bound_to_their_buffers_and_live_with_the_executable() -> None:
    exe = _compile(_with_constant())
    gc.collect()
    x = np.ones((2, 3), np.float32)
    assert np.array_equal(exe(x), WEIGHTS + 1)
    assert exe.memory().constants == 24
    assert "const_a" in exe.asm()


SCRATCH_SIZE = 3 << 20


def _with_arena() -> str:
    """Sums x into the arena element by element, spins, and copies the arena to z: races would show."""
    arguments = [
        _argument("arena", f"{SCRATCH_SIZE}xi8", "lamina.arena"),
        _argument("z", "f64", "lamina.result = 0 : i64"),
        _argument("x", "f64"),
    ]
    body = _loop(
        200_000,
        "%old = llvm.load volatile %arena : !llvm.ptr -> f64",
        "%v = llvm.load %x : !llvm.ptr -> f64",
        "%new = llvm.fadd %old, %v : f64",
        "llvm.store volatile %new, %arena : f64, !llvm.ptr",
        "llvm.store volatile %new, %z : f64, !llvm.ptr",
    )
    zero = "  %zero = llvm.mlir.constant(0.0 : f64) : f64\n  llvm.store %zero, %arena : f64, !llvm.ptr\n"
    return (
        f"llvm.func @main({', '.join(arguments)}) {{"
        + body.replace("  llvm.br ^head", zero + "  llvm.br ^head", 1)
        + "}"
    )


def test_concurrent_calls_have_arenas_of_their_own() -> None:
    exe = _compile(_with_arena())
    assert exe.memory().arena == SCRATCH_SIZE
    assert [info.name for info in exe.inputs] == ["arg0"]
    assert [info.name for info in exe.outputs] == ["out0"]
    wrong: list[tuple[int, float]] = []

    def call(value: int) -> None:
        for _ in range(5):
            result = float(exe(np.array(float(value))))
            if result != 200_000 * value:
                wrong.append((value, result))

    threads = [threading.Thread(target=call, args=(value,)) for value in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_interrupt_arrives_when_the_call_returns() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits that it is ignored
    exe = _compile(_with_arena())
    timer = threading.Timer(0.05, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            exe(np.array(1.0))
    timer.join()
    assert float(exe(np.array(2.0))) == 400_000


def test_donated_input_may_be_the_output() -> None:
    text = _addition().replace('nn.name = "x"', 'nn.name = "x", bufferization.writable = true')
    exe = _compile(text)
    x, y = _pair()
    expected = x + y
    assert exe(x, y, out=x) is x
    assert np.array_equal(x, expected)
    with pytest.raises(LaminaError, match="shares memory with input 'a:b'"):
        exe(x, y, out=y)


def test_unknown_sizes_fit_any_size() -> None:
    info = ArrayInfo("x", (-1, 3), np.dtype(np.float32))
    assert check_input(info, np.zeros((7, 3), np.float32)).shape == (7, 3)
    for shape in ((7, 4), (3,)):
        with pytest.raises(LaminaError, match="input 'x' must have shape"):
            check_input(info, np.zeros(shape, np.float32))


def test_timings_and_artefacts_are_available(addition: Executable) -> None:
    assert set(addition.timings) == {"emit", "parse", "optimise", "codegen", "link"}
    assert "define void @main" in addition.llvm_ir()
    assert re.search(r"^main:", addition.asm(), re.M)
    assert addition.object_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    ("text", "entry", "message"),
    [
        (_addition(), "mian", "has no function 'mian'.*\n.*did you mean 'main'"),
        (
            "llvm.func @main(%a: !llvm.ptr) { llvm.return }",
            "main",
            "without 'lamina.type'.*\n.*annotate-entry",
        ),
        (f"llvm.func @main({_argument('x', '?xf32')}) {{ llvm.return }}", "main", "of dynamic shape"),
        ("llvm.func internal @main() { llvm.return }", "main", "is private, so it cannot be an entry"),
        ("llvm.func @main(%a: i32) -> i32 { llvm.return %a : i32 }", "main", "returns a value"),
    ],
)
def test_entry_that_cannot_be_called_is_an_error(text: str, entry: str, message: str) -> None:
    with pytest.raises(LaminaError) as caught:
        _compile(text, entry)
    assert re.search(message, str(caught.value))


def test_code_for_another_machine_is_not_run() -> None:
    with pytest.raises(LaminaError, match="'aarch64-linux-gnu' cannot run in this process"):
        Executable.from_llvm_module(parse(_addition()), target=Target(triple="aarch64-linux-gnu"))
