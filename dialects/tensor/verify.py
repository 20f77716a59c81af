"""What upstream verifies of tensor in C++."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.verifying.groups import attribute, static_values, values
from lamina.dialects.core.verifying.interfaces import check_offsets_sizes_strides
from lamina.dialects.core.verifying.reassociation import reassociation_of
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import compatible_types, elements_in, is_static, rank_of, shape_of
from lamina.dialects.core.verifying.slices import dropped_dimensions, out_of_bounds
from lamina.dialects.tensor.reshapes import check_reassociation


def _type(op: Operation, name: str) -> Any:
    return values(op, name)[0].type


def check_dynamic_sizes(op: Operation, type: Any, count: int) -> None:
    """There is an operand for each dynamic extent of a type."""
    expected = shape_of(type).count(DYNAMIC_INDEX)
    if count != expected:
        raise error(f"incorrect number of dynamic sizes, has {count}, expected {expected}", op)


@verifies("tensor.cast", types_only=True)
def verify_cast(op: Operation) -> None:
    """Element types are equal, shapes compatible."""
    source, result = op.operands[0].type, op.results[0].type
    same: bool = source.element_type == result.element_type  # pyright: ignore[reportAttributeAccessIssue]
    _check_cast(op, same and compatible_types(source, result))


@verifies("tensor.bitcast", types_only=True)
def verify_bitcast(op: Operation) -> None:
    """Elements have the same number of bits, shapes are compatible."""
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    same = source.element_type.bitwidth == result.element_type.bitwidth
    _check_cast(op, same and compatible_types(source, result))


def _check_cast(op: Operation, holds: bool) -> None:
    if not holds:
        source, result = op.operands[0].type, op.results[0].type
        raise error(f"operand type '{source}' and result type '{result}' are cast incompatible", op)


@verifies("tensor.concat")
def verify_concat(op: Operation) -> None:
    """Inputs agree in all dimensions but one, whose extents add up."""
    if not op.operands:
        raise error("requires at least one input", op)
    inputs: list[Any] = [value.type for value in op.operands]
    result: Any = op.results[0].type
    rank, dim = rank_of(result), attribute(op, "dim").value.data
    if any(rank_of(type) != rank for type in inputs):
        raise error("rank of concatenated inputs must match result rank", op)
    if any(type.element_type != result.element_type for type in inputs):
        raise error("inputs and result element type must match", op)
    if dim >= rank:
        raise error("concatenation dim must be less than the tensor rank", op)
    shape: list[int] = []
    for number, extents in enumerate(zip(*map(shape_of, inputs), strict=True)):
        if number == dim:
            shape.append(DYNAMIC_INDEX if DYNAMIC_INDEX in extents else sum(extents))
            continue
        known = set(extents) - {DYNAMIC_INDEX}
        if len(known) > 1:
            message = f"static concatenation size mismatch along non-concatenated dimension {number}"
            raise error(message, op)
        shape.append(known.pop() if known else DYNAMIC_INDEX)
    for inferred, actual in zip(shape, shape_of(result), strict=True):
        if DYNAMIC_INDEX not in (inferred, actual) and inferred != actual:
            wanted = TensorType(result.element_type, shape)
            message = f"result type '{result}'does not match inferred shape '{wanted}' static sizes"
            raise error(message, op)


@verifies("tensor.empty", types_only=True)
def verify_empty(op: Operation) -> None:
    """There is an operand for each dynamic extent."""
    check_dynamic_sizes(op, op.results[0].type, len(op.operands))


@verifies("tensor.splat", types_only=True)
def verify_splat(op: Operation) -> None:
    """There is an operand for each dynamic extent."""
    check_dynamic_sizes(op, op.results[0].type, len(op.operands) - 1)


@verifies("tensor.extract", types_only=True)
def verify_extract(op: Operation) -> None:
    """There is an index for each dimension."""
    if len(op.operands) - 1 != rank_of(op.operands[0].type):
        raise error("incorrect number of indices for extract_element", op)


@verifies("tensor.insert", types_only=True)
def verify_insert(op: Operation) -> None:
    """There is an index for each dimension."""
    if len(op.operands) - 2 != rank_of(op.operands[1].type):
        raise error("incorrect number of indices", op)


@verifies("tensor.generate", after_regions=True)
def verify_generate(op: Operation) -> None:
    """The body takes an index for each dimension and yields an element."""
    result: Any = op.results[0].type
    check_dynamic_sizes(op, result, len(op.operands))
    body: Any = op.regions[0].first_block
    if any(not isinstance(argument.type, IndexType) for argument in body.args):
        raise error("all body arguments must be index", location_of(op))
    if len(body.args) != rank_of(result):
        raise error("must have one body argument per input dimension", location_of(op))
    if body.last_op.operands[0].type != result.element_type:
        raise error("body must be terminated with a `yield` operation of the tensor element type", op)


@verifies("tensor.reshape", types_only=True)
def verify_reshape(op: Operation) -> None:
    """The number of elements stays; a ranked result needs a shape of known length."""
    source: Any = op.operands[0].type
    shape: Any = op.operands[1].type
    result: Any = op.results[0].type
    if source.element_type != result.element_type:
        raise error("element types of source and destination tensor types should be the same", op)
    if not isinstance(result, TensorType):
        return
    if is_static(source) and is_static(result) and elements_in(source) != elements_in(result):
        raise error("source and destination tensor should have the same number of elements", op)
    (length,) = shape_of(shape)
    if length == DYNAMIC_INDEX:
        what = "cannot use shape operand with dynamic length to reshape to statically-ranked tensor type"
        raise error(what, op)
    if length != rank_of(result):
        raise error("length of shape operand differs from the result's tensor rank", op)


def _slice_type(op: Operation, source: Any) -> TensorType:
    """The type of a slice with the op's sizes."""
    return TensorType(source.element_type, static_values(op, "static_sizes"), source.encoding)


def _check_slice(op: Operation, whole: Any, part: Any) -> None:
    rank = rank_of(whole)
    check_offsets_sizes_strides(op, (rank, rank, rank))
    _check_rank_reduced(op, _slice_type(op, whole), part)
    numbers = [static_values(op, f"static_{what}") for what in ("offsets", "sizes", "strides")]
    wrong = out_of_bounds(shape_of(whole), *numbers)
    if wrong is not None:
        raise error(wrong, location_of(op))


def _check_rank_reduced(op: Operation, expected: Any, got: Any) -> None:
    """``got`` is the expected type of a slice or a rank-reduced version of it."""
    if expected == got:
        return
    place = location_of(op)
    original, reduced = shape_of(expected), shape_of(got)
    if len(reduced) > len(original):
        raise error("expected rank to be smaller or equal to the other rank.", place)
    if dropped_dimensions(original, reduced) is None:
        raise error(f"expected type to be '{expected}' or a rank-reduced version. (size mismatch)", place)
    if expected.element_type != got.element_type:
        raise error(f"expected element type to be '{expected.element_type}'", place)


@verifies("tensor.extract_slice")
def verify_extract_slice(op: Operation) -> None:
    """The result has the sizes, and lies in the source."""
    _check_slice(op, op.operands[0].type, op.results[0].type)


@verifies("tensor.insert_slice", "tensor.parallel_insert_slice")
def verify_insert_slice(op: Operation) -> None:
    """The source has the sizes, and lies in the destination."""
    if op.name == "tensor.parallel_insert_slice":
        parent = op.parent_op()
        if parent is None or parent.name != "scf.forall.in_parallel":
            raise error("expected InParallelOpInterface parent", location_of(op))
    _check_slice(op, op.operands[1].type, op.operands[0].type)


@verifies("tensor.expand_shape")
def verify_expand_shape(op: Operation) -> None:
    """The output shape has the rank of the result."""
    source, result = op.operands[0].type, op.results[0].type
    shape = static_values(op, "static_output_shape")
    rank, dynamic = rank_of(result), len(op.operands) - 1
    if len(shape) != rank:
        message = "expected number of static shape dims to be equal to the output rank"
        raise error(f"{message} ({rank}) but found {len(shape)} inputs instead", op)
    if shape.count(DYNAMIC_INDEX) != dynamic:
        raise error(
            "mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has "
            f"{shape.count(DYNAMIC_INDEX)} dynamic dims while output_shape has {dynamic} values",
            op,
        )
    check_reassociation(op, result, source)


@verifies("tensor.collapse_shape")
def verify_collapse_shape(op: Operation) -> None:
    """No group of dimensions is empty."""
    if any(not group for group in reassociation_of(op)):
        raise error("reassociation indices must not be empty", op)
    check_reassociation(op, op.operands[0].type, op.results[0].type)


@verifies("tensor.pad")
def verify_pad(op: Operation) -> None:
    """The result has the source's extents with the padding."""
    source, result = _type(op, "source"), _type(op, "result")
    low, high = static_values(op, "static_low"), static_values(op, "static_high")
    shape = shape_of(source)
    place = location_of(op)
    for name, numbers in (("low", low), ("high", high)):
        if len(numbers) != len(shape):
            raise error(f"expected {len(shape)} {name} values, got {len(numbers)}", place)
        if numbers.count(DYNAMIC_INDEX) != len(values(op, name)):
            raise error(f"expected {numbers.count(DYNAMIC_INDEX)} dynamic {name} values", place)
    padded = [
        DYNAMIC_INDEX if DYNAMIC_INDEX in extents else sum(extents)
        for extents in zip(shape, low, high, strict=True)
    ]
    got = shape_of(result)
    agree = len(got) == len(padded) and all(
        extent in (DYNAMIC_INDEX, actual) for extent, actual in zip(padded, got, strict=True)
    )
    if not agree:
        inferred = TensorType(source.element_type, padded)
        raise error(f"specified type '{result}' does not match the inferred type '{inferred}'", place)


@verifies("tensor.pad", after_regions=True)
def verify_pad_body(op: Operation) -> None:
    """The body takes an index for each dimension and yields an element."""
    result: Any = op.results[0].type
    body: Any = op.regions[0].first_block
    if len(body.args) != rank_of(result):
        raise error(f"expected the block to have {rank_of(result)} arguments", location_of(op))
    for number, argument in enumerate(body.args, 1):
        if not isinstance(argument.type, IndexType):
            raise error(f"expected block argument {number} to be an index", op)
    if body.last_op.operands[0].type != result.element_type:
        raise error("expected yield type to match shape element type", op)


def _check_dims(op: Operation, dims: Sequence[int], indices: Sequence[int], rank: int, what: str) -> None:
    source = "source" if what == "gather" else "dest"
    if not dims:
        raise error(f"{what}_dims must be non-empty", op)
    if len(dims) > rank:
        raise error(f"{what}_dims overflow {source} rank", op)
    if not indices or indices[-1] != len(dims):
        raise error(f"{what}_dims length must match the size of last dimension of indices", op)
    for dim in dims:
        if dim < 0:
            raise error(f"{what}_dims value must be non-negative", op)
        if dim >= rank:
            raise error(f"{what}_dims value must be smaller than {source} rank", op)
    if any(first >= second for first, second in pairwise(dims)):
        raise error(f"{what}_dims values must be strictly increasing", op)


def _gathered(whole: Any, indices: Any, dims: Sequence[int], reduced: bool) -> TensorType:
    """The type of what is gathered; the dimensions that are indexed have extent 1 or are left out."""
    shape = list(shape_of(indices)[:-1])
    for number, extent in enumerate(shape_of(whole)):
        if number not in dims:
            shape.append(extent)
        elif not reduced:
            shape.append(1)
    return TensorType(whole.element_type, shape, whole.encoding)


def _check_gathered(
    op: Operation, whole: Any, indices: Any, dims: Sequence[int], got: Any, what: str
) -> None:
    full, reduced = (_gathered(whole, indices, dims, flag) for flag in (False, True))
    if got not in (full, reduced):
        raise error(
            f"{what} type mismatch: expected '{full}' or its rank-reduced variant '{reduced}' (got: '{got}')",
            op,
        )


@verifies("tensor.gather")
def verify_gather(op: Operation) -> None:
    """The indexed dimensions are in order, and the result has the shape of the indices and the rest."""
    source, indices = _type(op, "source"), _type(op, "indices")
    dims = static_values(op, "gather_dims")
    _check_dims(op, dims, shape_of(indices), rank_of(source), "gather")
    _check_gathered(op, source, indices, dims, op.results[0].type, "result")


@verifies("tensor.scatter")
def verify_scatter(op: Operation) -> None:
    """The indexed dimensions are in order, and the source has the shape of the indices and the rest."""
    dest, indices = _type(op, "dest"), _type(op, "indices")
    dims = static_values(op, "scatter_dims")
    _check_dims(op, dims, shape_of(indices), rank_of(dest), "scatter")
    if attribute(op, "unique") is None:
        raise error("requires 'unique' attribute to be set", op)
    _check_gathered(op, dest, indices, dims, _type(op, "source"), "source")
