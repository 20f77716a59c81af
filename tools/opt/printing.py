"""How ``lamina-opt`` prints IR: the form that its options ask for, for results and for dumps."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import IO, Any

from xdsl.ir import Operation

from lamina.tools.opt.arguments import OptArguments

ELIDE_IN_DUMPS = 64
"""Constants of more elements are left out of dumps unless the user says otherwise."""


@dataclass(frozen=True)
class Form:
    """What is printed of an operation, and how."""

    generic: bool = False
    locations: bool = False
    elide: int | None = None
    elide_resources: int | None = None
    local_scope: bool = False
    pretty_locations: bool = False
    hexadecimal_above: int | None = 100

    @classmethod
    def of(cls, args: OptArguments) -> Form:
        """The form of the result."""
        return cls(
            args.mlir_print_op_generic,
            args.mlir_print_debuginfo or args.mlir_pretty_debuginfo,
            args.mlir_elide_elementsattrs_if_larger,
            args.mlir_elide_resource_strings_if_larger,
            args.mlir_print_local_scope,
            args.mlir_pretty_debuginfo,
            args.mlir_print_elementsattrs_with_hex_if_larger,
        )

    @property
    def for_dumps(self) -> Form:
        """The same form without the data of large constants, which nobody reads."""
        return self if self.elide is not None else replace(self, elide=ELIDE_IN_DUMPS)

    def write(self, op: Operation, stream: IO[str]) -> None:
        """Write the text of an operation to a stream."""
        from lamina.dialects.core.printer import print_ir

        print_ir(op, stream, **self._switches())

    def text(self, op: Operation) -> str:
        """The text of an operation."""
        from lamina.dialects.core.printer import to_text

        return to_text(op, **self._switches())

    def _switches(self) -> dict[str, Any]:
        switches = asdict(self)
        if self.elide_resources is None:
            # Left to what follows from `elide`.
            del switches["elide_resources"]
        return switches
