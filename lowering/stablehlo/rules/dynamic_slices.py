"""Parts of tensors at places that are values: slices of the `tensor` dialect, their places held in range."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.core.folding import int_of
from lamina.lowering.importing.emitter import element, shape, static_shape
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.scalars import index, index_constant, interval
from lamina.lowering.stablehlo.site import Site


@stablehlo_rule("stablehlo.dynamic_slice")
def dynamic_slice(site: Site) -> SSAValue:
    """The part of the given sizes."""
    value, *starts = site.operands
    sizes = list(site.attribute("slice_sizes"))
    offsets = _offsets(site, starts, static_shape(value), sizes)
    if 0 in sizes or (all(offset == 0 for offset in offsets) and sizes == list(shape(value))):
        return site.emit("slice", value, starts=[0] * len(sizes), ends=sizes, steps=[1] * len(sizes))
    op = tensor.ExtractSliceOp.build(
        operands=[value, [o for o in offsets if isinstance(o, SSAValue)], [], []],
        result_types=[TensorType(element(value), sizes)],
        properties=_places(offsets, sizes),
    )
    return site.insert(op).results[0]


@stablehlo_rule("stablehlo.dynamic_update_slice")
def dynamic_update_slice(site: Site) -> SSAValue:
    """The part that has the update's shape is replaced."""
    value, update, *starts = site.operands
    sizes = list(static_shape(update))
    offsets = _offsets(site, starts, static_shape(value), sizes)
    if 0 in sizes:
        return value
    op = tensor.InsertSliceOp.build(
        operands=[update, value, [o for o in offsets if isinstance(o, SSAValue)], [], []],
        result_types=[value.type],
        properties=_places(offsets, sizes),
    )
    return site.insert(op).results[0]


def _offsets(
    site: Site, starts: Sequence[SSAValue], extents: Sequence[int], sizes: Sequence[int]
) -> list[SSAValue | int]:
    """The first places, held so that the part lies within the tensor."""
    return [
        _clamped(site, start, extent - size)
        for start, extent, size in zip(starts, extents, sizes, strict=True)
    ]


def _clamped(site: Site, start: SSAValue, last: int) -> SSAValue | int:
    """A start index held between 0 and the last one."""
    if last == 0:
        return 0
    place = index(site, start)
    known = int_of(place)
    if known is not None:
        return min(max(known, 0), last)
    bounds = interval(site, place)
    if bounds is not None and bounds[0] >= 0 and bounds[1] <= last:
        return place
    zero, end = index_constant(site, 0), index_constant(site, last)
    return site.insert(arith.MinSIOp(site.insert(arith.MaxSIOp(place, zero)).results[0], end)).results[0]


def _places(offsets: Sequence[SSAValue | int], sizes: Sequence[int]) -> dict[str, Attribute]:
    static = [DYNAMIC_INDEX if isinstance(offset, SSAValue) else offset for offset in offsets]
    lists = {"static_offsets": static, "static_sizes": list(sizes), "static_strides": [1] * len(sizes)}
    return {name: DenseArrayBase.from_list(i64, numbers) for name, numbers in lists.items()}
