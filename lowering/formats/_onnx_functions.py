"""Operators that are defined by others: a model's own functions, and ONNX's. Only for `onnx_reader`."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from lamina.dialects.core.diagnostics import error
from lamina.dialects.onnx.table import DEFAULT_DOMAIN


def with_functions_inlined(proto: Any, keep: Container[tuple[str, str]] | None) -> Any:
    """The model without functions of its own, and without operators that are not to be kept.

    An operator outside of ``keep`` (domain and name) is replaced by ONNX's definition of it in simpler
    operators, where it has one. The model itself is not changed.
    """
    from onnx import inliner

    if proto.functions:
        try:
            proto = inliner.inline_local_functions(proto)
        except Exception as problem:  # the C++ code raises whatever it likes
            raise error(f"the model's own functions cannot be inlined ({problem})") from None
    defined = set() if keep is None else set(_defined_by_others(proto.graph, keep))
    return _with_definitions(proto, sorted(defined)) if defined else proto


def _with_definitions(proto: Any, names: list[tuple[str, str]]) -> Any:
    """The model with ONNX's definitions of operators in place of them, or as it is if the package cannot."""
    from onnx import inliner

    try:
        return inliner.inline_selected_functions(proto, names, inline_schema_functions=True)
    except Exception:  # an older package, or a definition that the C++ code does not get along with
        return proto


def _defined_by_others(graph: Any, keep: Container[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Domain and name of the graph's operators that are not kept and that ONNX defines by others."""
    from onnx import defs

    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _defined_by_others(attribute.g, keep)
        if (node.domain or DEFAULT_DOMAIN, node.op_type) in keep or not defs.has(node.op_type, node.domain):
            continue
        schema: Any = defs.get_schema(node.op_type, node.domain)
        if schema.has_function or schema.has_context_dependent_function:
            yield node.domain, node.op_type
