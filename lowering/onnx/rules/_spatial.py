"""What windowed operators (convolution, pooling) share: padding, and 1-d and 3-d forms by 2-d ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.onnx.node import Node


@dataclass(frozen=True)
class Windows:
    """A windowed operator's attributes, one entry per spatial dimension."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of spatial dimensions."""
        return len(self.kernel)

    def attributes(self) -> dict[str, list[int]]:
        """``strides``, ``pads`` and ``dilations`` of a 2-d `nn` op."""
        return {
            "strides": list(self.strides),
            "pads": [*self.low, *self.high],
            "dilations": list(self.dilations),
        }

    def without_padding(self) -> Windows:
        """The same windows on an operand that is padded already."""
        return replace(self, low=(0,) * self.count, high=(0,) * self.count)

    def part(self, start: int, end: int) -> Windows:
        """The windows along some of the spatial dimensions, as 2-d ones: one alone gets a unit row first."""
        return Windows(
            self._padded(self.kernel[start:end], 1),
            self._padded(self.strides[start:end], 1),
            self._padded(self.dilations[start:end], 1),
            self._padded(self.low[start:end], 0),
            self._padded(self.high[start:end], 0),
        )

    @staticmethod
    def _padded(values: tuple[int, ...], unit: int) -> tuple[int, ...]:
        return (unit,) * (2 - len(values)) + values


def windows_of(node: Node, spatial: Sequence[int], kernel: Sequence[int]) -> Windows:
    """The windows of a node over an operand of the given spatial extents, with auto_pad resolved.

    Raises :class:`Unsupported` where the padding depends on an extent that is not known.
    """
    count = len(spatial)
    if len(kernel) != count:
        raise Unsupported(f"its kernel has {len(kernel)} dimensions, the operand {count}")
    strides = tuple(node.attribute("strides", (1,) * count))
    dilations = tuple(node.attribute("dilations", (1,) * count))
    pads = tuple(node.attribute("pads", (0,) * 2 * count))
    if not len(strides) == len(dilations) == count == len(pads) // 2:
        raise Unsupported("its strides, dilations or pads do not fit the operand's rank")
    mode = node.attribute("auto_pad", "NOTSET")
    low, high = pads[:count], pads[count:]
    if mode == "VALID":
        low = high = (0,) * count
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        upper = mode == "SAME_UPPER"
        totals = [
            _same_padding(n, (k - 1) * d + 1, s, upper)
            for n, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
        ]
        low, high = same_halves(totals, upper)
    return Windows(tuple(kernel), strides, dilations, low, high)


def same_halves(totals: Sequence[int], upper: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Padding before and after: halves of the totals, the odd one after (with SAME_LOWER before)."""
    small = tuple(total // 2 for total in totals)
    large = tuple(total - total // 2 for total in totals)
    return (small, large) if upper else (large, small)


def _same_padding(extent: int, reach: int, stride: int, upper: bool) -> int:
    """The padding with which there are ``ceil(extent / stride)`` windows."""
    if stride == 1 or (extent == DYNAMIC and upper and reach <= 2):
        # A window of two elements needs one more at the end or none; where it needs none, no window
        # touches the one that is there.
        return reach - 1
    if extent == DYNAMIC:
        raise Unsupported("its auto_pad SAME with a stride needs the input's extents, which are dynamic")
    return max((math.ceil(extent / stride) - 1) * stride + reach - extent, 0)


def padded(node: Node, x: SSAValue, windows: Windows, value: float | None = None) -> SSAValue:
    """x with the windows' padding as an op of its own, cut where it is negative."""
    lead = [0, 0]
    return pad(node, x, [*lead, *windows.low], [*lead, *windows.high], value=value)


def pad(
    node: Node,
    x: SSAValue,
    low: Sequence[int],
    high: Sequence[int],
    mode: str = "constant",
    value: float | None = None,
) -> SSAValue:
    """``nn.pad``, where negative entries cut elements off."""
    if any(n < 0 for n in (*low, *high)):
        ends = [n if n < 0 else 2**63 - 1 for n in high]
        x = node.emit("slice", x, starts=[max(-n, 0) for n in low], ends=ends, steps=[1] * len(low))
        low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
    if not any((*low, *high)):
        return x
    return node.emit("pad", x, low=list(low), high=list(high), mode=mode, value=value)


def with_unit_row(node: Node, x: SSAValue) -> SSAValue:
    """``[N, C, L]`` as ``[N, C, 1, L]``."""
    return node.emit("unsqueeze", x, axes=[2])


def without_unit_row(node: Node, x: SSAValue) -> SSAValue:
    """``[N, C, 1, L]`` as ``[N, C, L]``."""
    return node.emit("squeeze", x, axes=[2])
