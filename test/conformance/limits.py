"""A time limit for what may not end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class TooLong(Exception):
    """Something took more than its time."""


def _interrupt(*_: Any) -> None:
    raise TooLong


def within(seconds: int, work: Callable[[], T]) -> T:
    """The result of some work; raises :class:`TooLong` where it takes longer."""
    signal.signal(signal.SIGALRM, _interrupt)
    signal.alarm(seconds)
    try:
        return work()
    finally:
        signal.alarm(0)
