"""The arithmetic of sliding windows (convolutions and pooling), for shape rules, references and passes."""

from __future__ import annotations

from dataclasses import dataclass

from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError
from lamina.dialects.nn.shapes._checks import choice, integers

LAYOUTS = ("NCHW", "NHWC")


@dataclass(frozen=True)
class Window:
    """One spatial axis of a sliding window."""

    size: int
    stride: int = 1
    low: int = 0
    """Padding before the first element."""
    high: int = 0
    """Padding after the last element."""
    dilation: int = 1
    ceil: bool = False
    """Whether a last, partial window counts (if it starts before the padding on the high side)."""

    @property
    def reach(self) -> int:
        """How many elements lie from a window's first tap to its last."""
        return (self.size - 1) * self.dilation + 1

    def count(self, extent: int, what: str) -> int:
        """How many windows fit an input of ``extent``. An empty input has none unless padding fills one."""
        if DYNAMIC in (extent, self.size):
            return DYNAMIC
        room = extent + self.low + self.high - self.reach
        if room < 0:
            if extent == 0:
                return 0
            padded = extent + self.low + self.high
            raise ShapeError(f"the window spans {self.reach} {what}, more than the padded input's {padded}")
        if not self.ceil:
            return room // self.stride + 1
        count = -(-room // self.stride) + 1
        return count - 1 if (count - 1) * self.stride >= extent + self.low else count

    def needed(self, count: int) -> int:
        """The padded extent that ``count`` windows touch."""
        return (count - 1) * self.stride + self.reach if count else 0


def windows(op: NnOp, sizes: tuple[int, int], ceil: bool = False) -> tuple[Window, Window]:
    """The windows along height and width of an op with ``strides``, ``pads`` and ``dilations``."""
    strides = integers(op, "strides", 2, minimum=1)
    dilations = integers(op, "dilations", 2, minimum=1)
    top, left, bottom, right = integers(op, "pads", 4, minimum=0)
    return (
        Window(sizes[0], strides[0], top, bottom, dilations[0], ceil),
        Window(sizes[1], strides[1], left, right, dilations[1], ceil),
    )


def channels_last(op: NnOp) -> bool:
    """Whether the op's layout is NHWC."""
    return choice(op, "layout", LAYOUTS) == "NHWC"
