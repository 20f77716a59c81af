"""The three transforms of Winograd's convolution."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.linalg.indexing import shape_of


def _sizes(op: Operation) -> tuple[int, int]:
    """m and r of F(m, r)."""
    held: Any = op.get_attr_or_prop("fmr")
    table = table_of("linalg")
    assert table is not None
    for name, number in table.enums["WinogradConv2DFmr"].cases.items():
        if isinstance(held, IntegerAttr) and number == held.value.data:
            return int(name.split("_")[1]), int(name.split("_")[2])
    return 4, 3


def _expect(op: Operation, got: tuple[int, ...], wanted: list[int]) -> None:
    if len(got) != len(wanted) or any(
        a >= 0 and b >= 0 and a != b for a, b in zip(got, wanted, strict=False)
    ):
        raise error("the output shape is not expected", op)


@verifies("linalg.winograd_filter_transform")
def verify_filter(op: Operation) -> None:
    """``[F, H, W, C]`` to ``[alpha, alpha, C, F]``."""
    m, r = _sizes(op)
    features, height, width, channels = shape_of(op.operands[0]) or (-1,) * 4
    if height not in (r, 1) and height >= 0:
        raise error("expect filter height either equals to r or 1", op)
    if width not in (r, 1) and width >= 0:
        raise error("expect filter width either equals to r or 1", op)
    if height == 1 and width == 1:
        raise error("expect either filter height or width equals to r", op)
    high = m + r - 1 if height == r else 1
    wide = m + r - 1 if width == r else 1
    _expect(op, shape_of(op.operands[1]) or (), [high, wide, channels, features])


@verifies("linalg.winograd_input_transform")
def verify_input(op: Operation) -> None:
    """``[N, H, W, C]`` to ``[alpha, alpha, tiles, tiles, N, C]``."""
    m, r = _sizes(op)
    batch, height, width, channels = shape_of(op.operands[0]) or (-1,) * 4
    got = shape_of(op.operands[1]) or ()
    left = [1 if len(got) > i and got[i] == 1 else m + r - 1 for i in (0, 1)]
    tiles = [
        -1 if extent < 0 else (extent - r + 1) // m if size != 1 else extent
        for extent, size in zip((height, width), left, strict=True)
    ]
    _expect(op, got, [*left, *tiles, batch, channels])


@verifies("linalg.winograd_output_transform")
def verify_output(op: Operation) -> None:
    """``[alpha, alpha, tiles, tiles, N, F]`` to ``[N, H, W, F]``."""
    m, r = _sizes(op)
    high, wide, rows, columns, batch, features = shape_of(op.operands[0]) or (-1,) * 6
    if high not in (m + r - 1, 1) and high >= 0:
        raise error("expect input height equals to input tile size", op)
    if wide not in (m + r - 1, 1) and wide >= 0:
        raise error("expect input width equals to input tile size", op)
    if high == 1 and wide == 1:
        raise error("expect either value height or width equals to input tile size", op)
    extents = [
        -1 if count < 0 else count * (m if size != 1 else 1)
        for count, size in ((rows, high), (columns, wide))
    ]
    _expect(op, shape_of(op.operands[1]) or (), [batch, *extents, features])
