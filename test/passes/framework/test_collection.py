"""The garbage collector while passes run."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from lamina.passes.framework.collection import rare_collections


@pytest.fixture(autouse=True)
def thresholds_as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_raised_and_put_back_after_nested_use() -> None:
    gc.set_threshold(700, 10, 10)
    with rare_collections():
        raised = gc.get_threshold()
        assert raised[0] > 10_000 and raised[1:] == (10, 10)
        with rare_collections():
            pass
        assert gc.get_threshold() == raised
    assert gc.get_threshold() == (700, 10, 10)


def test_it_is_put_back_after_an_error() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ValueError, match="stop"), rare_collections():
        raise ValueError("stop")
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_never_runs_stays_so() -> None:
    gc.set_threshold(0)
    with rare_collections():
        assert gc.get_threshold()[0] == 0
