"""Metadata of LLVM IR text: loop hints, branch weights, and what hangs on loads and stores.

Attributes that xDSL does not define are read from their text, which is upstream's, so that it does not
matter which class holds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation

from lamina.lowering.codegen.llvm_emitter import Emitter, attribute

Fields = Mapping[str, "str | int | bool | Fields"]

_TOKEN = re.compile(r"\s*(#[\w.]+|[A-Za-z_][\w.]*|-?\d+(?:\s*:\s*i\d+)?|[<>=,])")


@lru_cache(maxsize=256)
def attribute_fields(text: str) -> Fields:
    """The fields of an attribute text such as ``#llvm.loop_annotation<vectorize = <width = 8 : i32>>``.

    Values are booleans, integers (their type is dropped), words, or fields in turn.
    """
    _, _, body = text.partition("<")
    return _fields(iter(_TOKEN.findall(body)))


def _fields(tokens: Iterator[str]) -> Fields:
    fields: dict[str, str | int | bool | Fields] = {}
    for key in tokens:
        if key == ">":
            break
        if key == ",":
            continue
        if next(tokens, "") != "=":
            continue
        fields[key] = _field_value(next(tokens, ""), tokens)
    return fields


def _field_value(token: str, tokens: Iterator[str]) -> str | int | bool | Fields:
    if token.startswith("#"):  # a group may be an attribute of its own: `#llvm.loop_unroll<…>`
        token = next(tokens, "")
    if token == "<":
        return _fields(tokens)
    if token in ("true", "false"):
        return token == "true"
    number = token.partition(":")[0].strip()
    return int(number) if number.lstrip("-").isdigit() else token


_LOOP_HINTS: dict[tuple[str, str], tuple[str, str]] = {
    ("", "disableNonforced"): ("llvm.loop.disable_nonforced", ""),
    ("", "mustProgress"): ("llvm.loop.mustprogress", ""),
    ("", "isVectorized"): ("llvm.loop.isvectorized", "i32"),
    ("vectorize", "disable"): ("llvm.loop.vectorize.enable", "not i1"),
    ("vectorize", "predicateEnable"): ("llvm.loop.vectorize.predicate.enable", "i1"),
    ("vectorize", "scalableEnable"): ("llvm.loop.vectorize.scalable.enable", "i1"),
    ("vectorize", "width"): ("llvm.loop.vectorize.width", "i32"),
    ("interleave", "count"): ("llvm.loop.interleave.count", "i32"),
    ("unroll", "disable"): ("llvm.loop.unroll.disable", "or llvm.loop.unroll.enable"),
    ("unroll", "count"): ("llvm.loop.unroll.count", "i32"),
    ("unroll", "runtimeDisable"): ("llvm.loop.unroll.runtime.disable", "i1"),
    ("unroll", "full"): ("llvm.loop.unroll.full", ""),
    ("unrollAndJam", "disable"): ("llvm.loop.unroll_and_jam.disable", "or llvm.loop.unroll_and_jam.enable"),
    ("unrollAndJam", "count"): ("llvm.loop.unroll_and_jam.count", "i32"),
    ("licm", "disable"): ("llvm.licm.disable", ""),
    ("licm", "versioningDisable"): ("llvm.loop.licm_versioning.disable", ""),
    ("distribute", "disable"): ("llvm.loop.distribute.enable", "not i1"),
    ("pipeline", "disable"): ("llvm.loop.pipeline.disable", "i1"),
    ("pipeline", "initiationinterval"): ("llvm.loop.pipeline.initiationinterval", "i32"),
    ("peeled", "count"): ("llvm.loop.peeled.count", "i32"),
    ("unswitch", "partialDisable"): ("llvm.loop.unswitch.partial.disable", ""),
}
"""Fields of upstream's loop annotation, and the metadata string with the kind of its operand."""


def _hint(name: str, kind: str, value: int | bool) -> str | None:
    """One hint as the body of a metadata node; None where it says nothing."""
    if kind.startswith("or "):
        return f'!{{!"{name if value else kind.removeprefix("or ")}"}}'
    if kind == "":
        return f'!{{!"{name}"}}' if value else None
    if kind == "i32":
        return f'!{{!"{name}", i32 {int(value)}}}'
    truth = bool(value) != (kind == "not i1")
    return f'!{{!"{name}", i1 {"true" if truth else "false"}}}'


def loop_metadata(emitter: Emitter, annotation: Attribute) -> str:
    """A reference to the distinct node of a loop annotation."""
    fields = attribute_fields(str(annotation))
    nodes: list[str] = []
    for (group, key), (name, kind) in _LOOP_HINTS.items():
        scope = fields.get(group, {}) if group else fields
        value = scope.get(key) if isinstance(scope, Mapping) else None
        if isinstance(value, int) and (body := _hint(name, kind, value)) is not None:
            nodes.append(emitter.node(body))
    return emitter.distinct_node(nodes)


def branch_metadata(emitter: Emitter, op: Operation) -> str:
    """Loop hints and branch weights of a terminator, each with a comma in front."""
    text = ""
    if (annotation := attribute(op, "loop_annotation")) is not None:
        text += f", !llvm.loop {loop_metadata(emitter, annotation)}"
    weights = attribute(op, "branch_weights")
    if isinstance(weights, DenseArrayBase) and len(weights):
        counts = ", ".join(f"i32 {int(w)}" for w in weights.get_values())
        node = emitter.node('!{!"branch_weights", ' + counts + "}")
        text += f", !prof {node}"
    return text


def access_metadata(emitter: Emitter, op: Operation) -> str:
    """``nontemporal`` and ``invariant`` of a load or store, each with a comma in front."""
    text = ""
    if attribute(op, "nontemporal") is not None:
        text += ", !nontemporal " + emitter.node("!{i32 1}")
    if attribute(op, "invariant") is not None:
        text += ", !invariant.load " + emitter.node("!{}")
    return text


def memory_effects(annotation: Attribute) -> str:
    """``memory(…)`` of ``#llvm.memory_effects<other = none, argMem = readwrite, …>``."""
    fields = attribute_fields(str(annotation))
    places = {
        "argMem": "argmem",
        "inaccessibleMem": "inaccessiblemem",
        "errnoMem": "errnomem",
        "targetMem0": "target_mem0",
        "targetMem1": "target_mem1",
    }
    rest = str(fields.get("other", "readwrite"))
    parts = [f"{place}: {fields[key]}" for key, place in places.items() if fields.get(key, rest) != rest]
    if rest != "none" or not parts:
        parts.insert(0, rest)
    return f"memory({', '.join(parts)})"
