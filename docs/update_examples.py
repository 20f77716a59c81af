"""Rewrite the expected output in the docstring of each pass by what the pass does now; review the diff.

python docs/update_examples.py [PASS …]
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.passes.framework.manager import PassManager
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.pipeline import Pipeline
from lamina.passes.framework.registry import all_passes

_BLOCK = re.compile(r"( *)```mlir\n(.*?)\1```\n", re.DOTALL)


def output_of(declaration: type[Pass], text: str) -> str:
    """What the pass makes of a text, without the module around it."""
    module = parse(text)
    verify(module)
    PassManager().run(module, Pipeline("builtin.module", [declaration()]))
    lines = to_text(module).rstrip().split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines[1:-1]) + "\n"


def update(declaration: type[Pass]) -> bool:
    """Rewrite a pass's file; returns whether it changed."""
    blocks = declaration.examples()
    if not blocks:
        print(f"{declaration.name}: no example")
        return False
    path = Path(inspect.getfile(declaration))
    source = path.read_text(encoding="utf-8")
    documented = inspect.getsource(declaration)
    found = list(_BLOCK.finditer(documented))
    indent = found[0].group(1)
    output = "".join(
        f"{indent}{line}\n" if line else "\n" for line in output_of(declaration, blocks[0]).split("\n")[:-1]
    )
    block = f"{indent}```mlir\n{output}{indent}```\n"
    if len(found) > 1:
        changed = documented[: found[1].start()] + block + documented[found[1].end() :]
    else:
        changed = documented[: found[0].end()] + "\n" + block + documented[found[0].end() :]
    path.write_text(source.replace(documented, changed), encoding="utf-8")
    return documented != changed


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for declaration in all_passes():
        if (not chosen or declaration.name in chosen) and update(declaration):
            print(f"{declaration.name}: updated")
