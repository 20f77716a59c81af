"""The pass ``stream-large-outputs``."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, prod
from typing import cast

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    VectorType,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.llvm.atomics import FenceOp
from lamina.lowering.buffers._layouts import is_identity
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option

_ALIGNMENT = 16
"""The alignment that large arrays of NumPy have, and the least that a streaming store takes."""
_LINE = 64
_SEQUENTIALLY_CONSISTENT = 7


def stream_large_outputs(function: func.FuncOp, least_bytes: int) -> int:
    """Give a private function a variant for aligned outputs that writes past the caches; returns the number
    of stores in it."""
    visibility = function.sym_visibility
    if visibility is None or visibility.data != "private" or len(function.body.blocks) != 1:
        return 0
    block = function.body.block
    moved = sum(_bytes(a.type) for a in block.args if isinstance(a.type, MemRefType))
    if moved < least_bytes:
        return 0
    found = {a: stores for a in block.args if _bytes(a.type) * 4 >= moved and (stores := _stores_into(a))}
    if found:
        _add_variant(block, found)
    return sum(len(stores) for stores in found.values())


def _bytes(kind: object) -> int:
    if not isinstance(kind, MemRefType) or not kind.has_static_shape():
        return 0
    return prod(kind.get_shape()) * numpy_dtype(kind.element_type).itemsize


def _stores_into(buffer: BlockArgument) -> list[vector.StoreOp]:
    """The stores into an argument that may stream; empty where it is used in any other way."""
    kind = cast(MemRefType, buffer.type)
    stores = [use.operation for use in buffer.uses]
    if not is_identity(kind):
        return []
    streaming = [op for op in stores if isinstance(op, vector.StoreOp) and op.base is buffer]
    return streaming if len(streaming) == len(stores) and all(map(_may_stream, streaming)) else []


def _may_stream(store: vector.StoreOp) -> bool:
    """Whether a store writes whole lines, or goes on where the one before it ended, at aligned places."""
    kind, value = store.base.type, store.vector.type
    assert isinstance(kind, MemRefType) and isinstance(value, VectorType)
    size = numpy_dtype(kind.element_type).itemsize
    stride = 1
    for index, extent in zip(reversed(store.indices), reversed(kind.get_shape()), strict=True):
        if divisor(index) * stride * size % _ALIGNMENT:
            return False
        stride *= extent
    return prod(value.get_shape()) * size % _ALIGNMENT == 0 and _fills_lines(store, size)


def _fills_lines(store: vector.StoreOp, size: int) -> bool:
    """Whether the innermost loop moves a store by its width; where that is less than a line, no other store
    may come between its parts."""
    loop = store.parent_op()
    if not isinstance(loop, scf.ForOp) or store.indices[-1] is not loop.body.block.args[0]:
        return False
    assert isinstance(store.vector.type, VectorType)
    width, step = prod(store.vector.type.get_shape()), constant_value(loop.step)
    if step is None or int(step) != width:
        return False
    stores = sum(isinstance(op, vector.StoreOp) for op in loop.body.block.ops)
    return width * size >= _LINE or stores == 1


def divisor(value: SSAValue) -> int:
    """A number that divides an index whatever its value is; 0 for the index 0."""
    constant = constant_value(value)
    if constant is not None:
        return abs(int(constant))
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if isinstance(loop, scf.ForOp) and value is owner.args[0]:
            return gcd(divisor(loop.lb), divisor(loop.step))
        return 1
    match owner:
        case arith.AddiOp() | arith.MinSIOp() | arith.MaxSIOp() | arith.SubiOp():
            return gcd(divisor(owner.lhs), divisor(owner.rhs))
        case arith.MuliOp():
            return divisor(owner.lhs) * divisor(owner.rhs)
        case _:
            return 1


def _add_variant(block: Block, found: dict[BlockArgument, list[vector.StoreOp]]) -> None:
    """Put what a block does under a test of alignment: streaming there, as it is elsewhere."""
    end = block.last_op
    assert end is not None
    body = [op for op in block.ops if op is not end and not isinstance(op, arith.ConstantOp)]
    location = end.location

    def insert(op: Operation) -> SSAValue:
        op.location = location
        Rewriter.insert_op(op, InsertPoint.before(end))
        return op.results[0]

    total = insert(arith.ConstantOp(IntegerAttr(0, IndexType())))
    for buffer in found:
        address = insert(memref.ExtractAlignedPointerAsIndexOp.get(buffer))
        total = insert(arith.OrIOp(total, address))
    mask = insert(arith.ConstantOp(IntegerAttr(_ALIGNMENT - 1, IndexType())))
    zero = insert(arith.ConstantOp(IntegerAttr(0, IndexType())))
    aligned = insert(arith.CmpiOp(insert(arith.AndIOp(total, mask)), zero, "eq"))
    plain, streaming = Block(), Block()
    mapping: dict[SSAValue, SSAValue] = {}
    marked = {store for stores in found.values() for store in stores}
    for op in body:
        streaming.add_op(op.clone(mapping))
    for old, new in zip(_walk(body), _walk(list(streaming.ops)), strict=True):
        if old in marked:
            new.properties["nontemporal"] = BoolAttr.from_bool(True)
            new.properties["alignment"] = IntegerAttr(_ALIGNMENT, i64)
    for op in body:
        op.detach()
        plain.add_op(op)
    streaming.add_op(FenceOp.create(properties={"ordering": IntegerAttr(_SEQUENTIALLY_CONSISTENT, i64)}))
    for made in (plain, streaming):
        made.add_op(scf.YieldOp())
        for op in made.ops:
            if isinstance(op, FenceOp | scf.YieldOp):
                op.location = location
    branch = scf.IfOp(aligned, [], Region(streaming), Region(plain))
    branch.location = location
    Rewriter.insert_op(branch, InsertPoint.before(end))


def _walk(ops: list[Operation]) -> list[Operation]:
    return [inner for op in ops for inner in op.walk()]


@dataclass(frozen=True)
class StreamLargeOutputs(Pass):
    """Write results that no cache could hold with stores that pass by the caches.

    An ordinary store reads the line first that it writes to; a streaming one does not, and leaves in the
    cache what is there. A kernel that moves at least `least-bytes` gets a second variant, taken where its
    outputs start at 16 bytes, as large arrays of NumPy do. Outputs must be written line by line, and not
    read. A fence ends the variant: streaming stores are seen in no particular order before it.

    ```mlir
    func.func private @fill(%v: vector<16xf32>, %y: memref<8388608xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c8388608 = arith.constant 8388608 : index
      scf.for %i = %c0 to %c8388608 step %c16 {
        vector.store %v, %y[%i] : memref<8388608xf32>, vector<16xf32>
      }
      return
    }
    ```

    ```mlir
    func.func private @fill(%v: vector<16xf32>, %y: memref<8388608xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c8388608 = arith.constant 8388608 : index
      %0 = arith.constant 0 : index
      %1 = memref.extract_aligned_pointer_as_index %y : memref<8388608xf32> -> index
      %2 = arith.ori %0, %1 : index
      %3 = arith.constant 15 : index
      %4 = arith.constant 0 : index
      %5 = arith.andi %2, %3 : index
      %6 = arith.cmpi eq, %5, %4 : index
      scf.if %6 {
        scf.for %i = %c0 to %c8388608 step %c16 {
          vector.store %v, %y[%i] {alignment = 16 : i64, nontemporal = true} : memref<8388608xf32>, vector<16xf32>
        }
        llvm.fence seq_cst
      } else {
        scf.for %i = %c0 to %c8388608 step %c16 {
          vector.store %v, %y[%i] : memref<8388608xf32>, vector<16xf32>
        }
      }
      return
    }
    ```
    """  # noqa: E501

    name = "stream-large-outputs"
    requires = (BUFFERS_ONLY,)
    statistics = {"streaming": "stores that pass by the caches"}
    least_bytes: int = option(32 << 20, "what a kernel reads and writes at least: more than the last cache")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        for function in [op for op in op.body.block.ops if isinstance(op, func.FuncOp)]:
            if not function.is_declaration:
                ctx.count("streaming", stream_large_outputs(function, self.least_bytes))
