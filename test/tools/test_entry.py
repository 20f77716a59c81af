"""The commands as processes: they end at once, and still do all that Python does at the end of a process."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lamina.tools import entry

CODE = """
import atexit, threading, time, types, sys
atexit.register(lambda: print("goodbye"))
threading.Thread(target=lambda: (time.sleep(0.1), print("a thread ends"))).start()
command = types.ModuleType("command")
command.main = lambda: {main}
sys.modules["command"] = command
from lamina.tools import entry
sys.stdout.write("first\\n")
entry._run("command")
"""


def run(main: str) -> subprocess.CompletedProcess[str]:
    code = CODE.replace("{main}", main)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("status", [0, 3])
def test_threads_and_functions_for_the_end_are_waited_for(status: int) -> None:
    done = run(str(status))
    assert (done.returncode, done.stdout, done.stderr) == (status, "first\na thread ends\ngoodbye\n", "")


def test_an_exit_from_within_is_an_exit() -> None:
    assert run("sys.exit(5)").returncode == 5


def test_every_command_has_its_function() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    for target in project["project"]["scripts"].values():
        module, _, function = target.partition(":")
        assert module == entry.__name__ and callable(getattr(entry, function))
