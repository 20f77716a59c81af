"""What a file of the cache holds: a header in JSON, then sections of bytes, each with its digest.

```
magic, length of the header, digest of the header | header | … | section | … | section
```

Sections start at multiples of 64 bytes, so constants are used where the file is mapped. Nothing is read as
code or data before its digest was compared; whatever does not fit is :class:`Corrupt`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from lamina.lowering.cache.digests import digest_of
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.jit import IrText
from lamina.lowering.codegen.memory import ALIGNMENT
from lamina.lowering.codegen.signature import ArrayInfo, EntrySignature, Signature

FORMAT = 1
CODE, CONSTANT, SIGNATURE, FILES = "code", "constant", "signature", "files"
"""The kinds of files: code; a large constant; what a model of open shapes takes; other files of a model."""
_OWN_FILE = 64 << 10
"""Bytes from which a constant has a file of its own."""
_MAGIC = b"lamina.compiled\n"
_HEAD = struct.Struct("<16sQ64s")
_HEAD_BYTES = 128


class Corrupt(Exception):
    """The file is no entry, is cut off, or was changed."""


def pack(header: Mapping[str, Any], sections: Sequence[tuple[str, bytes | memoryview]] = ()) -> list[Any]:
    """The pieces of a file."""
    table: list[list[Any]] = []
    for name, data in sections:
        table.append([name, len(data), digest_of(data)])
    text = json.dumps({**header, "sections": table}).encode()
    head = _HEAD.pack(_MAGIC, len(text), digest_of(text).encode())
    pieces: list[Any] = [head + bytes(_HEAD_BYTES - len(head)), text, bytes(-len(text) % ALIGNMENT)]
    for _, data in sections:
        pieces += [data, bytes(-len(data) % ALIGNMENT)]
    return pieces


def header_of(data: memoryview) -> dict[str, Any]:
    """The header of a file; raises :class:`Corrupt`."""
    return _header(data)[0]


def _header(data: memoryview) -> tuple[dict[str, Any], int]:
    """The header, and where it ends."""
    if len(data) < _HEAD_BYTES:
        raise Corrupt
    magic, length, digest = _HEAD.unpack_from(data)
    text = data[_HEAD_BYTES : _HEAD_BYTES + length]
    if magic != _MAGIC or len(text) != length or digest_of(text).encode() != digest:
        raise Corrupt
    return json.loads(bytes(text)), _HEAD_BYTES + length


def sections_of(data: memoryview) -> list[tuple[str, memoryview]]:
    """The sections of a file, all compared with their digests; raises :class:`Corrupt`."""
    header, at = _header(data)
    sections: list[tuple[str, memoryview]] = []
    for name, size, wanted in header["sections"]:
        at += -at % ALIGNMENT
        section = data[at : at + size]
        if len(section) != size or digest_of(section) != wanted:
            raise Corrupt
        sections.append((name, section))
        at += size
    return sections


def pack_code(code: CompiledCode, support: Mapping[str, bytes]) -> tuple[list[Any], dict[str, memoryview]]:
    """The file of compiled code and of the run-time's object code that it needs.

    Also the constants that have files of their own, by key: other shapes of a model use the same ones.
    """
    sections: list[tuple[str, bytes | memoryview]] = [("object", data) for data in code.objects]
    sections += [("ir", data) for data in code.ir.packed]
    sections += [(f"support:{name}", data) for name, data in support.items()]
    apart: dict[str, memoryview] = {}
    places: dict[str, str] = {}
    for name, array in code.constants.items():
        data = _bytes_of(array)
        if len(data) < _OWN_FILE:
            sections.append((f"constant:{name}", data))
        else:
            places[name] = f"c{digest_of(data)[:39]}"
            apart[places[name]] = data
    header = {"kind": CODE, "entry": code.entry, "signature": _plain(code.signature), "apart": places}
    return pack(header, sections), apart


def unpack_code(
    data: memoryview, constant: Callable[[str], memoryview]
) -> tuple[CompiledCode, dict[str, bytes]]:
    """What :func:`pack_code` was given; ``constant`` gives those that have files of their own, by key.

    Constants stay in the mapped files.
    """
    header = header_of(data)
    by_kind: dict[str, list[tuple[str, memoryview]]] = {}
    for title, section in sections_of(data):
        kind, _, name = title.partition(":")
        by_kind.setdefault(kind, []).append((name, section))
    constants = {name: _array_over(part) for name, part in by_kind.get("constant", ())}
    constants |= {name: _array_over(constant(key)) for name, key in header["apart"].items()}
    code = CompiledCode(
        header["entry"],
        _signature(header["signature"]),
        tuple(bytes(part) for _, part in by_kind["object"]),
        constants,
        IrText([bytes(part) for _, part in by_kind["ir"]]),
    )
    return code, {name: bytes(part) for name, part in by_kind.get("support", ())}


def pack_constant(data: memoryview) -> list[Any]:
    """The file of a constant."""
    return pack({"kind": CONSTANT}, [("data", data)])


def unpack_constant(data: memoryview | None) -> memoryview:
    """What :func:`pack_constant` was given; raises :class:`Corrupt`."""
    if data is None:
        raise Corrupt
    ((_, section),) = sections_of(data)
    return section


def _bytes_of(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _array_over(data: memoryview) -> np.ndarray:
    return np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)


def _plain(signature: Signature) -> dict[str, Any]:
    fields = {name: getattr(signature, name) for name in ("arena_bytes", "order", "updates")}
    return {**fields, **_plain_arrays(signature.inputs, signature.outputs)}


def pack_signature(signature: EntrySignature) -> list[Any]:
    """The file of a model that is compiled when shapes are known."""
    return pack({"kind": SIGNATURE, **_plain_arrays(signature.inputs, signature.outputs)})


def signature_in(header: Mapping[str, Any]) -> EntrySignature:
    """What :func:`pack_signature` was given."""
    return EntrySignature(*(tuple(map(_info, header[name])) for name in ("inputs", "outputs")))


def _plain_arrays(inputs: Sequence[ArrayInfo], outputs: Sequence[ArrayInfo]) -> dict[str, Any]:
    return {
        name: [{**asdict(info), "dtype": info.dtype.name} for info in infos]
        for name, infos in (("inputs", inputs), ("outputs", outputs))
    }


def _info(plain: Mapping[str, Any]) -> ArrayInfo:
    return ArrayInfo(plain["name"], tuple(plain["shape"]), _dtype(plain["dtype"]), plain["donated"])


def _dtype(name: str) -> np.dtype:
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def _signature(plain: Mapping[str, Any]) -> Signature:
    arrays = signature_in(plain)
    updates = tuple((result, place) for result, place in plain["updates"])
    return Signature(arrays.inputs, arrays.outputs, plain["arena_bytes"], tuple(plain["order"]), updates)
