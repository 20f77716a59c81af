"""The `onnx` dialect: its operator table against the package's schemas, and what its verifier rejects."""

from __future__ import annotations

import json

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.onnx.generate_table import TABLE, operator_table
from lamina.dialects.onnx.table import find_operator, operators


def test_table_is_what_the_package_says() -> None:
    onnx = pytest.importorskip("onnx")
    known = {(r["domain"], r["name"]): r for r in json.loads(TABLE.read_text())}
    newest = max(v for r in known.values() if not r["domain"] for v in r["since_versions"])
    if onnx.defs.onnx_opset_version() != newest:
        pytest.skip("the installed onnx package is not the one that the table was made from")
    for record in operator_table():
        assert known[record["domain"], record["name"]] == json.loads(json.dumps(record))


def test_signature_follows_the_operator_set() -> None:
    clip = operators()["onnx.Clip"]
    old, new = clip.signature(6), clip.signature(13)
    assert old is not None
    assert new is not None
    assert old.inputs.names == ("input",)
    assert set(old.attributes) == {"min", "max"}
    assert new.inputs.names == ("input", "min", "max")
    assert (new.inputs.minimum, new.inputs.maximum) == (1, 3)
    assert not new.attributes
    assert operators()["onnx.Gelu"].signature(19) is None


def test_variadic_and_optional_operands() -> None:
    concat, conv = find_operator("Concat"), find_operator("Conv", "ai.onnx")
    assert concat is not None
    assert conv is not None
    signature = concat.signatures[-1]
    assert signature.inputs.accepts(7)
    assert not conv.signatures[-1].inputs.accepts(4)
    assert find_operator("Conv", "com.microsoft") is None


HEADER = (
    "builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {\nfunc.func @main(%x: tensor<2xf32>) {\n"
)
REJECTED = [
    ("onnx.Relu %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>", "has 2 operands, expected 1"),
    ("onnx.Relu %x {alpha = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>", "has no attribute 'alpha'"),
    ('onnx.Softmax %x {axis = "last"} : (tensor<2xf32>) -> tensor<2xf32>', "attribute 'axis' is of kind INT"),
    ("onnx.Cast %x : (tensor<2xf32>) -> tensor<2xi8>", "needs the attribute 'to'"),
    ("onnx.Gelu %x : (tensor<2xf32>) -> tensor<2xf32>", "exists since version 20 of the operator set"),
    (
        "onnx.Upsample %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
        "is deprecated since version 10",
    ),
    ("onnx.If %x : (tensor<2xf32>) -> tensor<2xf32>", "has 0 regions, expected 2"),
    (
        'onnx.Custom %x {domain = "a"} : (tensor<2xf32>) -> tensor<2xf32>',
        "needs the string attribute 'op_type'",
    ),
    ("onnx.NoValue %x : (tensor<2xf32>) -> none", "takes nothing"),
]


@pytest.mark.parametrize(("line", "message"), REJECTED)
def test_verifier_rejects(line: str, message: str) -> None:
    module = parse(f"{HEADER}  %0 = {line}\n  return\n}}\n}}", "m.mlir")
    with pytest.raises(LaminaError) as caught:
        verify(module)
    assert message in str(caught.value)
    assert "m.mlir:3:" in str(caught.value)
