"""Write ``dialects/<dialect>/ods.json`` from upstream's definitions.

Run by a developer when Lamina moves to another version of MLIR::

    python -m lamina.dialects.core.ods.generate --include /usr/lib/llvm-22/include [DIALECT…]

What is taken are names, constraints with the summaries that stand in messages, traits and assembly formats;
no descriptions. The output is the same for the same input, one op a line, so that a new version of MLIR
shows as a readable diff. Each file's ``license`` is upstream's.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lamina.dialects.core.ods.generating.constraints import Constraints
from lamina.dialects.core.ods.generating.operations import Operations, class_names, own_definitions
from lamina.dialects.core.ods.generating.records import Dump

SOURCES: dict[str, tuple[str, ...]] = {
    "builtin": ("IR/BuiltinOps.td",),
    "func": ("Dialect/Func/IR/FuncOps.td",),
    "arith": ("Dialect/Arith/IR/ArithOps.td",),
    "math": ("Dialect/Math/IR/MathOps.td",),
    "complex": ("Dialect/Complex/IR/ComplexOps.td",),
    "index": ("Dialect/Index/IR/IndexOps.td",),
    "ub": ("Dialect/UB/IR/UBOps.td",),
    "cf": ("Dialect/ControlFlow/IR/ControlFlowOps.td",),
    "scf": ("Dialect/SCF/IR/SCFOps.td",),
    "affine": ("Dialect/Affine/IR/AffineOps.td",),
    "tensor": ("Dialect/Tensor/IR/TensorOps.td",),
    "bufferization": ("Dialect/Bufferization/IR/BufferizationOps.td",),
    "linalg": (
        "Dialect/Linalg/IR/LinalgOps.td",
        "Dialect/Linalg/IR/LinalgStructuredOps.td",
        "Dialect/Linalg/IR/LinalgRelayoutOps.td",
    ),
    "memref": ("Dialect/MemRef/IR/MemRefOps.td",),
    "vector": ("Dialect/Vector/IR/VectorOps.td",),
    "llvm": (
        "Dialect/LLVMIR/LLVMOps.td",
        "Dialect/LLVMIR/LLVMIntrinsicOps.td",
        "Dialect/LLVMIR/LLVMTypes.td",
    ),
}
"""The files that define each dialect, below ``include/mlir``."""

LICENSE = "Apache-2.0 WITH LLVM-exception, Copyright The LLVM Project (https://llvm.org)"


def table_of_dumps(dialect: str, dumps: Sequence[Dump]) -> dict[str, Any]:
    """The table of one dialect as JSON data."""
    operations: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    types: dict[str, Any] = {}
    classes = class_names(list(dumps))
    collected: dict[str, dict[str, Any]] = {"enums": {}, "attr_kinds": {}, "type_kinds": {}}
    constraints: Constraints | None = None
    for dump in dumps:
        previous, constraints = constraints, Constraints(dump)
        if previous:
            constraints.attr_kinds, constraints.type_kinds = previous.attr_kinds, previous.type_kinds
            constraints.enums, constraints.case_names = previous.enums, previous.case_names
        rows = Operations(dump, constraints, classes)
        for record in dump.of_class("Op"):
            name = f"{dump.dialect_of(record)}.{record['opName']}"
            if dump.dialect_of(record) == dialect:
                operations.setdefault(name, rows.row(record))
        own_attributes, own_types = own_definitions(dump, dialect, constraints)
        attributes.update(own_attributes)
        types.update(own_types)
    assert constraints is not None
    for field in collected:
        collected[field] = {name: _row(kind) for name, kind in sorted(getattr(constraints, field).items())}
    return {
        "license": LICENSE,
        "source": [f"mlir/{name}" for name in SOURCES[dialect]],
        "dialect": dialect,
        "enums": collected["enums"],
        "attributes": attributes,
        "types": types,
        "attr_kinds": collected["attr_kinds"],
        "type_kinds": collected["type_kinds"],
        "ops": dict(sorted(operations.items())),
    }


def _row(kind: Any) -> dict[str, Any]:
    """The fields of a record that differ from their defaults, without its name."""
    return {
        field.name: value
        for field in dataclasses.fields(kind)
        if field.name != "name" and (value := getattr(kind, field.name)) != field.default
    }


def text_of(table: dict[str, Any]) -> str:
    """The table as text: one entry a line."""
    parts: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            rows = [f"  {_json(name)}: {_json(row)}" for name, row in value.items()]
            parts.append(
                f" {_json(key)}: {{\n" + ",\n".join(rows) + "\n }" if rows else f" {_json(key)}: {{}}"
            )
        else:
            parts.append(f" {_json(key)}: {_json(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def dump_of(executable: str, include: Path, source: str) -> Dump:
    """Run llvm-tblgen on one file of upstream's."""
    command = [executable, "--dump-json", "-I", str(include), str(include / "mlir" / source)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return Dump(json.loads(done.stdout))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--include", type=Path, required=True, help="LLVM's include directory")
    parser.add_argument("--llvm-tblgen", default="llvm-tblgen", help="the executable (default: llvm-tblgen)")
    parser.add_argument("dialects", nargs="*", metavar="DIALECT", help="only these (default: all)")
    options = parser.parse_args(arguments)
    for dialect in options.dialects or SOURCES:
        dumps = [dump_of(options.llvm_tblgen, options.include, source) for source in SOURCES[dialect]]
        folder = Path(__file__).resolve().parents[2] / dialect
        folder.mkdir(exist_ok=True)
        package = folder / "__init__.py"
        if not package.exists():
            package.touch()
        text = text_of(table_of_dumps(dialect, dumps))
        (folder / "ods.json").write_text(text, encoding="utf-8")
        count = len(re.findall(rf'^  "{dialect}\.[^"]*": \{{"', text.partition('"ops"')[2], re.M))
        print(f"{dialect}: {count} ops, {len(text) // 1024} KiB")


if __name__ == "__main__":
    main()
