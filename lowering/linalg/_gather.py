"""Data movement whose places are computed: generics that read a tensor from within their body."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.lowering.linalg._builder import LinalgBuilder, Size, element
from lamina.lowering.linalg._scalars import Scalars

Places = Callable[..., Sequence[SSAValue]]
"""``places(scalars, loops, *arguments)``: the indices into the source at one iteration."""


def read_at(
    builder: LinalgBuilder,
    source: SSAValue,
    sizes: Sequence[Size],
    places: Places,
    inputs: Sequence[tuple[SSAValue, Sequence[AffineExpr]]] = (),
) -> SSAValue:
    """A tensor of the given sizes whose elements are read at computed places of another."""

    def body(s: Scalars, *arguments: SSAValue) -> SSAValue:
        loops = [s.emit(linalg.IndexOp(i)) for i in range(len(sizes))]
        found = places(s, loops, *arguments)
        return s.emit(tensor.ExtractOp(source, list(found), element(source.type)))

    return builder.map(inputs, sizes, element(source.type), body)


def size_in(s: Scalars, size: Size) -> SSAValue:
    """A size as an index within a body."""
    return size if isinstance(size, SSAValue) else s.constant(size, IndexType())
