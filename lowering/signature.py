"""What a caller sees of an entry function above the ``llvm`` level: names, shapes and dtypes.

Read from the function on tensors, or on buffers with results as trailing arguments (``lamina.result``) and
the arena (``lamina.arena``). ``nn.name`` gives names; ``nn.dtype`` the element type where a lowering changed
it (``i1`` and ``ui8`` become ``i8``).
"""

from __future__ import annotations

from xdsl.dialects.builtin import ContainerType, DictionaryAttr, IntegerAttr, ModuleOp, ShapedType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.lowering.codegen.entry import dtype_of
from lamina.lowering.codegen.signature import ARENA, NAME, RESULT, ArrayInfo, EntrySignature


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


def signature_of(function: FuncOp) -> EntrySignature:
    """The signature of a function on tensors, or on buffers after results became arguments."""
    kinds = list(function.function_type.inputs.data)
    inputs: list[ArrayInfo] = []
    outputs: dict[int, ArrayInfo] = {}
    for kind, attributes in zip(kinds, attributes_of(function.arg_attrs, len(kinds)), strict=True):
        number = attributes.get(RESULT)
        if isinstance(number, IntegerAttr):
            outputs[number.value.data] = _info(kind, attributes, f"out{number.value.data}")
        elif ARENA not in attributes:
            inputs.append(_info(kind, attributes, f"arg{len(inputs)}"))
    results = list(function.function_type.outputs.data)
    for i, (kind, attributes) in enumerate(
        zip(results, attributes_of(function.res_attrs, len(results)), strict=True)
    ):
        outputs[i] = _info(kind, attributes, f"out{i}")
    return EntrySignature(tuple(inputs), tuple(outputs[i] for i in sorted(outputs)))


def _info(kind: Attribute, attributes: dict[str, Attribute], default: str) -> ArrayInfo:
    shape = tuple(kind.get_shape()) if isinstance(kind, ShapedType) else ()
    element = kind.get_element_type() if isinstance(kind, ContainerType) else kind
    name = attributes.get(NAME)
    return ArrayInfo(
        name.data if isinstance(name, StringAttr) else default, shape, dtype_of(element, attributes)
    )
