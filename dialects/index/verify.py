"""What upstream verifies of index in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType

from lamina.dialects.core.verifying.casts import verify_cast


def _between_index_and_integers(source: Any, result: Any) -> bool:
    return (source.__class__ is IndexType) != (result.__class__ is IndexType)


verify_cast(_between_index_and_integers, "index.casts", "index.castu")
