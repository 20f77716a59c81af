"""Default values of attributes: upstream's C++ expressions as attribute text."""

from __future__ import annotations

import re

from lamina.dialects.core.ods.spec import AttrKind, EnumSpec

_MATMUL_MAPS = {
    "MatmulOp": (["(d0, d1, d2)"], ["(d0, d2)", "(d2, d1)", "(d0, d1)"]),
    "BatchMatmulOp": (["(d0, d1, d2, d3)"], ["(d0, d1, d3)", "(d0, d3, d2)", "(d0, d1, d2)"]),
    "BatchReduceMatmulOp": (["(d0, d1, d2, d3)"], ["(d0, d1, d3)", "(d0, d3, d2)", "(d1, d2)"]),
}
"""The maps that ``getDefaultIndexingMaps`` of the linalg ops returns."""


def default_text(cpp: str, kind: AttrKind, enum: EnumSpec | None, case_names: dict[str, str]) -> str | None:
    """A default as attribute text. ``case_names`` maps the C++ names of the enum's cases to their texts.

    None where the default says that the attribute is absent.
    """
    cpp = cpp.strip()
    maps = re.fullmatch(r"(\w+)::getDefaultIndexingMaps\(.*\)", cpp)
    if maps:
        dims, results = _MATMUL_MAPS[maps.group(1)]
        return "[" + ", ".join(f"affine_map<{dims[0]} -> {result}>" for result in results) + "]"
    if kind.storage == "unit":
        return None
    if kind.storage == "boolean":
        return cpp
    if kind.storage == "integer":
        return f"{cpp} : {kind.type}"
    if kind.storage == "dense-array":
        return f"array<{kind.type}>"
    if kind.storage == "array":
        return "[]"
    if kind.storage == "elements":
        values = re.findall(r"\((-?\d+)\)", cpp)
        shown = values[0] if len(set(values)) == 1 else f"[{', '.join(values)}]"
        return f"dense<{shown}> : tensor<{len(values)}x{kind.type}>"
    if enum is not None:
        text = "none" if cpp == "{}" else case_names[cpp.rpartition("::")[2]]
        if kind.storage == "enum-integer":
            return f"{enum.cases[text]} : {kind.type}"
        return f"#{kind.attribute}<{text}>"
    if kind.name == "PoisonAttrInterface":
        return "#ub.poison"
    if kind.attribute == "llvm.di_expression":
        return "#llvm.di_expression<>"
    raise ValueError(f"the default {cpp!r} of {kind.name} is not translated")
