"""Running linalg IR natively through upstream's tools, which share no code with Lamina's backend."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Sequence

import numpy as np
import pytest

LOWER = (
    "--pass-pipeline=builtin.module(one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,func.func(llvm-request-c-wrappers),"
    "convert-math-to-llvm,convert-math-to-libm,arith-expand{include-bf16=true},"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)


def _descriptor(rank: int) -> type[ctypes.Structure]:
    fields = [("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})


def _described(array: np.ndarray) -> ctypes.Structure:
    descriptor = _descriptor(array.ndim)()
    descriptor.base = descriptor.data = array.ctypes.data
    descriptor.offset = 0
    if array.ndim:
        descriptor.sizes[:] = array.shape
        descriptor.strides[:] = [s // array.itemsize for s in array.strides]
    return descriptor


@ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
def _copy(item: int, source: int, target: int) -> None:
    """The runtime function that upstream's ``memref.copy`` of strided memory calls."""
    _view(target, item)[...] = _view(source, item)


def _view(unranked: int, item: int) -> np.ndarray:
    """The memory of an unranked memref (rank, descriptor) as an array of opaque items."""
    rank, address = (ctypes.c_int64 * 2).from_address(unranked)
    words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(address)
    shape = tuple(words[3 : 3 + rank])
    strides = tuple(s * item for s in words[3 + rank :])
    size = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + item if 0 not in shape else 0
    raw = np.frombuffer((ctypes.c_byte * size).from_address(words[1] + words[2] * item), f"V{item}")
    return np.lib.stride_tricks.as_strided(raw, shape, strides)


class NativeModule:
    """The functions of a module, compiled by mlir-opt, mlir-translate and LLVM without optimisation."""

    def __init__(self, llvm_ir: str) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        for name in ("m", "gcc_s"):
            path = ctypes.util.find_library(name)
            if path:
                llvm.load_library_permanently(path)
        llvm.add_symbol("memrefCopy", ctypes.cast(_copy, ctypes.c_void_p).value)
        module = llvm.parse_assembly(llvm_ir)
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1
        )
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def call(
        self, name: str, arrays: Sequence[np.ndarray], results: Sequence[tuple[int, np.dtype]]
    ) -> list[np.ndarray]:
        """Call a function on tensors; ``results`` gives rank and dtype of each of its results."""
        address = self._engine.get_function_address(f"_mlir_ciface_{name}")
        held = [np.ascontiguousarray(a) if a.ndim else np.array(a) for a in arrays]
        inputs = [_described(array) for array in held]
        kinds = [_descriptor(rank) for rank, _ in results]
        fields = [(f"r{i}", kind) for i, kind in enumerate(kinds)]
        out = type("Results", (ctypes.Structure,), {"_fields_": fields})()
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(inputs) + 1))(address)(
            ctypes.addressof(out), *[ctypes.addressof(d) for d in inputs]
        )
        return [_array(getattr(out, f"r{i}"), rank, dtype) for i, (rank, dtype) in enumerate(results)]


def _array(descriptor: ctypes.Structure, rank: int, dtype: np.dtype) -> np.ndarray:
    shape = tuple(descriptor.sizes) if rank else ()
    strides = tuple(s * dtype.itemsize for s in descriptor.strides) if rank else ()
    size = (
        sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
        if 0 not in shape
        else 0
    )
    if size == 0:
        return np.empty(shape, dtype)
    raw = (ctypes.c_byte * size).from_address(descriptor.data + descriptor.offset * dtype.itemsize)
    bytes_ = np.frombuffer(raw, np.uint8).copy()
    return np.lib.stride_tricks.as_strided(bytes_.view(dtype), shape, strides)


@pytest.fixture
def native(mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]) -> Callable[[str], NativeModule]:
    """``native(text)``: the text of a module below nn, compiled by upstream's tools."""
    return lambda text: NativeModule(mlir_translate(mlir_opt(text, LOWER), "--mlir-to-llvmir"))
