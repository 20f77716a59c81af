"""The conditions at the leaves of upstream's predicates, in Python.

A leaf is upstream's C++ expression about ``$_self``. The few with numbers in them are families: a
pattern and a function that makes the condition from what the pattern found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
    _FloatType,  # pyright: ignore[reportPrivateUsage]
)
from xdsl.ir import Attribute, TypeAttribute

from lamina.dialects.core.later import regex
from lamina.dialects.core.ods.spec import has_table, table_of
from lamina.dialects.core.verifying.shapes import MEMREFS, SHAPED, TENSORS, is_scalable, is_static, rank_of

Condition: TypeAlias = "Callable[[Any], bool]"


def mnemonic_of(attribute: Any) -> str:
    """The full name that an attribute or type of a dialect is written with, as ``arith.fastmath``."""
    named = getattr(attribute, "attr_name", None)
    return attribute.name if named is None else named.data


def signless(type: Any, width: int | None = None) -> bool:
    """Whether a type is an integer without sign (of this width)."""
    return (
        isinstance(type, IntegerType)
        and type.signedness.data is Signedness.SIGNLESS
        and (width is None or type.width.data == width)
    )


def _signed(wanted: Signedness) -> Condition:
    return lambda t: isinstance(t, IntegerType) and t.signedness.data is wanted


def _dense_array(width: int) -> Condition:
    return lambda a: isinstance(a, DenseArrayBase) and a.elt_type == IntegerType(width)


def _typed(attribute: Any) -> bool:
    return isinstance(attribute, StringAttr) or isinstance(getattr(attribute, "type", None), Attribute)


def _integer_elements(a: Any) -> bool:
    return _is_dense(a) and isinstance(a.type.element_type, IntegerType | IndexType)


def _is_dense(a: Any) -> bool:
    return isinstance(a, DenseIntOrFPElementsAttr)


_VALUE_SEMANTICS = (VectorType, *TENSORS)

CLASSES: dict[str, Condition] = {
    "AffineMapAttr": lambda a: a.name == "affine_map",
    "ArrayAttr": lambda a: isinstance(a, ArrayAttr),
    "AtomicRMWKindAttr": lambda a: isinstance(a, IntegerAttr) and signless(a.type, 64),
    "BaseMemRefType": lambda t: isinstance(t, MEMREFS),
    "BoolAttr": lambda a: isinstance(a, IntegerAttr) and signless(a.type, 1),
    "ComplexType": lambda t: isinstance(t, ComplexType),
    "DenseI32ArrayAttr": _dense_array(32),
    "DenseI64ArrayAttr": _dense_array(64),
    "DenseIntElementsAttr": _integer_elements,
    "DeviceMappingAttrInterface": lambda a: mnemonic_of(a).startswith("gpu."),
    "DeviceMaskingAttrInterface": lambda a: mnemonic_of(a).startswith("gpu."),
    "DictionaryAttr": lambda a: isinstance(a, DictionaryAttr),
    "FixedVectorType": lambda t: isinstance(t, VectorType) and not is_scalable(t),
    "FlatSymbolRefAttr": lambda a: isinstance(a, SymbolRefAttr) and not a.nested_references.data,
    "FloatAttr": lambda a: isinstance(a, FloatAttr),
    "FloatType": lambda t: isinstance(t, _FloatType),
    "FunctionType": lambda t: isinstance(t, FunctionType),
    "IndexType": lambda t: isinstance(t, IndexType),
    "IntegerAttr": lambda a: isinstance(a, IntegerAttr),
    "IntegerSetAttr": lambda a: a.name == "affine_set",
    "IntegerType": lambda t: isinstance(t, IntegerType),
    "MemRefType": lambda t: isinstance(t, MemRefType),
    "NoneType": lambda t: isinstance(t, NoneType),
    "PointerElementTypeInterface": lambda t: mnemonic_of(t).startswith("ptr."),
    "PoisonAttrInterface": lambda a: mnemonic_of(a) in ("ub.poison", "llvm.poison"),
    "RankedTensorType": lambda t: isinstance(t, TensorType),
    "ScalableVectorType": is_scalable,
    "ShapedType": lambda t: isinstance(t, SHAPED),
    "StringAttr": lambda a: isinstance(a, StringAttr),
    "SymbolRefAttr": lambda a: isinstance(a, SymbolRefAttr),
    "TensorType": lambda t: isinstance(t, TENSORS),
    "TupleType": lambda t: isinstance(t, TupleType),
    "Type": lambda t: isinstance(t, TypeAttribute),
    "TypeAttr": lambda t: isinstance(t, TypeAttribute),
    "TypedAttr": _typed,
    "UnitAttr": lambda a: isinstance(a, UnitAttr),
    "UnrankedMemRefType": lambda t: isinstance(t, UnrankedMemRefType),
    "UnrankedTensorType": lambda t: isinstance(t, UnrankedTensorType),
    "VectorType": lambda t: isinstance(t, VectorType),
    "BufferLikeType": lambda t: isinstance(t, MEMREFS),
    "TensorLikeType": lambda t: isinstance(t, TENSORS),
}
"""``isa<…>`` by the C++ class without its namespace. A type attribute is the type itself."""

_LEAVES: dict[str, Condition] = {
    "$_self.hasTrait<ValueSemantics>()": lambda t: isinstance(t, _VALUE_SEMANTICS),
    "$_self.isSignedInteger()": _signed(Signedness.SIGNED),
    "$_self.isUnsignedInteger()": _signed(Signedness.UNSIGNED),
    "$_self.isSignlessIntOrIndex()": lambda t: signless(t) or isinstance(t, IndexType),
    "$_self.isSignlessInteger()": signless,
    "cast<FloatAttr>($_self).getType().isF64()": lambda a: a.type.name == "f64",
    "cast<IntegerAttr>($_self).getValue().isStrictlyPositive()": lambda a: a.value.data > 0,
    "!cast<IntegerAttr>($_self).getValue().isNegative()": lambda a: a.value.data >= 0,
    "cast<IntegerAttr>($_self).getValue().isPowerOf2()": lambda a: a.value.data.bit_count() == 1,
    "cast<MemRefType>($_self).isStrided()": lambda t: _is_strided(t),
    "cast<ShapedType>($_self).hasRank()": lambda t: hasattr(t, "shape"),
    "cast<ShapedType>($_self).hasStaticShape()": is_static,
    "is_sorted(cast<DenseI64ArrayAttr>($_self).asArrayRef())": lambda a: _is_sorted(a, strictly=False),
}

_FAMILIES: list[tuple[re.Pattern[str], Callable[..., Condition]]] = []


def _family(pattern: str) -> Callable[[Callable[..., Condition]], Callable[..., Condition]]:
    def register(make: Callable[..., Condition]) -> Callable[..., Condition]:
        _FAMILIES.append((regex(pattern), make))
        return make

    return register


@cache
def leaf(text: str) -> Condition:
    """The condition of a leaf. Raises :class:`KeyError` for one that nobody has translated."""
    found = _LEAVES.get(text)
    if found is not None:
        return found
    for pattern, make in _FAMILIES:
        match = pattern.fullmatch(text)
        if match:
            return make(*match.groups())
    raise KeyError(f"the condition {text} is not translated")


@_family(r"(!?)isa<([\w:, ]+)>\(\$_self\)")
def _isa(negated: str, classes: str) -> Condition:
    tests = [_class(name.strip()) for name in classes.split(",")]
    if negated:
        return lambda x: not any(test(x) for test in tests)
    return tests[0] if len(tests) == 1 else lambda x: any(test(x) for test in tests)


@_family(r"isa<([\w:]+)>\(cast<TypeAttr>\(\$_self\)\.getValue\(\)\)")
def _isa_type(name: str) -> Condition:
    return _class(name)


@_family(r"isa<IndexType>\(cast<IntegerAttr>\(\$_self\)\.getType\(\)\)")
def _is_index() -> Condition:
    return lambda a: isinstance(a.type, IndexType)


@_family(r"\$_self\.isSignlessInteger\((\d+)\)")
def _signless_of(width: str) -> Condition:
    bits = int(width)
    return lambda t: signless(t, bits)


@_family(r"cast<IntegerAttr>\(\$_self\)\.getType\(\)\.isSignlessInteger\((\d+)\)")
def _integer_of(width: str) -> Condition:
    bits = int(width)
    return lambda a: signless(a.type, bits)


@_family(
    r"cast<DenseIntElementsAttr>\(\$_self\)\.getType\(\)\.getElementType\(\)\.isSignlessInteger\((\d+)\)"
)
def _elements_of(width: str) -> Condition:
    bits = int(width)
    return lambda a: signless(a.type.element_type, bits)


@_family(r"cast<DenseIntElementsAttr>\(\$_self\)\.getType\(\)\.getShape\(\) == ArrayRef<int64_t>\(\{(.*)\}\)")
def _elements_in_shape(extents: str) -> Condition:
    shape = tuple(int(e) for e in extents.split(","))
    return lambda a: tuple(a.type.get_shape()) == shape


@_family(r"cast<IntegerAttr>\(\$_self\)\.getInt\(\) (<=|>=) (-?\d+)")
def _bounded(comparison: str, number: str) -> Condition:
    bound = int(number)
    return (lambda a: a.value.data <= bound) if comparison == "<=" else (lambda a: a.value.data >= bound)


@_family(r"cast<(?:ShapedType|VectorType)>\(\$_self\)\.getRank\(\) (==|>=|>) (\d+)")
def _ranked(comparison: str, number: str) -> Condition:
    rank = int(number) + (comparison == ">")
    return (lambda t: rank_of(t) == rank) if comparison == "==" else (lambda t: rank_of(t) >= rank)


@_family(r"\[\]\(ArrayRef<int64_t> a\).*adjacent_find.*")
def _without_repetition() -> Condition:
    return lambda a: _is_sorted(a, strictly=True)


@_family(r"(!?)(?:mlir::)?(?:LLVM::)?(is(?:Compatible\w+|LoadableType|ScalableVectorType))\(\$_self\)")
def _llvm(negated: str, name: str) -> Condition:
    from lamina.dialects.core.verifying import llvm_types

    test: Condition = getattr(llvm_types, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    return (lambda t: not test(t)) if negated else test


@_family(r"cast<LLVM::LLVMPointerType>\(\$_self\)\.getAddressSpace\(\) == 0")
def _default_address_space() -> Condition:
    from lamina.dialects.core.verifying.llvm_types import address_space_of

    return lambda t: address_space_of(t) == 0


def _class(name: str) -> Condition:
    """The test for a C++ class: a builtin one, or by the mnemonic of an attribute or type of a dialect."""
    namespace, _, plain = name.rpartition("::")
    if plain in CLASSES:
        return CLASSES[plain]
    dialect = namespace.split("::")[0].lower()
    wanted = _mnemonics(dialect).get(plain)
    if wanted is None and any(plain == f"{name}Attr" for name in _enums(dialect)):
        return lambda x: isinstance(x, IntegerAttr)
    if wanted is None:
        raise KeyError(f"the class {name} is not known")
    return lambda x: mnemonic_of(x) == wanted


@cache
def _enums(dialect: str) -> frozenset[str]:
    """The enumerations whose cases a dialect's ops hold as integers."""
    table = table_of(dialect) if has_table(dialect) else None
    return frozenset((*table.enums, "AtomicRMWKind") if table else ())


_LLVM_TYPES = {
    "LLVMVoidType": "llvm.void",
    "LLVMTokenType": "llvm.token",
    "LLVMLabelType": "llvm.label",
    "LLVMMetadataType": "llvm.metadata",
}
"""The types of the llvm dialect that are not defined in ODS."""


@cache
def _mnemonics(dialect: str) -> dict[str, str]:
    """The mnemonic of each C++ class of attributes and types of a dialect."""
    table = table_of(dialect) if has_table(dialect) else None
    entries = [*table.attributes.items(), *table.types.items()] if table else []
    found = {definition["class"]: mnemonic for mnemonic, definition in entries}
    return {**found, **_LLVM_TYPES} if dialect == "llvm" else found


def _is_sorted(array: Any, *, strictly: bool) -> bool:
    values = list(array.get_values())
    return all(a < b or (a == b and not strictly) for a, b in pairwise(values))


def _is_strided(type: Any) -> bool:
    from lamina.dialects.core.verifying.layouts import strides_and_offset

    return strides_and_offset(type) is not None
