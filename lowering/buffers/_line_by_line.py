"""Loops over vectors that start anew at a line of memory: a first and a last part under a mask.

An array begins where its allocator puts it: large ones of NumPy 16 bytes behind a line. Vectors that are
stored one after the other then all lie across two lines. A loop whose lanes have nothing to do with each
other can begin at any element. It becomes three: the elements before the first whole line, vectors of whole
lines, and what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import IndexType, VectorType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from lamina.dialects.core.constants import as_array, constant_attribute, is_splat, splat_attr
from lamina.lowering.buffers._lines import (
    LINE,
    element_bytes,
    end_of,
    memory_of,
    position,
    stream,
    to_next_line,
)
from lamina.lowering.buffers._work import known_index
from lamina.lowering.vector._emitter import Emitter, Index

_LANE_BY_LANE = ("arith", "math")
_TRAPPING = ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")
"""Operations of integers that a lane which is not loaded must not reach: it may divide by zero."""


@dataclass(frozen=True)
class VectorLoop:
    """A loop that computes vectors lane by lane and moves all its accesses by their width."""

    op: scf.ForOp
    width: int
    store: vector.StoreOp
    """One that is to fill lines."""

    @property
    def lanes(self) -> int:
        """The elements of a line."""
        return LINE // element_bytes(self.store)

    @property
    def body(self) -> Block:
        """What an iteration does."""
        return self.op.body.block

    @cached_property
    def positions(self) -> set[SSAValue]:
        """The position of the loop, also where the last iteration starts early so as not to go too far."""
        moved, *_ = self.body.args
        least = [op for op in self.body.ops if isinstance(op, arith.MinSIOp) and op.lhs is moved]
        return {moved, *(op.result for op in least if known_index(op.rhs) == self.limit - self.width)}

    @cached_property
    def limit(self) -> int:
        """A number that the upper bound is not above; 0 if there is none."""
        bound = self.op.ub.owner
        return known_index(bound.rhs if isinstance(bound, arith.MinSIOp) else self.op.ub) or 0

    def only_moves_accesses(self) -> bool:
        """Whether the position is used as the last index of vectors that are loaded and stored only."""
        uses = [use for value in self.positions for use in value.uses]
        return all(
            isinstance(use.operation, arith.MinSIOp) and use.operation.result in self.positions
            if not isinstance(use.operation, vector.LoadOp | vector.StoreOp)
            else use.index == len(use.operation.operands) - 1
            for use in uses
        )

    def is_lane_by_lane(self, op: Operation) -> bool:
        """Whether an operation makes each lane of its result of the same lane of its operands."""
        if op.regions or not all(map(self._can_change_width, (*op.operands, *op.results))):
            return False
        match op:
            case vector.LoadOp() | vector.StoreOp():
                return op.indices[-1] in self.positions
            case scf.YieldOp() | memref.LoadOp():
                return True
            case vector.BroadcastOp():
                return not isinstance(op.source.type, VectorType)
            case _:
                dialect, _, name = op.name.partition(".")
                return dialect in _LANE_BY_LANE and name not in _TRAPPING

    def _can_change_width(self, value: SSAValue) -> bool:
        """Whether a value is a scalar, computed in the loop with its width, or the same in all lanes."""
        if not isinstance(value.type, VectorType) or _splat_element(value) is not None:
            return True
        return value.type.get_shape() == (self.width,) and _block_of(value) is self.body


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def vector_loop(store: vector.StoreOp) -> VectorLoop | None:
    """The loop around a store, where it may begin at any element."""
    op = store.parent_op()
    if not isinstance(op, scf.ForOp) or op.iter_args:
        return None
    assert isinstance(store.vector.type, VectorType)
    found = VectorLoop(op, prod(store.vector.type.get_shape()), store)
    if known_index(op.step) != found.width or found.width & (found.width - 1):
        return None
    moved = found.only_moves_accesses() and all(_block_of(v) is not found.body for v in store.indices[:-1])
    return found if moved and all(map(found.is_lane_by_lane, found.body.ops)) else None


def begin_at_lines(loop: VectorLoop, entry: Block) -> int:
    """Write a loop so that its store fills lines and passes by the caches; returns the number of stores."""
    op = loop.op
    emitter = Emitter(InsertPoint.before(op), entry, op.location)
    copies = _Copies(loop, emitter)
    begin, end = position(op.lb), end_of(emitter, op)
    if len(loop.positions) > 1:
        end = emitter.at_most(end, loop.limit)
    ahead = to_next_line(emitter, loop.store, [*map(position, loop.store.indices[:-1]), begin])
    length = emitter.index(emitter.subtract(end, begin))
    ahead = emitter.value(arith.MinSIOp(ahead, length))
    copies.masked(begin, ahead)
    start = emitter.add(begin, ahead)
    widths = (loop.width, loop.lanes) if loop.width > loop.lanes else (loop.width,)
    for width in widths:
        length = emitter.index(emitter.subtract(end, start))
        left = emitter.value(arith.RemUIOp(length, emitter.index(width)))
        stop = emitter.subtract(end, left)
        copies.loop(start, stop, width)
        start = stop
    copies.masked(start, emitter.index(emitter.subtract(end, start)))
    op.detach()
    op.erase()
    return len(widths)


class _Copies:
    """Writes what a loop does for other positions and other widths."""

    def __init__(self, loop: VectorLoop, emitter: Emitter) -> None:
        self._loop = loop
        self._emitter = emitter

    def loop(self, start: Index, end: Index, width: int) -> None:
        """A loop over vectors that begin at lines."""
        old, block = self._loop.op, Block(arg_types=[IndexType()])
        bounds = [self._emitter.index(bound) for bound in (start, end, width)]
        new = self._emitter.insert(scf.ForOp(bounds[0], bounds[1], bounds[2], [], block))
        new.attributes |= old.attributes
        with self._emitter.inside(block):
            self._body(block.args[0], width)
            self._emitter.insert(scf.YieldOp())

    def masked(self, start: Index, count: SSAValue) -> None:
        """A part of a line; nothing where it has no elements."""
        some = arith.CmpiOp(count, self._emitter.index(0), "ne")
        block, lanes = Block(), self._loop.lanes
        self._emitter.insert(scf.IfOp(self._emitter.value(some), [], Region(block)))
        with self._emitter.inside(block):
            mask = vector.CreateMaskOp.create(operands=[count], result_types=[VectorType(i1, [lanes])])
            self._body(self._emitter.index(start), lanes, self._emitter.value(mask))
            self._emitter.insert(scf.YieldOp())

    def _body(self, position: SSAValue, width: int, mask: SSAValue | None = None) -> None:
        mapping = dict.fromkeys(self._loop.positions, position)
        for op in self._loop.body.ops:
            if isinstance(op, scf.YieldOp) or not mapping.keys().isdisjoint(op.results):
                continue
            operands = [self._of_width(mapping.get(value, value), width) for value in op.operands]
            match op:
                case vector.LoadOp() if mask is not None:
                    made = self._masked_load(op, operands, mask)
                case vector.StoreOp() if mask is not None:
                    made = vector.MaskedStoreOp.create(operands=[*operands[1:], mask, operands[0]])
                case _:
                    kinds = [_with_width(result.type, width) for result in op.results]
                    made = type(op).create(
                        operands=operands,
                        result_types=kinds,
                        properties=dict(op.properties),
                        attributes=dict(op.attributes),
                    )
                    if op is self._loop.store:
                        stream(made)
            self._emitter.insert(made)
            mapping |= zip(op.results, made.results, strict=True)

    def _masked_load(self, op: vector.LoadOp, operands: list[SSAValue], mask: SSAValue) -> Operation:
        element = memory_of(op).element_type
        nothing = self._emitter.number(0, element, [self._loop.lanes])
        kind = VectorType(element, [self._loop.lanes])
        return vector.MaskedLoadOp.create(operands=[*operands, mask, nothing], result_types=[kind])

    def _of_width(self, value: SSAValue, width: int) -> SSAValue:
        """A constant of all lanes, with as many lanes as are wanted; other values as they are."""
        element = _splat_element(value)
        if element is None:
            return value
        assert isinstance(value.type, VectorType)
        return self._emitter.constant(splat_attr(element, VectorType(value.type.element_type, [width])))


def _with_width(kind: Attribute, width: int) -> Attribute:
    return VectorType(kind.element_type, [width]) if isinstance(kind, VectorType) else kind


def _splat_element(value: SSAValue) -> Any:
    """What all lanes of a constant vector hold; None for other values."""
    attribute = constant_attribute(value) if isinstance(value.type, VectorType) else None
    return as_array(attribute).flat[0] if attribute is not None and is_splat(attribute) else None
