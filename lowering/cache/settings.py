"""Where the cache is and how large it may grow: arguments first, then the environment, then the default."""

from __future__ import annotations

import os
import re
from pathlib import Path

from lamina.dialects.core.diagnostics import error
from lamina.lowering.cache.folder import Folder

PLACE, LIMIT = "LAMINA_CACHE", "LAMINA_CACHE_SIZE"
"""The environment's folder, or ``off``; and the bytes that it may take, as in ``500M``."""
DEFAULT_LIMIT = 4 << 30
_OFF = ("", "0", "off", "no", "false")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def cache_folder(asked: bool | str | Path | None = None) -> Folder | None:
    """The folder to use, or None where there is to be none.

    ``asked`` is a folder, or whether to use the usual one; None leaves that to the environment.
    """
    given = os.environ.get(PLACE)
    if asked is False or (asked is None and given is not None and given.lower() in _OFF):
        return None
    if isinstance(asked, str | Path):
        place = Path(asked)
    elif given is not None and given.lower() not in _OFF:
        place = Path(given).expanduser()
    else:
        place = _usual_folder()
    return Folder(place, _limit()) if place else None


def _usual_folder() -> Path | None:
    """``lamina/compiled`` in the user's folder of caches; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():  # the specification: a relative path is to be ignored
        return Path(base, "lamina", "compiled")
    home = os.path.expanduser("~")  # noqa: PTH111 (Path.home raises where there is no home)
    return Path(home, ".cache", "lamina", "compiled") if Path(home).is_absolute() else None


def _limit() -> int:
    text = os.environ.get(LIMIT, "").strip()
    if not text:
        return DEFAULT_LIMIT
    found = re.fullmatch(r"(\d+)([KMGT]?)B?", text.upper())
    if found is None:
        raise error(f"{LIMIT}='{text}' is no size", hint="write bytes, or a number with K, M, G or T: 500M")
    return int(found[1]) * _UNITS[found[2]]
