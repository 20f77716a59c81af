"""How far ``canonicalize`` and ``canonicalize,cse`` reduce upstream's own tests, beside mlir-opt.

    python test/conformance/canonicalize.py UPSTREAM/mlir/test [--cache FOLDER] [--show N]

Each file of the folders below is split at ``// -----``. Counted are chunks that expect no errors, that
mlir-opt accepts and that it makes smaller: in how many are we left with no more ops, and does mlir-opt accept
the result?
mlir-opt's answers are kept in the cache, since it takes most of the time.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.passes.general.canonicalize import canonicalize
from lamina.passes.general.cse import eliminate_common_subexpressions

DIALECTS = (
    *("Linalg", "SCF", "Vector", "MemRef", "Arith", "Tensor", "LLVMIR", "Func", "Bufferization"),
    *("Affine", "Math", "ControlFlow", "UB", "Complex", "Index", "Builtin"),
)
COUNTED = frozenset(
    (
        *("builtin", "func", "arith", "math", "complex", "index", "ub", "cf", "scf", "affine", "tensor"),
        *("bufferization", "linalg", "memref", "vector", "llvm"),
    )
)
"""Chunks with ops of other dialects that mlir-opt knows are not counted."""
PIPELINES = {"canonicalize": ("canonicalize",), "canonicalize,cse": ("canonicalize", "cse")}
_OP = re.compile(r'^\s*(?:%[^=]*= )?"([\w.$]+)"\(', re.MULTILINE)


@dataclass
class Row:
    """The results of one folder: counters by what they count."""

    name: str
    counts: Counter[str] = field(default_factory=Counter[str])
    lost: Counter[str] = field(default_factory=Counter[str])


class MlirOpt:
    """mlir-opt with its answers on disk."""

    def __init__(self, cache: Path) -> None:
        found = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
        if found is None:
            raise SystemExit("mlir-opt 22 is not installed")
        self._tool = found
        self._cache = cache
        cache.mkdir(parents=True, exist_ok=True)

    def __call__(self, text: str, pipeline: str = "") -> str | None:
        """The generic form of what mlir-opt makes of a text; None where it fails."""
        key = hashlib.sha1(f"{pipeline}\0{text}".encode()).hexdigest()
        file = self._cache / key
        if not file.exists():
            options = [f"--pass-pipeline=builtin.module({pipeline})"] if pipeline else []
            command = [self._tool, "--allow-unregistered-dialect", "--mlir-print-op-generic"]
            command.append("--mlir-print-local-scope")
            done = subprocess.run(
                [*command, *options], input=text, capture_output=True, text=True, timeout=60
            )
            file.write_text(done.stdout if done.returncode == 0 else "")
        return file.read_text() or None


def chunks(root: Path) -> Iterator[tuple[str, Path, int, str]]:
    """The chunks that expect no errors: folder, file, number, text."""
    for folder in (*(f"Dialect/{name}" for name in DIALECTS), "IR"):
        for path in sorted((root / folder).rglob("*.mlir")):
            parts = re.split(r"^// -----.*$", path.read_text(errors="replace"), flags=re.MULTILINE)
            for number, text in enumerate(parts):
                if text.strip() and "expected-error" not in text:
                    yield folder.rpartition("/")[2], path, number, text


@cache
def _known_dialects() -> frozenset[str]:
    """The dialects that mlir-opt registers, but for its tests' own one."""
    tool = shutil.which("mlir-opt-22") or shutil.which("mlir-opt") or "mlir-opt"
    text = subprocess.run([tool, "--show-dialects"], capture_output=True, text=True).stdout
    return frozenset(re.findall(r"[a-z_0-9]+", text.partition(":")[2])) - {"test"}


def count(text: str) -> Counter[str]:
    """How often each op stands in the generic form."""
    return Counter(_OP.findall(text))


def ours(text: str, generic: str, passes: tuple[str, ...]) -> ModuleOp | None:
    """Our result; None where we cannot read the text, nor its generic form."""
    for source in (text, generic):
        try:
            module = lamina.parse(source, allow_unregistered=True)
            break
        except LaminaError:
            continue
    else:
        return None
    if "canonicalize" in passes:
        canonicalize(module)
    if "cse" in passes:
        eliminate_common_subexpressions(module)
    return module


def compare(row: Row, text: str, opt: MlirOpt) -> list[str]:
    """Add one chunk to a row; returns the pipelines in which we are left with more."""
    generic = opt(text)
    if generic is None:
        return []
    if any(name.partition(".")[0] in _known_dialects() - COUNTED for name in count(generic)):
        return []
    before = count(generic).total()
    behind: list[str] = []
    for pipeline, passes in PIPELINES.items():
        reference = opt(text, pipeline)
        if reference is None or count(reference).total() >= before:
            continue
        row.counts[f"{pipeline}: smaller"] += 1
        module = ours(text, generic, passes)
        if module is None:
            row.counts[f"{pipeline}: not read"] += 1
            continue
        result = lamina.to_text(module, generic=True)
        if opt(result) is None:
            row.counts[f"{pipeline}: not valid"] += 1
        found = Counter(
            op.op_name.data if isinstance(op, UnregisteredOp) else op.name for op in module.walk()
        )
        if found.total() <= count(reference).total():
            row.counts[f"{pipeline}: as small"] += 1
        else:
            row.lost.update((found - count(reference)).keys())
            behind.append(pipeline)
    return behind


def table(rows: list[Row]) -> str:
    """The results as a Markdown table."""
    lines = ["| dialect | pipeline | mlir-opt shrinks | ours as small | share | not valid | not read |"]
    lines.append("|---|---|---|---|---|---|---|")
    total = Row("all")
    for row in rows:
        total.counts.update(row.counts)
    for row in [*rows, total]:
        for pipeline in PIPELINES:
            smaller = row.counts[f"{pipeline}: smaller"]
            same = row.counts[f"{pipeline}: as small"]
            share = f"{100 * same / smaller:.0f} %" if smaller else ""
            bad, unread = row.counts[f"{pipeline}: not valid"], row.counts[f"{pipeline}: not read"]
            lines.append(f"| {row.name} | `{pipeline}` | {smaller} | {same} | {share} | {bad} | {unread} |")
    return "\n".join(lines)


def main() -> None:
    """Compare all chunks and print the table, and the ops that are left over most often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("root", type=Path, help="upstream's mlir/test")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "lamina-conformance")
    parser.add_argument("--only", default="", help="a regular expression that files have to match")
    parser.add_argument(
        "--show", type=int, default=0, help="list so many chunks in which we are left with more"
    )
    arguments = parser.parse_args()
    opt = MlirOpt(arguments.cache)
    rows: dict[str, Row] = {}
    shown: list[str] = []
    for folder, path, number, text in chunks(arguments.root):
        if re.search(arguments.only, str(path)):
            row = rows.setdefault(folder, Row(folder))
            behind = compare(row, text, opt)
            shown += [f"{path.relative_to(arguments.root)} chunk {number}: {name}" for name in behind]
    print(table(list(rows.values())))
    lost = sum((row.lost for row in rows.values()), Counter[str]())
    print("\nleft over most often:", ", ".join(f"{name} ({n})" for name, n in lost.most_common(20)))
    print("\n".join(shown[: arguments.show]))


if __name__ == "__main__":
    main()
