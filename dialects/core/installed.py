"""Dialects, passes and pipelines of other packages, found by their entry points.

A package names them in its metadata, in the groups below, and once it is installed they are known without
``--load``. The metadata are read when a name is not among Lamina's own, never before: reading them takes
longer than many runs. Of a package only what is asked for is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.dialects.core.diagnostics import Diagnostic, error, render

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DIALECTS = "lamina.dialects"
"""Entries are a ``Dialect``, or a function without parameters that makes one, under the dialect's name."""
PASSES = "lamina.passes"
"""Entries are pass classes, Lamina's or xDSL's, under the pass's name."""
PIPELINES = "lamina.pipelines"
"""Entries are the text of a pipeline, or a ``NamedPipeline``, under the pipeline's name."""

_KINDS = {DIALECTS: "dialect", PASSES: "pass", PIPELINES: "pipeline"}
_loaded: dict[tuple[str, str], Any] = {}

Value = TypeVar("Value")


class Unusable(Exception):
    """What an entry point leads to is not what its group holds."""


def find_installed(group: str, name: str, accept: Callable[[str, Any], Value]) -> Value | None:
    """What an installed package has under a name in a group; None where none has.

    ``accept`` makes the value of a name and of what the entry point leads to, or raises :class:`Unusable`.
    An entry that cannot be used is warned of, once, and is as if it were not there. A name that several
    packages have is a :class:`LaminaError` that names them.
    """
    entries = _entries(group).get(name, ())
    if len(entries) > 1:
        packages = " and ".join(sorted(f"'{package_of(entry)}'" for entry in entries))
        hint = "uninstall one of them, or name the file or module that is meant with --load"
        raise error(f"{_KINDS[group]} '{name}' is in several packages: {packages}", hint=hint)
    if not entries:
        return None
    if (group, name) not in _loaded:
        _loaded[group, name] = _load(group, entries[0], accept)
    return _loaded[group, name]


def installed_names(group: str, own: Collection[str]) -> list[str]:
    """The names in a group that can be used and are not Lamina's own; of those that are it warns."""
    names = _entries(group)
    for name in names.keys() & own:
        _warn_of_hidden(group, name)
    broken = {name for (of, name), value in _loaded.items() if of == group and value is None}
    return sorted(names.keys() - own - broken)


def package_of(entry: EntryPoint) -> str:
    """The package that an entry point is from, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


@cache
def _entries(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    from importlib.metadata import entry_points

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=group):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def _load(group: str, entry: EntryPoint, accept: Callable[[str, Any], Any]) -> Any:
    try:
        return accept(entry.name, entry.load())
    except Exception as problem:
        # Whatever a package does while it is imported: Lamina goes on without it.
        cause = str(problem) if isinstance(problem, Unusable) else f"{type(problem).__name__}: {problem}"
        warn(
            f"{_KINDS[group]} '{entry.name}' of package '{package_of(entry)}' is skipped: {cause}",
            hint=f"its entry point is {entry.value}",
        )
        return None


@cache
def _warn_of_hidden(group: str, name: str) -> None:
    packages = " and ".join(f"'{package_of(entry)}'" for entry in _entries(group)[name])
    warn(f"{_KINDS[group]} '{name}' is in 'lamina' and in {packages}: the one of 'lamina' is used")


def warn(message: str, hint: str | None = None) -> None:
    """Tell of a package that cannot be used: to stderr, unless the program handles Python's log."""
    import logging

    logging.getLogger("lamina").warning(render(Diagnostic(message, severity="warning", hint=hint)))
