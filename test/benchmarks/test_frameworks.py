"""Cells of frameworks that do not read ONNX: they run whole workloads, or say why not."""

from __future__ import annotations

from typing import Any

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("jax")


@pytest.fixture
def rows() -> Any:
    """The module that makes rows (its folder is on the path by then)."""
    import benchmarks.rows

    return benchmarks.rows


def _jax_operators() -> Any:
    import benchmarks.jax_operators

    return benchmarks.jax_operators.OPERATORS


def _two_results() -> Any:
    """``x w + b`` and its ReLU: two inputs' worth of names to keep in order."""
    from benchmarks.models import weights

    helper = onnx.helper
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"]),
        helper.make_node("Add", ["product", "second input"], ["a"]),
        helper.make_node("Relu", ["a"], ["b:0"]),
    ]
    infos = {
        name: helper.make_tensor_value_info(name, 1, shape)
        for name, shape in {"x": (4, 6), "second input": (1, 5), "a": (4, 5), "b:0": (4, 5)}.items()
    }
    constant = onnx.numpy_helper.from_array(weights((6, 5)), "w")
    graph = helper.make_graph(
        nodes, "g", [infos["x"], infos["second input"]], [infos["a"], infos["b:0"]], [constant]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@pytest.mark.parametrize("peer", ["jax.jit", "torch", "litert", "iree"])
def test_a_framework_runs_a_workload(rows: Any, peer: str) -> None:
    import benchmarks.peers as peers
    from benchmarks.workloads import Workload

    if peer not in peers.installed():
        pytest.skip(f"{peer} is not installed")
    row = rows.run_workload(Workload("two results", _two_results), [peer], 1, rounds=1)
    assert row.problems == {}
    assert len(row.timings[peer].rounds) == 1


def test_a_wrong_result_of_a_framework_is_reported(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.workloads import Workload

    monkeypatch.setitem(_jax_operators(), "Relu", lambda node: lambda x: x + 1)
    row = rows.run_workload(Workload("two results", _two_results), ["jax.jit"], 1, rounds=1)
    assert row.timings == {}
    assert row.problems["jax.jit"].startswith("wrong: differs by")


def test_a_missing_operator_is_the_reason_in_the_cell(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.workloads import Workload

    monkeypatch.delitem(_jax_operators(), "Relu")
    row = rows.run_workload(Workload("two results", _two_results), ["jax.jit"], 1, rounds=1)
    assert row.problems == {"jax.jit": "fails: no operator Relu"}
