"""Checks of the arrays that a compiled function is called with: no silent cast, and messages that tell.

Arrays must have the exact dtype and shape. Python numbers and lists become arrays of the exact dtype where
that loses nothing of their kind (no float for an integer, no number out of range). An array that is not
contiguous or not aligned is copied, and so is a donated one that must not be written to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.lowering.codegen.signature import ArrayInfo, Signature

_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
"""How much the kinds of dtypes can hold (ml_dtypes' floats have kind V)."""


def check_input(info: ArrayInfo, value: Any) -> np.ndarray:
    """The value as an aligned, contiguous array of the input's dtype and shape, itself where it is one."""
    if not isinstance(value, np.ndarray):
        value = _from_python(info, value)
    if value.dtype != info.dtype:
        raise error(
            f"input '{info.name}' must have dtype {info.dtype.name}, not {value.dtype}",
            hint=f"convert it: `x.astype({_dtype_name(info.dtype)})`",
        )
    if value.shape != info.shape and not _fits(info.shape, value.shape):
        raise error(f"input '{info.name}' must have shape {info.extents}, not {list(value.shape)}")
    if value.flags.c_contiguous and value.flags.aligned and (value.flags.writeable or not info.donated):
        return value
    return np.array(value, info.dtype, order="C")


def _fits(expected: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a shape is of the expected rank and extents; an unknown extent (negative) takes any."""
    return len(expected) == len(shape) and all(m < 0 or m == n for m, n in zip(expected, shape, strict=True))


def _dtype_name(dtype: np.dtype) -> str:
    return f"ml_dtypes.{dtype.name}" if dtype.kind == "V" else f"np.{dtype.name}"


def _from_python(info: ArrayInfo, value: Any) -> np.ndarray:
    """An array of the input's dtype from a number or (nested) list, or from another library's array."""
    try:
        found = np.asarray(value)
    except ValueError as failure:
        raise error(f"input '{info.name}' is no array: {failure}") from failure
    if isinstance(value, np.generic) or not isinstance(value, bool | int | float | complex | list | tuple):
        return found
    if found.size and _KINDS.get(found.dtype.kind, 9) > _KINDS.get(info.dtype.kind, 0):
        raise error(f"input '{info.name}' must hold {info.dtype.name}, not {found.dtype.name}")
    try:
        return np.asarray(value, info.dtype)
    except (OverflowError, ValueError) as failure:
        raise error(f"input '{info.name}' must hold {info.dtype.name}: {failure}") from failure


def arrange_inputs(inputs: Sequence[ArrayInfo], args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """Positional and named values in the order of the inputs; a wrong count or name is a LaminaError."""
    if len(args) > len(inputs):
        raise error(f"takes {_counted(len(inputs), 'input')}, not {len(args)}", hint=_listing(inputs))
    names = [info.name for info in inputs]
    values = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise error(f"has no input '{name}'", hint=did_you_mean(name, names) or _listing(inputs))
        if name in values:
            raise error(f"input '{name}' is given twice, by position and by name")
        values[name] = value
    missing = [name for name in names if name not in values]
    if missing:
        raise error(
            f"takes {_counted(len(inputs), 'input')}; missing: {', '.join(missing)}", hint=_listing(inputs)
        )
    return [values[name] for name in names]


def arrange_outputs(outputs: Sequence[ArrayInfo], out: Any) -> list[np.ndarray]:
    """The arrays to write to: one array, a sequence in the order of the results, or a dict by name."""
    if isinstance(out, np.ndarray):
        out = (out,)
    elif isinstance(out, Mapping):
        out = _by_name(outputs, out)
    if len(out) != len(outputs):
        raise error(
            f"gives {_counted(len(outputs), 'result')}, but `out` has {len(out)}", hint=_listing(outputs)
        )
    for info, array in zip(outputs, out, strict=True):
        _check_output(info, array)
    return list(out)


def _by_name(outputs: Sequence[ArrayInfo], out: Mapping[str, Any]) -> list[Any]:
    names = [info.name for info in outputs]
    for name in out:
        if name not in names:
            raise error(f"has no output '{name}'", hint=did_you_mean(name, names) or _listing(outputs))
    missing = [name for name in names if name not in out]
    if missing:
        raise error(f"`out` lacks {', '.join(missing)}", hint=_listing(outputs))
    return [out[name] for name in names]


def _check_output(info: ArrayInfo, array: Any) -> None:
    if not isinstance(array, np.ndarray):
        raise error(f"`out` for '{info.name}' must be a NumPy array, not {type(array).__name__}")
    if array.dtype != info.dtype or array.shape != info.shape:
        given = f"{array.dtype.name}{list(array.shape)}"
        raise error(f"`out` for '{info.name}' must be {info.dtype.name}{list(info.shape)}, not {given}")
    if not array.flags.carray:
        raise error(f"`out` for '{info.name}' must be writable, contiguous and aligned")


def check_overlap(signature: Signature, addresses: Sequence[int]) -> None:
    """Results must not share memory with each other or with an input; exactly on a donated input they may.

    ``addresses`` are those of the inputs, then of the outputs.
    """
    infos = signature.inputs + signature.outputs
    ends = [address + info.nbytes for address, info in zip(addresses, infos, strict=True)]
    for i in range(len(signature.inputs), len(infos)):
        start, end = addresses[i], ends[i]
        for j in range(i):
            if start < ends[j] and addresses[j] < end:
                same = start == addresses[j] and end == ends[j]
                if not (same and infos[j].donated):
                    kind = "input" if j < len(signature.inputs) else "output"
                    raise error(f"`out` for '{infos[i].name}' shares memory with {kind} '{infos[j].name}'")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _listing(infos: Sequence[ArrayInfo]) -> str:
    return ", ".join(map(str, infos))
