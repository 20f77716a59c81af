"""What grouping asks of a structured operation: kind, iteration space, and how it reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects.linalg.structured import StructuredView, as_generic, is_structured, projected_dims
from lamina.passes.linalg._scalar_body import is_contraction


@dataclass(frozen=True, eq=False)
class Node:
    """A structured operation with its view as a generic."""

    op: Operation
    view: StructuredView

    @cached_property
    def loops(self) -> int:
        """The number of loops."""
        return len(self.view.iterator_types)

    @cached_property
    def parallel(self) -> int:
        """The number of loops that are no reductions."""
        return sum(kind == "parallel" for kind in self.view.iterator_types)

    @cached_property
    def is_contraction(self) -> bool:
        """A sum of products: matmul, convolution and the like."""
        maps = self.view.indexing_maps[: len(self.view.inputs)]
        return is_contraction(self.view.body, maps, self.view.iterator_types)

    @cached_property
    def is_elementwise(self) -> bool:
        """All loops parallel, one result written in the order of the loops, its old value unused."""
        one = len(self.op.results) == 1 and not self.view.reads_output(0)
        return one and self.loops == self.parallel and _is_identity(self.view.indexing_maps[-1])

    @cached_property
    def is_row_reduction(self) -> bool:
        """Parallel loops first, in the order of the result; inputs read by plain loops."""
        kinds = self.view.iterator_types
        if self.loops == self.parallel or len(self.op.results) != 1 or self.is_contraction:
            return False
        ordered = all(kind == "parallel" for kind in kinds[: self.parallel])
        plain = all(projected_dims(m) is not None for m in self.view.indexing_maps)
        return (
            ordered and plain and projected_dims(self.view.indexing_maps[-1]) == tuple(range(self.parallel))
        )

    def reads_identically(self, value: SSAValue) -> bool:
        """Whether the value is read once, element by element in the order of the loops."""
        places = [m for v, m in zip(self.view.operands, self.view.indexing_maps, strict=True) if v is value]
        return len(places) == 1 and value in self.view.inputs and _is_identity(places[0])

    def reads_rows(self, value: SSAValue, rows: int) -> bool:
        """Whether the value's first dimensions are read by the first loops, wherever it is read."""
        maps = [m for v, m in zip(self.view.operands, self.view.indexing_maps, strict=True) if v is value]
        return all(_leads(m, rows) for m in maps) and value not in self.view.outputs

    def reads_slices(self, value: SSAValue, whole: int) -> bool:
        """Whether the first loops select slices of a value, by some of its first ``whole`` dimensions, and
        all else that is read depends on the last of these loops: nothing is read again in another slice."""
        kinds = self.view.iterator_types
        sizes = value.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        used = [i for i, argument in enumerate(self.view.body.args[: len(self.view.inputs)]) if argument.uses]
        maps = [self.view.indexing_maps[i] for i in used]
        read = [m for i, m in zip(used, maps, strict=True) if self.view.inputs[i] is value]
        for loop in reversed(range(whole)):
            if sizes[loop] > 1:
                apart = kinds[: loop + 1].count("parallel") == loop + 1
                own = len(read) == 1 and value not in self.view.outputs and _leads(read[0], loop + 1)
                return apart and own and all(loop in m.used_dims() for m in maps)
        return False


def _is_identity(m: AffineMap) -> bool:
    return len(m.results) == m.num_dims and _leads(m, m.num_dims)


def _leads(m: AffineMap, count: int) -> bool:
    """Whether the first results are the first loops, in order, and no other result is one of them."""
    if len(m.results) < count:
        return False
    first = all(isinstance(e, AffineDimExpr) and e.position == i for i, e in enumerate(m.results[:count]))
    return first and all(d >= count for e in m.results[count:] for d in e.used_dims())


def node_of(op: Operation) -> Node | None:
    """The node of a structured operation on tensors, or None for any other operation."""
    return Node(op, as_generic(op)) if op.results and is_structured(op) else None


def destination(value: SSAValue) -> tuple[SSAValue, Operation | None]:
    """Where an output operand comes from: the tensor below a fill, and the fill (or None)."""
    fill = value.owner
    if isinstance(fill, Operation) and isinstance(fill, linalg.FillOp):
        return fill.operands[1], fill
    return value, None


def outputs_of(op: Operation) -> tuple[SSAValue, ...]:
    """The tensors that an operation writes to, one for each result."""
    if isinstance(op, tensor.InsertSliceOp):
        return (op.dest,)
    return as_generic(op).outputs if is_structured(op) else ()


def is_initial_fill(op: Operation) -> bool:
    """Whether a fill only prepares the outputs of structured operations, which take it in."""
    if not isinstance(op, linalg.FillOp) or not op.results:
        return False
    uses = list(op.results[0].uses)
    return bool(uses) and all(
        is_structured(use.operation) and op.results[0] in as_generic(use.operation).outputs for use in uses
    )


def is_cloneable(value: SSAValue) -> bool:
    """Whether a value from outside is made again inside a dispatch: a scalar constant."""
    return isinstance(value.owner, arith.ConstantOp) and not is_tensor(value)


def is_tensor(value: SSAValue) -> bool:
    """Whether a value is a tensor."""
    return value.type.name == "tensor"


def is_padding(op: Operation) -> bool:
    """Whether an operation inserts a tensor into a fill that nothing else uses."""
    if not isinstance(op, tensor.InsertSliceOp):
        return False
    return isinstance(op.dest.owner, linalg.FillOp) and op.dest.has_one_use()
