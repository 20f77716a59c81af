"""What one compilation differs in from another: the model, the request, the machine, and who compiles.

A key holds a digest of the model (of its files' bytes, or of its text), so a file is neither parsed nor
lowered to know whether its code is there. Lamina itself enters by the names, sizes and times of its source
files: whoever edits a pass gets new code. Code that others have registered cannot be told like that; while
there is any, nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina import __version__
from lamina.lowering.cache.entries import FORMAT
from lamina.lowering.codegen.target import host_target, llvm_cpu, llvm_version

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_OURS = ("", "lamina", "xdsl", "numpy", "ml_dtypes", "builtins", "functools")
_LAYERS = ("dialects", "passes", "lowering")
_LIBRARIES = ("xdsl", "numpy", "ml_dtypes", "onnx")
"""Those whose version decides what code comes out."""


def key_of(**parts: Any) -> str:
    """The name under which code is kept, from all that it depends on."""
    text = json.dumps({**parts, "environment": environment()}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


@cache
def environment() -> dict[str, Any]:
    """The machine and the versions that code is made for and by."""
    target = host_target()
    machine = {name: value for name, value in asdict(target).items() if name not in ("flags", "cores")}
    return {
        "format": FORMAT,
        "lamina": [__version__, source_digest()],
        "libraries": {name: _version_of(name) for name in _LIBRARIES},
        "python": platform.python_version(),
        "llvm": llvm_version(),
        "machine": machine,
        "flags": sorted(target.flags),
        "target": llvm_cpu(target),
    }


@cache
def source_digest() -> str:
    """A digest of the names, sizes and times of Lamina's source files: of all that shapes the code."""
    root = Path(__file__).resolve().parents[2]
    found = hashlib.sha256()
    for layer in _LAYERS:
        for folder, folders, files in os.walk(root / layer):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                about = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 (hundreds of them)
                line = f"{folder[len(str(root)) :]}/{name} {about.st_size} {about.st_mtime_ns}\n"
                found.update(line.encode())
    return found.hexdigest()


def _version_of(package: str) -> str:
    """The version of a package, from the name of its metadata beside it: that takes no import."""
    found = find_spec(package)
    if found is None or not found.origin:
        return ""
    code = Path(found.origin)
    prefix = f"{package}-"
    names = os.listdir(code.parents[1])  # noqa: PTH208 (names only)
    versions = [name for name in names if name.startswith(prefix) and name.endswith(".dist-info")]
    return ",".join(sorted(versions)) or f"{code} {code.stat().st_mtime_ns}"


def has_foreign_code() -> bool:
    """Whether passes, dialects or rules from outside Lamina are at work in this process."""
    modules = {name: module for name, module in sys.modules.copy().items() if name.startswith("lamina.")}
    installed = vars(modules.get("lamina.dialects.core.installed", object)).get("_loaded", {})
    plugins = vars(modules.get("lamina.dialects.core.context", object)).get("_plugins", {})
    if plugins or any(value is not None for value in installed.values()):
        return True
    registry = modules.get("lamina.passes.framework.registry")
    passes = registry._loaded.values() if registry else ()
    onnx = modules.get("lamina.lowering.onnx.rule_table")
    versions = onnx._table.values() if onnx else ()
    if not all(map(_is_ours, [*passes, *(rule for rules in versions for rule in rules.values())])):
        return True
    tables = modules.get("lamina.dialects.core.tables")
    if tables is None:
        return False
    found = {
        id(value): value
        for module in modules.values()
        for value in vars(module).values()
        if type(value) is tables.RuleTable
    }
    return not all(_is_ours(rule) for table in found.values() for rule in table._rules.values())


def is_all_ours(module: ModuleOp) -> bool:
    """Whether every operation of a module is of a class of Lamina's or xDSL's."""
    return all(_is_ours(kind) for kind in {type(op) for op in module.walk()})


def _is_ours(code: Any) -> bool:
    return str(getattr(code, "__module__", "")).split(".", 1)[0] in _OURS


def module_digest(module: ModuleOp) -> str | None:
    """A digest of a module's meaning: its text without names and locations, and the bytes of its resources.

    None for a module whose resources have no data.
    """
    from lamina.dialects.core.constants import has_resource, resource
    from lamina.dialects.core.writing.state import Options
    from lamina.dialects.core.writing.writer import Writer

    writer = Writer(module, Options(generic=True, elide_resources=0, local_scope=True, names=False))
    found = hashlib.sha256()
    for piece in writer.pieces():
        found.update(piece.encode())
    if not all(map(has_resource, writer.resource_keys)):
        return None
    for key in writer.resource_keys:
        found.update(f"{key}={resource(key).digest}\n".encode())
    return found.hexdigest()
