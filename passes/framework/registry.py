"""Finding passes by name, without importing the others.

A pass lives in a file named like it (``canonicalize`` in ``canonicalize.py``, ``convert-scf-to-cf`` in
``convert_scf_to_cf.py``) somewhere under ``passes/`` or ``lowering/``, so a name leads to a module without
a table that has to be kept. xDSL's own passes are reachable under their names where Lamina has none.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error
from lamina.passes.framework.passes import Pass

_PACKAGES = ("passes", "lowering")
_loaded: dict[str, type[Pass]] = {}


@cache
def _files() -> dict[str, tuple[str, Path]]:
    """Module name and file by the pass name that the file's name stands for."""
    root = Path(__file__).resolve().parents[2]
    found: dict[str, tuple[str, Path]] = {}
    for package in _PACKAGES:
        base = root / package
        for path in sorted(base.rglob("*.py")):
            if path.stem.startswith("_") or path.is_relative_to(base / "framework"):
                continue
            dotted = ".".join(path.relative_to(root).with_suffix("").parts)
            found.setdefault(path.stem.replace("_", "-"), (f"lamina.{dotted}", path))
    return found


def register_pass(declaration: type[Pass]) -> type[Pass]:
    """Make a pass from outside Lamina known by its name; usable as a decorator."""
    other = _loaded.get(declaration.name)
    if other is not None and other.__module__ != declaration.__module__:
        raise error(f"pass '{declaration.name}' is already registered by {other.__module__}")
    _loaded[declaration.name] = declaration
    return declaration


def find_pass(name: str) -> type[Pass]:
    """The declaration of a pass. An unknown name is a :class:`LaminaError` with the nearest known one."""
    if name not in _loaded:
        file = _files().get(name)
        if file is not None:
            for declaration in passes_in(file[0]):
                _loaded.setdefault(declaration.name, declaration)
    if name not in _loaded:
        raise error(f"unknown pass '{name}'", hint=did_you_mean(name, pass_names()))
    return _loaded[name]


def is_pass_or_pipeline(name: str) -> bool:
    """Whether there is a pass or a named pipeline of this name; only the pass's own file is imported."""
    try:
        find_pass(name)
    except LaminaError:
        return find_pipeline(name) is not None
    return True


def passes_in(module: str) -> list[type[Pass]]:
    """The pass declarations that a module makes (not those it imports)."""
    members = vars(importlib.import_module(module)).values()
    return [
        m
        for m in members
        if inspect.isclass(m) and issubclass(m, Pass) and m.__module__ == module and "name" in vars(m)
    ]


@cache
def _all_of_lamina() -> tuple[type[Pass], ...]:
    # Only files that declare a pass are imported: helpers may be heavy.
    sources = ((module, path.read_text(encoding="utf-8")) for module, path in _files().values())
    declaring = [module for module, source in sources if "(Pass):" in source]
    return tuple(p for module in declaring for p in passes_in(module))


def all_passes() -> list[type[Pass]]:
    """Every registered pass, by name. Imports all pass modules."""
    known = {p.name: p for p in _all_of_lamina()} | _loaded
    return [known[name] for name in sorted(known)]


def pass_names() -> list[str]:
    """The names of all registered passes."""
    return [p.name for p in all_passes()]


@dataclass(frozen=True)
class NamedPipeline:
    """A pipeline with a name of its own, as ``--lower-to-linalg`` is."""

    name: str
    text: str
    summary: str


@cache
def _pipelines() -> dict[str, NamedPipeline]:
    found: dict[str, NamedPipeline] = importlib.import_module("lamina.lowering.pipelines").PIPELINES
    return found


def find_pipeline(name: str) -> NamedPipeline | None:
    """The named pipeline, or None."""
    return _pipelines().get(name)


def pipeline_names() -> list[str]:
    """The names of all named pipelines."""
    return sorted(_pipelines())
