"""Parts of assembly formats that several dialects share and upstream writes in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntElementsAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import SSAValue

from lamina.dialects.core.ods.syntax import directive

DYNAMIC = DYNAMIC_INDEX
"""The number that stands for "given by an operand" in a list of static sizes (``ShapedType::kDynamic``)."""

_BRACKETS = {"Paren": "()", "Square": "[]", "Braces": "{}", "LessGreater": "<>", "None": ""}


def read_index_list(p: Any, brackets: str) -> tuple[list[Any], list[int]]:
    """``[%n, 4, %m]``: the uses, and the numbers with :data:`DYNAMIC` in the place of uses."""
    uses: list[Any] = []
    numbers: list[int] = []
    p.require(brackets[0])
    while not p.sees(brackets[1]):
        use = p.optional_operand()
        if use is not None:
            uses.append(use)
            numbers.append(DYNAMIC)
        else:
            numbers.append(p.integer("SSA value or integer"))
        if not p.accept(","):
            break
    p.require(brackets[1])
    return uses, numbers


def write_index_list(w: Any, numbers: Sequence[int], values: Sequence[SSAValue], brackets: str) -> None:
    """Write ``[%n, 4, %m]``; each :data:`DYNAMIC` stands for the next value."""
    rest = iter(values)
    texts = [w.value_name(next(rest)) if number == DYNAMIC else str(number) for number in numbers]
    w.put(f"{brackets[0]}{', '.join(texts)}{brackets[1]}")


@directive("DynamicIndexList")
class DynamicIndexList:
    """``[%n, 4, %m]``: operands for what is dynamic, numbers for what is static.

    Parameters: the group of operands, the ``i64`` array attribute, and optionally the brackets.
    """

    @staticmethod
    def parse(p: Any, s: Any, dynamic: str, static: str, *rest: str) -> None:
        s.operands[dynamic], numbers = read_index_list(p, _brackets(rest))
        s.attributes[static] = DenseArrayBase.from_list(i64, numbers)

    @staticmethod
    def write(w: Any, view: Any, dynamic: str, static: str, *rest: str) -> None:
        numbers = view.attribute(static).get_values()
        write_index_list(w, numbers, view.values(dynamic, "operands"), _brackets(rest))


def _brackets(rest: tuple[str, ...]) -> str:
    for text in rest:
        if "Delimiter::" in text:
            return _BRACKETS[text.rpartition("::")[2]]
    return "[]"


@directive("SwitchOpCases")
class SwitchOpCases:
    """``[ 0: ^bb1(%a : t), 1: ^bb2 ]``; with the default case as first one where the format lists it too.

    Parameters: the type of the flag, (the default block and its operands, twice,) the numbers, the blocks and
    their operands, twice.
    """

    @staticmethod
    def parse(p: Any, s: Any, flag: str, *parameters: str) -> None:
        names = list(parameters)
        p.require("[")
        more = True
        if len(names) > 4:
            p.require("default")
            p.require(":")
            block, values = p.successor_and_operands()
            s.successors[names[0]], s.values[names[1]] = [block], values
            names = names[3:]
            more = p.accept(",")
        numbers: list[int] = []
        blocks: list[Any] = []
        passed: list[list[Any]] = []
        while more and not p.sees("]"):
            numbers.append(p.integer("integer value"))
            p.require(":")
            block, values = p.successor_and_operands()
            blocks.append(block)
            passed.append(values)
            more = p.accept(",")
        p.require("]")
        s.successors[names[1]] = blocks
        s.values[names[2]] = [value for values in passed for value in values]
        s.attributes["case_operand_segments"] = DenseArrayBase.from_list(i32, [len(v) for v in passed])
        if numbers:
            type = VectorType(s.types[flag][0], [len(numbers)])
            s.attributes[names[0]] = DenseIntElementsAttr.from_list(type, numbers)

    @staticmethod
    def write(w: Any, view: Any, flag: str, *parameters: str) -> None:
        names = list(parameters)
        w.put("[")
        lines: list[tuple[str, Any, Any]] = []
        if len(names) > 4:
            lines.append(("default", view.op.successors[0], view.values(names[1], "operands")))
            names = names[3:]
        from lamina.dialects.core.constants import as_array

        found = view.attribute(names[0])
        numbers = as_array(found).reshape(-1).tolist() if found is not None else []
        passed = view.values(names[2], "operands")
        first = 0
        sizes = view.attribute("case_operand_segments").get_values()
        for number, block, size in zip(numbers, view.op.successors[1:], sizes, strict=True):
            lines.append((str(int(number)), block, passed[first : first + size]))
            first += size
        for number, (label, block, values) in enumerate(lines):
            w.put("," if number else "")
            w.new_line()
            w.put(f"  {label}: ")
            w.successor_with(block, values)
        w.new_line()
        w.put("]")
