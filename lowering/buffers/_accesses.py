"""How each operation uses its tensor operands once they are buffers: read, written, shared with a result.

One table by op name; a dialect that wants its ops bufferised adds its rule here and its rewriting in
:mod:`lamina.lowering.buffers._rewriting`. Control flow and calls are known to the analysis itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.tables import RuleTable
from lamina.dialects.linalg.structured import as_generic, is_structured


@dataclass(frozen=True)
class Access:
    """The use of one tensor operand."""

    operand: int
    reads: bool = False
    """The elements are read."""
    writes: bool = False
    """Elements are overwritten, if the operation works in place."""
    result: int | None = None
    """The result that is the operand's buffer (after a write), or a view of it (without one)."""
    same_buffer: bool = True
    """The result is exactly the operand's buffer, not a part or another shape of it."""

    @property
    def is_view(self) -> bool:
        """The result shows the operand's elements, nothing is written."""
        return self.result is not None and not self.writes


AccessRule = Callable[[Operation], Sequence[Access]]
access_rule: RuleTable[AccessRule] = RuleTable("buffer access rule")


def is_tensor(value: SSAValue) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value.type, TensorType | UnrankedTensorType)


def has_tensors(op: Operation) -> bool:
    """Whether an operation has a tensor among its operands or results."""
    return any(is_tensor(value) for value in (*op.operands, *op.results))


def accesses(op: Operation) -> Sequence[Access] | None:
    """The accesses of an operation's tensor operands, or None where the operation is not known."""
    if is_structured(op):
        return _structured(op)
    rule = access_rule.get(op.name)
    return rule(op) if rule is not None else None


def _structured(op: Operation) -> list[Access]:
    view = as_generic(op)
    inputs = len(view.inputs)
    found = [Access(i, reads=bool(view.body.args[i].uses)) for i, v in enumerate(view.inputs) if is_tensor(v)]
    for number, value in enumerate(view.outputs):
        if is_tensor(value):
            found.append(Access(inputs + number, reads=view.reads_output(number), writes=True, result=number))
    return found


def harmless_in_one_op(op: Operation, read: int, written: int) -> bool:
    """Whether an operation may read operand ``read`` and write operand ``written`` in one buffer.

    True for elementwise access: each iteration reads the very element that it then writes, and no other.
    """
    if not is_structured(op):
        return op.name == "bufferization.materialize_in_destination"
    view = as_generic(op)
    identity = view.indexing_maps[written]
    return (
        view.is_parallel
        and view.indexing_maps[read] == identity
        and len(set(identity.results)) == len(identity.results)
    )


@access_rule(
    "arith.constant", "tensor.empty", "tensor.splat", "tensor.from_elements", "bufferization.to_tensor"
)
def _makes_a_buffer(op: Operation) -> Sequence[Access]:
    return ()


@access_rule("bufferization.alloc_tensor", "tensor.pad", "tensor.concat", "tensor.generate")
def _reads_all(op: Operation) -> Sequence[Access]:
    return [Access(i, reads=True) for i, value in enumerate(op.operands) if is_tensor(value)]


@access_rule("tensor.extract", "vector.transfer_read", "vector.gather", "vector.print")
def _reads_first(op: Operation) -> Sequence[Access]:
    return [Access(0, reads=True)] if is_tensor(op.operands[0]) else ()


@access_rule("tensor.dim", "tensor.rank")
def _reads_shape(op: Operation) -> Sequence[Access]:
    return [Access(0)]


@access_rule("tensor.cast")
def _cast(op: Operation) -> Sequence[Access]:
    return [Access(0, result=0)]


@access_rule("tensor.extract_slice", "tensor.collapse_shape", "tensor.expand_shape")
def _view(op: Operation) -> Sequence[Access]:
    return [Access(0, result=0, same_buffer=False)]


@access_rule("tensor.reshape")
def _reshape(op: Operation) -> Sequence[Access]:
    return [Access(0, result=0, same_buffer=False), Access(1, reads=True)]


@access_rule("tensor.insert")
def _insert(op: Operation) -> Sequence[Access]:
    return [Access(1, reads=True, writes=True, result=0)]


@access_rule("tensor.insert_slice")
def _insert_slice(op: Operation) -> Sequence[Access]:
    assert isinstance(op, tensor.InsertSliceOp)
    return [Access(0, reads=True), Access(1, reads=not _covers(op), writes=True, result=0)]


def _covers(op: tensor.InsertSliceOp) -> bool:
    """Whether the source replaces the whole destination."""
    shape = op.dest.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    return tuple(op.static_sizes.get_values()) == tuple(shape) and min(shape, default=0) >= 0


@access_rule("tensor.parallel_insert_slice")
def _parallel_insert_slice(op: Operation) -> Sequence[Access]:
    return [Access(0, reads=True), Access(1, reads=True, writes=True)]


@access_rule("vector.transfer_write")
def _transfer_write(op: Operation) -> Sequence[Access]:
    return [Access(1, reads=True, writes=True, result=0)] if is_tensor(op.operands[1]) else ()


@access_rule("bufferization.materialize_in_destination")
def _materialize(op: Operation) -> Sequence[Access]:
    found = [Access(0, reads=True)]
    if is_tensor(op.operands[1]):
        found.append(Access(1, writes=True, result=0))
    return found


@access_rule("arith.select")
def _select(op: Operation) -> Sequence[Access]:
    return [Access(i, result=0, same_buffer=False) for i in (1, 2) if is_tensor(op.operands[i])]
