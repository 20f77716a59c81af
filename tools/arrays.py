"""Inputs and outputs of models in files: ``.npz`` archives whose keys are the model's own names."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lamina.dialects.core.diagnostics import LaminaError, Location, did_you_mean, error
from lamina.lowering.codegen.arguments import check_input
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.tools.output import whole_file


def read_arrays(path: str, inputs: Sequence[ArrayInfo]) -> dict[str, np.ndarray]:
    """The arrays of an archive by input name; wrong files and names are one clear error each."""
    arrays = _load(path)
    names = [info.name for info in inputs]
    for name in arrays:
        if name not in names:
            hint = did_you_mean(name, names) or f"the model's inputs are {', '.join(names) or 'none'}"
            raise error(f"holds '{name}', which is no input of the model", Location(path), hint=hint)
    missing = [name for name in names if name not in arrays]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise error(f"lacks the input{plural} {', '.join(missing)}", Location(path))
    return {info.name: _checked(info, arrays[info.name], path) for info in inputs}


def _checked(info: ArrayInfo, array: np.ndarray, path: str) -> np.ndarray:
    try:
        return check_input(info, _native(array, info.dtype))
    except LaminaError as problem:
        first = problem.diagnostics[0]
        raise error(first.message, Location(path), hint=first.hint) from problem


def _load(path: str) -> dict[str, np.ndarray]:
    try:
        with Path(path).open("rb") as stream:
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                hint = "put it into an archive by the input's name: numpy.savez(FILE, NAME=array)"
                raise error("is one array, not an archive of arrays", Location(path), hint=hint)
            with archive:
                return {name: archive[name] for name in archive.files}
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror or problem}", Location(path)) from problem
    except (zipfile.BadZipFile, EOFError, zlib.error, struct.error, RuntimeError) as problem:
        hint = "it may be cut off: write it with numpy.savez"
        raise error("is no whole .npz archive", Location(path), hint=hint) from problem
    except ValueError as problem:
        if "Object arrays" in str(problem):
            raise error("holds Python objects, not only numbers", Location(path)) from problem
        hint = "write it with numpy.savez"
        raise error("is no .npz archive of arrays", Location(path), hint=hint) from problem


def _native(array: np.ndarray, wanted: np.dtype) -> np.ndarray:
    """The array in this machine's byte order, and as bf16 where the file could only say "two bytes"."""
    if array.dtype.kind == "V" and wanted.kind == "V" and array.dtype.itemsize == wanted.itemsize:
        return array.view(wanted)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def write_arrays(path: str, outputs: Sequence[ArrayInfo], values: Any) -> None:
    """Write results by name; the file appears whole or not at all."""
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        # Not numpy.savez: an output may have the name of one of its parameters.
        for info, value in zip(outputs, _as_tuple(values), strict=True):
            with archive.open(f"{info.name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(value), allow_pickle=False)


def summary(outputs: Sequence[ArrayInfo], values: Any) -> str:
    """The results as text, long ones cut short."""
    with np.printoptions(precision=6, threshold=16, edgeitems=4, linewidth=100):
        return "\n".join(
            f"{info.name}: {value.dtype}{list(value.shape)}\n{value}"
            for info, value in zip(outputs, _as_tuple(values), strict=True)
        )


def _as_tuple(values: Any) -> tuple[Any, ...]:
    return values if isinstance(values, tuple) else (values,)


def random_arrays(
    inputs: Sequence[ArrayInfo], seed: int, shapes: Sequence[tuple[int, ...]]
) -> dict[str, np.ndarray]:
    """Arrays for all inputs: standard normal floats, small non-negative integers, fair booleans."""
    generator = np.random.default_rng(seed)
    pairs = zip(inputs, shapes, strict=True)
    return {info.name: _random(info.dtype, shape, generator) for info, shape in pairs}


def _random(dtype: np.dtype, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    match dtype.kind:
        case "b":
            return generator.integers(0, 2, shape).astype(np.bool_)
        case "i" | "u":
            return generator.integers(0, 10, shape).astype(dtype)
        case _:
            return generator.standard_normal(shape).astype(dtype)


def read_shapes(texts: Sequence[str], inputs: Sequence[ArrayInfo]) -> list[tuple[int, ...]]:
    """Shapes for all inputs from ``name=1x3x224x224`` texts; unnamed inputs keep theirs, ``?`` becoming 1."""
    known = {info.name: info for info in inputs}
    shapes = {info.name: tuple(1 if n < 0 else n for n in info.shape) for info in inputs}
    for text in texts:
        name, separator, extents = text.rpartition("=")
        if name.isdecimal() and name not in known and int(name) < len(inputs):
            name = inputs[int(name)].name
        if not separator or name not in known:
            places = " (or by number: 0=1x3)" if known else ""
            listed = f"the model's inputs are {', '.join(known) or 'none'}{places}"
            hint = did_you_mean(name, list(known)) or listed
            raise error(f"'{text}' does not give the shape of an input", hint=hint)
        shape = tuple(int(n) if n.isdecimal() else -1 for n in extents.split("x")) if extents else ()
        if min(shape, default=0) < 0:
            raise error(f"'{extents}' is no shape", hint="write it as 1x3x224x224")
        expected = known[name].shape
        if len(shape) != len(expected) or any(
            m >= 0 and m != n for m, n in zip(expected, shape, strict=True)
        ):
            raise error(f"input '{name}' has shape {known[name].extents}, which {list(shape)} does not fit")
        shapes[name] = shape
    return list(shapes.values())
