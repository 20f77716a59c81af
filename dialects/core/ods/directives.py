"""Parts of assembly formats that several dialects share and upstream writes in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, i64

from lamina.dialects.core.ods.syntax import directive

DYNAMIC = DYNAMIC_INDEX
"""The number that stands for "given by an operand" in a list of static sizes (``ShapedType::kDynamic``)."""

_BRACKETS = {"Paren": "()", "Square": "[]", "Braces": "{}", "LessGreater": "<>", "None": ""}


@directive("DynamicIndexList")
class DynamicIndexList:
    """``[%n, 4, %m]``: operands for what is dynamic, numbers for what is static.

    Parameters: the group of operands, the ``i64`` array attribute, and optionally the brackets.
    """

    @staticmethod
    def parse(p: Any, s: Any, dynamic: str, static: str, *rest: str) -> None:
        opening, closing = _brackets(rest)
        uses: list[Any] = []
        numbers: list[int] = []
        p.require(opening)
        while not p.sees(closing):
            use = p.optional_operand()
            if use is not None:
                uses.append(use)
                numbers.append(DYNAMIC)
            else:
                numbers.append(p.integer("SSA value or integer"))
            if not p.accept(","):
                break
        p.require(closing)
        s.operands[dynamic] = uses
        s.attributes[static] = DenseArrayBase.from_list(i64, numbers)

    @staticmethod
    def write(w: Any, view: Any, dynamic: str, static: str, *rest: str) -> None:
        opening, closing = _brackets(rest)
        values = iter(view.values(dynamic, "operands"))
        w.put(opening)
        for number, value in enumerate(view.attribute(static).get_values()):
            if number:
                w.put(", ")
            if value == DYNAMIC:
                w.values([next(values)])
            else:
                w.put(str(value))
        w.put(closing)


def _brackets(rest: tuple[str, ...]) -> str:
    for text in rest:
        if "Delimiter::" in text:
            return _BRACKETS[text.rpartition("::")[2]]
    return "[]"
