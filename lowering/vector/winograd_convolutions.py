"""3 x 3 convolutions become transforms and products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import Float32Type, ModuleOp, StringAttr, TensorType, f32
from xdsl.dialects.linalg.ops import CopyOp, FillOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import as_array, constant_attr, constant_attribute, constant_value
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.reshapes import groups_attribute
from lamina.dialects.linalg.contractions import BatchMatmulOp
from lamina.dialects.linalg.winograd import (
    F2,
    F4,
    INPUT,
    KERNEL,
    OUTPUT,
    Winograd,
    filter_transform,
    make_transform,
)
from lamina.lowering.vector._access import Linear, Structured, structured
from lamina.lowering.vector._combiner import product
from lamina.lowering.vector._groups import erase_dead
from lamina.lowering.vector.pack_constant_operands import (
    dispatches_of,
    erase_argument,
    insert_argument,
    is_constant_argument,
)
from lamina.passes.framework.passes import Pass, PassContext, option

ATTRIBUTE = "lamina.winograd"
"""On a module: what the pass is to do with it, in place of its option."""
CHOICES = ("off", "f2", "f4", "auto")
_LANES = 8
_PRODUCTS = 14.0
"""Multiply-adds that a cycle does in a product of matrices."""
_TILE_CYCLES = {2: (30, 24), 4: (120, 90)}
"""By tile, the cycles that a transform of inputs and of outputs takes for a vector of channels."""
_BYTES = 6.0
"""Bytes that a cycle brings from behind the second-level cache."""
_LEAST_CYCLES = 300_000
"""Convolutions that take less are left alone: some microseconds are not worth ten times the code."""
_GAIN = 1.15
"""How much faster than the direct one, or than smaller tiles, a convolution has to be by the estimate."""


@dataclass(frozen=True)
class Convolution:
    """A 3 x 3 convolution of channels-last images with stride 1, into zeros."""

    of: Structured

    @property
    def filter(self) -> SSAValue:
        """``[3, 3, C, F]``."""
        return self.of.inputs[1]

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """Images, rows and columns of the result, channels, features."""
        images, rows, columns, features, *_, channels = self.of.sizes
        return images, rows, columns, channels, features


def convolution_of(op: Operation) -> Convolution | None:
    """The convolution that an operation is, by its loops and accesses; None where it is another one."""
    found = structured(op)
    if found is None or len(found.sizes) != 7 or len(found.inputs) != 2 or product(found) is None:
        return None
    n, h, w, f, y, x, c = range(7)
    plain = [Linear(0, ((loop, 1),)) for loop in range(7)]
    wanted = (
        (plain[n], Linear(0, ((h, 1), (y, 1))), Linear(0, ((w, 1), (x, 1))), plain[c]),
        (plain[y], plain[x], plain[c], plain[f]),
        (plain[n], plain[h], plain[w], plain[f]),
    )
    if found.accesses != wanted or found.sizes[y] != KERNEL or found.sizes[x] != KERNEL:
        return None
    fill = found.outputs[0].owner
    start = constant_value(fill.inputs[0]) if isinstance(fill, FillOp) else None
    element = found.outputs[0].type.element_type  # pyright: ignore[reportAttributeAccessIssue]
    if start is None or start.item() != 0 or not isinstance(element, Float32Type):
        return None
    return Convolution(found)


def choose(shape: tuple[int, int, int, int, int], choice: str, l2_bytes: int) -> Winograd | None:
    """The tiles for a convolution under an option; None for the direct one.

    ``auto`` compares estimates of cycles.
    """
    images, rows, columns, channels, features = shape
    candidates = [of for of in (F2, F4) if choice in ("auto", f"f{of.m}")]
    if min(channels, features) < _LANES:
        return None
    if choice != "auto":
        return next(iter(candidates), None)
    direct = images * rows * columns * channels * features * KERNEL**2 / _PRODUCTS
    if direct < _LEAST_CYCLES:
        return None
    held = [n * 4.0 for n in (KERNEL**2 * channels * features, images * rows * columns * channels)]
    best, least = None, direct + _far(held, l2_bytes)
    for of in candidates:  # the larger the tile, the larger its filters and its error
        cost = cycles(of, shape, l2_bytes)
        if cost * _GAIN < least:
            best, least = of, cost
    return best


def cycles(of: Winograd, shape: tuple[int, int, int, int, int], l2_bytes: int) -> float:
    """What a transformed convolution takes: its products, the transforms, and what comes from far memory."""
    images, rows, columns, channels, features = shape
    tiles = images * ceil(rows / of.m) * ceil(columns / of.m)
    points = of.alpha**2
    into, out = _TILE_CYCLES[of.m]
    steps = tiles * (into * channels + out * features) / _LANES
    held = [points * n * 4.0 for n in (channels * features, tiles * channels, tiles * features)]
    return points * tiles * channels * features / _PRODUCTS + steps + _far(held, l2_bytes)


def _far(sizes: Sequence[float], l2_bytes: int) -> float:
    """The cycles that what does not stay in the second-level cache takes to come."""
    return sum(size for size in sizes if size > l2_bytes / 2) / _BYTES


def winograd_convolutions(module: ModuleOp, choice: str, l2_bytes: int) -> int:
    """Transform the convolutions of dispatches whose filters are constants; returns their number."""
    count = 0
    for function, calls in dispatches_of(module):
        block = function.body.block
        for op in list(block.ops):
            convolution = convolution_of(op)
            if convolution is None or not is_constant_argument(convolution.filter, block, calls):
                continue
            of = choose(convolution.shape, choice, l2_bytes)
            if of is not None:
                _rewrite(function, calls, convolution, of)
                count += 1
    return count


def _rewrite(
    function: func.FuncOp, calls: Sequence[func.CallOp], convolution: Convolution, of: Winograd
) -> None:
    op, filters = convolution.of.op, convolution.filter
    assert isinstance(filters, BlockArgument)
    number = filters.index
    for call in calls:
        _transform_filter(call, number, of)
    point = InsertPoint.before(op)
    images, rows, columns, channels, features = convolution.shape
    square, tiles = (of.alpha, of.alpha), (ceil(rows / of.m), ceil(columns / of.m), images)
    flat = (prod(square), prod(tiles))

    def insert(new: Operation) -> SSAValue:
        new.location = op.location
        Rewriter.insert_op(new, point)
        return new.results[0]

    fill = convolution.of.outputs[0].owner
    assert isinstance(fill, FillOp)
    [zero], [dest] = fill.inputs, fill.outputs
    whole = (images, tiles[0] * of.m, tiles[1] * of.m)
    image = convolution.of.inputs[0]
    if whole[1:] != (rows, columns):
        wider = (images, *(n + KERNEL - 1 for n in whole[1:]), channels)
        zeros = insert(FillOp([zero], [insert(_empty(*wider))]))
        image = insert(_inserted(image, zeros))
    given = insert(make_transform(INPUT, of, image, insert(_empty(*square, *tiles, channels))))
    given = insert(_collapsed(given, *flat, channels))
    start = insert(FillOp([zero], [insert(_empty(*flat, features))]))
    transformed = insert_argument(filters, TensorType(f32, [flat[0], channels, features]))
    products = insert(BatchMatmulOp([given, transformed], [start], [start.type]))
    products = insert(_expanded(products, *square, *tiles, features))
    if whole[1:] == (rows, columns):
        made = insert(make_transform(OUTPUT, of, products, dest))
    else:
        made = insert(make_transform(OUTPUT, of, products, insert(_empty(*whole, features))))
        made = insert(
            CopyOp([insert(_extracted(made, images, rows, columns, features))], [dest], [dest.type])
        )
    op.results[0].replace_all_uses_with(made)
    erase_dead([op])
    erase_argument(function, filters)


def _empty(*shape: int) -> tensor.EmptyOp:
    return tensor.EmptyOp([], TensorType(f32, list(shape)))


def _inserted(value: SSAValue, zeros: SSAValue) -> Operation:
    """A tensor in front of zeros."""
    shape = value.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    return tensor.InsertSliceOp.from_static_parameters(value, zeros, [0] * len(shape), shape)


def _extracted(value: SSAValue, *shape: int) -> Operation:
    """The first elements of a tensor."""
    return tensor.ExtractSliceOp.from_static_parameters(value, [0] * len(shape), shape)


_SQUARES_AND_TILES = groups_attribute([[0, 1], [2, 3, 4], [5]])


def _collapsed(value: SSAValue, *shape: int) -> Operation:
    """Points of a square and tiles as one dimension each."""
    return tensor.CollapseShapeOp(
        operands=[value],
        result_types=[TensorType(f32, list(shape))],
        properties={"reassociation": _SQUARES_AND_TILES},
    )


def _expanded(value: SSAValue, *shape: int) -> Operation:
    """The reverse."""
    return tensor.ExpandShapeOp(value, [], _SQUARES_AND_TILES, shape, TensorType(f32, list(shape)))


def _transform_filter(call: func.CallOp, number: int, of: Winograd) -> None:
    value = call.arguments[number]
    attribute = constant_attribute(value)
    assert attribute is not None
    array = filter_transform(of, as_array(attribute))
    array = array.reshape(-1, *array.shape[2:])
    kind = TensorType(f32, list(array.shape))
    constant = arith.ConstantOp(constant_attr(array, kind), kind)
    constant.location = value.owner.location if isinstance(value.owner, Operation) else call.location
    Rewriter.insert_op(constant, InsertPoint.before(call))
    call.operands[number] = constant.result
    if isinstance(value.owner, Operation) and not value.uses:
        Rewriter.erase_op(value.owner)


@dataclass(frozen=True)
class WinogradConvolutions(Pass):
    """Compute 3 x 3 convolutions of stride 1 as transforms and products of matrices.

    A tile of 4 x 4 results takes 36 products in place of 144 (`f4`), one of 2 x 2 takes 16 in place of 36
    (`f2`); `auto` takes what an estimate finds fastest, or leaves the convolution, and `off` leaves all. The
    attribute `lamina.winograd` of the module overrides the option. The transforms round, and infinities
    become NaN; docs/vectorisation.md has the bounds. Convolutions are those of dispatches whose filter every
    call gives as a constant, over channels-last f32 images. Filters are transformed now; zeros behind the
    image complete tiles that it ends in, and a slice of what is computed is copied.

    ```mlir
    module attributes {lamina.winograd = "f2"} {
      func.func private @dispatch(%x: tensor<1x4x4x8xf32>, %w: tensor<3x3x8x8xf32>, %out: tensor<1x2x2x8xf32>)
          -> tensor<1x2x2x8xf32> {
        %zero = arith.constant 0.0 : f32
        %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
        %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x8xf32>, tensor<3x3x8x8xf32>)
          outs(%f : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
        return %r : tensor<1x2x2x8xf32>
      }
      func.func @main(%x: tensor<1x4x4x8xf32>, %out: tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32> {
        %w = arith.constant dense<0.0> : tensor<3x3x8x8xf32>
        %0 = call @dispatch(%x, %w, %out)
          : (tensor<1x4x4x8xf32>, tensor<3x3x8x8xf32>, tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
        return %0 : tensor<1x2x2x8xf32>
      }
    }
    ```

    ```mlir
    module attributes {lamina.winograd = "f2"} {
      func.func private @dispatch(%x: tensor<1x4x4x8xf32>, %w: tensor<16x8x8xf32>, %out: tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32> {
        %zero = arith.constant 0.000000e+00 : f32
        %0 = tensor.empty() : tensor<4x4x1x1x1x8xf32>
        %1 = linalg.winograd_input_transform fmr(F_2_3) ins(%x : tensor<1x4x4x8xf32>) outs(%0 : tensor<4x4x1x1x1x8xf32>) -> tensor<4x4x1x1x1x8xf32>
        %2 = tensor.collapse_shape %1 [[0, 1], [2, 3, 4], [5]] : tensor<4x4x1x1x1x8xf32> into tensor<16x1x8xf32>
        %3 = tensor.empty() : tensor<16x1x8xf32>
        %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<16x1x8xf32>) -> tensor<16x1x8xf32>
        %5 = linalg.batch_matmul ins(%2, %w : tensor<16x1x8xf32>, tensor<16x8x8xf32>) outs(%4 : tensor<16x1x8xf32>) -> tensor<16x1x8xf32>
        %6 = tensor.expand_shape %5 [[0, 1], [2, 3, 4], [5]] output_shape [4, 4, 1, 1, 1, 8] : tensor<16x1x8xf32> into tensor<4x4x1x1x1x8xf32>
        %r = linalg.winograd_output_transform fmr(F_2_3) ins(%6 : tensor<4x4x1x1x1x8xf32>) outs(%out : tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
        return %r : tensor<1x2x2x8xf32>
      }
      func.func @main(%x: tensor<1x4x4x8xf32>, %out: tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32> {
        %0 = arith.constant dense<0.000000e+00> : tensor<16x8x8xf32>
        %1 = call @dispatch(%x, %0, %out) : (tensor<1x4x4x8xf32>, tensor<16x8x8xf32>, tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
        return %1 : tensor<1x2x2x8xf32>
      }
    }
    ```
    """  # noqa: E501

    name = "winograd-convolutions"
    statistics = {"transformed": "convolutions"}
    winograd: str = option("auto", "tiles: off, f2, f4 or auto")
    l2_bytes: int = option(512 << 10, "size of the second-level cache")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        held = op.attributes.get(ATTRIBUTE)
        choice = held.data if isinstance(held, StringAttr) else self.winograd
        if choice not in CHOICES:
            raise error(
                f"has no tiles named winograd={choice}", op, hint=f"choose one of {', '.join(CHOICES)}"
            )
        if choice != "off":
            ctx.count("transformed", winograd_convolutions(op, choice, self.l2_bytes))
