"""``lamina <command>``: the umbrella over all tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from lamina.tools.command_line import WrongUse, read_command_line, value
from lamina.tools.console import run_tool
from lamina.tools.output import show

_TOOLS = {
    "opt": ("lamina.tools.opt", "run passes on IR text"),
    "translate": ("lamina.tools.translate", "between file formats and IR text"),
    "run": ("lamina.tools.run", "run a model"),
}
_REPORTS = {
    "doctor": "versions, this machine, and what is missing for what",
    "explain": "the documentation of a pass, a pipeline, a dialect or an operation",
    "new-pass": "write a pass with a test and a page, to start from",
    "new-dialect": "write a dialect with its lowering to linalg, a test and a page, to start from",
    "cache": "the compiled code on disk: where, how much; `lamina cache clear` removes it",
    "completion": "a script that completes commands, options and passes in bash, zsh or fish",
}
_TAKEN = {
    "doctor": "",
    "explain": "NAME [--load FILE|MODULE]",
    "new-pass": "NAME",
    "new-dialect": "NAME",
    "cache": "[clear]",
    "completion": "bash|zsh|fish",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in _TOOLS:
        return importlib.import_module(_TOOLS[arguments[0]][0]).main(arguments[1:])
    return run_tool(_report, arguments)


def _report(arguments: Sequence[str]) -> int:
    match arguments:
        case []:
            show(_usage())
            return 2
        case ["-h" | "--help", *_]:
            show(_usage())
        case ["--version"]:
            from lamina.tools.doctor import version_text

            show(version_text())
        case [command, *rest] if command in _REPORTS and {"-h", "--help"} & {*rest}:
            show(f"usage: lamina {command} {_TAKEN[command]}".rstrip() + f"\n\n{_REPORTS[command]}")
        case ["doctor"]:
            from lamina.tools.doctor import doctor_text

            show(doctor_text())
        case ["explain", *rest]:
            show(_explained(rest))
        case ["new-pass" | "new-dialect" as command, name]:
            from pathlib import Path

            from lamina.tools.new import new_dialect, new_pass

            show((new_pass if command == "new-pass" else new_dialect)(name, Path.cwd()))
        case ["cache"]:
            from lamina.tools.cache import cache_text

            show(cache_text())
        case ["cache", "clear"]:
            from lamina.tools.cache import clear_text

            show(clear_text())
        case ["completion", "bash" | "zsh" | "fish" as shell]:
            from lamina.tools.completion import completion

            told = {name: what for name, (_, what) in _TOOLS.items()} | _REPORTS
            show(completion(shell, told))
        case _:
            raise _wrong_use(arguments[0])
    return 0


@dataclass(init=False)
class _ExplainArguments:
    """The options of ``lamina explain``, which are some of ``lamina-opt``'s."""

    load: tuple[str, ...] = value("Load passes and dialects", "", "FILE|MODULE", repeated=True, kind="file")


def _explained(arguments: Sequence[str]) -> str:
    from lamina.dialects.core.diagnostics import error

    try:
        args, names, unknown = read_command_line(_ExplainArguments, arguments)
    except WrongUse as problem:
        raise error(str(problem)) from None
    if len(names) != 1 or unknown:
        raise _wrong_use("explain")
    if args.load:
        from lamina.tools.plugins import load

        load(args.load)
    from lamina.tools.explain import explain

    return explain(names[0])


def _wrong_use(command: str) -> Exception:
    from lamina.dialects.core.diagnostics import did_you_mean, error

    if command == "completion":
        return error("`lamina completion` takes the name of a shell: bash, zsh or fish")
    if command == "cache":
        return error("`lamina cache` takes nothing, or the word clear")
    if command in _REPORTS:
        return error(f"`lamina {command}` takes {'no arguments' if command == 'doctor' else 'one name'}")
    hint = did_you_mean(command, [*_TOOLS, *_REPORTS]) or "`lamina --help` lists the commands"
    return error(f"there is no command '{command}'", hint=hint)


def _usage() -> str:
    lines = ["usage: lamina COMMAND …", "", "commands:"]
    lines += [f"  {name:<12}{what} (also lamina-{name})" for name, (_, what) in _TOOLS.items()]
    lines += [f"  {name:<12}{what}" for name, what in _REPORTS.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
