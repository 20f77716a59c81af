"""xDSL's implicit builders, made safe for threads.

xDSL 0.75 exchanges ``Operation.__post_init__``, which all threads share, for as long as an implicit builder
is active. Where two threads build a ``linalg.fill`` at once, one of them puts the other's hook back, and
from then on every op with a hidden region is inserted twice, an error. Here the hook is put in once and
stays: the builder that it asks for is one per thread, and none outside of implicit builders.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl import builder
from xdsl.ir import Operation


def keep_the_hook_of_implicit_builders() -> None:
    """Put xDSL's hook into the constructor of all operations for good."""
    if builder._override_operation_post_init is not _hook_in_place:
        builder._override_operation_post_init()
        builder._override_operation_post_init = _hook_in_place


def _hook_in_place() -> Callable[[Operation], None]:
    """What xDSL puts back after an implicit builder: the hook itself."""
    return Operation.__post_init__
