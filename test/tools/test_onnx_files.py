"""ONNX files that are damaged, empty, or hold operators without a conversion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lamina.tools import run, translate

helper = pytest.importorskip("onnx.helper")


def _model(*nodes: Any) -> bytes:
    from onnx import TensorProto

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph(list(nodes), "g", [x], [y])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)]
    return helper.make_model(graph, opset_imports=opsets).SerializeToString()


RELU = dict(op_type="Relu", inputs=["x"], outputs=["y"])


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-3],
        lambda data: b"",
        lambda data: b"no model" * 50,
        lambda data: bytes(range(256)) * 8,
    ],
    ids=["half", "almost whole", "empty", "text", "bytes"],
)
@pytest.mark.parametrize("tool", [translate, run], ids=["translate", "run"])
def test_damaged_files(
    call: Callable[..., Any], tmp_path: Path, tool: Any, change: Callable[[bytes], bytes]
) -> None:
    path, out = tmp_path / "model.onnx", tmp_path / "out"
    path.write_bytes(change(_model(helper.make_node(**RELU))))
    flags = ["--import-onnx", "-o"] if tool is translate else ["--random-inputs=1", "--outputs"]
    outcome = call(tool.main, str(path), *flags, str(out))
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{path}: error: ") and outcome.err.count("error:") == 1
    assert "Traceback" not in outcome.err and not out.exists()


def test_a_missing_file_and_a_folder(call: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "folder.onnx").mkdir()
    for name, message in [("absent", "No such file or directory"), ("folder", "Is a directory")]:
        path = tmp_path / f"{name}.onnx"
        outcome = call(run.main, str(path), "--random-inputs=1")
        assert (outcome.status, outcome.err) == (1, f"{path}: error: cannot be read: {message}\n")


def test_operators_without_conversion_are_reported_at_once(call: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(
        _model(
            helper.make_node("Foo", ["x"], ["a"], name="first", domain="my.domain"),
            helper.make_node("Foo", ["a"], ["b"], name="second", domain="my.domain"),
            helper.make_node("Relu", ["b"], ["c"]),
            helper.make_node("Multinomial", ["c"], ["y"], name="draw", sample_size=2),
        )
    )
    outcome = call(run.main, str(path), "--random-inputs=1")
    assert (outcome.status, outcome.out) == (1, "")
    lines = outcome.err.splitlines()
    assert lines[0].startswith(f"{path}: error: the model uses operators that cannot be converted: ")
    assert any("Multinomial: 1 node, first 'draw'" in line for line in lines)
    assert any("my.domain.Foo: 2 nodes, first 'first'" in line for line in lines)
    # As text they can be looked at all the same.
    shown = call(translate.main, "--import-onnx", str(path))
    assert shown.status == 0 and 'onnx.Custom %x {domain = "my.domain", op_type = "Foo"}' in shown.out
