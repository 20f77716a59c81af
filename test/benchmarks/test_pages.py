"""Generated parts of pages, the table in them, and the plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx")

PAGE = "# Title\n\n<!-- speed: generated -->\nold\n<!-- end of speed -->\n\nby hand\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def report() -> Any:
    """Two rows with times by hand: Lamina twice as fast as the best peer, and half as fast."""
    from benchmarks.cost import Cost
    from benchmarks.limits import Limits
    from benchmarks.measure import Timing
    from benchmarks.report import Report
    from benchmarks.rows import Row

    fast = Row("fast", 1, Cost(1_000_000, 0, 0))
    fast.timings = {"lamina": Timing([1e-3] * 2), "torch": Timing([2e-3] * 2), "jax.jit": Timing([4e-3] * 2)}
    slow = Row("slow", None)
    slow.timings = {"lamina": Timing([2e-3]), "torch": Timing([1e-3])}
    slow.problems = {"jax.jit": "fails: no operator Erf"}
    limits = {1: Limits(1, 2e9, 1e9, 1e9), 2: Limits(2, 4e9, 1e9, 1e9)}
    machine = {"processor": "P", "cores": 2, "vector_bits": 256, "cache_bytes": [1024, 2048, 1 << 20]}
    machine |= {"python": "3", "packages": {"lamina": "0"}}
    return Report([fast, slow], limits, machine, ["python -m benchmarks.run"])


def test_a_part_of_a_page_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    from benchmarks.pages import check_page, publish

    page = tmp_path / "page.md"
    page.write_text(PAGE)
    check_page(page, "speed")
    publish(page, "speed", "new")
    assert page.read_text() == PAGE.replace("old", "new")


def test_a_page_without_the_comments_is_refused(tmp_path: Path) -> None:
    from benchmarks.pages import check_page, publish

    page = tmp_path / "page.md"
    page.write_text("# Title\n")
    for function in (lambda: publish(page, "speed", "new"), lambda: check_page(page, "speed")):
        with pytest.raises(SystemExit, match=r"has no comment.*speed: generated"):
            function()
    with pytest.raises(SystemExit, match="there is no page"):
        check_page(tmp_path / "other.md", "speed")
    assert page.read_text() == "# Title\n"


def test_the_page_has_the_parts_that_the_commands_write() -> None:
    import benchmarks.run
    import benchmarks.training
    from benchmarks.pages import check_page

    for part in (benchmarks.run.PART, benchmarks.training.PART):
        check_page(ROOT / "docs" / "performance.md", part)


def test_the_table_has_the_runtimes_that_ran(report: Any) -> None:
    from benchmarks.report import markdown

    text = markdown(report)
    assert text.startswith("```\npython -m benchmarks.run\n```\n\nP, 2 core(s), vectors of 256 bits")
    assert "| workload | threads | Lamina (ms) | PyTorch (ms) | `jax.jit` (ms) | x best peer |" in text
    assert "| fast | 1 | 1 | 2 | 4 | 2.00 | 2.00 - 2.00 | 50% |" in text
    assert "| slow | default | 2 | 1 | fails | 0.50 | 0.50 - 0.50 | - |" in text
    assert "* threads 1: 2.00 x the best peer (geometric mean of 1)" in text
    assert "* slow, default thread(s), jax.jit: fails: no operator Erf" in text


def test_files_of_several_runs_become_one_table(report: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    from benchmarks.limits import Limits
    from benchmarks.publish import main
    from benchmarks.report import markdown, write_json

    later = {1: Limits(1, 1e9, 4e9, 1e9), 2: Limits(2, 8e9, 1e9, 1e9)}
    runs = [
        replace(report, rows=report.rows[:1], commands=["first"]),
        replace(report, rows=report.rows[1:], commands=["second"], limits=later),
    ]
    files = [str(tmp_path / f"{number}.json") for number in range(2)]
    for file, run in zip(files, runs, strict=True):
        write_json(file, run.written())
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert main([*files, "--docs", str(page)]) == 0
    text = page.read_text()
    best = {1: Limits(1, 2e9, 4e9, 1e9), 2: Limits(2, 8e9, 1e9, 1e9)}
    assert markdown(replace(report, commands=["first", "second"], limits=best)) in text
    assert "2 core(s): 8.0 GFLOP/s f32 multiply-adds" in text
    assert text.endswith("\nby hand\n")


def test_runs_of_different_machines_do_not_mix(report: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    from benchmarks.publish import main
    from benchmarks.report import write_json

    files = [str(tmp_path / name) for name in ("a.json", "b.json")]
    write_json(files[0], report.written())
    write_json(files[1], replace(report, machine={**report.machine, "processor": "Q"}).written())
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    with pytest.raises(SystemExit, match="different machines"):
        main([*files, "--docs", str(page)])
    Path(files[0]).write_text("{}")
    with pytest.raises(SystemExit, match="was not written by"):
        main(files)
    with pytest.raises(SystemExit, match="No such file"):
        main([str(tmp_path / "none.json")])
    assert page.read_text() == PAGE


def test_the_table_of_training_steps_compares_with_the_best() -> None:
    from benchmarks.measure import Timing
    from benchmarks.training import TrainingRow, markdown

    timings = {"lamina": Timing([1e-3]), "torch": Timing([2e-3]), "jax.jit": Timing([3e-3])}
    row = TrainingRow("step", 2, timings, {"lamina": 1.0, "torch": 2.0, "jax.jit": 3.0})
    text = markdown([row], "python -m benchmarks.training")
    assert "| step | 2 | 1 | 3 | 2 | 2.00 | 2.00 - 2.00 |" in text
    assert "until the first step is done: Lamina 1.0 s, `jax.jit` 3.0 s, PyTorch 2.0 s" in text


def test_the_plot_is_a_picture(report: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks.plot import draw

    path = tmp_path / "ratios.png"
    draw(report.rows, path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_process_that_ends_without_an_answer_is_said() -> None:
    from benchmarks.processes import Ended, ask

    with pytest.raises(Ended, match="ended with status 2"):
        ask("benchmarks.run", ["--nonsense"], 1)


def test_an_unknown_model_is_refused_before_anything_is_compiled() -> None:
    from benchmarks.compile import main

    with pytest.raises(SystemExit, match=r"no row is named nonsense; rows are: .*resnet-50"):
        main(["nonsense"])
