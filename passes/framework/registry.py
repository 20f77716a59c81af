"""Finding passes by name, without importing the others.

A pass lives in a file named like it (``canonicalize`` in ``canonicalize.py``, ``convert-scf-to-cf`` in
``convert_scf_to_cf.py``) somewhere under ``passes/`` or ``lowering/``, so a name leads to a module without
a table that has to be kept. Names that Lamina does not have are looked for in installed packages
(:mod:`lamina.dialects.core.installed`).
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lamina.dialects.core.diagnostics import LaminaError, did_you_mean, error
from lamina.dialects.core.installed import (
    PASSES,
    PIPELINES,
    Unusable,
    find_installed,
    installed_names,
    warn,
)
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
    """Make a pass from outside Lamina known by its name; usable as a decorator.

    A name that Lamina or another module has is a :class:`LaminaError`.
    """
    name = declaration.name
    if name in _pipelines():
        raise error(f"pass '{name}' has the name of a pipeline of 'lamina'", hint="give it another name")
    other = _pass_of_lamina(name) or _loaded.get(name)
    if other is not None and other.__module__ != declaration.__module__:
        hint = "give it another name"
        raise error(f"pass '{name}' is already registered by {other.__module__}", hint=hint)
    _loaded[name] = declaration
    return declaration


def _pass_of_lamina(name: str) -> type[Pass] | None:
    """The pass of Lamina that has a name, whose file is imported for it."""
    file = _files().get(name)
    return next((p for p in passes_in(file[0]) if p.name == name), None) if file else None


def find_pass(name: str) -> type[Pass]:
    """The declaration of a pass. An unknown name is a :class:`LaminaError` with the nearest known one."""
    found = _optional_pass(name)
    if found is None:
        raise error(f"unknown pass '{name}'", hint=did_you_mean(name, pass_names()))
    return found


def _optional_pass(name: str) -> type[Pass] | None:
    """The declaration of a pass: a registered one, Lamina's, or that of an installed package."""
    if name not in _loaded:
        file = _files().get(name)
        for declaration in passes_in(file[0]) if file else ():
            _loaded.setdefault(declaration.name, declaration)
    if name not in _loaded and name not in _pipelines():
        return find_installed(PASSES, name, _installed_pass)
    return _loaded.get(name)


def _installed_pass(name: str, found: Any) -> type[Pass]:
    from xdsl.passes import ModulePass

    if inspect.isclass(found) and issubclass(found, ModulePass):
        from lamina.passes.framework.xdsl_passes import adapt

        found = adapt(found)
    if not inspect.isclass(found) or not issubclass(found, Pass):
        raise Unusable("it is no class derived from lamina.passes.framework.passes.Pass")
    if getattr(found, "name", None) != name:
        raise Unusable(f"it is the pass '{getattr(found, 'name', found.__name__)}'")
    return found


def is_pass_or_pipeline(name: str) -> bool:
    """Whether there is a pass or a named pipeline of this name; only the pass's own file is imported."""
    return _optional_pass(name) is not None or find_pipeline(name) is not None


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
    """Every pass that can be used, by name. Imports all pass modules, those of installed packages too."""
    known = _own_passes() | _loaded
    for name in installed_names(PASSES, _own_passes().keys()):
        if name not in known:
            found = _unless_ambiguous(name)
            known |= {name: found} if found else {}
    return [known[name] for name in sorted(known)]


def _own_passes() -> dict[str, type[Pass]]:
    return {p.name: p for p in _all_of_lamina()}


def _unless_ambiguous(name: str) -> type[Pass] | None:
    try:
        return find_installed(PASSES, name, _installed_pass)
    except LaminaError as problem:
        warn(problem.diagnostics[0].message, problem.diagnostics[0].hint)
        return None


def pass_names() -> list[str]:
    """The names of all passes; those of installed packages are not imported for it."""
    own = _own_passes() | _loaded
    return sorted({*own, *installed_names(PASSES, _own_passes().keys())})


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
    found = _pipelines().get(name)
    if found is None and name not in _loaded and name not in _files():
        return find_installed(PIPELINES, name, _installed_pipeline)
    return found


def _installed_pipeline(name: str, found: Any) -> NamedPipeline:
    if isinstance(found, str):
        return NamedPipeline(name, found, "Of an installed package")
    if not isinstance(found, NamedPipeline):
        raise Unusable(f"it is neither a text nor a NamedPipeline but of type '{type(found).__name__}'")
    if found.name != name:
        raise Unusable(f"it is the pipeline '{found.name}'")
    return found


def pipeline_names() -> list[str]:
    """The names of all named pipelines, those of installed packages too."""
    return sorted({*_pipelines(), *installed_names(PIPELINES, _pipelines().keys())})
