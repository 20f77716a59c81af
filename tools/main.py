"""``lamina <command>``: the umbrella over all tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from lamina.tools.console import run_tool

_TOOLS = {
    "opt": ("lamina.tools.opt", "run passes on IR text"),
    "translate": ("lamina.tools.translate", "between file formats and IR text"),
    "run": ("lamina.tools.run", "run a model"),
}
_REPORTS = {
    "doctor": "versions, this machine, and what is missing for what",
    "explain": "the documentation of a pass or an operation",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0 if arguments else 2
    command, *rest = arguments
    if command in _TOOLS:
        return importlib.import_module(_TOOLS[command][0]).main(rest)
    if command == "--version":
        from lamina.tools.doctor import version_text

        print(version_text())
        return 0
    return run_tool(lambda: _report(command, rest))


def _report(command: str, rest: Sequence[str]) -> int:
    from lamina.dialects.core.diagnostics import did_you_mean, error

    match command, rest:
        case "doctor", []:
            from lamina.tools.doctor import doctor_text

            print(doctor_text())
        case "explain", [name]:
            from lamina.tools.explain import explain

            print(explain(name))
        case (("doctor" | "explain"), _):
            raise error(f"`lamina {command}` takes {'one name' if command == 'explain' else 'no arguments'}")
        case _:
            hint = did_you_mean(command, [*_TOOLS, *_REPORTS]) or "`lamina --help` lists the commands"
            raise error(f"there is no command '{command}'", hint=hint)
    return 0


def _usage() -> str:
    lines = ["usage: lamina COMMAND …", "", "commands:"]
    lines += [f"  {name:<12}{what} (also lamina-{name})" for name, (_, what) in _TOOLS.items()]
    lines += [f"  {name:<12}{what}" for name, what in _REPORTS.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
