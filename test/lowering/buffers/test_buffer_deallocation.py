"""Each buffer allocated at run time is freed once, after its last use."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Operation

from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.lowering.buffers.buffer_deallocation import insert_deallocations

KIND = "memref<?xf32>"


def freed(body: str, results: str = "") -> list[Operation]:
    """The operations before which something is freed, None at the end of a block."""
    text = (
        f"func.func private @make(%n: index) -> {KIND} {{\n%m = memref.alloc(%n) : {KIND}\n"
        f"return %m : {KIND}\n}}\nfunc.func @main(%n: index, %p: i1, %v: f32) {results} {{\n"
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n{body}\n}}"
    )
    module = parse(text)
    insert_deallocations(module)
    verify(module)
    return [op for op in module.walk() if isinstance(op, memref.DeallocOp)]


ALLOC = f"%a = memref.alloc(%n) : {KIND}\n"
FILL = f"linalg.fill ins(%v : f32) outs(%a : {KIND})\n"


def test_after_the_last_use_through_a_view() -> None:
    view = f"%w = memref.subview %a[0] [1] [1] : {KIND} to memref<1xf32, strided<[1]>>\n"
    body = ALLOC + view + FILL + "memref.store %v, %w[%c0] : memref<1xf32, strided<[1]>>\nreturn"
    (dealloc,) = freed(body)
    assert isinstance(dealloc.prev_op, memref.StoreOp)


def test_after_the_loop_that_uses_it() -> None:
    (dealloc,) = freed(ALLOC + "scf.for %i = %c0 to %n step %c1 {\n" + FILL + "}\nreturn")
    assert dealloc.prev_op is not None and dealloc.prev_op.name == "scf.for"


def test_in_the_loop_that_makes_it() -> None:
    (dealloc,) = freed("scf.for %i = %c0 to %n step %c1 {\n" + ALLOC + FILL + "}\nreturn")
    parent = dealloc.parent_op()
    assert parent is not None and parent.name == "scf.for"


def test_not_where_it_is_returned_or_yielded() -> None:
    assert freed(ALLOC + f"return %a : {KIND}", f"-> {KIND}") == []
    branch = f"%r = scf.if %p -> ({KIND}) {{\n{ALLOC}scf.yield %a : {KIND}\n}} else {{\n"
    branch += f"%b = memref.alloc(%n) : {KIND}\nscf.yield %b : {KIND}\n}}\nreturn %r : {KIND}"
    assert freed(branch, f"-> {KIND}") == []


def test_what_a_private_function_returns_belongs_to_its_caller() -> None:
    (dealloc,) = freed(f"%a = call @make(%n) : (index) -> {KIND}\n" + FILL + "return")
    assert dealloc.prev_op is not None and dealloc.prev_op.name == "linalg.fill"


def test_not_twice() -> None:
    assert len(freed(ALLOC + f"memref.dealloc %a : {KIND}\nreturn")) == 1
