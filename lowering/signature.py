"""What a caller sees of an entry function: the names, shapes and dtypes of its inputs and results.

Read from the function at any level above ``llvm``: tensor arguments, or buffers with results as trailing
arguments (``lamina.result``) and the arena (``lamina.arena``). ``nn.name`` gives names; ``nn.dtype`` the
element type where a lowering changed it (``i1`` and ``ui8`` become ``i8``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, ShapedType, Signedness, StringAttr
from xdsl.dialects.builtin import IntegerType as Int
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, ContainerType

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.core.dtypes import numpy_dtype


@dataclass(frozen=True)
class Port:
    """One input or result: its name, its extents (-1 where known only at run time), its dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    def __str__(self) -> str:
        extents = "x".join("?" if n < 0 else str(n) for n in self.shape)
        return f"{self.name}: {self.dtype}[{extents}]"


@dataclass(frozen=True)
class Signature:
    """The inputs and results of an entry, in order."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def is_static(self) -> bool:
        """Whether every extent is known."""
        return all(n >= 0 for port in (*self.inputs, *self.outputs) for n in port.shape)


def find_entry(module: ModuleOp, entry: str) -> FuncOp:
    """The function of a name; a missing one is a :class:`LaminaError` that names those there are."""
    functions = {f.sym_name.data: f for f in module.body.block.ops if isinstance(f, FuncOp)}
    if entry not in functions:
        public = [name for name, f in functions.items() if not is_private(f)]
        hint = did_you_mean(entry, public) or f"the module has: {', '.join(public) or 'no function'}"
        raise error(f"there is no function '@{entry}'", hint=hint)
    return functions[entry]


def is_private(function: FuncOp) -> bool:
    """Whether a function is visible only inside its module."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def attributes_of(group: object, count: int) -> list[dict[str, Attribute]]:
    """The attribute dictionaries of arguments or results, empty ones where none are given."""
    data = getattr(group, "data", None)
    if data is None:
        return [{} for _ in range(count)]
    return [dict(d.data) if isinstance(d, DictionaryAttr) else {} for d in data]


def signature_of(function: FuncOp) -> Signature:
    """The signature of a function on tensors, or on buffers after results became arguments."""
    kinds = list(function.function_type.inputs.data)
    attributes = attributes_of(function.arg_attrs, len(kinds))
    results = list(function.function_type.outputs.data)
    result_attributes = attributes_of(function.res_attrs, len(results))
    inputs: list[Port] = []
    outputs: dict[int, Port] = {}
    for kind, attrs in zip(kinds, attributes, strict=True):
        number = attrs.get("lamina.result")
        if isinstance(number, IntegerAttr):
            outputs[number.value.data] = _port(kind, attrs, f"out{number.value.data}")
        elif "lamina.arena" not in attrs:
            inputs.append(_port(kind, attrs, f"arg{len(inputs)}"))
    for i, (kind, attrs) in enumerate(zip(results, result_attributes, strict=True)):
        outputs[i] = _port(kind, attrs, f"out{i}")
    return Signature(tuple(inputs), tuple(outputs[i] for i in sorted(outputs)))


def _port(kind: Attribute, attributes: dict[str, Attribute], default: str) -> Port:
    shape = kind.get_shape() if isinstance(kind, ShapedType) else ()
    element = kind.get_element_type() if isinstance(kind, ContainerType) else kind
    name = attributes.get("nn.name")
    spelled = attributes.get("nn.dtype")
    dtype = _dtype_named(spelled.data) if isinstance(spelled, StringAttr) else numpy_dtype(element)
    return Port(name.data if isinstance(name, StringAttr) else default, tuple(shape), dtype)


def _dtype_named(text: str) -> np.dtype:
    """The dtype of an element type that is written as text: ``i1``, ``ui8``, ``si16``."""
    sign = {"u": Signedness.UNSIGNED, "s": Signedness.SIGNED}.get(text[0], Signedness.SIGNLESS)
    return numpy_dtype(Int(int(text.lstrip("usi")), sign))
