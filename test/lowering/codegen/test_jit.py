"""Compiling LLVM IR text in memory: symbols, builtins, errors, threads, life time."""

from __future__ import annotations

import ctypes
import gc
import threading
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.lowering.codegen.jit import compile_to_object, load_object, optimise
from lamina.lowering.codegen.object_file import unresolved_symbols
from lamina.lowering.codegen.target import Target

ANSWER = "define void @f(ptr %p) { store i32 42, ptr %p ret void }"


def _unary(source: str, target: str, call: str) -> str:
    """``@f(in, out, n)`` that maps each element by ``call`` (an instruction that defines %y of %x)."""
    return f"""
define void @f(ptr %a, ptr %b, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr {source}, ptr %a, i64 %i
  %q = getelementptr {target}, ptr %b, i64 %i
  %x = load {source}, ptr %p
  {call}
  store {target} %y, ptr %q
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}}
"""


def _apply(text: str, x: np.ndarray, dtype: Any) -> np.ndarray:
    code = load_object(compile_to_object(text).object_bytes, ["f"])
    y = np.empty(x.shape, dtype)
    code.function("f", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(x.ctypes.data, y.ctypes.data, x.size)
    return y


def _call(data: bytes) -> int:
    value = ctypes.c_int32()
    load_object(data, ["f"]).function("f", ctypes.c_void_p)(ctypes.addressof(value))
    return value.value


def test_function_keeps_its_code_loaded() -> None:
    function = load_object(compile_to_object(ANSWER).object_bytes, ["f"]).function("f", ctypes.c_void_p)
    gc.collect()
    value = ctypes.c_int32()
    function(ctypes.addressof(value))
    assert value.value == 42


@pytest.mark.parametrize("name", ["expf", "tanhf", "erff", "fmodf", "powf"])
def test_functions_of_the_mathematics_library_are_found(name: str) -> None:
    two = name in ("fmodf", "powf")
    call = f"%y = call float @{name}(float %x{', float 0.75' if two else ''})".replace(
        "0.75", "0x3FE8000000000000"
    )
    text = f"declare float @{name}(float{', float' if two else ''})\n" + _unary("float", "float", call)
    x = np.linspace(0.1, 3, 20, dtype=np.float32)
    import math

    reference = {"expf": math.exp, "tanhf": math.tanh, "erff": math.erf}.get(name)
    if reference is None:
        pair = {"fmodf": math.fmod, "powf": math.pow}[name]
        expected = [pair(float(v), 0.75) for v in x]
    else:
        expected = [reference(float(v)) for v in x]
    np.testing.assert_allclose(_apply(text, x, np.float32), expected, rtol=1e-5)


def test_float_to_bfloat_rounds_to_nearest_even() -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 16, dtype=np.uint32)
    x = np.concatenate([bits.view(np.float32), np.float32([0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, 1e-40])])
    y = _apply(_unary("float", "bfloat", "%y = fptrunc float %x to bfloat"), x, ml_dtypes.bfloat16)
    with np.errstate(invalid="ignore"):
        expected = x.astype(ml_dtypes.bfloat16)
    nan = np.isnan(x)
    assert np.array_equal(y.view(np.uint16)[~nan], expected.view(np.uint16)[~nan])
    assert np.isnan(y[nan].astype(np.float32)).all()


def test_double_to_half_rounds_once() -> None:
    rng = np.random.default_rng(0)
    halves = rng.standard_normal(5000).astype(np.float16).astype(np.float64)
    x = np.concatenate(
        [
            halves
            * (1 + 2.0 ** -rng.integers(10, 53, 5000)),  # just above the middle of two halves, or nearly
            rng.standard_normal(5000) * 10.0 ** rng.integers(-9, 6, 5000),
            np.float64([0, -0.0, np.inf, -np.inf, 65504, 65519.99999999, 65520, 1e300]),
        ]
    )
    y = _apply(_unary("double", "half", "%y = fptrunc double %x to half"), x, np.float16)
    with np.errstate(over="ignore"):
        assert np.array_equal(y.view(np.uint16), x.astype(np.float16).view(np.uint16))


def test_double_to_bfloat_rounds_once() -> None:
    # The nearest float of this value is the middle of two bfloats, whose even one is farther away.
    x = np.float64([1.00390625 + 2.0**-40, 1.00390625 - 2.0**-40, 1.00390625])
    y = _apply(_unary("double", "bfloat", "%y = fptrunc double %x to bfloat"), x, ml_dtypes.bfloat16)
    assert y.astype(np.float64).tolist() == [1.0078125, 1.0, 1.0]


def test_undefined_symbol_is_named() -> None:
    text = "declare void @no_such_routine()\ndefine void @f() { call void @no_such_routine() ret void }"
    data = compile_to_object(text).object_bytes
    assert unresolved_symbols([data]) == ["no_such_routine"]
    with pytest.raises(LaminaError, match="calls 'no_such_routine', which nothing in this process defines"):
        load_object(data, ["f"])


def test_given_symbols_are_bound() -> None:
    text = (
        "@w = external constant i32\n"
        "define void @f(ptr %p) { %v = load i32, ptr @w store i32 %v, ptr %p ret void }"
    )
    source, value = ctypes.c_int32(7), ctypes.c_int32()
    code = load_object(compile_to_object(text).object_bytes, ["f"], {"w": ctypes.addressof(source)}, source)
    code.function("f", ctypes.c_void_p)(ctypes.addressof(value))
    assert value.value == 7


@pytest.mark.parametrize("text", ["nonsense", "define i32 @f() { ret void }"])
def test_text_that_llvm_rejects_is_an_error(text: str) -> None:
    with pytest.raises(LaminaError, match="LLVM does not accept the generated code"):
        compile_to_object(text)


def test_loops_are_vectorised_for_the_host() -> None:
    assert " x float>" in optimise(_unary("float", "float", "%y = fmul float %x, %x"))


def test_object_code_for_another_target() -> None:
    with pytest.raises(LaminaError, match="no code generator for the target 'nonsense-none'"):
        compile_to_object(ANSWER, Target(triple="nonsense-none", cpu="generic"))
    narrow = optimise(_unary("float", "float", "%y = fmul float %x, %x"), Target(cpu="x86-64"))
    assert "<4 x float>" in narrow
    assert "<8 x float>" not in narrow


def test_compiling_from_several_threads() -> None:
    failures: list[object] = []

    def work() -> None:
        try:
            for _ in range(5):
                assert _call(compile_to_object(ANSWER).object_bytes) == 42
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
