"""Reading tensor, vector and memref types."""

from __future__ import annotations

import re
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    ComplexType,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefLayoutAttr,
    MemRefType,
    NoneAttr,
    NoneType,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute, BuiltinAttribute
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.later import regex
from lamina.dialects.core.making import FALSE, TRUE, array_of, shape_of, unchecked
from lamina.dialects.core.ods.attributes import OdsType
from lamina.dialects.core.reading.types import BLANK, FLOAT_CLASSES, TypeReader, reads_type

NONE = NoneAttr()
_FIXED = frozenset({IntegerType, IndexType, *FLOAT_CLASSES})
_TENSOR_ELEMENTS = frozenset({*_FIXED, ComplexType, VectorType})
_MEMREF_ELEMENTS = frozenset({*_TENSOR_ELEMENTS, MemRefType, UnrankedMemRefType})
_NEVER_ELEMENTS = (FunctionType, TupleType, NoneType, TensorType, UnrankedTensorType)
_EXTENT = rf"(?:[0-9]++|\[{BLANK}[0-9]++{BLANK}\])"
_VECTOR_SHAPE = regex(rf"(?:{_EXTENT}{BLANK}x{BLANK})*", re.ASCII)
_VECTOR_EXTENT = regex(rf"(\[)?{BLANK}([0-9]++)", re.ASCII)
_NO_VECTOR_ELEMENT = "failed to verify 'elementType': VectorElementTypeInterface instance"
_UNSCALED: list[ArrayAttr] = [array_of((FALSE,) * rank) for rank in range(9)]


def _is_of_a_dialect(element: Attribute) -> bool:
    """Whether a type belongs to a dialect, which alone knows what it may be an element of."""
    return not isinstance(element, BuiltinAttribute) or isinstance(element, UnregisteredAttr | OdsType)


@reads_type("tensor")
def tensor(reader: TypeReader, start: int) -> Attribute:
    """``tensor<4x?xf32>``, ``tensor<4xf32, encoding>`` or ``tensor<*xf32>``."""
    reader.opening("tensor type")
    dimensions = reader.shape_or_unranked()
    element_start, encoding = reader.at, NONE
    element = reader.type()
    if reader.accept(",") and not reader.sees(">"):
        encoding = reader.attribute()
    if dimensions is None and encoding is not NONE:
        reader.fail("cannot apply encoding to unranked tensor")
    reader.closing("tensor type")
    kind = element.__class__
    if kind not in _TENSOR_ELEMENTS and not _is_of_a_dialect(element):
        reader.fail("invalid tensor element type", element_start)
    if dimensions is None:
        return unchecked(UnrankedTensorType, element_type=element)
    return unchecked(TensorType, shape=shape_of(tuple(dimensions)), element_type=element, encoding=encoding)


@reads_type("vector")
def vector(reader: TypeReader, start: int) -> Attribute:
    """``vector<4x[8]xf32>``, where brackets mark a scalable extent."""
    reader.opening("vector type")
    found = cast("re.Match[str]", _VECTOR_SHAPE.match(reader.text, reader.at))
    extents = [(int(n), bool(bracket)) for bracket, n in _VECTOR_EXTENT.findall(found.group())]
    reader.at = found.end()
    if reader.text.startswith("[", reader.at) or reader.text[reader.at : reader.at + 1].isdigit():
        _wrong_extent(reader)
    element = reader.type()
    reader.closing("vector type")
    shape = tuple(n for n, _ in extents)
    if 0 in shape:
        sizes = ", ".join(map(str, shape))
        reader.fail(f"vector types must have positive constant sizes but got {sizes}", start)
    if element.__class__ not in _FIXED and not _is_of_a_dialect(element):
        reader.fail(_NO_VECTOR_ELEMENT, start, f"a vector holds integers, index or floats, not '{element}'")
    if any(scalable for _, scalable in extents):
        scalable_dims = array_of(TRUE if scalable else FALSE for _, scalable in extents)
    else:
        rank = len(shape)
        scalable_dims = _UNSCALED[rank] if rank < len(_UNSCALED) else array_of((FALSE,) * rank)
    return unchecked(VectorType, element_type=element, shape=shape_of(shape), scalable_dims=scalable_dims)


def _wrong_extent(reader: TypeReader) -> None:
    """Fail at what is wrong with an extent of a vector."""
    bracket = reader.accept("[")
    if reader.optional_integer() is None:
        reader.fail("invalid dimension")
    if bracket and not reader.accept("]"):
        reader.fail("missing ']' closing scalable dimension")
    reader.fail("expected 'x' in dimension list")


@reads_type("memref")
def memref(reader: TypeReader, start: int) -> Attribute:
    """``memref<4x?xf32, layout, space>`` or ``memref<*xf32, space>``.

    A layout that is the identity and the memory space 0 are the defaults, as if they had not been written.
    """
    reader.opening("memref type")
    dimensions = reader.shape_or_unranked()
    element_start = reader.at
    element = reader.type()
    if element.__class__ not in _MEMREF_ELEMENTS and not _is_of_a_dialect(element):
        reader.fail("invalid memref element type", element_start)
    layout = space = NONE
    if not reader.accept(">"):
        if not reader.accept(","):
            reader.fail("expected ',' or '>' in memref type")
        layout, space = _layout_and_space(reader, dimensions is None)
        reader.require(">")
    if space is not NONE:
        space = _memory_space(reader, space, start)
    if dimensions is None:
        return unchecked(UnrankedMemRefType, element_type=element, memory_space=space)
    if layout is not NONE:
        layout = _layout(reader, layout, len(dimensions), start)
    shape = shape_of(tuple(dimensions))
    return unchecked(MemRefType, shape=shape, element_type=element, layout=layout, memory_space=space)


def _layout_and_space(reader: TypeReader, unranked: bool) -> tuple[Attribute, Attribute]:
    layout = space = NONE
    while True:
        if reader.sees(">"):
            reader.fail("expected list element")
        part = reader.attribute()
        if not isinstance(part, MemRefLayoutAttr):
            if space is not NONE:
                reader.fail("multiple memory spaces specified in memref type")
            space = part
        elif unranked:
            reader.fail("cannot have affine map for unranked memref type")
        elif space is not NONE:
            reader.fail("expected memory space to be last in memref type")
        else:
            layout = part
        if not reader.accept(","):
            return layout, space


def _memory_space(reader: TypeReader, space: Attribute, start: int) -> Attribute:
    if isinstance(space, IntegerAttr):
        return space if space.value.data else NONE
    of_builtin = isinstance(space, BuiltinAttribute)
    if of_builtin and not isinstance(space, StringAttr | DictionaryAttr):
        reader.fail("unsupported memory space Attribute", start)
    return space


def _layout(reader: TypeReader, layout: Attribute, rank: int, start: int) -> Attribute:
    if isinstance(layout, StridedLayoutAttr):
        if len(layout.strides.data) != rank:
            reader.fail("expected the number of strides to match the rank", start)
    elif isinstance(layout, AffineMapAttr):
        of_map = layout.data.num_dims
        if of_map != rank:
            reader.fail(f"memref layout mismatch between rank and affine map: {rank} != {of_map}", start)
        results = layout.data.results
        identity = all(isinstance(e, AffineDimExpr) and e.position == i for i, e in enumerate(results))
        if identity and len(results) == rank and not layout.data.num_symbols:
            return NONE
    return layout
