"""A module compiled in parts: the same results, one entry visible, artefacts as one module."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.lowering.codegen.jit import IrText, compile_parts, compile_to_object, load_object
from lamina.lowering.codegen.object_file import unresolved_symbols
from lamina.lowering.codegen.target import host_target
from lamina.lowering.formats.llvm_ir import emit_llvm_ir_parts

MODULE = """
llvm.mlir.global private constant @table(dense<[10, 20, 30]> : tensor<3xi32>) {addr_space = 0 : i32}
  : !llvm.array<3 x i32>
llvm.func @toupper(i32) -> i32
llvm.func @third(%x: i32) -> i32 attributes {sym_visibility = "private"} {
  %p = llvm.mlir.addressof @table : !llvm.ptr
  %q = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, i32
  %v = llvm.load %q : !llvm.ptr -> i32
  %r = llvm.add %v, %x : i32
  llvm.return %r : i32
}
llvm.func internal @twice(%x: i32) -> i32 {
  %a = llvm.call @third(%x) : (i32) -> i32
  %b = llvm.call @toupper(%a) : (i32) -> i32
  %r = llvm.add %a, %b : i32
  llvm.return %r : i32
}
llvm.func @main(%p: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> i32
  %r = llvm.call @twice(%x) : (i32) -> i32
  llvm.store %r, %p : i32, !llvm.ptr
  llvm.return
}
"""


def _run(objects: list[bytes], value: int) -> int:
    cell = ctypes.c_int32(value)
    load_object(objects, ["main"]).function("main", ctypes.c_void_p)(ctypes.addressof(cell))
    return cell.value


def test_a_small_module_is_one_part() -> None:
    assert len(emit_llvm_ir_parts(parse(MODULE), 1)) == 1


@pytest.mark.parametrize(("limit", "count"), [(1, 3), (6, 2), (1000, 1)])
@pytest.mark.parametrize("cores", [1, 4])
def test_parts_give_what_the_whole_gives(limit: int, count: int, cores: int) -> None:
    texts = emit_llvm_ir_parts(parse(MODULE), limit, small=0)
    assert len(texts) == count
    objects = [code.object_bytes for code in compile_parts(texts, replace(host_target(), cores=cores))]
    assert _run(objects, 4) == 68
    assert unresolved_symbols(objects) == ["toupper"]


def test_private_functions_are_hidden_in_parts_and_constants_go_where_they_are_used() -> None:
    third, twice, main = emit_llvm_ir_parts(parse(MODULE), 1, small=0)
    assert "define hidden i32 @third" in third
    assert "@table = private constant" in third
    assert "declare hidden i32 @third(i32)" in twice
    assert "@table" not in twice
    assert "define void @main" in main


def test_parts_link_to_one_module() -> None:
    text = IrText.of(emit_llvm_ir_parts(parse(MODULE), 1, small=0)).linked()
    assert _run([compile_to_object(text).object_bytes], 67) == 162


def test_module_with_a_variable_is_one_part() -> None:
    assert len(emit_llvm_ir_parts(parse(MODULE.replace("private constant", "internal")), 1)) == 1


def test_use_of_an_unknown_symbol_is_an_error() -> None:
    text = MODULE.replace("llvm.func @toupper(i32) -> i32\n", "")
    with pytest.raises(
        LaminaError, match="a function uses 'toupper', which the module neither defines nor declares"
    ):
        emit_llvm_ir_parts(parse(text), 1, small=0)
