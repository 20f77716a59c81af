"""The benchmarks run, count right, and do not time what is wrong."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.lowering.codegen.target import host_target
from lamina.lowering.executable import Executable

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.fixture
def benchmarks() -> ModuleType:
    """The package with the modules that the tests use (its folder is on the path by then)."""
    import benchmarks
    import benchmarks.compilation
    import benchmarks.limits
    import benchmarks.measure
    import benchmarks.models
    import benchmarks.report
    import benchmarks.rows
    import benchmarks.run

    return benchmarks


def test_each_runtime_is_timed_in_each_round(benchmarks: Any) -> None:
    workload = benchmarks.workloads.WORKLOADS["matmul-64"]
    row = benchmarks.rows.run_workload(workload, ["lamina", "onnxruntime", "numpy"], None, rounds=2)
    assert row.problems == {}
    assert {peer: len(timing.rounds) for peer, timing in row.timings.items()} == {
        "lamina": 2,
        "onnxruntime": 2,
        "numpy": 2,
    }
    assert benchmarks.rows.Row.read(row.written()) == row
    assert row.cost == benchmarks.cost.Cost(flops=2 * 64**3, bytes=3 * 4 * 64**2, read=2 * 4 * 64**2)


def test_a_wrong_result_is_reported_and_not_timed(benchmarks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_cell(workload: Any, model: Any, inputs: Any, threads: int | None) -> Any:
        results = [np.zeros((64, 64), np.float32)]
        return benchmarks.peers.Cell("lamina", threads, lambda: None, lambda: results)

    monkeypatch.setitem(benchmarks.peers.PEERS, "lamina", wrong_cell)
    workload = benchmarks.workloads.WORKLOADS["matmul-64"]
    row = benchmarks.rows.run_workload(workload, ["lamina"], 1, rounds=1)
    assert row.timings == {}
    assert row.problems["lamina"].startswith("wrong: differs by 1.0e+00")


def test_results_of_another_shape_or_with_other_nans_differ(benchmarks: Any) -> None:
    ones = np.ones(3, np.float32)
    difference = benchmarks.rows.difference
    assert difference([ones], [ones]) == 0
    assert difference([ones[:2]], [ones]) == np.inf
    assert difference([ones], [np.array([1, np.nan, 1], np.float32)]) == np.inf


def test_the_kernel_of_the_peak_is_one_multiply_add_per_accumulator(benchmarks: Any) -> None:
    if not host_target().has("fma"):
        pytest.skip("this CPU has no fused multiply-add")
    text, accumulators = benchmarks.limits.multiply_add_kernel(host_target())
    kernel = lamina.compile(lamina.parse(text))
    assert isinstance(kernel, Executable)
    instructions = benchmarks.limits.fused_instructions(kernel.asm())
    assert instructions >= accumulators and instructions % accumulators == 0
    sums = kernel(np.full(kernel.inputs[0].shape, 0.5, np.float32))
    assert sums.min() > 1000


def test_the_copy_kernel_copies(benchmarks: Any) -> None:
    kernel = lamina.compile(lamina.parse(benchmarks.limits.copy_kernel(host_target(), 4096)))
    source, target = benchmarks.limits.aligned(4096), benchmarks.limits.aligned(4096)
    source[:] = np.arange(4096)
    kernel(source, out=target)
    np.testing.assert_array_equal(target, source)


def test_the_sum_kernel_reads_everything(benchmarks: Any) -> None:
    kernel = lamina.compile(lamina.parse(benchmarks.limits.sum_kernel(host_target(), 4096)))
    source = benchmarks.limits.aligned(4096)
    source[:] = np.arange(4096)
    np.testing.assert_allclose(kernel(source).sum(), 4096 * 4095 / 2)


def test_operations_of_strided_and_grouped_convolutions_are_counted(benchmarks: Any) -> None:
    cost_of, convolution = benchmarks.cost.cost_of, benchmarks.models.convolution
    assert cost_of(convolution((8, 16), 10, 3, 2)).flops == 2 * 16 * 5 * 5 * 8 * 3 * 3
    assert cost_of(convolution((8, 8), 10, 3, 1, 8)).flops == 2 * 8 * 10 * 10 * 3 * 3


def test_a_ratio_lies_in_its_interval(benchmarks: Any) -> None:
    timing = benchmarks.measure.Timing
    found = benchmarks.measure.ratio(timing([1.0, 2.0, 4.0]), timing([2.0, 2.0, 16.0]), "peer")
    assert (found.value, found.low, found.high) == (2.0, 1.0, 4.0)
    assert benchmarks.measure.geometric_mean([0.5, 2.0]) == pytest.approx(1.0)


def test_a_compilation_tells_its_stages_and_its_memory(benchmarks: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(benchmarks.models.matmul(64, 64, 64).SerializeToString())
    found = benchmarks.compilation.compile_once(str(path))
    assert {"load", "passes", "emit", "llvm", "all"} <= set(found["stages"])
    assert found["operations"]["convert-nn-to-linalg"] > 0
    assert found["weight_bytes"] == 0 and found["code_bytes"] > 0


def test_the_command_writes_what_it_measured(benchmarks: Any, tmp_path: Path) -> None:
    pytest.importorskip("rich")
    path = tmp_path / "results.json"
    arguments = ["matmul-64", "--rounds", "1", "--threads", "1", "--json", str(path)]
    assert benchmarks.run.main(arguments) == 0
    assert '"workload": "matmul-64"' in path.read_text()


def test_an_unknown_row_is_refused(benchmarks: Any) -> None:
    with pytest.raises(SystemExit, match="no row begins with nonsense"):
        benchmarks.run.main(["nonsense"])
