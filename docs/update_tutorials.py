"""Run the commands of the tutorials, and write into them what they print.

python docs/update_tutorials.py [NAME.md …]

A block ``console`` holds commands (``$ …``) and their output. Before a block that is a file stands
``<!-- file: NAME -->`` for one that the reader writes, or ``<!-- written: NAME -->`` for one that a command
has written. All of a page runs in one empty folder, from its first line to its last.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TUTORIALS = ("tutorial-pass.md", "tutorial-dialect.md")
_BLOCK = re.compile(r"(?:<!-- (file|written): (\S+) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)


def refreshed(text: str, folder: Path) -> str:
    """The text of a tutorial with the output that its commands have now."""

    def block(match: re.Match[str]) -> str:
        kind, name, language, body = match.groups()
        head = f"<!-- {kind}: {name} -->\n" if kind else ""
        if kind == "file":
            (folder / name).write_text(body, encoding="utf-8")
        elif kind == "written":
            body = (folder / name).read_text(encoding="utf-8")
        elif language == "console":
            commands = [line[2:] for line in body.split("\n") if line.startswith("$ ")]
            body = "".join(f"$ {command}\n{_output(command, folder)}" for command in commands)
        return f"{head}```{language}\n{body}```\n"

    return _BLOCK.sub(block, text)


def _output(command: str, folder: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = [str(HERE.parent / "src"), str(folder / "site")]
    environment = os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(found)}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.rstrip("\n") + "\n" if done.stdout.strip() else ""


def main() -> None:
    for name in sys.argv[1:] or TUTORIALS:
        page = HERE / name
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(refreshed(page.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
