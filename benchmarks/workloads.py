"""The rows of the benchmark: a name, how its ONNX model is made, and what it takes at least.

Every row has fixed shapes, f32 inputs and one definition, an ONNX model.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import models, networks

ROOT = Path(__file__).resolve().parents[1]


class Unavailable(Exception):
    """A workload that cannot be made here; the message says why."""


@dataclass(frozen=True)
class Workload:
    """A row of the benchmark."""

    name: str
    make: Callable[[], Any]
    """Makes the ``onnx.ModelProto``, or raises :class:`Unavailable`."""
    tolerance: float = 2e-4
    """Largest error of a right result, relative to the largest magnitude of the reference."""
    in_numpy: Callable[..., object] | None = field(default=None, repr=False)
    """The same in NumPy, where a user would write it in one call: takes the inputs and ``out``."""


def input_arrays(model: Any) -> dict[str, np.ndarray]:
    """Random inputs of a model, the same at each run."""
    random = np.random.default_rng(0)
    shapes = {
        given.name: tuple(d.dim_value for d in given.type.tensor_type.shape.dim)
        for given in model.graph.input
    }
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def trained(file: str, batch: int = 1) -> Any:
    """A trained model from a package (see ``test/models.py``), for a fixed batch."""
    import onnx

    model = onnx.load(_model_file(file))
    for value in [*model.graph.input, *model.graph.output]:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_value <= 0:
                dim.dim_value = batch
    del model.graph.value_info[:]
    return model


def _model_file(name: str) -> str:
    try:
        import pytest
    except ImportError as missing:
        raise Unavailable("needs the extra [test]") from missing
    helper = importlib.util.spec_from_file_location("trained_models", ROOT / "test" / "models.py")
    assert helper is not None and helper.loader is not None
    trained_models = importlib.util.module_from_spec(helper)
    helper.loader.exec_module(trained_models)
    try:
        return str(trained_models.model_file(name))
    except pytest.skip.Exception as problem:
        raise Unavailable(str(problem)) from problem


def _digits(name: str) -> list[np.ndarray]:
    """The weights of a trained example, in the order of its text."""
    import lamina
    from lamina.dialects.core.constants import as_array

    module = lamina.load(ROOT / "examples" / f"{name}.mlir")
    return [as_array(op.properties["value"]) for op in module.walk() if op.name == "nn.constant"]


def _cube(n: int) -> Workload:
    return Workload(f"matmul-{n}", lambda: models.matmul(n, n, n), in_numpy=np.matmul)


def _convolution(
    name: str, channels: tuple[int, int], size: int, kernel: int, stride: int = 1, groups: int = 1
) -> Workload:
    return Workload(name, lambda: models.convolution(channels, size, kernel, stride, groups))


def _trained(name: str, file: str, tolerance: float = 1e-3) -> Workload:
    return Workload(name, lambda: trained(file), tolerance)


def _row_sum(x: np.ndarray, out: np.ndarray | None = None) -> object:
    return np.sum(x, axis=1, out=out)


def _transpose(x: np.ndarray, out: np.ndarray | None = None) -> object:
    result = np.empty(x.shape[::-1], x.dtype) if out is None else out
    np.copyto(result, x.T)
    return result


_ROWS = (
    *(_cube(n) for n in (64, 128, 256, 512, 1024, 2048)),
    Workload("matmul-128x768x3072-constant", lambda: models.matmul_constant(128, 3072, 768)),
    Workload("matmul-1x4096x4096-constant", lambda: models.matmul_constant(1, 4096, 4096)),
    Workload("matmul-8x4096x4096-constant", lambda: models.matmul_constant(8, 4096, 4096)),
    Workload("mlp-784-512-512-10-batch1", lambda: models.perceptron(1, (784, 512, 512, 10))),
    Workload("mlp-784-512-512-10-batch128", lambda: models.perceptron(128, (784, 512, 512, 10))),
    Workload("digits-mlp", lambda: models.digits_perceptron(1, _digits("digits_mlp"))),
    Workload("digits-cnn", lambda: models.digits_network(1, _digits("digits_cnn"))),
    _trained("pulsevad", "pulsevad_2.1k.onnx"),
    _trained("onet", "onet.onnx"),
    _trained("embedding", "embedding_model.onnx"),
    _trained("open-nsfw", "open-nsfw.onnx"),
    _convolution("conv7x7-s2-3-64-224", (3, 64), 224, 7, 2),
    _convolution("conv1x1-64-256-56", (64, 256), 56, 1),
    _convolution("conv1x1-1024-256-14", (1024, 256), 14, 1),
    _convolution("conv1x1-512-2048-7", (512, 2048), 7, 1),
    _convolution("conv3x3-64-64-56", (64, 64), 56, 3),
    _convolution("conv3x3-128-128-28", (128, 128), 28, 3),
    _convolution("conv3x3-256-256-14", (256, 256), 14, 3),
    _convolution("conv3x3-512-512-7", (512, 512), 7, 3),
    _convolution("conv3x3-s2-128-128-56", (128, 128), 56, 3, 2),
    _convolution("depthwise3x3-32-112", (32, 32), 112, 3, 1, 32),
    _convolution("depthwise3x3-s2-144-56", (144, 144), 56, 3, 2, 144),
    _convolution("depthwise3x3-384-14", (384, 384), 14, 3, 1, 384),
    Workload("gelu-affine-1M", lambda: models.gelu_of_affine(1024, 1024)),
    Workload("gelu-affine-16M", lambda: models.gelu_of_affine(4096, 4096)),
    Workload("relu-of-sum-16M", lambda: models.relu_of_sum(4096, 4096)),
    Workload("softmax-4096x4096", lambda: models.softmax(4096, 4096)),
    Workload("layer-norm-4096x1024", lambda: models.layer_norm(4096, 1024)),
    Workload("row-sum-4096x4096", lambda: models.row_sum(4096, 4096), in_numpy=_row_sum),
    Workload("transpose-4096x4096", lambda: models.transpose(4096, 4096), in_numpy=_transpose),
)

_NETWORKS = (
    Workload("mobilenet-v2", networks.mobilenet_v2),
    Workload("resnet-50", networks.resnet_50),
    Workload("bert-base", networks.bert),
    Workload("gpt2-small-step", networks.gpt2_step),
)
"""Networks whose compile time is measured."""

WORKLOADS: dict[str, Workload] = {row.name: row for row in (*_ROWS, *_NETWORKS)}
"""All rows by name, in the order of the table."""

COMPILED = (
    *("digits-mlp", "digits-cnn", "mlp-784-512-512-10-batch1", "pulsevad", "onet", "embedding", "open-nsfw"),
    *("mobilenet-v2", "resnet-50", "bert-base"),
)
"""The rows whose compile time is of interest."""
