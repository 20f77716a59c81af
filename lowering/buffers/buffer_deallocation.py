"""`buffer-deallocation`: free what is allocated at run time, after its last use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from lamina.lowering.buffers._functions import is_public
from lamina.lowering.buffers._lifetimes import aliases_of
from lamina.lowering.buffers._numbering import Numbering
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class Deallocations:
    """How many buffers are freed, and how many are not: they leave the block they are made in."""

    inserted: int
    left: int


def insert_deallocations(module: ModuleOp) -> Deallocations:
    """Free each allocation, and each buffer a private function returns, after the last use in its block.

    A buffer that is freed already, or that a terminator hands on (returned or yielded), is left alone.
    """
    private = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp) and not is_public(op)}
    inserted = left = 0
    times = Numbering(module)
    for buffer in [value for op in module.walk() for value in _new_buffers(op, private)]:
        if any(isinstance(user, memref.DeallocOp) for _, user in aliases_of(buffer)):
            continue
        last = _last_use(buffer, times)
        if last is None:
            left += 1
            continue
        dealloc = memref.DeallocOp.get(buffer)
        dealloc.location = last.location
        Rewriter.insert_op(dealloc, InsertPoint.after(last))
        inserted += 1
    return Deallocations(inserted, left)


def _new_buffers(op: Operation, private: set[str]) -> list[SSAValue]:
    """The buffers that an operation makes and its block owns."""
    if isinstance(op, memref.AllocOp):
        return [op.memref]
    if isinstance(op, func.CallOp) and op.callee.string_value() in private:
        return [result for result in op.results if isinstance(result.type, MemRefType)]
    return []


def _last_use(buffer: SSAValue, times: Numbering) -> Operation | None:
    """The last operation of the buffer's block that uses it, or None where it leaves the block."""
    home = cast(Operation, buffer.owner).parent
    users = {cast(Operation, buffer.owner)}
    for _, user in aliases_of(buffer):
        outer: Operation | None = user
        while outer is not None and outer.parent is not home:
            outer = outer.parent_op()
        if outer is None or (outer is user and user.has_trait(IsTerminator)):
            return None
        users.add(outer)
    return max(users, key=lambda user: times.start[user])


@dataclass(frozen=True)
class BufferDeallocation(Pass):
    """Free buffers after their last use.

    For what `plan-arena` leaves: buffers of dynamic shape. A buffer that is returned belongs to the
    caller; one that a loop or branch yields is not freed.

    ```mlir
    func.func @f(%n: index, %v: f32) {
      %m = memref.alloc(%n) : memref<?xf32>
      linalg.fill ins(%v : f32) outs(%m : memref<?xf32>)
      return
    }
    ```

    ```mlir
    func.func @f(%n: index, %v: f32) {
      %m = memref.alloc(%n) : memref<?xf32>
      linalg.fill ins(%v : f32) outs(%m : memref<?xf32>)
      memref.dealloc %m : memref<?xf32>
      return
    }
    ```
    """

    name = "buffer-deallocation"
    requires = (BUFFERS_ONLY,)
    statistics = {"inserted": "buffers freed", "left": "buffers that leave their block and are not freed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        done = insert_deallocations(cast(ModuleOp, op))
        ctx.count("inserted", done.inserted)
        ctx.count("left", done.left)
