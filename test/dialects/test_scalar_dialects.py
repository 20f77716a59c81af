"""Every op of arith, math, complex, index, ub, cf and func in each of its forms, against mlir-opt."""

from __future__ import annotations

import pytest
from attribute_texts import MLIR_OPT, by_mlir_opt

from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.reader import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.core.writing.state import Options
from lamina.dialects.core.writing.writer import write_text

INTEGERS = ("i32", "index", "vector<4xi32>", "tensor<?x2xi8>")
FLOATS = ("f32", "bf16", "vector<[4]xf64>", "tensor<*xf16>")

ARITH_FLOAT = "addf divf maximumf maxnumf minimumf minnumf mulf remf subf"
ARITH_INTEGER = (
    "addi andi ceildivsi ceildivui divsi divui floordivsi maxsi maxui minsi minui muli ori remsi remui shli "
    "shrsi shrui subi xori"
)
MATH_FLOAT = (
    "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p "
    "log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc"
)
COMPLEX_TO_COMPLEX = "conj cos exp expm1 log log1p neg rsqrt sign sin sqrt tan tanh"
INDEX_BINARY = (
    "add and ceildivs ceildivu divs divu floordivs maxs maxu mins minu mul or rems remu shl shrs shru sub xor"
)


def _arith() -> list[str]:
    lines: list[str] = []
    for kind in INTEGERS:
        lines += [f"arith.{name} %a, %a : {kind}" for name in ARITH_INTEGER.split()]
        lines += [f"arith.cmpi {predicate}, %a, %a : {kind}" for predicate in ("eq", "ult", "sge")]
        lines += [f"arith.mulsi_extended %a, %a : {kind}", f"arith.mului_extended %a, %a : {kind}"]
    lines += [
        *("arith.addi %a, %a overflow<nsw, nuw> : i8", "arith.shli %a, %a overflow<nsw> {t.x} : i8"),
        *("arith.divui %a, %a exact : i8", "arith.shrsi %a, %a exact : i8"),
        *("arith.addui_extended %a, %a : i8, i1", "arith.addui_extended %a, %a : vector<2xi8>, vector<2xi1>"),
        *("arith.extsi %a : i8 to i16", "arith.extui %a : vector<2xi1> to vector<2xi8>"),
        *("arith.trunci %a : i16 to i8", "arith.trunci %a overflow<nuw> : i16 to i8"),
        *("arith.sitofp %a : i8 to f32", "arith.uitofp %a : vector<2xi8> to vector<2xf16>"),
        *("arith.index_cast %a : index to i64", "arith.index_castui %a : i8 to index"),
        *("arith.bitcast %a : i32 to f32", "arith.bitcast %a : vector<2xf32> to vector<2xi32>"),
    ]
    for kind in FLOATS:
        lines += [f"arith.{name} %a, %a : {kind}" for name in ARITH_FLOAT.split()]
        lines += [f"arith.negf %a fastmath<nnan,ninf> : {kind}", f"arith.cmpf une, %a, %a : {kind}"]
    return [
        *lines,
        *("arith.addf %a, %a fastmath<fast> : f32", "arith.cmpf oeq, %a, %a fastmath<nsz> : f32"),
        *("arith.extf %a : f16 to f32", "arith.extf %a fastmath<contract> : bf16 to f32"),
        *("arith.truncf %a : f64 to f32", "arith.truncf %a to_nearest_even fastmath<fast> : f64 to bf16"),
        *("arith.fptosi %a : f32 to i8", "arith.fptoui %a : tensor<2xf32> to tensor<2xi8>"),
        "arith.scaling_extf %a, %b : f8E5M2, f8E8M0FNU to f32",
        "arith.scaling_truncf %a, %b upward : f32, f8E8M0FNU to f8E5M2",
        *("arith.select %c, %a, %a : i1, i32", "arith.select %c, %a, %a : vector<2xi1>, vector<2xf32>"),
        *("arith.constant 7 : i8", "arith.constant {t.x = 1} 1.5 : f32", "arith.constant true"),
        *("arith.constant dense<[1, 2]> : tensor<2xi8>", "arith.constant dense<0.5> : vector<[4]xf32>"),
    ]


def _math() -> list[str]:
    lines: list[str] = []
    for kind in FLOATS:
        lines += [f"math.{name} %a : {kind}" for name in MATH_FLOAT.split()]
        lines += [f"math.{name} %a, %a : {kind}" for name in ("atan2", "copysign", "powf")]
        lines += [f"math.fma %a, %a, %a : {kind}", f"math.clampf %a to [%a, %a] fastmath<fast> : {kind}"]
    for kind in INTEGERS:
        lines += [f"math.{name} %a : {kind}" for name in ("absi", "ctlz", "ctpop", "cttz")]
        lines.append(f"math.ipowi %a, %a : {kind}")
    for kind in ("f32", "vector<2xf32>"):
        lines += [f"math.{name} %a : {kind}" for name in ("isfinite", "isinf", "isnan", "isnormal", "sincos")]
    return [*lines, "math.exp %a fastmath<afn> {t.x} : f32", "math.fpowi %a, %b : f32, i32"]


def _complex() -> list[str]:
    kind = "complex<f32>"
    lines = [f"complex.{name} %a : {kind}" for name in COMPLEX_TO_COMPLEX.split()]
    lines += [f"complex.{name} %a fastmath<nnan> : {kind}" for name in ("abs", "angle", "im", "re")]
    lines += [
        f"complex.{name} %a, %a : {kind}"
        for name in ("add", "atan2", "div", "mul", "pow", "sub", "eq", "neq")
    ]
    return [
        *lines,
        *("complex.create %a, %a : complex<f64>", "complex.constant [0.5, -1.0] : complex<f64>"),
        *("complex.powi %a, %b : complex<f32>, i32", "complex.bitcast %a : i64 to complex<f32>"),
    ]


def _index() -> list[str]:
    return [
        *(f"index.{name} %a, %a" for name in INDEX_BINARY.split()),
        *("index.cmp ult(%a, %a)", "index.constant -4", "index.bool.constant true", "index.sizeof"),
        *("index.casts %a : i8 to index", "index.castu %a {t.x} : index to i64"),
    ]


def _operand_types(line: str) -> dict[str, str]:
    """The types of ``%a``, ``%b`` and ``%c`` in a line, as its end says."""
    name, _, types = line.partition(" : ")
    before = types.partition(" to ")[0]
    depth, parts = 0, [""]
    for character in before:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    first, *rest = (part.strip() for part in parts)
    match name.split()[0]:
        case "arith.select":
            return {"c": first, "a": rest[0]}
        case "complex.create":
            return {"a": "f64"}
        case op if op.startswith("index.") and not op.startswith("index.cast"):
            return {"a": "index"}
        case _:
            return {"a": first, **({"b": rest[0]} if rest else {})}


def _function(number: int, line: str) -> str:
    types = {name: kind for name, kind in _operand_types(line).items() if f"%{name}" in line}
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in types.items())
    results = {"mulsi_extended": ":2", "mului_extended": ":2", "addui_extended": ":2", "sincos": ":2"}
    count = results.get(line.split()[0].partition(".")[2], "")
    return f"func.func @f{number}({arguments}) {{\n  %r{count} = {line}\n  return\n}}"


CONTROL = """
func.func private @callee(i32 {t.a}, f32) -> (i32 {t.b = "x"}, f32)
func.func nested @control(%c: i1, %x: i32, %y: f32) -> i32 attributes {t.c = 1 : i8} {
  cf.assert %c, "it \\22fails\\22" {t.x}
  cf.cond_br %c weights([10, 90]), ^one(%x : i32), ^two
^one(%p: i32):
  cf.switch %p : i32, [
    default: ^two,
    42: ^three(%p, %x : i32, i32),
    -1: ^one(%p : i32)
  ] {t.y}
^two:
  cf.switch %x : i32, [
    default: ^one(%x : i32)
  ]
^three(%q: i32, %s: i32):
  %f = constant @callee : (i32, f32) -> (i32, f32)
  %0:2 = call @callee(%q, %y) {t.z} : (i32, f32) -> (i32, f32)
  %1:2 = call_indirect %f(%0#0, %0#1) : (i32, f32) -> (i32, f32)
  %2 = ub.poison : vector<2xi8>
  %3 = ub.poison {t.w} : i32
  cf.br ^four
^four:
  return %1#0 : i32
}
func.func @unreachable() {
  ub.unreachable
}
module @inner attributes {t.m} {
  %0 = builtin.unrealized_conversion_cast to i8
  %1:2 = unrealized_conversion_cast %0 : i8 to i4, i4 {t.n}
}
"""


def text() -> str:
    """A module with all of them."""
    lines = [*_arith(), *_math(), *_complex(), *_index()]
    return "\n".join([*(_function(number, line) for number, line in enumerate(lines)), CONTROL])


@pytest.mark.parametrize("generic", [False, True])
def test_every_form_comes_back(generic: bool) -> None:
    module = parse(text(), "forms.mlir")
    verify(module)
    written = write_text(module, Options(generic=generic))
    assert write_text(parse(written, "written.mlir"), Options(generic=generic)) == written


def test_no_op_is_missing() -> None:
    used = {op.name for op in parse(text(), "forms.mlir").walk()}
    for dialect in ("arith", "math", "complex", "index", "ub", "cf", "func", "builtin"):
        table = table_of(dialect)
        assert table is not None
        assert set(table.ops) <= used


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_upstream_reads_the_same() -> None:
    module = parse(text(), "forms.mlir")
    custom, generic = write_text(module), write_text(module, Options(generic=True))
    wanted, from_custom, from_generic = by_mlir_opt((text(), custom, generic))
    assert from_custom == wanted
    assert from_generic == wanted
