"""What fusion asks of operations and indexing maps."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lamina.dialects.core.constants import as_array, is_splat
from lamina.dialects.core.dtypes import numpy_dtype


def scalar_of(producer: Operation) -> arith.ConstantOp | None:
    """The scalar that a tensor holds everywhere: of a splat constant, or of a fill with a constant."""
    if isinstance(producer, linalg.FillOp):
        scalar = producer.operands[0].owner
        return scalar if isinstance(scalar, arith.ConstantOp) else None
    if isinstance(producer, arith.ConstantOp) and is_splat(producer.value):
        value = producer.value
        assert isinstance(value, DenseIntOrFPElementsAttr)
        return _scalar_constant(value)
    return None


def _scalar_constant(value: DenseIntOrFPElementsAttr) -> arith.ConstantOp:
    element = value.get_element_type()
    number = as_array(value).flat[0]
    if isinstance(element, IntegerType):
        signed = int(number) if numpy_dtype(element).kind != "b" else -int(number)
        return arith.ConstantOp(IntegerAttr(signed, element))
    return arith.ConstantOp(FloatAttr(float(number), cast(AnyFloat, element)))


def is_elementwise(op: linalg.GenericOp) -> bool:
    """Whether a generic computes each element of one result from one iteration, without its old value."""
    if len(op.res) != 1 or len(op.outputs) != 1 or op.body.block.args[-1].uses:
        return False
    parallel = all(t.data.value == "parallel" for t in op.iterator_types)
    result = op.indexing_maps.data[-1].data
    return parallel and len(result.results) == result.num_dims and _is_permutation(result)


def _is_permutation(m: AffineMap) -> bool:
    positions = {e.position for e in m.results if isinstance(e, AffineDimExpr)}
    return len(positions) == m.num_dims == len(m.results)


def is_projection(m: AffineMap) -> bool:
    """Loops, each at most once, and zeros."""
    positions = [e.position for e in m.results if isinstance(e, AffineDimExpr)]
    others = [e for e in m.results if not isinstance(e, AffineDimExpr)]
    zeros = all(isinstance(e, AffineConstantExpr) and e.value == 0 for e in others)
    return zeros and len(set(positions)) == len(positions)


def loops_of(m: AffineMap) -> set[int]:
    """The loops that a map's results are."""
    return {e.position for e in m.results if isinstance(e, AffineDimExpr)}


def keeps_order(m: AffineMap) -> bool:
    """Whether elements are read in the order of the loops, without strides."""
    return is_projection(m) and _ascending(m.results)


def _ascending(results: tuple[AffineExpr, ...]) -> bool:
    positions = [e.position for e in results if isinstance(e, AffineDimExpr)]
    return positions == sorted(positions)


def loop_extents(op: linalg.GenericOp) -> list[int]:
    """The extent of each loop, -1 where it is unknown."""
    extents = [-1] * len(op.iterator_types)
    for value, attribute in zip(op.operands, op.indexing_maps, strict=True):
        if not isinstance(value.type, TensorType):
            continue
        for size, e in zip(value.type.get_shape(), attribute.data.results, strict=True):
            if isinstance(e, AffineDimExpr) and size >= 0:
                extents[e.position] = size
    return extents
