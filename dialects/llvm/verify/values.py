"""Aggregates, branches, intrinsics with operands that have to agree."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType, i1
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.llvm.syntax.values import element_at


def _element(op: Operation, container: Any) -> Any:
    position = attribute(op, "position")
    try:
        return element_at(container, position.get_values())
    except ValueError as problem:
        raise error(str(problem), op) from None


@verifies("llvm.insertvalue")
def verify_insertvalue(op: Operation) -> None:
    """The value is of the type at the position."""
    container, value = op.operands[0].type, op.operands[1].type
    if container.name == "builtin.ods_type":
        return
    wanted = _element(op, container)
    if wanted != value:
        raise error(f"Type mismatch: cannot insert '{value}' into '{container}'", op)


@verifies("llvm.extractvalue")
def verify_extractvalue(op: Operation) -> None:
    """The result is of the type at the position."""
    container = op.operands[0].type
    if container.name == "builtin.ods_type":
        return
    wanted = _element(op, container)
    if wanted != op.results[0].type:
        message = (
            f"Type mismatch: extracting from '{container}' should produce '{wanted}' but this op returns "
            f"'{op.results[0].type}'"
        )
        raise error(message, op)


@verifies("llvm.shufflevector")
def verify_shuffle(op: Operation) -> None:
    """Scalable vectors are only splat."""
    vector: Any = op.operands[0].type
    mask = attribute(op, "mask")
    if isinstance(vector, VectorType) and any(vector.get_scalable_dims()) and len(set(mask.get_values())) > 1:
        raise error("expected a splat operation for scalable vectors", op)


@verifies("llvm.cond_br", "llvm.switch")
def verify_branch(op: Operation) -> None:
    """As many weights as successors; cases of a switch of the type of its value."""
    check_weights(op)
    if op.name == "llvm.switch":
        _check_cases(op)


def check_weights(op: Operation) -> None:
    """As many weights as successors."""
    weights = attribute(op, "branch_weights")
    if weights is not None and len(weights.get_values()) != len(op.successors):
        message = (
            f"expects number of branch weights to match number of successors: {len(weights.get_values())} vs "
            f"{len(op.successors)}"
        )
        raise error(message, op)


def _check_cases(op: Operation) -> None:
    values = attribute(op, "case_values")
    count = 0 if values is None else len(attribute(op, "case_operand_segments").get_values())
    if count != len(op.successors) - 1:
        raise error("expects number of case values to match number of case destinations", op)
    if values is not None and values.get_element_type() != op.operands[0].type:
        raise error("expects case value type to match condition value type", op)


@verifies(*(f"llvm.intr.{sign}{what}.with.overflow" for sign in "su" for what in ("add", "sub", "mul")))
def verify_overflow(op: Operation) -> None:
    """A structure of the value and whether it overflowed."""
    result: Any = op.results[0].type
    if not isinstance(result, LLVMStructType) or len(result.types.data) != 2:
        raise error("expected return type to be a two-element struct", op)
    flag = result.types.data[1]
    if getattr(flag, "element_type", flag) != i1:
        message = (
            f"expected second element in the returned struct to be of type 'i1' but got '{flag}' instead"
        )
        raise error(message, op)


@verifies("llvm.insertelement", "llvm.extractelement")
def verify_element(op: Operation) -> None:
    """The scalar is of the vector's element type."""
    vector: Any = op.operands[0].type
    scalar = op.operands[1].type if op.name.endswith("insertelement") else op.results[0].type
    if isinstance(vector, VectorType) and vector.element_type != scalar:
        what = "argument" if op.name.endswith("insertelement") else "result"
        raise error(f"failed to verify that {what} type matches vector element type", op)
