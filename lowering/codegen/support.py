"""Object code of the run-time (calls, workers, builtins), made once a process, or kept with a compiled model.

The pieces are LLVM IR that is written as it should run, so only the code generator optimises: a tenth of the
time. Even that takes longer than all else of a start from the compilation cache, so a cache's entry holds the
objects of the pieces that its code needs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from lamina.lowering.codegen.jit import compile_to_object

_objects: dict[str, bytes] = {}


def support_object(text: str) -> bytes:
    """The object code of a piece of the run-time, for this machine."""
    key = hashlib.sha256(text.encode()).hexdigest()
    if key not in _objects:
        _objects[key] = compile_to_object(text, level=0, codegen_level=2).object_bytes
    return _objects[key]


def support_objects() -> dict[str, bytes]:
    """All that was made so far, by a digest of the IR."""
    return dict(_objects)


def keep_support_objects(objects: Mapping[str, bytes]) -> None:
    """Have objects that were made before, for the same machine and by the same LLVM, at hand."""
    for key, data in objects.items():
        _objects.setdefault(key, data)
