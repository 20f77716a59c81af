"""Shared helpers: running mlir-opt where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

# Machines that run tests are busy: how long an example or its generation takes says nothing.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

os.environ["LAMINA_CACHE"] = "off"  # every test compiles; those of the cache ask for a folder of their own


def _tool(name: str) -> str | None:
    return shutil.which(f"{name}-22") or shutil.which(name)


@pytest.fixture
def mlir_opt() -> Callable[..., str]:
    """``mlir_opt(text, *args)``: the text that mlir-opt prints; skips where it is not installed."""
    return _runner("mlir-opt")


@pytest.fixture
def mlir_translate() -> Callable[..., str]:
    """``mlir_translate(text, *args)``, as :func:`mlir_opt`."""
    return _runner("mlir-translate")


def _runner(name: str) -> Callable[..., str]:
    tool = _tool(name)
    if tool is None:
        pytest.skip(f"{name} 22 is not installed")

    def run(text: str, *args: str) -> str:
        done = subprocess.run([tool, *args], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name} {' '.join(args)} rejected the text:\n{done.stderr[:2000]}"
        return done.stdout

    return run
