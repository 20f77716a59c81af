"""Products."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import rank, static_shape
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site


@stablehlo_rule("stablehlo.dot_general")
def dot_general(site: Site) -> SSAValue:
    """Both sides become batches of matrices; the product gets the dimensions that are left."""
    numbers = site.op.properties["dot_dimension_numbers"]
    lhs_batch, rhs_batch, lhs_summed, rhs_summed = (
        list(numbers.numbers(f"{side}_{kind}_dimensions"))  # pyright: ignore[reportAttributeAccessIssue]
        for kind in ("batching", "contracting")
        for side in ("lhs", "rhs")
    )
    lhs, rhs = (site.cast(value, site.result_type.get_element_type()) for value in site.operands)
    left = [d for d in range(rank(lhs)) if d not in lhs_batch + lhs_summed]
    right = [d for d in range(rank(rhs)) if d not in rhs_batch + rhs_summed]
    a = _matrices(site, lhs, lhs_batch, left, lhs_summed)
    b = _matrices(site, rhs, rhs_batch, rhs_summed, right)
    return site.reshape(site.emit("matmul", a, b), site.result_type.get_shape())


def _matrices(
    site: Site, value: SSAValue, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]
) -> SSAValue:
    """A value as matrices: its batches, and two groups of dimensions, each as one."""
    extents = static_shape(value)
    value = site.transpose(value, [*batch, *rows, *columns])
    sizes = [math.prod(extents[d] for d in group) for group in (rows, columns)]
    return site.reshape(value, [*(extents[d] for d in batch), *sizes])


@stablehlo_rule("stablehlo.dot")
def dot(site: Site) -> SSAValue:
    """The last dimension of lhs is summed with the first of rhs."""
    lhs, rhs = (site.cast(value, site.result_type.get_element_type()) for value in site.operands)
    a = _matrices(site, lhs, [], list(range(rank(lhs) - 1)), [rank(lhs) - 1])
    b = _matrices(site, rhs, [], [0], list(range(1, rank(rhs))))
    return site.reshape(site.emit("matmul", a, b), site.result_type.get_shape())
