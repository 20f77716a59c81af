"""Tensor constants as read-only globals of the module, one for each content and type."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import content_digest
from lamina.lowering.buffers._layouts import memref_of


class Globals:
    """The constants of a module, named by the digest of their content."""

    def __init__(self, module: ModuleOp) -> None:
        self._block = module.body.block
        self._names: dict[Attribute, str] = {}
        self._known = {op.sym_name.data for op in module.body.block.ops if isinstance(op, GlobalOp)}

    def name_of(self, value: Attribute, at: Operation) -> str:
        """The symbol of the global that holds a constant; it is made where it is missing."""
        name = self._names.get(value)
        if name is None:
            name = self._names[value] = f"const_{content_digest(value)}"
            if name not in self._known:
                self._known.add(name)
                self._insert(name, value, at)
        return name

    def _insert(self, name: str, value: Attribute, at: Operation) -> None:
        new = GlobalOp.build(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": StringAttr("private"),
                "type": memref_of(value.get_type()),  # pyright: ignore[reportAttributeAccessIssue]
                "initial_value": value,
                "constant": UnitAttr(),
                "alignment": IntegerAttr(64, 64),
            }
        )
        new.location = at.location
        first = self._block.first_op
        point = InsertPoint.before(first) if first is not None else InsertPoint.at_end(self._block)
        Rewriter.insert_op(new, point)
