"""``linalg.map``, ``reduce``, ``transpose``, ``broadcast`` and ``softmax``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.linalg.indexing import shape_of
from lamina.dialects.linalg.syntax.parts import element_type, inputs_and_outputs
from lamina.dialects.linalg.verify.structured import check_destinations, check_semantics


def _shown(shape: Sequence[int] | None, brackets: str = "()") -> str:
    inside = ", ".join("?" if n < 0 else str(n) for n in shape or ())
    return f"{brackets[0]}{inside}{brackets[1]}"


@verifies("linalg.map")
def verify_map(op: Operation) -> None:
    """A body over elements of inputs of the output's shape."""
    inputs, outputs = inputs_and_outputs(op)
    check_semantics(op)
    arguments = op.regions[0].blocks[0].args
    if len(arguments) not in (len(inputs), len(inputs) + 1):
        message = (
            f"expects number of operands to match the arity of mapper, but got: {len(op.operands)} and "
            f"{len(arguments)}"
        )
        raise error(message, op)
    for value, argument in zip(inputs, arguments, strict=False):
        if element_type(value.type) != argument.type:
            message = (
                f"expected element type of input '{element_type(value.type)}' to match bbArg type "
                f"'{argument.type}'"
            )
            raise error(message, op)
    wanted = shape_of(outputs[0])
    for value in inputs:
        if shape_of(value) != wanted:
            message = (
                f"expected shape of input {_shown(shape_of(value))} to match shape of output {_shown(wanted)}"
            )
            raise error(message, op)
    check_destinations(op)


@verifies("linalg.reduce")
def verify_reduce(op: Operation) -> None:
    """Inputs of one shape, outputs of what is left of it."""
    half = len(op.operands) // 2
    inputs, outputs = op.operands[:half], op.operands[half:]
    check_semantics(op)
    for word, values in (("input", inputs), ("output", outputs)):
        for number, value in enumerate(values[1:], 1):
            if shape_of(value) != shape_of(values[0]):
                message = (
                    f"expects all {word}s to have the same shapes. Shape at {word}-index {number} is not "
                    f"equal to the shape at {word}-index 0."
                )
                raise error(message, op)
    _check_reduced(op, shape_of(inputs[0]) or (), shape_of(outputs[0]) or ())
    _check_reduction_body(op, inputs, outputs)
    check_destinations(op)


def _check_reduced(op: Operation, shape: Sequence[int], left: Sequence[int]) -> None:
    dimensions = static_values(op, "dimensions")
    for number in dimensions:
        if not 0 <= number < len(shape):
            raise error(f"dimensions for reduction should be in the range [0, {len(shape) - 1}].", op)
    kept = [extent for number, extent in enumerate(shape) if number not in dimensions]
    if len(kept) != len(left):
        message = f"number of dimensions after reduction {len(kept)} doesn't match the init rank {len(left)}"
        raise error(message, op)
    if list(left) != kept:
        message = (
            f"init dimensions {_shown(left, '[]')} doesn't match input dimensions after reduction "
            f"{_shown(kept, '[]')}"
        )
        raise error(message, op)


def _check_reduction_body(op: Operation, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    arguments = op.regions[0].blocks[0].args
    if len(arguments) != len(op.operands):
        raise error("mismatching number of operands and block arguments", op)
    for word, values, part in (
        ("input", inputs, arguments[: len(inputs)]),
        ("output", outputs, arguments[len(inputs) :]),
    ):
        for value, argument in zip(values, part, strict=True):
            if element_type(value.type) != argument.type:
                message = (
                    f"{word} element type '{element_type(value.type)}' does not match corresponding block "
                    f"argument type '{argument.type}'"
                )
                raise error(message, op)


@verifies("linalg.transpose")
def verify_transpose(op: Operation) -> None:
    """The output's extents are the input's, permuted."""
    permutation = static_values(op, "permutation")
    source, result = shape_of(op.operands[0]) or (), shape_of(op.operands[1]) or ()
    check_semantics(op)
    if sorted(permutation) != list(range(len(permutation))):
        raise error("permutation is not valid", op)
    if len(source) != len(permutation):
        message = f"size of permutation {len(permutation)} does not match the argument rank {len(source)}"
        raise error(message, op)
    if len(source) != len(result):
        raise error(f"input rank {len(source)} does not match init rank {len(result)}", op)
    for number, dimension in enumerate(permutation):
        if result[number] != source[dimension]:
            message = (
                f"dim(result, {number}) = {result[number]} doesn't match dim(input, permutation[{number}]) = "
                f"{source[dimension]}"
            )
            raise error(message, op)
    check_destinations(op)


@verifies("linalg.broadcast")
def verify_broadcast(op: Operation) -> None:
    """The output has the input's extents and the added ones."""
    added = static_values(op, "dimensions")
    source, result = shape_of(op.operands[0]) or (), shape_of(op.operands[1]) or ()
    check_semantics(op)
    if len(source) + len(added) != len(result):
        message = (
            f"input rank plus added dimensions does not match init rank. input rank: {len(source)}, "
            f"dimensions size: {len(added)}, init rank: {len(result)}"
        )
        raise error(message, op)
    for number, dimension in enumerate(added):
        if not 0 <= dimension < len(result):
            last = len(result) - 1
            message = f"dimension {number} is out of range. expected range: [0, {last}], got: {dimension}"
            raise error(message, op)
    kept = [number for number in range(len(result)) if number not in added]
    for number, dimension in enumerate(kept):
        if source[number] != result[dimension]:
            message = (
                f"input dim {number} should match init dim {dimension}. input: {source[number]}, "
                f"init: {result[dimension]}"
            )
            raise error(message, op)
    check_destinations(op)


@verifies("linalg.softmax")
def verify_softmax(op: Operation) -> None:
    """Input and output of one shape, and a dimension of it."""
    source, result = shape_of(op.operands[0]) or (), shape_of(op.operands[1]) or ()
    compatible = len(source) == len(result) and all(
        a == b or a < 0 or b < 0 for a, b in zip(source, result, strict=True)
    )
    if not compatible:
        raise error("incompatible output shape", op)
    held: Any = op.get_attr_or_prop("dimension")
    if held is not None and not 0 <= held.value.data < len(source):
        raise error("incorrect dimension specified", op)
