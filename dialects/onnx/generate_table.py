"""Writes ``operators.json``, the operator table of the `onnx` dialect, from the `onnx` package's schemas.

Run as ``python -m lamina.dialects.onnx.generate_table`` after an update of the package. The table is
committed, so that neither the text format nor its verifier needs the package.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("operators.json")
DOMAINS = ("", "ai.onnx.ml")


def operator_table() -> list[dict[str, Any]]:
    """One record for each operator, by domain and name, with the signatures of its versions, oldest first."""
    from onnx import defs

    history: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain in DOMAINS:
            history[schema.domain, schema.name].append(schema)
    return [_operator(domain, name, history[domain, name]) for domain, name in sorted(history)]


def _operator(domain: str, name: str, schemas: list[Any]) -> dict[str, Any]:
    schemas = sorted(schemas, key=lambda schema: schema.since_version)
    signatures: list[dict[str, Any]] = []
    for schema in schemas:
        signature = _signature(schema)
        same = signatures and {**signatures[-1], "since": 0} == {**signature, "since": 0}
        if not same:
            signatures.append(signature)
    return {
        "name": name,
        "domain": domain,
        "since_versions": [schema.since_version for schema in schemas],
        "signatures": signatures,
    }


def _signature(schema: Any) -> dict[str, Any]:
    """The operands (``?`` optional, ``*`` variadic) and attributes (type with ``!`` if required, default)."""
    record: dict[str, Any] = {"since": schema.since_version}
    if schema.deprecated:
        record["deprecated"] = True
        return record
    record["inputs"] = [_formal_parameter(p) for p in schema.inputs]
    record["outputs"] = [_formal_parameter(p) for p in schema.outputs]
    record["attributes"] = {name: _attribute(a) for name, a in sorted(schema.attributes.items())}
    return record


def _formal_parameter(parameter: Any) -> str:
    suffix = {"Optional": "?", "Variadic": "*"}.get(parameter.option.name, "")
    return parameter.name + suffix


def _attribute(attribute: Any) -> list[Any]:
    """``[type]`` or ``[type, default]``."""
    from onnx import helper

    kind = attribute.type.name + ("!" if attribute.required else "")
    if not attribute.default_value.name:
        return [kind]
    value = helper.get_attribute_value(attribute.default_value)
    return [kind, _plain(value)]


def _plain(value: Any) -> Any:
    """A default value as JSON: floats by their shortest decimal form."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        import numpy as np

        return float(str(np.float32(value)))
    if isinstance(value, (int, str)):
        return value
    return [_plain(item) for item in value]


def main() -> None:
    """Write the table, one operator a line."""
    lines = (json.dumps(record, separators=(",", ":")) for record in operator_table())
    TABLE.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
