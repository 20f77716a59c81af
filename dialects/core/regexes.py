"""Regular expressions that are compiled when first used: a run needs few of those that its modules name."""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """Takes over the methods of the compiled expression, one by one, as they are asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``; a mistake in ``text`` is found at the first use."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
