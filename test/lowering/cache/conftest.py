"""A model in a file, and compiling it with a cache of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cached_model import layer

import lamina


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The file of a dense layer."""
    path = tmp_path / "model.mlir"
    path.write_text(layer())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The cache's folder, which is not there yet."""
    return tmp_path / "cache"


@pytest.fixture
def compiled(folder: Path) -> Callable[..., Any]:
    """``compiled(model, …)``: an executable, with the cache."""
    return lambda model, *args, **options: lamina.compile(model, *args, cache=folder, **options)
