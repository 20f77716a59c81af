"""What a compiled entry takes and gives: names, shapes and dtypes, and the attributes that say so in IR.

At the llvm level arguments are bare pointers. Names, shapes and element types are in attributes:
``lamina.type`` (a tensor or memref type), ``nn.name``, ``nn.dtype`` (where the model's element type is
another one than the stored: ``ui8``, ``i1``), ``lamina.result`` (the number of the result that the argument
receives), ``lamina.arena`` (working memory), ``bufferization.writable`` (a donated input) and
``lamina.updates`` (the number of the result that is left in a donated input). They are read by
:mod:`lamina.lowering.codegen.entry`. Nothing here imports xDSL: code that is made already runs without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

TYPE = "lamina.type"
RESULT = "lamina.result"
UPDATES = "lamina.updates"
ARENA = "lamina.arena"
NAME = "nn.name"
DTYPE = "nn.dtype"
DONATED = "bufferization.writable"


@dataclass(frozen=True)
class ArrayInfo:
    """An input or output: name, shape, dtype."""

    name: str
    shape: tuple[int, ...]
    """Extents; negative where an extent is known only at run time."""
    dtype: np.dtype
    donated: bool = False
    """An input whose memory the call may overwrite."""

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def extents(self) -> str:
        """The shape as text, ``?`` for an extent that is known only at run time."""
        return "[" + ", ".join("?" if n < 0 else str(n) for n in self.shape) + "]"

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype.name}{self.extents}"


@dataclass(frozen=True)
class EntrySignature:
    """The inputs and results of an entry, in order."""

    inputs: tuple[ArrayInfo, ...]
    outputs: tuple[ArrayInfo, ...]


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of an entry, and where they stand among its arguments."""

    inputs: tuple[ArrayInfo, ...]
    outputs: tuple[ArrayInfo, ...]
    arena_bytes: int
    order: tuple[int, ...]
    """For each argument its place in the list of inputs, then outputs, then the arena."""
    updates: tuple[tuple[int, int], ...] = ()
    """Results that are left in a donated input: number of the result, number of the input."""

    @property
    def has_arena(self) -> bool:
        """Whether the entry takes working memory."""
        return len(self.order) > len(self.inputs) + len(self.outputs) - len(self.updates)
