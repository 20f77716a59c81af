"""``--load``: passes and dialects from Python files that are not part of Lamina."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from lamina.dialects.core.diagnostics import LaminaError, Location, error


def load(names: Iterable[str]) -> None:
    """Load Python files and modules, and register the passes and dialects that they declare.

    Raises :class:`LaminaError` that names the file where it cannot be loaded or declares nothing.
    """
    for name in names:
        module = _module(name)
        if not _register(module):
            hint = "a pass is a class derived from lamina.passes.framework.passes.Pass with a `name`"
            raise error("declares no pass and no dialect", Location(name), hint=hint)


def _module(name: str) -> ModuleType:
    is_file = name.endswith(".py") or "/" in name
    if is_file and not Path(name).is_file():
        raise error("cannot be read: there is no such file", Location(name))
    try:
        return _from_file(Path(name)) if is_file else importlib.import_module(name)
    except LaminaError:
        raise
    except ModuleNotFoundError as problem:
        if problem.name == name:
            hint = "give a file as FILE.py, or a module that Python finds (PYTHONPATH)"
            raise error(f"there is no Python module '{name}' to load", hint=hint) from None
        raise error(f"cannot be loaded: {problem}", Location(name)) from problem
    except SyntaxError as problem:
        place = Location(problem.filename or name, problem.lineno or 0, problem.offset or 0)
        raise error(f"cannot be loaded: {problem.msg}", place) from problem
    except Exception as problem:
        message = f"cannot be loaded: {type(problem).__name__}: {problem}"
        raise error(message, _innermost_place(problem, name)) from problem


def _innermost_place(problem: Exception, name: str) -> Location:
    """The last line of the file itself that was being executed."""
    place, trace = Location(name), problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(name):
            place = Location(name, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _from_file(path: Path) -> ModuleType:
    """A module made from a file; the file's folder can be imported from, as when Python runs it."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) != str(path.resolve()):
        name = f"lamina_loaded_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _register(module: ModuleType) -> int:
    """Register what a module declares; returns how many passes and dialects that were."""
    from xdsl.ir import Dialect

    from lamina.passes.framework.passes import Pass
    from lamina.passes.framework.registry import register_pass

    count = 0
    for member in list(vars(module).values()):
        if inspect.isclass(member) and issubclass(member, Pass) and "name" in vars(member):
            register_pass(member)
            count += 1
        elif isinstance(member, Dialect):
            _register_dialect(member)
            count += 1
        elif _is_xdsl_pass(member, module):
            register_pass(adapted(member))
            count += 1
    return count


def _register_dialect(dialect: Any) -> None:
    """Register a dialect that is none of Lamina's; one of those that the file only imports stays as it is."""
    from lamina.dialects.core.context import base_dialect, register_dialect

    own = base_dialect(dialect.name)
    if own is None:
        register_dialect(dialect.name, _constant(dialect))
    elif own is not dialect:
        raise error(f"dialect '{dialect.name}' is already one of 'lamina'", hint="give it another name")


def _constant(dialect: Any) -> Any:
    return lambda: dialect


def _is_xdsl_pass(member: Any, module: ModuleType) -> bool:
    from xdsl.passes import ModulePass

    return inspect.isclass(member) and issubclass(member, ModulePass) and member.__module__ == module.__name__


def adapted(declaration: Any) -> Any:
    """xDSL's pass as one of Lamina's, with the same options."""
    from lamina.passes.framework.xdsl_passes import adapt

    return adapt(declaration)
