"""The registries of hand-written syntax, and how an op's syntax is found by its name.

``dialects/<dialect>/syntax.py`` (a module or a package) holds what upstream writes in C++: a class with the
static methods ``parse(p, name)`` and ``write(w, op)`` under :func:`syntax` for each op with its own form, and
one under :func:`directive` for each ``custom<…>`` part of an assembly format. It is imported when the
dialect is first met.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.dialects.core.ods.spec import spec_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

OpParser: TypeAlias = "Callable[[Any, str], Operation]"
OpWriter: TypeAlias = "Callable[[Any, Operation], None]"

_syntax: dict[str, tuple[OpParser, OpWriter]] = {}
_directives: dict[str, Any] = {}
_inference: dict[str, Callable[..., Any]] = {}
_parsers: dict[str, OpParser | None] = {}
_writers: dict[str, OpWriter | None] = {}


def syntax(*names: str) -> Callable[[type], type]:
    """Register a class for ops: static methods ``parse(p, name) -> Operation`` and ``write(w, op)``."""

    def register(kind: Any) -> type:
        for name in names:
            _syntax[name] = (kind.parse, kind.write)
        return kind

    return register


def directive(name: str) -> Callable[[type], type]:
    """Register the static methods ``parse(p, s, *names)`` and ``write(w, op, *values)`` of ``custom<name>``.

    ``parse`` gets the state of the op that is read (:class:`lamina.dialects.core.ods.formats.state.State`)
    and the names of the parameters as they stand in the format, and stores what it reads in the state.
    """

    def register(kind: Any) -> type:
        _directives[name] = kind
        return kind

    return register


def infers(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register ``(operands: list[list[Attribute]], attributes: dict, regions) -> list of result types``.

    ``operands`` holds the types of each group of operands, in order.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            _inference[name] = function
        return function

    return register


def directive_named(name: str, op_name: str) -> Any:
    """The hand-written part ``custom<name>`` of a format of an op."""
    load_dialect(op_name.partition(".")[0])
    return _directives[name]


def inference_of(name: str) -> Callable[..., list[Attribute]] | None:
    """The function that gives an op's result types, or None."""
    load_dialect(name.partition(".")[0])
    return _inference.get(name)


@cache
def load_dialect(dialect: str) -> None:
    """Import what a dialect has of hand-written syntax and inference."""
    import lamina.dialects.core.ods.directives  # noqa: F401  # pyright: ignore[reportUnusedImport]

    for part in ("syntax", "inference"):
        module = f"lamina.dialects.{dialect}.{part}"
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            return
        if found is not None:
            importlib.import_module(module)


def parser_of(name: str) -> OpParser | None:
    """The function that reads an op's custom form after its name; None where tables know of none."""
    if name not in _parsers:
        _parsers[name] = _find(name, 0)
    return _parsers[name]


def writer_of(name: str) -> OpWriter | None:
    """The function that writes an op's custom form after its name; None where tables know of none."""
    if name not in _writers:
        _writers[name] = _find(name, 1)
    return _writers[name]


def _find(name: str, which: int) -> Any:
    spec = spec_of(name)
    if name not in _syntax:
        load_dialect(name.partition(".")[0])
    found = _syntax.get(name)
    if found is not None:
        return found[which]
    if spec is None or spec.format is None:
        return None
    from lamina.dialects.core.ods.formats import compiled

    return compiled(spec)[which]
