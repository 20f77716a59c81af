"""`promote-reduction-accumulators`: a sum kept in memory becomes a value that the loop carries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._numbering import home_block
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext

_LOADS = frozenset({"memref.load", "vector.load", "vector.transfer_read", "vector.maskedload"})
_STORES = frozenset({"memref.store", "vector.store", "vector.transfer_write", "vector.maskedstore"})
_HARMLESS_DIALECTS = frozenset({"arith", "math", "index", "affine", "complex"})
_HARMLESS = frozenset({"scf.for", "scf.if", "scf.yield", "memref.dim", "vector.broadcast", "vector.fma"})
_VIEWS = frozenset(
    {
        "memref.subview",
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.reinterpret_cast",
    }
)


def promote_reduction_accumulators(root: Operation) -> int:
    """Promote the accumulators of all `scf.for` below ``root``, inner loops first; returns their number.

    A loop qualifies if it loads, and later stores, one element whose place does not change, and touches
    memory that may be the same in no other way. The element is loaded before the loop and stored after it.
    """
    count = 0
    loops = [op for op in root.walk() if isinstance(op, scf.ForOp)]
    for loop in reversed(loops):
        while (found := _accumulator(loop)) is not None:
            loop = _promote(loop, *found)
            count += 1
    return count


def _accumulator(loop: scf.ForOp) -> tuple[memref.LoadOp, memref.StoreOp] | None:
    """The load and store of an accumulator, if the loop has one that can be promoted."""
    stores = [op for op in loop.body.block.ops if isinstance(op, memref.StoreOp)]
    if not stores:
        return None
    inner = list(_contents(loop))
    if any(not _is_known(op) for op in inner):
        return None
    for store in stores:
        load = _matching_load(loop, store)
        if load is not None and not _disturbed(inner, load, store):
            return load, store
    return None


def _contents(loop: scf.ForOp) -> Iterator[Operation]:
    for op in loop.body.block.ops:
        yield from op.walk()


def _is_known(op: Operation) -> bool:
    """Whether the memory an operation touches can be told."""
    if op.name in _LOADS or op.name in _STORES or op.name in _HARMLESS:
        return True
    return op.name.split(".", 1)[0] in _HARMLESS_DIALECTS


def _matching_load(loop: scf.ForOp, store: memref.StoreOp) -> memref.LoadOp | None:
    """The load of the stored place, before the store, if the place is the same in each iteration."""
    block = loop.body.block
    if any(_is_inside(value, block) for value in (store.memref, *store.indices)):
        return None
    for op in block.ops:
        if op is store:
            return None
        if isinstance(op, memref.LoadOp) and op.memref is store.memref and _same(op.indices, store.indices):
            return op
    return None


def _same(first: object, second: object) -> bool:
    return list(first) == list(second)  # pyright: ignore[reportCallIssue,reportArgumentType]


def _is_inside(value: SSAValue, block: Block) -> bool:
    """Whether a value is defined in a block or in a region below it."""
    home = home_block(value)
    while home is not None:
        if home is block:
            return True
        parent = home.parent_op()
        home = parent.parent if parent is not None else None
    return False


def _disturbed(inner: list[Operation], load: memref.LoadOp, store: memref.StoreOp) -> bool:
    """Whether another access of the loop may touch the accumulator."""
    for op in inner:
        if op is load or op is store:
            continue
        if op.name in _LOADS or op.name in _STORES:
            other = next(v for v in op.operands if isinstance(v.type, MemRefType))
            if may_alias(other, store.memref):
                return True
    return False


def may_alias(first: SSAValue, second: SSAValue) -> bool:
    """Whether two buffers may share memory.

    Different allocations, globals and function arguments do not: where one of two arguments is written,
    callers keep them apart (that is the kernel ABI, `llvm.noalias`).
    """
    first, second = _root(first), _root(second)
    if first is not second:
        return not (_is_separate(first) and _is_separate(second)) and not _apart_in_arena(first, second)
    return True


def _root(value: SSAValue) -> SSAValue:
    while isinstance(owner := value.owner, Operation) and owner.name in _VIEWS:
        value = owner.operands[0]
    return value


def _is_separate(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return parent is not None and parent.name == "func.func"
    return isinstance(owner, memref.AllocOp | memref.AllocaOp | memref.GetGlobalOp)


def _apart_in_arena(first: SSAValue, second: SSAValue) -> bool:
    """Whether two views of one block of memory have separate bytes, or one is no view of the other's."""
    one, other = _arena_range(first), _arena_range(second)
    if one is not None and other is not None:
        if one[0] is not other[0]:
            return _is_separate(one[0]) and _is_separate(other[0])
        return one[2] <= other[1] or other[2] <= one[1]
    view, plain = (one, second) if one is not None else (other, first)
    return view is not None and _is_separate(plain) and plain is not view[0]


def _arena_range(value: SSAValue) -> tuple[SSAValue, int, int] | None:
    """The block of memory, first byte and end of a `memref.view` at a constant place."""
    op = value.owner
    if not isinstance(op, memref.ViewOp):
        return None
    shift = op.byte_shift.owner
    kind = cast(MemRefType, op.result.type)
    if not (isinstance(shift, arith.ConstantOp) and isinstance(shift.value, IntegerAttr)):
        return None
    if not (kind.has_static_shape() and is_identity(kind)):
        return None
    size = getattr(kind.element_type, "compile_time_size", None)
    if size is None:
        return None
    start = shift.value.value.data
    for extent in kind.get_shape():
        size *= extent
    return op.source, start, start + size


def _promote(loop: scf.ForOp, load: memref.LoadOp, store: memref.StoreOp) -> scf.ForOp:
    """Carry the accumulator through the loop."""
    block = loop.body.block
    first = memref.LoadOp.get(load.memref, load.indices)
    argument = block.insert_arg(load.res.type, len(block.args))
    argument.name_hint = load.res.name_hint
    last = cast(Operation, block.last_op)
    last.operands = [*last.operands, store.value]
    load.res.replace_all_uses_with(argument)
    body = Region()
    loop.body.move_blocks(body)
    new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, first.res], body)
    new.attributes.update(loop.attributes)
    final = memref.StoreOp.get(new.results[-1], store.memref, store.indices)
    first.location, new.location, final.location = load.location, loop.location, store.location
    Rewriter.insert_op([first, new, final], InsertPoint.before(loop))
    for old, result in zip(loop.results, new.results, strict=False):
        old.replace_all_uses_with(result)
    for op in (load, store, loop):
        op.detach()
        op.erase()
    return new


@dataclass(frozen=True)
class PromoteReductionAccumulators(Pass):
    """Carry accumulators in loops as values instead of loading and storing them in each iteration.

    LLVM can keep such a value in a register and vectorise the loop; through memory it often cannot, as
    another buffer might overlap. Nested reduction loops are promoted from the inside out.

    ```mlir
    func.func @sum(%x: memref<8xf32>, %s: memref<f32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %a = memref.load %x[%i] : memref<8xf32>
        %b = memref.load %s[] : memref<f32>
        %c = arith.addf %a, %b : f32
        memref.store %c, %s[] : memref<f32>
      }
      return
    }
    ```

    ```mlir
    func.func @sum(%x: memref<8xf32>, %s: memref<f32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %0 = memref.load %s[] : memref<f32>
      %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%b = %0) -> (f32) {
        %a = memref.load %x[%i] : memref<8xf32>
        %c = arith.addf %a, %b : f32
        scf.yield %c : f32
      }
      memref.store %1, %s[] : memref<f32>
      return
    }
    ```
    """

    name = "promote-reduction-accumulators"
    anchor = ANY_OP
    statistics = {"promoted": "accumulators carried as values"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("promoted", promote_reduction_accumulators(op))
