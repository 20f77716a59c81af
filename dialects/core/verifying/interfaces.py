"""The interfaces whose rules hold for every op that has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
)
from xdsl.ir import Attribute, Block, Operation

from lamina.dialects.core.diagnostics import error, location_of
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.groups import attribute, group, static_values
from lamina.dialects.core.verifying.registry import Check
from lamina.dialects.core.verifying.shapes import TENSORS

_INITS = ("outputs", "outs", "inits", "init", "dest", "output", "base")
"""The names under which upstream's ops take their destinations."""


def _destination_style(op: Operation) -> None:
    spec = spec_of(op.name)
    assert spec is not None
    names = {declared.name for declared in spec.operands}
    place = next((name for name in _INITS if name in names), None)
    if place is None or op.name == "vector.transfer_read":
        return
    found = group(op, spec, place)
    inits = [value for value in found if isinstance(value.type, TENSORS)]
    if len(op.results) != len(inits):
        raise error(
            f"expected the number of tensor results ({len(op.results)}) to be equal to the number of output "
            f"tensors ({len(inits)})",
            op,
        )
    operands = list(op.operands)
    for init, result in zip(inits, op.results, strict=True):
        if init.type != result.type:
            number = operands.index(init)
            raise error(
                f"expected type of operand #{number} ('{init.type}') to match type of corresponding result "
                f"('{result.type}')",
                op,
            )


_PASSED = {
    "cf.br": ("destOperands",),
    "cf.cond_br": ("trueDestOperands", "falseDestOperands"),
    "cf.switch": ("defaultOperands", "caseOperands"),
    "llvm.br": ("destOperands",),
    "llvm.cond_br": ("trueDestOperands", "falseDestOperands"),
    "llvm.invoke": ("normalDestOperands", "unwindDestOperands"),
    "llvm.switch": ("defaultOperands", "caseOperands"),
}
"""The groups of operands that each branch passes on; a nested group gives one list for each further
successor."""


def passed_operands(op: Operation) -> list[Sequence[Any]]:
    """The operands that a branch passes to each of its successors."""
    spec = spec_of(op.name)
    assert spec is not None
    passed: list[Sequence[Any]] = []
    for name in _PASSED.get(op.name, ()):
        declared = next(g for g in spec.operands if g.name == name)
        values = group(op, spec, name)
        sizes = attribute(op, declared.segments) if declared.segments else None
        if not declared.segments:
            passed.append(values)
            continue
        first = 0
        for size in sizes.get_values() if isinstance(sizes, DenseArrayBase) else ():
            passed.append(values[first : first + int(size)])
            first += int(size)
    return passed


def _branch(op: Operation) -> None:
    for number, (values, block) in enumerate(zip(passed_operands(op), op.successors, strict=False)):
        if len(values) != len(block.args):
            raise error(
                f"branch has {len(values)} operands for successor #{number}, but target block has "
                f"{len(block.args)}",
                location_of(op),
            )
        for position, (value, argument) in enumerate(zip(values, block.args, strict=True)):
            if value.type is not argument.type and value.type != argument.type:
                raise error(
                    f"type mismatch for bb argument #{position} of successor #{number}", location_of(op)
                )


def _function(op: Operation) -> None:
    type: Any = attribute(op, "function_type")
    inputs: Sequence[Attribute] = type.inputs.data
    outputs = type.outputs.data if isinstance(type, FunctionType) else ()
    if not isinstance(type, FunctionType):
        outputs = () if type.output.name == "llvm.void" else (type.output,)
    _attributes_of(op, "arg_attrs", "argument", len(inputs))
    _attributes_of(op, "res_attrs", "result", len(outputs))
    entry = op.regions[0].first_block
    if entry is not None:
        _entry(op, entry, inputs)


def _attributes_of(op: Operation, name: str, what: str, count: int) -> None:
    found: Any = attribute(op, name)
    if not isinstance(found, ArrayAttr):
        return
    if len(found.data) != count:
        raise error(
            f"expects {what} attribute array to have the same number of elements as the number of function "
            f"{what}s, got {len(found.data)}, but expected {count}",
            op,
        )
    for entry in found.data:
        if not isinstance(entry, DictionaryAttr):
            raise error(f"expects {what} attribute dictionary to be a DictionaryAttr, but got `{entry}`", op)
        if any("." not in key for key in entry.data):
            raise error(f"{what}s may only have dialect attributes", op)


def _entry(op: Operation, entry: Block, inputs: Sequence[Attribute]) -> None:
    if len(entry.args) != len(inputs):
        raise error(f"entry block must have {len(inputs)} arguments to match function signature", op)
    for number, (argument, wanted) in enumerate(zip(entry.args, inputs, strict=True)):
        if argument.type is not wanted and argument.type != wanted:
            raise error(
                f"type of entry block argument #{number}('{argument.type}') must match the type of the "
                f"corresponding argument in function signature('{wanted}')",
                op,
            )


def check_offsets_sizes_strides(op: Operation, ranks: tuple[int, int, int]) -> None:
    """Offsets, sizes and strides agree in number with the ranks, with each other and with their operands."""
    place = location_of(op)
    offsets, sizes, strides = (
        static_values(op, f"static_{what}") for what in ("offsets", "sizes", "strides")
    )
    if not (len(offsets) == 1 and ranks[0] == 1) and len(offsets) != len(sizes):
        raise error(
            f"expected mixed offsets rank to match mixed sizes rank ({len(offsets)} vs {len(sizes)}) so the "
            "rank of the result type is well-formed.",
            place,
        )
    if len(sizes) != len(strides):
        raise error(
            f"expected mixed sizes rank to match mixed strides rank ({len(sizes)} vs {len(strides)}) so the "
            "rank of the result type is well-formed.",
            place,
        )
    spec = spec_of(op.name)
    assert spec is not None
    for what, rank, numbers in zip(
        ("offset", "size", "stride"), ranks, (offsets, sizes, strides), strict=True
    ):
        if len(numbers) != rank:
            raise error(f"expected {rank} {what} values, got {len(numbers)}", place)
        dynamic, given = numbers.count(DYNAMIC_INDEX), len(group(op, spec, f"{what}s"))
        if given != dynamic:
            raise error(
                f"expected the number of '{what}s' to match the number of dynamic entries in "
                f"'static_{what}s' ({given} vs {dynamic})",
                place,
            )
        negative = next((n for n in numbers if n < 0 and n != DYNAMIC_INDEX), None)
        if negative is not None and what != "stride":
            raise error(f"expected {what}s to be non-negative, but got {negative}", place)


INTERFACES: dict[str, tuple[int, Check]] = {
    "DestinationStyleOpInterface": (0, _destination_style),
    "BranchOpInterface": (1, _branch),
    "FunctionOpInterface": (1, _function),
}
"""The rules by interface, with what they look at: 0 types, 1 the op, 2 what is inside its regions."""
