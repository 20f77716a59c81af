"""The operator table of the `onnx` dialect: names, versions, operands and attributes of ONNX's operators.

The data is ``operators.json``, generated from the schemas of the `onnx` package by `generate_table`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DEFAULT_DOMAIN = "ai.onnx"
"""The name under which the default domain (``""`` in files) stands in the dialect."""


@dataclass(frozen=True)
class Parameters:
    """The operands or results of an operator: their names, and how many there may be."""

    names: tuple[str, ...]
    minimum: int
    maximum: int | None
    """None where the last one is variadic."""
    optional: tuple[bool, ...]

    def accepts(self, count: int) -> bool:
        """Whether so many may be given."""
        return count >= self.minimum and (self.maximum is None or count <= self.maximum)

    def range_text(self) -> str:
        """``2``, ``2 to 3`` or ``at least 1``, for messages."""
        if self.maximum is None:
            return f"at least {self.minimum}"
        return str(self.maximum) if self.minimum == self.maximum else f"{self.minimum} to {self.maximum}"


@dataclass(frozen=True)
class AttributeDefinition:
    """An attribute: its ONNX type (``INT``, ``FLOATS``, ``GRAPH``, …), its default, and if it is required."""

    kind: str
    default: Any = None
    required: bool = False


@dataclass(frozen=True)
class Signature:
    """What an operator takes from a version of the operator set on."""

    since: int
    deprecated: bool
    inputs: Parameters
    outputs: Parameters
    attributes: Mapping[str, AttributeDefinition]

    @property
    def regions(self) -> tuple[str, ...]:
        """The names of the graph attributes, in the order of the operation's regions."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.kind == "GRAPH")


@dataclass(frozen=True)
class Operator:
    """An operator with all its versions."""

    name: str
    domain: str
    since_versions: tuple[int, ...]
    signatures: tuple[Signature, ...]

    @property
    def op_name(self) -> str:
        """The name of its operation: ``onnx.Conv``, ``onnx.ml.Scaler``."""
        prefix = "onnx." if self.domain == DEFAULT_DOMAIN else "onnx.ml."
        return prefix + self.name

    def signature(self, opset: int | None = None) -> Signature | None:
        """The signature at a version of the operator set (the newest without one); None before its first."""
        fitting = [s for s in self.signatures if opset is None or s.since <= opset]
        return fitting[-1] if fitting else None


@cache
def operators() -> Mapping[str, Operator]:
    """All operators by the names of their operations."""
    records = json.loads(Path(__file__).with_name("operators.json").read_text())
    known = [_operator(record) for record in records]
    return {operator.op_name: operator for operator in known}


def find_operator(op_type: str, domain: str = "") -> Operator | None:
    """The operator of a node's type and domain, or None for one that ONNX does not define."""
    domain = domain or DEFAULT_DOMAIN
    prefix = {DEFAULT_DOMAIN: "onnx.", "ai.onnx.ml": "onnx.ml."}.get(domain)
    return operators().get(prefix + op_type) if prefix else None


def _operator(record: Mapping[str, Any]) -> Operator:
    return Operator(
        record["name"],
        record["domain"] or DEFAULT_DOMAIN,
        tuple(record["since_versions"]),
        tuple(_signature(signature) for signature in record["signatures"]),
    )


def _signature(record: Mapping[str, Any]) -> Signature:
    attributes = {name: _attribute(*value) for name, value in record.get("attributes", {}).items()}
    return Signature(
        record["since"],
        record.get("deprecated", False),
        _parameters(record.get("inputs", ())),
        _parameters(record.get("outputs", ())),
        attributes,
    )


def _parameters(texts: Sequence[str]) -> Parameters:
    optional = tuple(text[-1] in "?*" for text in texts)
    required = [index for index, is_optional in enumerate(optional) if not is_optional]
    variadic = bool(texts) and texts[-1].endswith("*")
    return Parameters(
        tuple(text.rstrip("?*") for text in texts),
        required[-1] + 1 if required else 0,
        None if variadic else len(texts),
        optional,
    )


def _attribute(kind: str, default: Any = None) -> AttributeDefinition:
    return AttributeDefinition(kind.rstrip("!"), default, kind.endswith("!"))
