"""Allocations, globals, and facts about buffers."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    MemRefType,
    StridedLayoutAttr,
    UnitAttr,
)
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.groups import attribute, values
from lamina.dialects.core.verifying.layouts import has_identity_layout, strides_and_offset
from lamina.dialects.core.verifying.registry import verifies, verifies_uses
from lamina.dialects.core.verifying.shapes import is_static, shape_of
from lamina.dialects.core.verifying.symbols import symbol_from


def check_dynamic_sizes(op: Operation, type: Any, given: int) -> None:
    """As many sizes are given as the type has dynamic extents."""
    wanted = shape_of(type).count(DYNAMIC_INDEX)
    if given != wanted:
        raise error(f"incorrect number of dynamic sizes, has {given}, expected {wanted}", op)


@verifies("memref.alloc", types_only=True)
def _alloc(op: Operation) -> None:
    type: Any = op.results[0].type
    check_dynamic_sizes(op, type, len(values(op, "dynamicSizes")))
    wanted, found = _symbols(type), len(values(op, "symbolOperands"))
    if wanted != found:
        raise error(
            f"symbol operand count does not equal memref symbol count: expected {wanted}, got {found}", op
        )


def _symbols(type: Any) -> int:
    """How many numbers of a layout are given where the memref is made."""
    if has_identity_layout(type):
        return 0
    if isinstance(type.layout, AffineMapAttr):
        return type.layout.data.num_symbols
    if isinstance(type.layout, StridedLayoutAttr):
        strides, offset = strides_and_offset(type) or ([], 0)
        return [*strides, offset].count(DYNAMIC_INDEX)
    return 0


@verifies("memref.alloca")
def _alloca(op: Operation) -> None:
    parent = op.parent_op()
    while parent is not None and not _is_scope(parent):
        parent = parent.parent_op()
    if parent is None:
        raise error("requires an ancestor op with AutomaticAllocationScope trait", op)
    _alloc(op)


def _is_scope(op: Operation) -> bool:
    from xdsl.dialects.builtin import UnregisteredOp

    spec = spec_of(op.name)
    if spec is not None:
        return "AutomaticAllocationScope" in spec.traits
    return not isinstance(op, UnregisteredOp)  # other dialects' functions and kernels


@verifies("memref.realloc", types_only=True)
def _realloc(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if not has_identity_layout(source):
        raise error(f"unsupported layout for source memref type '{source}'", op)
    if not has_identity_layout(result):
        raise error(f"unsupported layout for result memref type '{result}'", op)
    check_same_space(op, source, result, "source memref", "result memref")
    if source.element_type != result.element_type:
        raise error(
            f"different element types specified for source memref type '{source}' and result memref type "
            f"'{result}'",
            op,
        )
    dynamic, given = not is_static(result), len(op.operands) > 1
    if dynamic and not given:
        raise error(f"missing dimension operand for result type '{result}'", op)
    if given and not dynamic:
        raise error(f"unnecessary dimension operand for result type '{result}'", op)


def check_same_space(op: Operation, first: Any, second: Any, one: str, other: str) -> None:
    """Two types are in the same memory space; ``one`` and ``other`` say what they are the types of."""
    if first.memory_space != second.memory_space:
        raise error(
            f"different memory spaces specified for {one} type '{first}' and {other} type '{second}'", op
        )


@verifies("memref.assume_alignment")
def _assume_alignment(op: Operation) -> None:
    if attribute(op, "alignment").value.data.bit_count() != 1:
        raise error("alignment must be power of 2", op)


@verifies("memref.distinct_objects", types_only=True)
def _distinct(op: Operation) -> None:
    if [value.type for value in op.operands] != [value.type for value in op.results]:
        raise error("operand types and result types must match", op)
    if not op.operands:
        raise error("expected at least one operand", op)


@verifies("memref.global")
def _global(op: Operation) -> None:
    type: Any = attribute(op, "type")
    if not isinstance(type, MemRefType) or not is_static(type):
        raise error(f"type should be static shaped memref, but got '{type}'", op)
    value: Any = attribute(op, "initial_value")
    if value is None or isinstance(value, UnitAttr):
        return
    held: Any = getattr(value, "type", None)
    if not hasattr(held, "shape"):
        raise error(f"initial value should be a unit or elements attribute, but got {value}", op)
    if held.element_type != type.element_type:
        raise error(
            f"initial value element expected to be of type '{type.element_type}', but was of type "
            f"'{held.element_type}'",
            op,
        )
    if shape_of(held) != shape_of(type):
        wanted, found = (", ".join(map(str, shape_of(t))) for t in (type, held))
        raise error(f"initial value shape expected to be {wanted} but was {found}", op)


@verifies_uses("memref.get_global")
def _get_global(op: Operation) -> None:
    name = attribute(op, "name")
    found = symbol_from(op, name)
    if found is None or found.name != "memref.global":
        raise error(f"'{name.root_reference.data}' does not reference a valid global memref", op)
    result, type = op.results[0].type, attribute(found, "type")
    if result != type:
        raise error(
            f"result type '{result}' does not match type '{type}' of the global memref "
            f"@{name.root_reference.data}",
            op,
        )
