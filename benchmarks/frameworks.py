"""Cells of frameworks that do not read ONNX: PyTorch and JAX through ``benchmarks.graph``, and what compiles
the StableHLO that JAX makes of the same functions.

The weights are constants of the module or function. Inputs are converted once. A call ends when its results
are there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.cell import Arrays, Cell
from benchmarks.graph import Steps, read_graph
from benchmarks.processes import available_cores
from benchmarks.workloads import Workload


def torch_cell(
    workload: Workload, model: Any, inputs: Arrays, threads: int | None, compiled: bool = False
) -> Cell:
    """A PyTorch module in inference mode: each operator in turn, or compiled with its weights frozen."""
    torch = importlib.import_module("torch")
    from benchmarks.torch_operators import OPERATORS

    if threads is not None:
        torch.set_num_threads(threads)
    module = _torch_module(torch, Steps(read_graph(model), OPERATORS))
    if compiled:
        torch.compiler.reset()  # what it knows of the last workload's module counts as recompiling this one
        module = torch.compile(module, fullgraph=True, options={"freezing": True})
    tensors = [torch.from_numpy(array) for array in inputs.values()]
    found: Sequence[Any] = ()

    def call() -> None:
        nonlocal found
        found = module(*tensors)

    return Cell(
        "torch.compile" if compiled else "torch",
        threads,
        call,
        lambda: [tensor.numpy() for tensor in found],
        torch.inference_mode,
    )


def torch_compile_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The PyTorch module compiled by its default backend, Inductor."""
    return torch_cell(workload, model, inputs, threads, compiled=True)


def _torch_module(torch: Any, steps: Steps) -> Any:
    """A module whose buffers are the constants; images are kept as convolutions like them best.

    Constants of rank 0 are numbers, as one writes them in PyTorch, and as Inductor expects them in attention.
    """
    numbers = {name: array.item() for name, array in steps.constants.items() if not array.ndim}
    arrays = {name: array for name, array in steps.constants.items() if array.ndim}
    names = {name: f"constant{i}" for i, name in enumerate(arrays)}

    class Model(torch.nn.Module):
        def forward(self, *inputs: Any) -> tuple[Any, ...]:
            constants = numbers | {name: getattr(self, buffer) for name, buffer in names.items()}
            # A transpose would be a view, while other runtimes write the result that the model tells.
            return tuple(result.contiguous() for result in steps.run(constants, inputs))

    module = Model()
    for name, array in arrays.items():
        module.register_buffer(names[name], torch.from_numpy(array.copy()))
    return module.eval().to(memory_format=torch.channels_last)


def _jitted(model: Any) -> Any:
    """The model as a jitted function of its inputs, which closes over the weights."""
    import jax

    from benchmarks.jax_operators import OPERATORS

    steps = Steps(read_graph(model), OPERATORS)
    jax.clear_caches()  # holds the weights of the last workload
    return jax.jit(lambda *inputs: tuple(steps.run(steps.constants, inputs)))


def jax_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """``jax.jit`` of the model, run by the thread that calls it."""
    import jax

    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jitted, arrays = _jitted(model), [jax.numpy.asarray(array) for array in inputs.values()]
    found: Sequence[Any] = ()

    def call() -> None:
        nonlocal found
        found = jax.block_until_ready(jitted(*arrays))

    return Cell("jax.jit", threads, call, lambda: [np.asarray(array) for array in found])


def _stablehlo(model: Any, inputs: Arrays) -> str:
    """The text of what JAX makes of the model."""
    import jax

    shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in inputs.values()]
    return _jitted(model).lower(*shapes).as_text()


def iree_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """IREE's code for this processor, data in the tiles that kernels read; one thread is the caller's own."""
    compiler: Any = importlib.import_module("iree.compiler")
    runtime: Any = importlib.import_module("iree.runtime")
    code = compiler.compile_str(
        _stablehlo(model, inputs),
        input_type="stablehlo",
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-data-tiling=true"],
    )
    if threads not in (None, 1):
        runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
    device = runtime.get_device("local-sync" if threads == 1 else "local-task")
    instance = runtime.VmInstance()
    module = runtime.VmModule.copy_buffer(instance, code)
    context = runtime.VmContext(instance, [runtime.create_hal_module(instance, device), module])
    function = module.lookup_function("main")
    given = runtime.VmVariantList(len(inputs))
    for array in inputs.values():
        given.push_ref(
            device.allocator.allocate_buffer_copy(
                memory_type=runtime.MemoryType.DEVICE_LOCAL,
                allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING,
                device=device,
                buffer=array,
                element_type=runtime.HalElementType.FLOAT_32,
            )
        )
    found: Any = None

    def call() -> None:
        nonlocal found
        found = runtime.VmVariantList(len(model.graph.output))
        context.invoke(function, given, found)

    def results() -> list[np.ndarray]:
        views = [found.get_as_object(i, runtime.HalBufferView) for i in range(len(model.graph.output))]
        return [runtime.DeviceArray(device, view).to_host() for view in views]

    return Cell("iree", threads, call, results)


def litert_cell(workload: Workload, model: Any, inputs: Arrays, threads: int | None) -> Cell:
    """The model converted to LiteRT's format; left alone, its interpreter takes one thread, so it is told."""
    interpreters: Any = importlib.import_module("ai_edge_litert.interpreter")
    takes = [f"input{i}" for i in range(len(inputs))]
    gives = [f"output{i}" for i in range(len(model.graph.output))]
    content = _flatbuffer(_stablehlo(model, inputs), takes, gives)
    interpreter = interpreters.Interpreter(model_content=content, num_threads=threads or available_cores())
    interpreter.allocate_tensors()
    runner = interpreter.get_signature_runner("main")
    for name, array in zip(takes, inputs.values(), strict=True):
        interpreter.set_tensor(runner.get_input_details()[name]["index"], array)
    outputs = [runner.get_output_details()[name]["index"] for name in gives]
    return Cell("litert", threads, interpreter.invoke, lambda: [interpreter.get_tensor(i) for i in outputs])


def _flatbuffer(stablehlo: str, takes: Sequence[str], gives: Sequence[str]) -> bytes:
    """What LiteRT's converter makes of StableHLO, with a signature of these names."""
    mlir: Any = importlib.import_module("litert_converter.mlir.ir")
    passes: Any = importlib.import_module("litert_converter.mlir.passmanager")
    converter: Any = importlib.import_module("litert_converter.mlir._mlir_libs.converter_api_ext")
    context = mlir.Context()
    converter.prepare_mlir_context(context)
    with context:
        module = mlir.Module.parse(stablehlo)
        converter.set_signature(
            module.operation, signature_name="main", input_names=takes, output_names=gives
        )
        converter.run_convert_to_tfl_passes(module, passes.PassManager(), converter.ConvertToTFLConfig())
        return converter.export_flatbuffer_to_bytes(module.operation)


FRAMEWORKS: dict[str, Callable[[Workload, Any, Arrays, int | None], Cell]] = {
    "torch": torch_cell,
    "torch.compile": torch_compile_cell,
    "jax.jit": jax_cell,
    "litert": litert_cell,
    "iree": iree_cell,
}
