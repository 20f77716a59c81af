"""The pass ``prefetch-next-rows``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, MemRefType, i32
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.ods.classes import class_of
from lamina.lowering.buffers._layouts import is_identity
from lamina.lowering.buffers._lines import LINE
from lamina.lowering.buffers._parallel_loops import PARALLEL
from lamina.lowering.buffers._work import bits, cycles, known_index
from lamina.passes.framework.conditions import BUFFERS_ONLY
from lamina.passes.framework.passes import Pass, PassContext, option

_ROWS_HELD = 4
"""Rows that the second-level cache has to hold: the one that is used, the next one, and results."""
_SECOND_LEVEL = 2
"""The locality of what is wanted in the second-level cache."""


@dataclass(frozen=True)
class _Walk:
    """A loop that reads a row of a buffer, element after element."""

    loop: scf.ForOp
    read: memref.LoadOp | vector.TransferReadOp

    @property
    def buffer(self) -> SSAValue:
        return self.read.operands[0]

    @property
    def kind(self) -> MemRefType:
        return cast(MemRefType, self.buffer.type)

    @property
    def element_bytes(self) -> int:
        return bits(self.kind.element_type) // 8


def prefetch_next_rows(function: func.FuncOp, l2_bytes: int) -> int:
    """Ask for rows one iteration ahead; returns the number of buffers of which rows are asked for."""
    loops = [op for op in function.walk() if isinstance(op, scf.ForOp) and PARALLEL in op.attributes]
    found = [(rows, *chance) for rows in loops for chance in _chances(rows, l2_bytes)]
    for rows, walk, place in found:
        _prefetch(rows, walk, place)
    return len(found)


def _chances(rows: scf.ForOp, l2_bytes: int) -> Iterator[tuple[_Walk, scf.ForOp]]:
    """Rows that a loop reads from far memory, each with the longest loop that follows the first to read it.

    While that one computes, memory would be idle.
    """
    if known_index(rows.step) != 1 or known_index(rows.ub) is None:
        return
    seen: set[SSAValue] = set()
    inner = [op for op in rows.body.block.ops if isinstance(op, scf.ForOp)]
    for number, loop in enumerate(inner):
        for walk in _walks(loop, rows):
            if walk.buffer in seen or not _comes_from_afar(walk, l2_bytes):
                continue
            seen.add(walk.buffer)
            alike = [other for other in inner[number + 1 :] if _bounds(other) == _bounds(loop)]
            place = max(alike, key=cycles, default=None)
            if place is not None and None not in _bounds(place) and cycles(place) > cycles(loop):
                yield walk, place


def _walks(loop: scf.ForOp, rows: scf.ForOp) -> Iterator[_Walk]:
    for op in loop.body.block.ops:
        if not isinstance(op, memref.LoadOp | vector.TransferReadOp) or len(op.indices) < 2:
            continue
        *others, row, column = op.indices
        if isinstance(column.owner, arith.MinSIOp):  # the last step starts early
            column = column.owner.lhs
        is_row = row is rows.body.block.args[0] and column is loop.body.block.args[0]
        if is_row and all(known_index(index) is not None for index in others):
            yield _Walk(loop, op)


def _comes_from_afar(walk: _Walk, l2_bytes: int) -> bool:
    """Whether a buffer is larger than the second-level cache, into which some of its rows fit."""
    kind = walk.kind
    if not isinstance(walk.buffer, BlockArgument) or not kind.has_static_shape() or not is_identity(kind):
        return False
    row = kind.get_shape()[-1] * walk.element_bytes
    return prod(kind.get_shape()[:-1]) * row > l2_bytes and _ROWS_HELD * row <= l2_bytes


def _bounds(loop: scf.ForOp) -> tuple[int | None, int | None]:
    return known_index(loop.lb), known_index(loop.ub)


def _prefetch(rows: scf.ForOp, walk: _Walk, place: scf.ForOp) -> None:
    """At each step of ``place`` ask for the lines of the next row that the step stands for."""
    step, columns, count = (known_index(value) for value in (place.step, place.ub, rows.ub))
    before_all, before_step = rows.body.block.first_op, place.body.block.first_op
    assert step is not None and columns is not None and count is not None
    assert before_all is not None and before_step is not None

    def insert(op: Operation, before: Operation) -> Operation:
        op.location = walk.read.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op

    def constant(value: int, before: Operation) -> SSAValue:
        return insert(arith.ConstantOp(IntegerAttr(value, IndexType())), before).results[0]

    def bounded(value: SSAValue, distance: int, bound: int, before: Operation) -> SSAValue:
        """A position so far ahead, but no further than a bound."""
        if distance == 0:
            return value
        ahead = insert(arith.AddiOp(value, constant(distance, before)), before).results[0]
        return insert(arith.MinSIOp(ahead, constant(bound, before)), before).results[0]

    row = bounded(rows.body.block.args[0], 1, count - 1, before_all)
    line = LINE // walk.element_bytes
    for distance in range(0, step, line):
        column = bounded(place.body.block.args[0], distance, columns - 1, before_step)
        insert(_hint(walk.buffer, [*walk.read.indices[:-2], row, column]), before_step)


def _hint(buffer: SSAValue, indices: list[SSAValue]) -> Operation:
    kind = class_of("memref.prefetch")
    assert kind is not None
    properties = {
        "isWrite": BoolAttr.from_bool(False),
        "localityHint": IntegerAttr(_SECOND_LEVEL, i32),
        "isDataCache": BoolAttr.from_bool(True),
    }
    return kind.create(operands=[buffer, *indices], properties=properties)


@dataclass(frozen=True)
class PrefetchNextRows(Pass):
    """Let loops over rows fetch the next row while they compute on one.

    A softmax reads a row in its first pass and computes in the passes that follow, on what the caches hold.
    The longest of these asks for the next row (`memref.prefetch`), line by line, so that memory is not idle.
    Concerns arguments larger than the second-level cache, into which some of their rows fit.

    ```mlir
    func.func private @rows(%x: memref<4096x1024xf32>, %s: memref<4096xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c1024 = arith.constant 1024 : index
      %c4096 = arith.constant 4096 : index
      %zero = arith.constant 0.0 : f32
      %none = arith.constant dense<0.0> : vector<16xf32>
      scf.for %i = %c0 to %c4096 step %c1 {
        %sum = scf.for %j = %c0 to %c1024 step %c16 iter_args(%held = %none) -> (vector<16xf32>) {
          %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]}
            : memref<4096x1024xf32>, vector<16xf32>
          %more = arith.addf %held, %v : vector<16xf32>
          scf.yield %more : vector<16xf32>
        }
        %norm = scf.for %j = %c0 to %c1024 step %c16 iter_args(%held = %none) -> (vector<16xf32>) {
          %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]}
            : memref<4096x1024xf32>, vector<16xf32>
          %d = arith.subf %v, %sum : vector<16xf32>
          %e = math.exp %d : vector<16xf32>
          %more = arith.addf %held, %e : vector<16xf32>
          scf.yield %more : vector<16xf32>
        }
        %n = vector.reduction <add>, %norm : vector<16xf32> into f32
        memref.store %n, %s[%i] : memref<4096xf32>
      } {lamina.parallel}
      return
    }
    ```

    ```mlir
    func.func private @rows(%x: memref<4096x1024xf32>, %s: memref<4096xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c1024 = arith.constant 1024 : index
      %c4096 = arith.constant 4096 : index
      %zero = arith.constant 0.000000e+00 : f32
      %none = arith.constant dense<0.000000e+00> : vector<16xf32>
      scf.for %i = %c0 to %c4096 step %c1 {
        %0 = arith.constant 1 : index
        %1 = arith.addi %i, %0 : index
        %2 = arith.constant 4095 : index
        %3 = arith.minsi %1, %2 : index
        %sum = scf.for %j = %c0 to %c1024 step %c16 iter_args(%held = %none) -> (vector<16xf32>) {
          %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<4096x1024xf32>, vector<16xf32>
          %more = arith.addf %held, %v : vector<16xf32>
          scf.yield %more : vector<16xf32>
        }
        %norm = scf.for %j = %c0 to %c1024 step %c16 iter_args(%held = %none) -> (vector<16xf32>) {
          memref.prefetch %x[%3, %j], read, locality<2>, data : memref<4096x1024xf32>
          %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<4096x1024xf32>, vector<16xf32>
          %d = arith.subf %v, %sum : vector<16xf32>
          %e = math.exp %d : vector<16xf32>
          %more = arith.addf %held, %e : vector<16xf32>
          scf.yield %more : vector<16xf32>
        }
        %n = vector.reduction <add>, %norm : vector<16xf32> into f32
        memref.store %n, %s[%i] : memref<4096xf32>
      } {lamina.parallel}
      return
    }
    ```
    """  # noqa: E501

    name = "prefetch-next-rows"
    anchor = "func.func"
    requires = (BUFFERS_ONLY,)
    statistics = {"prefetched": "buffers whose next rows are asked for"}
    l2_bytes: int = option(512 << 10, "size of the second-level cache")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, func.FuncOp)
        if not op.is_declaration:
            ctx.count("prefetched", prefetch_next_rows(op, self.l2_bytes))
