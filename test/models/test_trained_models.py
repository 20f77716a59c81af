"""Trained models from packages, compiled: against ONNX Runtime, from threads, and from each stop point."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import model_file
from stop_points import (
    INTERPRETED,
    check_accepted_upstream,
    check_parses_to_itself,
    check_results,
    stop_points,
)

import lamina
from lamina.lowering.pipelines import LEVELS

pytestmark = pytest.mark.models

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Model:
    """How a model is called: shapes of its input, and values that it was made for."""

    shapes: list[Shape]
    values: tuple[float, float] = (-1.0, 1.0)
    """The range of the values."""
    interpreted: tuple[str, ...] = ("nn-simplified", "linalg")
    """The levels that the interpreter runs in a few seconds."""
    compiled: tuple[str, ...] = field(default=tuple(LEVELS))
    """The levels whose text is compiled."""


FEW = ("linalg", "buffers", "llvm")
MODELS: dict[str, Model] = {
    "pulsevad_2.1k.onnx": Model([(1, 64, 21), (2, 64, 21), (7, 64, 21)], (-4, 4), INTERPRETED),
    "alexa_v0.1.onnx": Model([(1, 16, 96)], (-10, 10), INTERPRETED),
    "onet.onnx": Model([(1, 48, 48, 3), (3, 48, 48, 3)]),
    "pulsevad_teacher_81k.onnx": Model([(1, 64, 21), (3, 64, 21)], (-4, 4)),
    "pnet.onnx": Model([(1, 12, 12, 3), (1, 37, 24, 3), (2, 50, 61, 3)]),
    "rnet.onnx": Model([(1, 24, 24, 3), (5, 24, 24, 3)]),
    "embedding_model.onnx": Model([(1, 76, 32, 1), (3, 76, 32, 1)], (-3, 5), compiled=FEW),
    "open-nsfw.onnx": Model([(1, 224, 224, 3), (2, 224, 224, 3)], (-128, 128), compiled=FEW),
    "magika/models/standard_v3_3/model.onnx": Model([(1, 2048), (3, 2048)], (0, 257), compiled=FEW),
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": Model([(1, 3, 48, 192), (2, 3, 64, 100)], compiled=FEW),
}


def _stem(name: str) -> str:
    return name.split("/", 1)[0].removesuffix(".onnx")


every_model = pytest.mark.parametrize("name", MODELS, ids=_stem)


@cache
def _session(name: str) -> Any:
    onnxruntime = pytest.importorskip("onnxruntime")
    return onnxruntime.InferenceSession(str(model_file(name)), providers=["CPUExecutionProvider"])


@cache
def _compiled(name: str) -> Any:
    return lamina.compile(model_file(name))


@cache
def _expected(name: str, shape: Shape) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Random input of a shape, and what ONNX Runtime gives for it."""
    session = _session(name)
    low, high = MODELS[name].values
    value = session.get_inputs()[0]
    x = np.random.default_rng(7).uniform(low, high, shape)
    x = x.astype({"tensor(float)": np.float32, "tensor(int32)": np.int32}[value.type])
    return x, tuple(session.run(None, {value.name: x}))


@every_model
def test_compiled_model_gives_what_onnx_runtime_gives(name: str) -> None:
    exe = _compiled(name)
    assert [info.name for info in exe.inputs] == [v.name for v in _session(name).get_inputs()]
    assert [info.name for info in exe.outputs] == [v.name for v in _session(name).get_outputs()]
    for shape in MODELS[name].shapes:
        x, wanted = _expected(name, shape)
        check_results(exe(x), wanted, f"compiled for {shape}")


@every_model
def test_interpreter_gives_what_onnx_runtime_gives(name: str) -> None:
    x, wanted = _expected(name, MODELS[name].shapes[-1])
    check_results(lamina.interpret(model_file(name), x), wanted)


@every_model
def test_concurrent_calls_give_what_serial_calls_give(name: str) -> None:
    exe = _compiled(name)
    rng = np.random.default_rng(3)
    inputs = [rng.permuted(_expected(name, s)[0], axis=-1) for s in MODELS[name].shapes for _ in range(4)]
    serial = [exe(x) for x in inputs]
    work = list(range(len(inputs))) * 3
    with ThreadPoolExecutor(4) as pool:
        concurrent = list(pool.map(lambda i: exe(inputs[i]), work))
    for i, results in zip(work, concurrent, strict=True):
        one = not isinstance(results, tuple)
        for result, want in zip(
            (results,) if one else results, (serial[i],) if one else serial[i], strict=True
        ):
            np.testing.assert_array_equal(result, want)


@every_model
def test_text_of_each_stop_point_computes_what_the_model_does(name: str) -> None:
    model = MODELS[name]
    x, wanted = _expected(name, model.shapes[0])
    for level, text in stop_points(lamina.load(model_file(name)), [x]):
        module = check_parses_to_itself(text)
        if level in model.compiled:
            check_results(lamina.compile(module)(x), wanted, f"compiled from the level {level}")
        if level in model.interpreted:
            check_results(lamina.interpret(module, x), wanted, f"interpreted at the level {level}")


@every_model
def test_upstream_reads_each_level_below_nn(
    name: str, mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]
) -> None:
    x, _ = _expected(name, MODELS[name].shapes[0])
    for level, text in stop_points(lamina.load(model_file(name)), [x]):
        check_accepted_upstream(level, text, mlir_opt, mlir_translate)


@pytest.mark.parametrize("options", [[], ["--interpret"]], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", ["onet.onnx"])
def test_lamina_run_reads_and_writes_arrays(name: str, options: list[str], tmp_path: Path) -> None:
    x, wanted = _expected(name, MODELS[name].shapes[-1])
    names = [v.name for v in _session(name).get_outputs()]
    inputs: dict[str, Any] = {_session(name).get_inputs()[0].name: x}
    np.savez(tmp_path / "in.npz", **inputs)
    command = [sys.executable, "-m", "lamina.tools.run", str(model_file(name)), *options]
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "out.npz")]
    subprocess.run([*command, *files], check=True, timeout=600)
    with np.load(tmp_path / "out.npz") as outputs:
        assert sorted(outputs.files) == sorted(names)
        check_results(tuple(outputs[n] for n in names), wanted)
