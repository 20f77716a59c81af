"""Traits without parameters: same types or shapes, terminators, blocks, parents, symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import StringAttr, TensorType, UnregisteredOp, VectorType
from xdsl.ir import Operation
from xdsl.traits import NoTerminator, SymbolTable

from lamina.dialects.core.diagnostics import error, location_of, note, op_name
from lamina.dialects.core.ods.spec import OpSpec
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.interfaces import INTERFACES
from lamina.dialects.core.verifying.registry import Check
from lamina.dialects.core.verifying.shapes import TENSORS, compatible_types, element_or_self


def trait_checks(spec: OpSpec) -> tuple[list[Check], list[Check], list[Check]]:
    """The checks of an op's traits: of types alone, of the op, and of what is inside its regions."""
    by_types = [check for name, check in _BY_TYPES.items() if name in spec.traits]
    others = [check for name, check in _OTHERS.items() if name in spec.traits]
    later = [check for name, check in _AFTER_REGIONS.items() if name in spec.traits]
    for relation in spec.relations:
        if relation[0] == "HasParent":
            others.append(_has_parent(relation[1:]))
        elif relation[0] == "SingleBlockImplicitTerminator":
            later.append(_ends_with(relation[1]))
    for name, (stage, check) in INTERFACES.items():
        if name in spec.traits:
            (by_types, others, later)[stage].append(check)
    return by_types, others, later


def _types(op: Operation, results: bool) -> list[Any]:
    found = [value.type for value in op.operands]
    return [*found, *(value.type for value in op.results)] if results else found


def _alike(results: bool, same: Callable[[Any, Any], bool], message: str) -> Check:
    def check(op: Operation) -> None:
        types = _types(op, results)
        if any(not same(types[0], other) for other in types[1:]):
            raise error(message, op)

    return check


def _same_elements(first: Any, second: Any) -> bool:
    return element_or_self(first) == element_or_self(second)


def _same_types(first: Any, second: Any) -> bool:
    if first is second or first == second:
        return True
    if isinstance(first, TensorType) and isinstance(second, TensorType) and first.encoding != second.encoding:
        return False
    return _same_elements(first, second) and compatible_types(first, second)


def _elementwise(op: Operation) -> None:
    """Upstream's rules of ops that work on each element of vectors and tensors."""
    mapped = (*TENSORS, VectorType)
    results = [value.type for value in op.results if isinstance(value.type, mapped)]
    operands = [value.type for value in op.operands if isinstance(value.type, mapped)]
    if not operands and not results:
        return
    if not operands:
        raise error("if a result is non-scalar, then at least one operand must be non-scalar", op)
    if not results:
        raise error("if an operand is non-scalar, then there must be at least one non-scalar result", op)
    if len(results) != len(op.results):
        raise error("if an operand is non-scalar, then all results must be non-scalar", op)
    first, *others = (*operands, *results)
    if any(type(first) is not type(other) or not compatible_types(first, other) for other in others):
        raise error("all non-scalar operands/results must have the same shape and base type", op)


_BY_TYPES: dict[str, Check] = {
    "SameTypeOperands": _alike(False, lambda a, b: a == b, "requires all operands to have the same type"),
    "SameOperandsAndResultType": _alike(
        True, _same_types, "requires the same type for all operands and results"
    ),
    "SameOperandsAndResultShape": _alike(
        True, compatible_types, "requires the same shape for all operands and results"
    ),
    "SameOperandsShape": _alike(False, compatible_types, "requires the same shape for all operands"),
    "SameOperandsElementType": _alike(
        False, _same_elements, "requires the same element type for all operands"
    ),
    "SameOperandsAndResultElementType": _alike(
        True, _same_elements, "requires the same element type for all operands and results"
    ),
    "Elementwise": _elementwise,
}


def _is_last(op: Operation) -> None:
    if op.parent is not None and op._next_op is not None:  # pyright: ignore[reportPrivateUsage]
        raise error("must be the last operation in the parent block", op)


def _no_region_arguments(op: Operation) -> None:
    for number, region in enumerate(op.regions):
        if region.first_block is not None and region.first_block.args:
            if len(op.regions) > 1:
                raise error(f"region #{number} should have no arguments", op)
            raise error("region should have no arguments", op)


def _single_blocks(op: Operation) -> None:
    for number, region in enumerate(op.regions):
        first = region.first_block
        if first is None:
            continue
        if first.next_block is not None:
            raise error(f"expects region #{number} to have 0 or 1 blocks", op)
        if first.is_empty and not op.has_trait(NoTerminator, value_if_unregistered=True):
            raise error("expects a non-empty block", op)


def _symbol(op: Operation) -> None:
    _check_visibility(op)
    _symbol_parent(op)


def _check_visibility(op: Operation) -> None:
    name = attribute(op, "sym_name")
    if name is not None and not isinstance(name, StringAttr):
        raise error("requires string attribute 'sym_name'", op)
    visibility = attribute(op, "sym_visibility")
    if visibility is None:
        return
    if not isinstance(visibility, StringAttr):
        raise error(
            f"requires visibility attribute 'sym_visibility' to be a string attribute, but got {visibility}",
            op,
        )
    if visibility.data not in ("public", "private", "nested"):
        raise error(
            f'visibility expected to be one of ["public", "private", "nested"], but got "{visibility.data}"',
            op,
        )


def _symbol_parent(op: Operation) -> None:
    parent = op.parent_op()
    if parent is None or attribute(op, "sym_name") is None or isinstance(parent, UnregisteredOp):
        return
    if not parent.has_trait(SymbolTable, value_if_unregistered=True):
        raise error("symbol's parent must have the SymbolTable trait", op)


def check_symbol_table(op: Operation) -> None:
    """The symbols that a table defines have different names."""
    if len(op.regions) != 1:
        raise error("Operations with a 'SymbolTable' must have exactly one region", op)
    blocks = list(op.regions[0].blocks)
    if len(blocks) != 1:
        raise error("Operations with a 'SymbolTable' must have exactly one block", op)
    seen: dict[str, Operation] = {}
    for inner in blocks[0].ops:
        name = attribute(inner, "sym_name")
        if not isinstance(name, StringAttr):
            continue
        if name.data in seen:
            notes = [note("see existing symbol definition here", seen[name.data])]
            message = f"redefinition of symbol named '{name.data}'"
            raise error(message, location_of(inner), notes=notes)
        seen[name.data] = inner


_OTHERS: dict[str, Check] = {
    "Terminator": _is_last,
    "NoRegionArguments": _no_region_arguments,
    "SingleBlock": _single_blocks,
    "SymbolOpInterface": _symbol,
}

_AFTER_REGIONS: dict[str, Check] = {"SymbolTable": check_symbol_table}


def _has_parent(names: tuple[str, ...]) -> Check:
    wanted = frozenset(names)
    quoted = ", ".join(names)
    message = (
        f"expects parent op '{quoted}'" if len(names) == 1 else f"expects parent op to be one of '{quoted}'"
    )

    def check(op: Operation) -> None:
        block = op.parent
        parent = block.parent.parent if block is not None and block.parent is not None else None
        if parent is None or parent.name not in wanted:
            if isinstance(parent, UnregisteredOp) and parent.op_name.data in wanted:
                return
            raise error(message, op)

    return check


def _ends_with(terminator: str) -> Check:
    def check(op: Operation) -> None:
        for region in op.regions:
            block = region.first_block
            last = block.last_op if block is not None else None
            if last is not None and last.name != terminator:
                hint = note(f"in custom textual format, the absence of terminator implies '{terminator}'", op)
                raise error(
                    f"expects regions to end with '{terminator}', found '{op_name(last)}'", op, notes=[hint]
                )

    return check
