"""How convolutions and poolings index their operands: a short notation, and the maps it stands for.

``"n oh ow f c kh kw | n H W c, kh kw c f, n oh ow f | 3"`` lists the loops, the indices of each operand,
and how many of the last loops are reductions. ``H`` is the input row ``oh * stride + kh * dilation``;
``D`` and ``W`` likewise. The spatial letters of an op, in the order d, h, w, take the elements of its
``strides`` and ``dilations``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineMap

from lamina.dialects.core.constants import as_array


@dataclass(frozen=True)
class WindowForm:
    """The parsed notation."""

    loops: tuple[str, ...]
    operands: tuple[tuple[str, ...], ...]
    reductions: int

    @property
    def spatial(self) -> tuple[str, ...]:
        """The spatial letters, in the order of strides."""
        return tuple(letter for letter in "dhw" if f"k{letter}" in self.loops)

    def maps(self, strides: tuple[int, ...], dilations: tuple[int, ...]) -> tuple[AffineMap, ...]:
        """The indexing maps for given strides and dilations."""
        index = {name: AffineExpr.dimension(number) for number, name in enumerate(self.loops)}
        for letter, stride, dilation in zip(self.spatial, strides, dilations, strict=True):
            index[letter.upper()] = index[f"o{letter}"] * stride + index[f"k{letter}"] * dilation
        return tuple(
            AffineMap(len(self.loops), 0, tuple(index[name] for name in operand)) for operand in self.operands
        )


@cache
def window_form(notation: str) -> WindowForm:
    """Parse the notation."""
    loops, operands, reductions = notation.split("|")
    return WindowForm(
        tuple(loops.split()), tuple(tuple(o.split()) for o in operands.split(",")), int(reductions)
    )


def window_numbers(attribute: Attribute | None, count: int) -> tuple[int, ...]:
    """The elements of ``strides`` or ``dilations``, also where they are held as a splat; without them 1."""
    if attribute is None:
        return (1,) * count
    values = tuple(int(value) for value in as_array(attribute).reshape(-1))
    return values * count if len(values) == 1 else values
