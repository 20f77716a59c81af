"""`linalg.pack` and `linalg.unpack`: tensors stored tile by tile.

The dimensions `inner_dims_pos` are cut into tiles of `inner_tiles` elements, which become the innermost
dimensions; the outer ones, counting tiles, are permuted by `outer_dims_perm`. Where a tile does not divide
its dimension, the last one is filled up with `padding_value`, and cut in unpacking. Tiles are static.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.later import np


class _Relayout(IRDLOperation, ABC):
    """What packing and unpacking share: the layout, and the syntax."""

    # Operands are declared by the subclasses, the source and the destination first.
    outer_dims_perm = opt_prop_def(DenseArrayBase.constr(i64))
    inner_dims_pos = prop_def(DenseArrayBase.constr(i64))
    static_inner_tiles = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TensorType)

    @classmethod
    def make(
        cls,
        source: SSAValue,
        dest: SSAValue,
        inner_dims_pos: Sequence[int],
        inner_tiles: Sequence[int],
        outer_dims_perm: Sequence[int],
    ) -> Self:
        """The operation with the type of ``dest`` as its result's."""
        numbers = {
            "inner_dims_pos": inner_dims_pos,
            "static_inner_tiles": inner_tiles,
            "outer_dims_perm": outer_dims_perm,
        }
        properties = {name: DenseArrayBase.from_list(i64, list(values)) for name, values in numbers.items()}
        return cls.create(
            operands=[source, dest],
            result_types=[dest.type],
            properties={**properties, **cls.segments()},
        )

    @classmethod
    def segments(cls) -> dict[str, DenseArrayBase]:
        """The property that counts operands, where there is one."""
        return {}

    def layout(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Tiled dimensions, sizes of tiles, and for each outer dimension the one of the plain tensor."""
        plain = self.plain_type().get_num_dims()
        order = self.outer_dims_perm.get_values() if self.outer_dims_perm is not None else tuple(range(plain))
        return (
            tuple(self.inner_dims_pos.get_values()),
            tuple(self.static_inner_tiles.get_values()),
            tuple(order),
        )

    def is_padded(self) -> bool:
        """Whether the last tiles may be filled up."""
        return True

    def plain_type(self) -> TensorType:
        """The type of the tensor that is not packed."""
        raise NotImplementedError

    def packed_type(self) -> TensorType:
        """The type of the packed tensor."""
        raise NotImplementedError

    def verify_(self) -> None:
        positions, tiles, order = self.layout()
        plain = self.plain_type()
        if self.result.type != self.operands[1].type:
            raise VerifyException("needs a destination of the result's type")
        if len(positions) != len(tiles) or len(set(positions)) != len(positions):
            raise VerifyException("needs one tile for each of different dimensions")
        if sorted(order) != list(range(plain.get_num_dims())):
            raise VerifyException("needs outer_dims_perm to be a permutation of the dimensions")
        if any(not 0 <= p < plain.get_num_dims() or t < 1 for p, t in zip(positions, tiles, strict=True)):
            raise VerifyException("needs positive tiles of existing dimensions")
        if not self.is_padded() and any(
            plain.get_shape()[p] % t for p, t in zip(positions, tiles, strict=True)
        ):
            raise VerifyException("needs tiles that divide their dimensions, or a padding_value")
        if self.packed_type().get_shape() != packed_shape(plain.get_shape(), positions, tiles, order):
            raise VerifyException(f"does not fit {self.packed_type()} as the packed {plain}")

    def print(self, printer: Printer) -> None:
        positions, tiles, order = self.layout()
        printer.print_string(" ")
        printer.print_ssa_value(self.operands[0])
        if self.outer_dims_perm is not None:
            printer.print_string(f" outer_dims_perm = {list(order)}")
        printer.print_string(f" inner_dims_pos = {list(positions)} inner_tiles = {list(tiles)} into ")
        printer.print_ssa_value(self.operands[1])
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(" -> ")
        printer.print_attribute(self.operands[1].type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_unresolved_operand()
        properties = dict(cls.segments())
        for keyword, name in (
            ("outer_dims_perm", "outer_dims_perm"),
            ("inner_dims_pos", "inner_dims_pos"),
            ("inner_tiles", "static_inner_tiles"),
        ):
            if keyword == "outer_dims_perm":
                if parser.parse_optional_keyword(keyword) is None:
                    continue
            else:
                parser.parse_keyword(keyword)
            parser.parse_punctuation("=")
            values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            properties[name] = DenseArrayBase.from_list(i64, values)
        parser.parse_keyword("into")
        dest = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_punctuation("->")
        dest_type = parser.parse_type()
        operands = [parser.resolve_operand(source, source_type), parser.resolve_operand(dest, dest_type)]
        return cls.create(
            operands=operands, result_types=[dest_type], properties=properties, attributes=attributes
        )


@irdl_op_definition
class PackOp(_Relayout):
    """The source, packed."""

    name = "linalg.pack"
    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    padding_value = opt_operand_def()
    inner_tiles = var_operand_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    @classmethod
    def segments(cls) -> dict[str, DenseArrayBase]:
        return {"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, 0, 0])}

    def padded_with(self, value: SSAValue) -> None:
        """Fill up the last tiles with a value."""
        self.operands = [self.source, self.dest, value]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [1, 1, 1, 0])

    def is_padded(self) -> bool:
        return self.padding_value is not None

    def plain_type(self) -> TensorType:
        assert isinstance(self.source.type, TensorType)
        return self.source.type

    def packed_type(self) -> TensorType:
        assert isinstance(self.result.type, TensorType)
        return self.result.type


@irdl_op_definition
class UnPackOp(_Relayout):
    """The plain tensor that a packed one holds."""

    name = "linalg.unpack"
    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    inner_tiles = var_operand_def()

    traits = traits_def(Pure())

    def plain_type(self) -> TensorType:
        assert isinstance(self.result.type, TensorType)
        return self.result.type

    def packed_type(self) -> TensorType:
        assert isinstance(self.source.type, TensorType)
        return self.source.type


def packed_shape(
    shape: Sequence[int], positions: Sequence[int], tiles: Sequence[int], order: Sequence[int]
) -> tuple[int, ...]:
    """The shape of a packed tensor."""
    counts = list(shape)
    for position, tile in zip(positions, tiles, strict=True):
        counts[position] = -(-counts[position] // tile)
    return (*(counts[d] for d in order), *tiles)


def pack_array(
    array: np.ndarray,
    positions: Sequence[int],
    tiles: Sequence[int],
    order: Sequence[int],
    padding: float = 0,
) -> np.ndarray:
    """An array packed: tiles of some dimensions become innermost, outer dimensions are permuted."""
    missing = [0] * array.ndim
    for position, tile in zip(positions, tiles, strict=True):
        missing[position] = -array.shape[position] % tile
    if any(missing):
        array = np.pad(array, [(0, n) for n in missing], constant_values=padding)
    split: list[int] = []
    outer: list[int] = []
    inner: dict[int, int] = {}
    for dimension, size in enumerate(array.shape):
        outer.append(len(split))
        if dimension in positions:
            tile = tiles[list(positions).index(dimension)]
            split += [size // tile, tile]
            inner[dimension] = len(split) - 1
        else:
            split.append(size)
    axes = [*(outer[d] for d in order), *(inner[p] for p in positions)]
    return np.ascontiguousarray(array.reshape(split).transpose(axes))


def unpack_array(
    array: np.ndarray,
    positions: Sequence[int],
    tiles: Sequence[int],
    order: Sequence[int],
    shape: Sequence[int] | None = None,
) -> np.ndarray:
    """The reverse of :func:`pack_array`, for an array of a shape (one that tiles divide, without)."""
    rank = len(order)
    axes: list[int] = []
    whole: list[int] = []
    for dimension in range(rank):
        outer = list(order).index(dimension)
        axes.append(outer)
        whole.append(array.shape[outer])
        if dimension in positions:
            number = list(positions).index(dimension)
            axes.append(rank + number)
            whole[-1] *= tiles[number]
    plain = np.ascontiguousarray(array.transpose(axes)).reshape(whole)
    return plain if shape is None else np.ascontiguousarray(plain[tuple(slice(n) for n in shape)])


PACKING: list[type[Operation]] = [PackOp, UnPackOp]
