"""One generic that takes in the elementwise generics its operands come from."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.passes.linalg._elementwise import (
    is_elementwise,
    is_projection,
    keeps_order,
    loop_extents,
    loops_of,
    scalar_of,
)
from lamina.passes.linalg._scalar_body import (
    fused_location,
    inline_body,
    is_cheap,
    is_contraction,
    simplify_body,
    uses_index,
)
from lamina.passes.linalg._unit_dims import through_unit_dims

MAX_OPERANDS = 24
"""A fused generic has at most this many inputs, which bounds the work for each of them."""


@dataclass
class Limits:
    """What fusion may compute more than once."""

    cheap_operations: int
    """Bodies of at most so many plain operations may be recomputed, for several users or over broadcasts."""


class FusedGeneric:
    """A generic while producers are taken into its body. :meth:`finish` puts the result into the IR."""

    def __init__(self, op: linalg.GenericOp, limits: Limits) -> None:
        self.op = op
        self.limits = limits
        self.body: Block = op.body.block
        self.values: list[SSAValue] = list(op.inputs)
        maps = [attribute.data for attribute in op.indexing_maps]
        self.maps: list[AffineMap] = maps[: len(self.values)]
        self.output_maps: list[AffineMap] = maps[len(self.values) :]
        self.absorbed: dict[Operation, None] = {}
        self._moved: set[Operation] = set()
        self.changed = False
        self.extents = loop_extents(op)

    def fuse(self) -> int:
        """Take in whatever can be taken in; returns how many operations that were."""
        if not self._takes_producers():
            return 0
        before = len(self.absorbed)
        self._merge_equal_inputs()
        while self._absorb_all(recompute=False) or self._absorb_all(recompute=True):
            pass
        return len(self.absorbed) - before

    def _absorb_all(self, recompute: bool) -> bool:
        """Take in producers, and theirs, until none fits; with ``recompute`` only one that is computed again.

        What several users of one producer need is known when all of them are in, so recomputation waits.
        """
        found = False
        pending = list(dict.fromkeys(self.values))
        while pending:
            value = pending.pop()
            places = [i for i, v in enumerate(self.values) if v is value]
            if not any(self._absorb(i, recompute) for i in places):
                continue
            found = True
            if recompute:
                break
            if isinstance(value.owner, Operation):
                pending.extend(value.owner.operands)
        return found

    def _takes_producers(self) -> bool:
        iterators = [str(t.data) for t in self.op.iterator_types]
        return bool(self.op.res) and not is_contraction(self.body, self.maps, iterators)

    def _absorb(self, i: int, recompute: bool) -> bool:
        """Take in the producer of input i, if that is allowed. Constants and fills become scalars."""
        producer = self.values[i].owner
        if not isinstance(producer, Operation):
            return False
        constant = scalar_of(producer)
        if constant is not None:
            return self._absorb_scalar(i, producer, constant)
        seen_through = through_unit_dims(self.values[i], self.maps[i])
        if seen_through is not None:
            return self._absorb_view(i, producer, *seen_through)
        if not isinstance(producer, linalg.GenericOp) or not self._may_absorb(i, producer, recompute):
            return False
        self._inline(i, producer)
        return True

    def _absorb_scalar(self, i: int, producer: Operation, constant: arith.ConstantOp) -> bool:
        if not self._covers_loops(i, []):
            return False
        scalar = constant.clone()
        scalar.location = producer.location
        self.body.insert_ops_before([scalar], self.body.first_op)  # pyright: ignore[reportArgumentType]
        self.body.args[i].replace_all_uses_with(scalar.result)
        self._remove_input(i)
        self._note(producer)
        return True

    def _absorb_view(self, i: int, view: Operation, source: SSAValue, indexing: AffineMap) -> bool:
        """Read the source of a reshape that only adds or drops dimensions of extent 1."""
        if not self._covers_loops(i, [indexing]):
            return False
        if not self._used_elsewhere(i):
            self._moved.add(view)
        argument = self.body.args[i]
        argument.replace_all_uses_with(self._argument_for(source, indexing))
        self._remove_input(i)
        self._note(view)
        return True

    def _may_absorb(self, i: int, producer: linalg.GenericOp, recompute: bool) -> bool:
        if producer.parent is not self.op.parent or not is_elementwise(producer):
            return False
        if len(self.values) + len(producer.inputs) - 1 > MAX_OPERANDS:
            return False
        if not is_projection(self.maps[i]) or uses_index(producer.body.block):
            return False
        again = self._used_elsewhere(i) or self._repeats(i)
        if again and not (recompute and self._recomputable(producer)):
            return False
        return self._covers_loops(i, self._composed(i, producer))

    def _used_elsewhere(self, i: int) -> bool:
        """Whether the value is needed beside this input: by other operations, or at other places."""
        value = self.values[i]
        if sum(v is value for v in self.values) > 1:
            return True
        return any(use.operation is not self.op and use.operation not in self._moved for use in value.uses)

    def _repeats(self, i: int) -> bool:
        """Whether the input's elements are read for several iterations each."""
        used = loops_of(self.maps[i])
        return any(extent != 1 for d, extent in enumerate(self.extents) if d not in used)

    def _recomputable(self, producer: linalg.GenericOp) -> bool:
        """Whether a producer may be computed again: a cheap body that reads less than it would write."""
        *inputs, _ = [attribute.data for attribute in producer.indexing_maps]
        extents = loop_extents(producer)
        wide = {d for d, extent in enumerate(extents) if extent != 1}
        smaller = all(keeps_order(m) and wide - loops_of(m) for m in inputs)
        return smaller and is_cheap(producer.body.block, self.limits.cheap_operations)

    def _composed(self, i: int, producer: linalg.GenericOp) -> list[AffineMap]:
        """The maps of the producer's inputs over this op's loops."""
        *inputs, result = [attribute.data for attribute in producer.indexing_maps]
        place = {e.position: r for r, e in enumerate(result.results) if isinstance(e, AffineDimExpr)}
        loops = [self.maps[i].results[place[d]] for d in range(result.num_dims)]
        count = len(self.extents)
        return [m.replace_dims_and_symbols(loops, [], count, 0) for m in inputs]

    def _covers_loops(self, i: int, added: list[AffineMap]) -> bool:
        """Whether each loop's extent can still be read from an operand without input i."""
        maps = [*self.maps[:i], *self.maps[i + 1 :], *self.output_maps, *added]
        seen = {e.position for m in maps for e in m.results if isinstance(e, AffineDimExpr)}
        return len(seen) == len(self.extents)

    def _inline(self, i: int, producer: linalg.GenericOp) -> None:
        """Move or copy the producer's body to the front of this one."""
        move = not self._used_elsewhere(i)
        if move:
            self._moved.add(producer)
        maps = self._composed(i, producer)
        arguments: list[SSAValue] = [
            self._argument_for(value, indexing) for value, indexing in zip(producer.inputs, maps, strict=True)
        ]
        source = producer.body.block
        arguments.append(source.args[-1])
        [result] = inline_body(source, arguments, self.body, self.body.first_op, move=move)
        self.body.args[i].replace_all_uses_with(result)
        self._remove_input(i)
        self._note(producer)

    def _argument_for(self, value: SSAValue, indexing: AffineMap) -> SSAValue:
        """The body's argument for an input, shared where the same elements are read already."""
        for j, (held, held_map) in enumerate(zip(self.values, self.maps, strict=True)):
            if held is value and held_map == indexing:
                return self.body.args[j]
        self.values.append(value)
        self.maps.append(indexing)
        assert isinstance(value.type, TensorType)
        return self.body.insert_arg(value.type.element_type, len(self.values) - 1)

    def _remove_input(self, i: int) -> None:
        self.body.erase_arg(self.body.args[i])
        del self.values[i], self.maps[i]
        self.changed = True

    def _note(self, producer: Operation) -> None:
        self.absorbed.pop(producer, None)
        self.absorbed[producer] = None

    def _merge_equal_inputs(self) -> None:
        """Inputs that read the same elements become one."""
        first: dict[tuple[SSAValue, AffineMap], int] = {}
        for i in range(len(self.values)):
            first.setdefault((self.values[i], self.maps[i]), i)
        for i in reversed(range(len(self.values))):
            kept = first[self.values[i], self.maps[i]]
            if kept != i:
                self.body.args[i].replace_all_uses_with(self.body.args[kept])
                self._remove_input(i)

    def finish(self) -> None:
        """Replace the generic in the IR and erase the producers that nobody needs any more."""
        if not self.changed:
            return
        simplify_body(self.body)
        self._drop_unused_inputs()
        region = self.op.body
        self.op.detach_region(region)
        maps = [AffineMapAttr(m) for m in (*self.maps, *self.output_maps)]
        types = [r.type for r in self.op.results]
        new = linalg.GenericOp(
            self.values, list(self.op.outputs), region, maps, self.op.iterator_types, types
        )
        new.attributes.update(self.op.attributes)
        new.location = fused_location([*[p.location for p in reversed(self.absorbed)], self.op.location])
        self.op.add_region(Region(Block()))
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        for old, result in zip(self.op.results, new.results, strict=True):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        self.op.detach()
        self.op.erase()
        self._erase_absorbed()

    def _drop_unused_inputs(self) -> None:
        for i in reversed(range(len(self.values))):
            if not self.body.args[i].uses and self._covers_loops(i, []):
                self._remove_input(i)

    def _erase_absorbed(self) -> None:
        for producer in self.absorbed:
            feeding = [value.owner for value in producer.operands]
            erase_unused(producer)
            for op in feeding:
                if isinstance(op, Operation) and op.name in ("tensor.empty", "arith.constant"):
                    erase_unused(op)


def erase_unused(op: Operation) -> None:
    """Erase an op of which nothing uses a result."""
    if op.parent is not None and not any(result.uses for result in op.results):
        op.detach()
        op.erase()
