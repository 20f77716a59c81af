"""What a module names and few runs need, made when it is first asked for something."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast


class _Later:
    """Takes over the attributes of the thing that ``make`` makes, one by one, as they are asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._make(), name)
        setattr(self, name, found)
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``; a mistake in ``text`` is found at the first use."""
    return cast("re.Pattern[str]", made_later(lambda: re.compile(text, flags)))


def made_later(make: Callable[[], Any]) -> Any:
    """Anything else that is asked for its attributes only."""
    return _Later(make)


if TYPE_CHECKING:
    import numpy as np
else:
    np = made_later(lambda: import_module("numpy"))  # reading, verifying and printing seldom need it
