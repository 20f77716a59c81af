"""``nn-set-shapes``: a model of dynamic shapes becomes one of given, static shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.transforms.dead_code_elimination import region_dce

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.nn.shapes._checks import text as shape_text
from lamina.passes.framework.conditions import STATIC_SHAPES
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.nn._lowered_refinement import is_lowered, refine_lowered
from lamina.passes.nn._refinement import Refinement

Shape = Sequence["int | None"]
"""Extents; None or a negative number leaves one as it is."""


@dataclass(frozen=True)
class NnSetShapes(Pass):
    """Give a function's arguments static shapes and re-infer everything that follows from them.

    Shapes are written ``x=1x3x224x224,y=1x4``, by the arguments' ``nn.name`` (without one: the name in the
    text) or by position (``0=1x3``); ``?`` leaves an extent as it is, and an argument that is not named keeps
    its type. Operations that compute shapes are folded, so that reshapes by values become static ones. Called
    functions are specialised, too.
    A function in `linalg` is canonicalised, which carries shapes from op to op; its calls stay as they are.

    Without shapes only what follows from the types that are there is inferred:

    ```mlir
    func.func @main(%x: tensor<8x3xf32> {nn.name = "x"}) -> tensor<?x3xf32> {
      %0 = nn.relu %x : (tensor<8x3xf32>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    ```

    ```mlir
    func.func @main(%x: tensor<8x3xf32> {nn.name = "x"}) -> tensor<8x3xf32> {
      %0 = nn.relu %x : (tensor<8x3xf32>) -> tensor<8x3xf32>
      return %0 : tensor<8x3xf32>
    }
    ```
    """

    name = "nn-set-shapes"

    shapes: str = option("", "Shapes of arguments, as in x=1x3x224x224,1=?x4")
    function: str = option("main", "The function whose arguments are meant")

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        function = find_function(op, self.function)
        set_shapes(op, self.function, parse_shapes(self.shapes, function))
        for left in STATIC_SHAPES.first_violations(function, 1):
            ctx.warn("has a shape that does not follow from those of the arguments", left)


def set_shapes(module: ModuleOp, entry: str, shapes: Sequence[Shape | None]) -> None:
    """Specialise the function ``entry`` in place: a shape for each argument (None: as it is).

    Raises :class:`LaminaError` where the function is missing, a rank or a static extent differs, or an op
    does not take the shapes that follow.
    """
    function = find_function(module, entry)
    arguments = function.body.block.args
    if len(shapes) != len(arguments):
        raise error(f"takes {len(arguments)} arguments, got {len(shapes)} shapes", function)
    types = [
        a.type if shape is None else _specialised(function, i, shape)
        for i, (a, shape) in enumerate(zip(arguments, shapes, strict=True))
    ]
    if is_lowered(function):
        refine_lowered(function, types)
    else:
        Refinement(module).function(function, types)
    region_dce(module.body)


def find_function(module: ModuleOp, name: str) -> FuncOp:
    """The function of a name that has a body. Raises :class:`LaminaError` with the nearest name."""
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
    if name not in functions:
        hint = did_you_mean(name, list(functions)) or f"the functions are: {', '.join(functions) or 'none'}"
        raise error(f"there is no function '{name}'", hint=hint)
    if not functions[name].body.blocks:
        raise error("is only declared: it has no body", functions[name])
    return functions[name]


def argument_names(function: FuncOp) -> list[str | None]:
    """The ``nn.name`` of each argument, None where it has none."""
    given = function.arg_attrs.data if function.arg_attrs is not None else ()
    names = [attributes.data.get("nn.name") for attributes in given]
    names += [None] * (len(function.function_type.inputs) - len(names))
    return [name.data if isinstance(name, StringAttr) else None for name in names]


def parse_shapes(text: str, function: FuncOp) -> list[Shape | None]:
    """Shapes by argument, from ``name=1x3x?,0=4``. Raises :class:`LaminaError` for what cannot be meant."""
    names = argument_names(function)
    shapes: list[Shape | None] = [None] * len(names)
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, extents = item.rpartition("=")
        if not equals:
            raise error(f"'{item}' is no shape of an argument", function, hint="write name=1x3x224x224")
        index = _argument_index(name, names, function)
        if shapes[index] is not None:
            raise error(f"argument '{name}' is given two shapes", function)
        shapes[index] = _extents(extents, item, function)
    return shapes


def _argument_index(name: str, names: Sequence[str | None], function: FuncOp) -> int:
    if name in names:
        return names.index(name)
    if name.isdecimal() and int(name) < len(names):
        return int(name)
    # Without `nn.name` the name that tools give an input, or that it has in the text.
    hints = [argument.name_hint for argument in function.body.block.args]
    for i, (own, hint) in enumerate(zip(names, hints, strict=True)):
        if own is None and name.removeprefix("%") in (f"arg{i}", hint):
            return i
    known = [own or hint or str(i) for i, (own, hint) in enumerate(zip(names, hints, strict=True))]
    hint = did_you_mean(name, known) or f"the arguments are: {', '.join(known) or 'none'}"
    raise error(f"has no argument '{name}'", function, hint=hint)


def _extents(text: str, item: str, function: FuncOp) -> Shape:
    parts = text.split("x") if text else []
    if not all(part == "?" or part.isdecimal() for part in parts):
        raise error(f"'{text}' in '{item}' is no shape", function, hint="write extents as 1x3x224x224")
    return [None if part == "?" else int(part) for part in parts]


def _specialised(function: FuncOp, index: int, shape: Shape) -> TensorType:
    """The type of an argument with a shape in place of its own."""
    kind = function.body.block.args[index].type
    name = argument_names(function)[index]
    what = f"argument {index}" + (f" ('{name}')" if name is not None else "")
    if not isinstance(kind, TensorType):
        raise error(f"{what} has type {kind}, which has no shape to set", function)
    wanted = [DYNAMIC if n is None or n < 0 else n for n in shape]
    if len(wanted) != kind.get_num_dims():
        given = f"the shape {shape_text(wanted)} has rank {len(wanted)}"
        raise error(f"{what} has type {kind} of rank {kind.get_num_dims()}, {given}", function)
    for d, (old, new) in enumerate(zip(kind.get_shape(), wanted, strict=True)):
        if DYNAMIC not in (old, new) and old != new:
            raise error(f"{what} has type {kind}, whose dimension {d} cannot be {new}", function)
    extents = [old if new == DYNAMIC else new for old, new in zip(kind.get_shape(), wanted, strict=True)]
    return TensorType(kind.element_type, extents, kind.encoding)
