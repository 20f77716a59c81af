"""xDSL's declarative assembly formats, compiled when they are first asked for.

xDSL compiles the format of each op as the op's class is made, a fifth of the time that importing a dialect
takes. Ops of dialects with a table are read and printed by the table, and need theirs only in xDSL's own
parser and printer.
"""

from __future__ import annotations

from typing import Any

from xdsl.irdl import OpDef, operations

from lamina.dialects.core.later import made_later
from lamina.dialects.core.ods.spec import has_table

_accessors_of = operations.get_accessors_from_op_def


def compile_formats_on_demand() -> None:
    """Let classes of ops that are made from now on compile their formats late."""
    operations.get_accessors_from_op_def = _accessors


def _accessors(op_def: OpDef, custom_verify: Any) -> dict[str, Any]:
    """What xDSL adds to the class of an op, but for a format that is compiled already."""
    text = op_def.assembly_format
    if text is None or not has_table(op_def.name.partition(".")[0]):
        return _accessors_of(op_def, custom_verify)
    op_def.assembly_format = None
    try:
        accessors = _accessors_of(op_def, custom_verify)
    finally:
        op_def.assembly_format = text
    program = made_later(lambda: _compiled(text, op_def))
    accessors["parse"] = classmethod(lambda cls, parser: program.parse(parser, cls))
    accessors["print"] = lambda self, printer: program.print(printer, self)
    return accessors


def _compiled(text: str, op_def: OpDef) -> Any:
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    return FormatProgram.from_str(text, op_def)
