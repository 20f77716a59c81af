"""The runtimes that run a workload. Each takes an ONNX model and gives a call; where the runtime can, results
are allocated before."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cell import Arrays, Cell
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.workloads import Workload


def lamina_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The model compiled by Lamina."""
    import lamina
    from lamina.lowering.executable import Executable

    compiled = lamina.compile(lamina.load(model), threads=threads, cache=False)
    arrays = [inputs[info.name] for info in compiled.inputs]
    executable = compiled if isinstance(compiled, Executable) else compiled.executable_for(*arrays)
    outputs = tuple(np.empty(info.shape, info.dtype) for info in executable.outputs)
    return Cell("lamina", threads, lambda: executable(*arrays, out=outputs), lambda: list(outputs))


def onnxruntime_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The model in ONNX Runtime, with inputs and outputs bound once."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    options.add_session_config_entry("session.force_spinning_stop", "1")  # it would disturb the next runtime
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_cpu_input(name, array)
    values = {}
    for output in session.get_outputs():
        values[output.name] = onnxruntime.OrtValue.ortvalue_from_shape_and_type(output.shape, np.float32)
        binding.bind_ortvalue_output(output.name, values[output.name])
    return Cell(
        "onnxruntime",
        threads,
        lambda: session.run_with_iobinding(binding),
        lambda: [value.numpy() for value in values.values()],
    )


def openvino_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The model in OpenVINO, in f32, with inputs and outputs bound once."""
    import openvino  # pyright: ignore[reportMissingImports]

    core = openvino.Core()
    options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if threads is not None:
        options["INFERENCE_NUM_THREADS"] = str(threads)
    read = core.read_model(model.SerializeToString())
    request = core.compile_model(read, "CPU", options).create_infer_request()
    for name, array in inputs.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
    outputs = [request.get_output_tensor(i) for i in range(len(request.model_outputs))]
    return Cell("openvino", threads, request.infer, lambda: [output.data for output in outputs])


def numpy_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The workload's own NumPy call."""
    compute = workload.in_numpy
    assert compute is not None
    arrays = list(inputs.values())
    output = np.empty_like(np.asarray(compute(*arrays)))
    return Cell(
        "numpy",
        threads,
        lambda: compute(*arrays, out=output),
        lambda: [output],
    )


PEERS: dict[str, Callable[[Workload, Any, Arrays, int | None], Cell]] = {
    "lamina": lamina_cell,
    "onnxruntime": onnxruntime_cell,
    "openvino": openvino_cell,
    "numpy": numpy_cell,
    **FRAMEWORKS,
}
"""How to make a cell, by runtime; Lamina comes first."""

_MODULES = {
    "torch.compile": ("torch",),
    "jax.jit": ("jax",),
    "litert": ("ai_edge_litert", "litert_converter", "jax"),
    "iree": ("iree.compiler", "iree.runtime", "jax"),
}
"""What has to be installed, where it is not the module of the runtime's name."""


def installed() -> list[str]:
    """The runtimes that are there."""
    return [name for name in PEERS if all(map(_found, _MODULES.get(name, (name,))))]


def _found(module: str) -> bool:
    package, _, rest = module.partition(".")
    if importlib.util.find_spec(package) is None:
        return False
    return not rest or importlib.util.find_spec(module) is not None
