"""The op tables: what is generated from upstream's definitions and how it is loaded."""

import json
import shutil
from pathlib import Path

import pytest

import lamina.dialects.core as core
from lamina.dialects.core.ods import generate
from lamina.dialects.core.ods.spec import OPTIONAL, VARIADIC, spec_of, table_of

DIALECTS = Path(core.__file__).resolve().parent.parent


@pytest.mark.parametrize("dialect", generate.SOURCES)
def test_every_op_refers_to_constraints_of_its_table(dialect: str) -> None:
    table = table_of(dialect)
    assert table is not None
    for name, spec in table.ops.items():
        assert name.startswith(f"{dialect}.")
        assert spec.name == name
        for group in (*spec.operands, *spec.results):
            assert group.constraint in table.type_kinds
        for attribute in spec.attributes:
            kind = table.attr_kinds[attribute.kind]
            assert kind.enum is None or kind.enum in table.enums
            assert attribute == spec.by_name[attribute.name]


def test_an_op_with_everything() -> None:
    load = spec_of("vector.maskedload")
    assert load is not None
    assert [group.name for group in load.operands] == ["base", "indices", "mask", "pass_thru"]
    assert load.operands[1].count == VARIADIC
    assert load.by_name["alignment"].optional
    assert ("Effect", "read", "base") in load.relations
    ret = spec_of("llvm.return")
    assert ret is not None
    assert ret.operands[0].count == OPTIONAL
    assert "Terminator" in ret.traits


def test_defaults_are_attribute_text() -> None:
    add = spec_of("arith.addf")
    assert add is not None
    assert add.by_name["fastmath"].default == "#arith.fastmath<none>"
    conv = spec_of("linalg.conv_2d_nhwc_hwcf")
    assert conv is not None
    assert conv.by_name["strides"].default == "dense<1> : tensor<2xi64>"


def test_what_is_not_there() -> None:
    assert spec_of("arith.nothing") is None
    assert spec_of("nothing.at_all") is None


TBLGEN = next(filter(None, map(shutil.which, ("llvm-tblgen-22", "/usr/lib/llvm-22/bin/llvm-tblgen"))), None)
INCLUDE = Path("/usr/lib/llvm-22/include")


@pytest.mark.skipif(
    TBLGEN is None or not (INCLUDE / "mlir").is_dir(), reason="MLIR's definitions are not installed"
)
@pytest.mark.parametrize("dialect", generate.SOURCES)
def test_the_tables_are_what_is_generated(dialect: str) -> None:
    dumps = [generate.dump_of(str(TBLGEN), INCLUDE, source) for source in generate.SOURCES[dialect]]
    text = generate.text_of(generate.table_of_dumps(dialect, dumps))
    committed = (DIALECTS / dialect / "ods.json").read_text(encoding="utf-8")
    assert json.loads(text) == json.loads(committed)
