"""Options of passes: from text to the fields of a declaration, and the errors on the way."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.passes.framework.passes import Pass

Raise = Callable[[str, str | None, str], Exception]
"""Makes the error for a message and a hint about an option, at its place in the pipeline that is read."""


def _plain(message: str, hint: str | None, option: str) -> Exception:
    return error(message, hint=hint)


def option_name(field: dataclasses.Field[Any]) -> str:
    """How a field is written in a pipeline (``name_`` as ``name``, which a pass itself has)."""
    return field.name.rstrip("_").replace("_", "-")


def is_list(declaration: type[Pass], name: str) -> bool:
    """Whether an option takes a list: given several times, it holds all that was given."""
    fields = {option_name(field): field.name for field in dataclasses.fields(declaration)}
    return get_origin(get_type_hints(declaration).get(fields.get(name, ""))) is tuple


def make_pass(declaration: type[Pass], options: Mapping[str, str | None], fail: Raise = _plain) -> Pass:
    """An instance of a pass from option texts (None for an option without a value: a flag)."""
    fields = {option_name(f): f for f in dataclasses.fields(declaration)}
    hints = get_type_hints(declaration) if options else {}
    values: dict[str, Any] = {}
    for name, text in options.items():
        field = fields.get(name) or fields.get(name.replace("_", "-"))
        if field is None:
            known = ", ".join(fields) or "none"
            hint = did_you_mean(name, list(fields)) or f"its options are: {known}"
            raise fail(f"pass '{declaration.name}' has no option '{name}'", hint, name)
        values[field.name] = _convert(hints[field.name], text, declaration.name, name, fail)
    return declaration(**values)


def type_text(hint: Any) -> str:
    """A field's type as help text shows it."""
    origin = get_origin(hint)
    if origin is Literal:
        return "|".join(str(a) for a in get_args(hint))
    if origin is tuple:
        return f"list of {type_text(get_args(hint)[0])}"
    if origin in (typing.Union, types.UnionType):
        return type_text(next(a for a in get_args(hint) if a is not type(None)))
    return {bool: "bool", int: "int", float: "float", str: "string"}.get(hint, str(hint))


def _convert(hint: Any, text: str | None, pass_name: str, name: str, fail: Raise) -> Any:
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        hint = next(a for a in get_args(hint) if a is not type(None))
        origin = get_origin(hint)
    if text is None:
        if hint is bool:
            return True
        raise fail(f"option '{name}' of pass '{pass_name}' needs a value ({type_text(hint)})", None, name)
    if origin is tuple:
        items = [item.strip() for item in text.split(",")] if text else []
        return tuple(_convert(get_args(hint)[0], item, pass_name, name, fail) for item in items)
    if origin is Literal:
        choices = [str(a) for a in get_args(hint)]
        if text in choices:
            return get_args(hint)[choices.index(text)]
        hint_text = did_you_mean(text, choices) or f"one of: {', '.join(choices)}"
        raise fail(f"option '{name}' of pass '{pass_name}' cannot be '{text}'", hint_text, name)
    try:
        if hint is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text]
        return hint(text)
    except (KeyError, ValueError):
        raise fail(
            f"option '{name}' of pass '{pass_name}' needs {_article(hint)}, not '{text}'", None, name
        ) from None


def _article(hint: Any) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(hint, type_text(hint))
