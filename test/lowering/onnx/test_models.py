"""Whole trained models: their `nn` form, run by the references, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import model_file

from lamina.lowering.onnx.convert_onnx_to_nn import import_onnx

pytestmark = pytest.mark.models

Given = dict[str, "tuple[int, ...] | np.ndarray"]
MODELS: list[tuple[str, Given]] = [
    ("pulsevad_2.1k.onnx", {"log_mel": (2, 64, 21)}),
    ("pulsevad_teacher_81k.onnx", {"log_mel": (3, 64, 21)}),
    ("pulsevad_2.1k_int8.onnx", {"log_mel": (2, 64, 21)}),
    ("alexa_v0.1.onnx", {"onnx::Flatten_0": (1, 16, 96)}),
    ("hey_jarvis_v0.1.onnx", {"x.1": (1, 16, 96)}),
    ("hey_mycroft_v0.1.onnx", {"input_1": (2, 16, 96)}),
    ("embedding_model.onnx", {"input_1": (2, 76, 32, 1)}),
    ("melspectrogram.onnx", {"input": (1, 6400)}),
    ("pnet.onnx", {"input_1": (2, 37, 24, 3)}),
    ("rnet.onnx", {"input_2": (3, 24, 24, 3)}),
    ("onet.onnx", {"input_3": (2, 48, 48, 3)}),
    ("open-nsfw.onnx", {"input:0": (1, 224, 224, 3)}),
    ("magika/models/standard_v3_3/model.onnx", {"bytes": (2, 2048)}),
    ("ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (2, 3, 48, 192)}),
    ("ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 64, 96)}),
    ("ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 96)}),
    ("nsnet2-20ms-baseline.onnx", {"input": (2, 40, 161)}),
    ("silero_vad_16k_sequence.onnx", {"input": (5, 576), "h": (1, 1, 128), "c": (1, 1, 128)}),
    ("silero_vad_op18_ifless.onnx", {"input": (2, 576), "state": (2, 2, 128), "sr": np.array(16000)}),
    ("paraphrase-MiniLM-L3-v2.onnx", {"input_ids": (2, 11), "attention_mask": np.ones((2, 11), np.int64)}),
]


def _feeds(session: Any, shapes: Given) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    dtypes = {"tensor(float)": np.float32, "tensor(int32)": np.int32, "tensor(int64)": np.int64}
    feeds: dict[str, np.ndarray] = {}
    for value in session.get_inputs():
        dtype = dtypes[value.type]
        shape = shapes[value.name]
        if isinstance(shape, np.ndarray):
            feeds[value.name] = shape
            continue
        feeds[value.name] = (
            rng.standard_normal(shape).astype(dtype)
            if dtype is np.float32
            else rng.integers(0, 250, shape).astype(dtype)
        )
    return feeds


@pytest.mark.parametrize(("name", "shapes"), MODELS, ids=[Path(name).stem for name, _ in MODELS])
def test_model_gives_what_onnx_runtime_gives(
    name: str, shapes: Given, run_nn: Callable[..., list[np.ndarray]]
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = model_file(name)
    options = onnxruntime.SessionOptions()
    # Its optimised integer kernels saturate sums in between.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feeds = _feeds(session, shapes)
    wanted = session.run(None, feeds)
    results = run_nn(import_onnx(path), list(feeds.values()))
    for result, want in zip(results, wanted, strict=True):
        assert result.dtype == want.dtype
        assert result.shape == want.shape
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(want).max())))


def test_nested_branches_are_pruned_by_a_constant(run_nn: Callable[..., list[np.ndarray]]) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = model_file("silero_vad/data/silero_vad.onnx")
    shapes = {"input": (1, 512), "state": (2, 1, 128)}
    feeds = _feeds(onnxruntime.InferenceSession(str(path)), {**shapes, "sr": np.array(16000)})
    module = import_onnx(path, input_shapes=shapes, constants={"sr": feeds["sr"]})
    assert not [op for op in module.walk() if op.name.startswith("scf.")]
    wanted = onnxruntime.InferenceSession(str(path)).run(None, feeds)
    for result, want in zip(run_nn(module, list(feeds.values())), wanted, strict=True):
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5)
