"""Inputs and outputs of models in files: ``.npz`` archives whose keys are the model's own names."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from lamina.dialects.core.diagnostics import Location, did_you_mean, error
from lamina.lowering.codegen.signature import ArrayInfo
from lamina.tools.console import whole_file


def read_arrays(path: str, inputs: Sequence[ArrayInfo]) -> dict[str, np.ndarray]:
    """The arrays of an archive by input name; wrong files and names are one clear error each."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror or problem}", Location(path)) from problem
    except (ValueError, zipfile.BadZipFile, EOFError, AttributeError) as problem:
        raise error(
            "is no .npz archive of arrays", Location(path), hint="write it with numpy.savez"
        ) from problem
    names = [info.name for info in inputs]
    for name in arrays:
        if name not in names:
            hint = did_you_mean(name, names) or f"the model's inputs are {', '.join(names) or 'none'}"
            raise error(f"holds '{name}', which is no input of the model", Location(path), hint=hint)
    missing = [name for name in names if name not in arrays]
    if missing:
        raise error(f"lacks the inputs {', '.join(missing)}", Location(path))
    return arrays


def write_arrays(path: str, outputs: Sequence[ArrayInfo], values: Any) -> None:
    """Write results by name; the file appears whole or not at all."""
    results = values if isinstance(values, tuple) else (values,)
    named = {info.name: value for info, value in zip(outputs, results, strict=True)}
    with whole_file(path) as temporary:
        try:
            with temporary.open("wb") as stream:
                np.savez(stream, **named)
        except OSError as problem:
            raise error(f"cannot be written: {problem.strerror}", Location(path)) from problem


def random_arrays(inputs: Sequence[ArrayInfo], seed: int, dynamic: int = 1) -> dict[str, np.ndarray]:
    """Arrays for all inputs: standard normal floats, small non-negative integers, fair booleans.

    An extent that is known only at run time becomes ``dynamic``.
    """
    generator = np.random.default_rng(seed)
    return {info.name: _random(info, generator, dynamic) for info in inputs}


def _random(info: ArrayInfo, generator: np.random.Generator, dynamic: int) -> np.ndarray:
    shape = tuple(dynamic if n < 0 else n for n in info.shape)
    match info.dtype.kind:
        case "b":
            return generator.integers(0, 2, shape).astype(np.bool_)
        case "i" | "u":
            return generator.integers(0, 10, shape).astype(info.dtype)
        case _:
            return generator.standard_normal(shape).astype(info.dtype)


def read_shapes(texts: Sequence[str], inputs: Sequence[ArrayInfo]) -> list[tuple[int, ...]]:
    """Shapes for all inputs from ``name=1x3x224x224`` texts; unnamed inputs keep theirs, ``?`` becoming 1."""
    shapes = {info.name: tuple(1 if n < 0 else n for n in info.shape) for info in inputs}
    for text in texts:
        name, separator, extents = text.rpartition("=")
        if not separator or name not in shapes:
            hint = did_you_mean(name, list(shapes)) or f"the model's inputs are {', '.join(shapes)}"
            raise error(f"'{text}' does not give the shape of an input", hint=hint)
        try:
            shapes[name] = tuple(int(n) for n in extents.split("x")) if extents else ()
        except ValueError:
            raise error(f"'{extents}' is no shape", hint="write it as 1x3x224x224") from None
    return list(shapes.values())
