"""Command lines as LLVM's tools read them, from one declaration that also gives help, docs and completion.

A tool declares its options as the fields of a dataclass with defaults. ``-name`` and ``--name`` are the same,
a value follows ``=`` or is the next argument, and options that the declaration does not know are kept in
order: for ``lamina-opt`` they are passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar

Arguments = TypeVar("Arguments")
Convert = Callable[[str], Any]


class WrongUse(Exception):
    """A command line that the tool cannot be run with."""


@dataclass(frozen=True)
class Option:
    """One option: how it is written, what it takes, and a line of help."""

    name: str
    help: str
    group: str = ""
    metavar: str = ""
    """What the help calls the value; empty for a flag, which is on, off (``=false``) or absent."""
    choices: tuple[str, ...] = ()
    convert: Convert = str
    implied: Any = None
    """The value of an option that is given without one; where None, a value has to follow."""
    repeated: bool = False
    """Whether it may stand several times, each adding to a tuple; commas separate as well."""
    kind: str = ""
    """``file``, ``folder`` or ``pass`` for values that a shell can complete."""

    @property
    def written(self) -> str:
        """The option as the help shows it."""
        dashes = "-" if len(self.name) == 1 else "--"
        if not self.metavar:
            return dashes + self.name
        value = "|".join(self.choices) if self.choices else self.metavar
        if self.implied is not None:
            return f"{dashes}{self.name}[={value}]"
        return f"{dashes}{self.name} {value}" if len(self.name) == 1 else f"{dashes}{self.name}={value}"


def flag(help: str, group: str, *, default: bool = False) -> Any:
    """A field that is true where its option is given."""
    return field(default=default, metadata={"option": {"help": help, "group": group, "implied": True}})


def value(help: str, group: str, metavar: str, *, default: Any = None, **more: Any) -> Any:
    """A field that holds the value of its option; see :class:`Option` for what more there is."""
    given = {"help": help, "group": group, "metavar": metavar, **more}
    if more.get("repeated"):
        default = ()
    return field(default=default, metadata={"option": given})


def declared_options(declaration: type[Any]) -> dict[str, tuple[Option, Field[Any]]]:
    """The options of a declaration by the name they are written with."""
    found: dict[str, tuple[Option, Field[Any]]] = {}
    for member in fields(declaration):
        given = member.metadata.get("option")
        if given is not None:
            given = {"name": member.name.replace("_", "-"), **given}
            found[given["name"]] = Option(**given), member
    return found


def read_command_line(
    declaration: type[Arguments], arguments: Sequence[str]
) -> tuple[Arguments, list[str], list[str]]:
    """The declared options, the other arguments that are no options, and the unknown options, in order.

    Raises :class:`WrongUse` for a missing or an unsuitable value.
    """
    known = declared_options(declaration)
    values: dict[str, Any] = {}
    words: list[str] = []
    unknown: list[str] = []
    rest = list(reversed(arguments))
    while rest:
        argument = rest.pop()
        if argument == "--":
            words += reversed(rest)
            break
        if not argument.startswith("-") or argument == "-":
            words.append(argument)
            continue
        name, equals, text = argument.lstrip("-").partition("=")
        if name not in known:
            unknown.append(argument)
            continue
        option, member = known[name]
        taken = text if equals else None
        if taken is None and option.implied is None:
            if not rest:
                raise WrongUse(f"{option.written} needs a value")
            taken = rest.pop()
        _store(option, member, taken, values)
    made = declaration()
    for name, held in values.items():
        setattr(made, name, held)
    return made, words, unknown


def _store(option: Option, member: Field[Any], text: str | None, values: dict[str, Any]) -> None:
    if text is None:
        new = option.implied
    elif not option.metavar:
        new = _truth(option, text)
    elif option.repeated:
        parts = tuple(_converted(option, part) for part in text.split(","))
        values[member.name] = (*values.get(member.name, ()), *parts)
        return
    else:
        new = _converted(option, text)
    values[member.name] = new


def _truth(option: Option, text: str) -> bool:
    known = {"true": True, "TRUE": True, "True": True, "1": True, "": True}
    known |= {"false": False, "FALSE": False, "False": False, "0": False}
    if text not in known:
        raise WrongUse(f"{option.written} is true or false, not '{text}'")
    return known[text]


def _converted(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise WrongUse(f"{option.written} cannot be '{text}'")
    try:
        return option.convert(text)
    except ValueError as problem:
        raise WrongUse(f"{option.written}: {problem}") from None


def whole_number(text: str) -> int:
    """A number of things: 0 or more."""
    if not text.isdecimal():
        raise ValueError(f"'{text}' is no whole number of at least 0")
    return int(text)


def help_text(usage: str, declaration: type[Any], epilog: str = "") -> str:
    """The options by group, each with its line of help."""
    groups: dict[str, list[Option]] = {}
    members: dict[str, Field[Any]] = {}
    for option, member in declared_options(declaration).values():
        groups.setdefault(option.group, []).append(option)
        members[option.name] = member
    lines = [usage]
    for group, options in groups.items():
        lines += ["", f"{group}:"]
        for option in options:
            lines += _help_lines(option, members[option.name])
    return "\n".join([*lines, "", epilog] if epilog else lines)


def _help_lines(option: Option, member: Field[Any]) -> list[str]:
    told = option.help
    shown = member.default
    if shown is not MISSING and shown not in (None, False, "", ()):
        told += f" (default: {str(shown).lower() if shown is True else shown})"
    start = f"  {option.written}"
    return [f"{start:<44}{told}"] if len(start) < 43 else [start, " " * 44 + told]
