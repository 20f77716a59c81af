"""The process's worker pool, made when code first needs it."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache

from lamina.lowering.codegen.jit import LoadedCode, load_object, stays_loaded
from lamina.lowering.codegen.support import support_object
from lamina.lowering.codegen.worker_pool_ir import (
    POOL,
    POOL_BYTES,
    RUN_CHUNKS,
    SEQUENTIAL_IR,
    worker_pool_ir,
)


@cache
def worker_pool() -> LoadedCode:
    """The pool's code, which stays loaded until the process ends, since workers may sleep in it.

    A process that forked has no workers: it starts with a new pool.
    """
    text = worker_pool_ir(platform.machine()) if sys.platform == "linux" else SEQUENTIAL_IR
    code = load_object(support_object(text), (RUN_CHUNKS, POOL))
    stays_loaded(code)
    if hasattr(os, "register_at_fork"):
        pool = code.addresses[POOL]
        os.register_at_fork(after_in_child=lambda: ctypes.memset(pool, 0, POOL_BYTES))
    return code
