"""Tables of rules: loaded when first asked, whichever thread asks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lamina.dialects.core.tables import RuleTable

TABLE: RuleTable[int] = RuleTable("number", "rules_for_test")
SLOW = """
import sys, time
table = sys.modules[{name!r}].TABLE
time.sleep(0.2)
table("a.one")(1)
assert table.get("a.two") is None  # a rule module may ask while it is loaded
"""


def test_threads_wait_until_all_rules_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "rules_for_test"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "slow.py").write_text(SLOW.format(name=__name__))
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(TABLE.get, ["a.one"] * 4)) == [1, 1, 1, 1]
