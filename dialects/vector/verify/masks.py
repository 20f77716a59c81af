"""``vector.mask``: one op that can be masked, and a mask of its shape."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.groups import attribute, values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import scalable_dims_of, shape_of
from lamina.dialects.vector.transfers import mask_type, scalable_flags


@verifies("vector.mask", after_regions=True)
def _mask(op: Operation) -> None:
    block = op.regions[0].first_block
    inner = list(block.ops) if block is not None else []
    if not inner:
        raise error("expects a terminator within the mask region", op)
    if len(inner) > 2:
        raise error("expects only one operation to mask", op)
    end = inner[-1]
    if end.name != "vector.yield":
        raise error("expects a terminator within the mask region", op)
    if len(end.operands) != len(op.results):
        raise error("expects number of results to match mask region yielded values", op)
    if len(inner) == 1:
        return
    masked = inner[0]
    spec = spec_of(masked.name)
    if spec is None or "MaskableOpInterface" not in spec.traits:
        raise error("expects a MaskableOpInterface within the mask region", op)
    _check_results(op, masked, end)
    wanted = _expected_mask(masked)
    if values(op, "mask")[0].type != wanted:
        raise error(f"expects a '{wanted}' mask for the maskable operation", op)
    passed = values(op, "passthru")
    if not passed:
        return
    if masked.name != "vector.transfer_read":
        raise error("doesn't expect a passthru argument for this maskable operation", op)
    if len(masked.results) != 1:
        raise error("expects result when passthru argument is provided", op)
    if passed[0].type != masked.results[0].type:
        raise error("expects passthru type to match result type", op)


def _check_results(op: Operation, masked: Operation, end: Operation) -> None:
    if len(masked.results) != len(op.results):
        raise error("expects number of results to match maskable operation number of results", op)
    if any(given is not value for given, value in zip(end.operands, masked.results, strict=True)):
        raise error(
            "expects all the results from the MaskableOpInterface to match all the values returned by the "
            "terminator",
            op,
        )
    types = [value.type for value in masked.results]
    if types != [value.type for value in op.results]:
        raise error("expects result type to match maskable operation result type", op)
    if sum(isinstance(type, VectorType) for type in types) > 1:
        raise error("multiple vector results not supported", op)


def _expected_mask(op: Operation) -> VectorType:
    """The type of the mask of an op."""
    if op.name in ("vector.transfer_read", "vector.transfer_write"):
        vector: Any = op.results[0].type if op.name.endswith("read") else values(op, "valueToStore")[0].type
        return mask_type(vector, attribute(op, "permutation_map").data)
    if op.name == "vector.contract":
        return _of_contraction(op)
    of: Any = {
        "vector.gather": lambda: values(op, "indices")[0].type,
        "vector.scatter": lambda: values(op, "indices")[0].type,
        "vector.outerproduct": lambda: op.results[0].type,
    }.get(op.name, lambda: op.operands[0].type)()
    return VectorType(i1, shape_of(of), scalable_flags(list(scalable_dims_of(of))))


def _of_contraction(op: Operation) -> VectorType:
    maps = [entry.data for entry in attribute(op, "indexing_maps").data]
    extents: dict[int, tuple[int, bool]] = {}
    for map, value in zip(maps, op.operands, strict=False):
        type: Any = value.type
        if isinstance(type, VectorType):
            found = zip(shape_of(type), scalable_dims_of(type), strict=True)
            for expr, extent in zip(map.results, found, strict=True):
                if isinstance(expr, AffineDimExpr):
                    extents.setdefault(expr.position, extent)
    known = [extents[i] for i in sorted(extents)]
    return VectorType(i1, [extent for extent, _ in known], scalable_flags([flag for _, flag in known]))
