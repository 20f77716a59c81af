"""What compiling an entry gives, before it is linked into a process: all that has to be kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lamina.lowering.codegen.jit import IrText
from lamina.lowering.codegen.signature import Signature


@dataclass(frozen=True)
class CompiledCode:
    """The object code of an entry, its signature, and the constants that its symbols are bound to."""

    entry: str
    signature: Signature
    objects: tuple[bytes, ...] = field(repr=False)
    """Object files that are linked together."""
    constants: Mapping[str, np.ndarray] = field(repr=False)
    """Aligned arrays by the names of the symbols that stand for their addresses."""
    ir: IrText = field(repr=False)
    """The LLVM IR that the objects were made from."""

    @property
    def constant_bytes(self) -> int:
        """Bytes of all constants."""
        return sum(array.nbytes for array in self.constants.values())
