"""LLVM IR text of types, and the suffixes that types give to names of overloaded intrinsics."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    IndexType,
    IntAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import error

_FLOATS: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("half", "f16"),
    BFloat16Type: ("bfloat", "bf16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
    Float80Type: ("x86_fp80", "f80"),
    Float128Type: ("fp128", "f128"),
}


class Types:
    """The spelling of types in one module, each type spelled once; collects the named structs it meets."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._kept: list[Attribute] = []
        self.named_structs: dict[str, str] = {}
        """Definitions of named structs by name, in the order in which they were met."""

    def text(self, kind: Attribute) -> str:
        """The LLVM IR spelling of a type; a type outside the llvm dialect's is a :class:`LaminaError`.

        Looked up by identity first: hashing a nested attribute costs more than spelling it.
        """
        text = self._texts.get(id(kind))
        if text is None:
            text = self._spell(kind)
            self._texts[id(kind)] = text
            self._kept.append(kind)
        return text

    def _spell(self, kind: Attribute) -> str:
        spell = _SPELLINGS.get(type(kind))
        if spell is None:
            raise error(
                f"type '{kind}' has no LLVM IR counterpart",
                hint="lower it to the llvm dialect first (`--lower-to-llvm`)",
            )
        return spell(self, kind)

    def _integer(self, kind: IntegerType) -> str:
        return f"i{kind.width.data}"

    def _float(self, kind: Attribute) -> str:
        return _FLOATS[type(kind)][0]

    def _pointer(self, kind: LLVMPointerType) -> str:
        space = kind.addr_space
        return f"ptr addrspace({space.data})" if isinstance(space, IntAttr) and space.data else "ptr"

    def _vector(self, kind: VectorType) -> str:
        """A vector; leading dimensions become arrays, as in upstream's conversion of n-d vectors."""
        *outer, last = kind.get_shape()
        scale = "vscale x " if kind.get_num_scalable_dims() else ""
        text = f"<{scale}{last} x {self.text(kind.element_type)}>"
        for size in reversed(outer):
            text = f"[{size} x {text}]"
        return text

    def _array(self, kind: LLVMArrayType) -> str:
        return f"[{kind.size.data} x {self.text(kind.type)}]"

    def _struct(self, kind: LLVMStructType) -> str:
        name = kind.struct_name.data
        if name and name in self.named_structs:
            return f'%"{name}"'
        if name:
            self.named_structs[name] = ""  # a struct may contain itself through nothing but its name
        body = "{ " + ", ".join(self.text(t) for t in kind.types.data) + " }" if kind.types.data else "{}"
        if not name:
            return body
        self.named_structs[name] = body
        return f'%"{name}"'

    def _function(self, kind: LLVMFunctionType) -> str:
        inputs = [self.text(t) for t in kind.inputs.data] + (["..."] if kind.is_variadic else [])
        return f"{self.text(kind.output)} ({', '.join(inputs)})"


_SPELLINGS: dict[type[Attribute], Callable[..., str]] = {
    IntegerType: Types._integer,
    IndexType: lambda types, kind: "i64",
    LLVMPointerType: Types._pointer,
    VectorType: Types._vector,
    LLVMArrayType: Types._array,
    LLVMStructType: Types._struct,
    LLVMFunctionType: Types._function,
    LLVMVoidType: lambda types, kind: "void",
    **dict.fromkeys(_FLOATS, Types._float),
}


def mangled(kind: Attribute) -> str:
    """The suffix of a type in the name of an overloaded intrinsic: ``v8f32``, ``p0``, ``i64``."""
    match kind:
        case IntegerType():
            return f"i{kind.width.data}"
        case IndexType():
            return "i64"
        case VectorType():
            prefix = "nxv" if kind.get_num_scalable_dims() else "v"
            return f"{prefix}{kind.get_shape()[-1]}{mangled(kind.element_type)}"
        case LLVMPointerType():
            space = kind.addr_space
            return f"p{space.data if isinstance(space, IntAttr) else 0}"
        case LLVMArrayType():
            return f"a{kind.size.data}{mangled(kind.type)}"
        case LLVMStructType():
            if kind.struct_name.data:
                return f"s_{kind.struct_name.data}s"
            return "sl_" + "".join(mangled(t) for t in kind.types.data) + "s"
        case _ if type(kind) in _FLOATS:
            return _FLOATS[type(kind)][1]
        case _:
            raise error(f"type '{kind}' cannot be part of an intrinsic's name")
