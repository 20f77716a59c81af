"""``lamina completion bash|zsh|fish``: completion of commands, options, passes and operations."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from lamina.tools.command_line import Option, declared_options
from lamina.tools.opt.arguments import OptArguments

Tools = dict[str, tuple[list[Option], dict[str, str]]]
"""The options of each tool, and the passes that are options of it too, with their summaries."""

SHELLS = ("bash", "zsh", "fish")


def completion(shell: str, commands: dict[str, str]) -> str:
    """The script for a shell; ``commands`` are those of ``lamina`` with a line of help each."""
    from lamina.tools import run, translate

    passes = _passes()
    tools: Tools = {
        "opt": ([option for option, _ in declared_options(OptArguments).values()], passes),
        "run": (_options_of(run.build_parser()), {}),
        "translate": (_options_of(translate.build_parser()), {}),
    }
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](tools, commands, _explained(passes))


def _options_of(parser: argparse.ArgumentParser) -> list[Option]:
    """The options of a parser of argparse as those of ``lamina-opt`` are declared."""
    found: list[Option] = []
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if action.option_strings:
            name = action.option_strings[-1].lstrip("-")
            metavar = "" if action.nargs == 0 else "VALUE"
            found.append(
                Option(name, action.help or "", metavar=metavar, choices=tuple(action.choices or ()))
            )
    return found


def _explained(passes: Iterable[str]) -> str:
    """What ``lamina explain`` can be asked about."""
    from lamina.dialects.core.context import make_context, operation_names

    return " ".join(sorted({*passes, *make_context().registered_dialect_names, *operation_names()}))


def _passes() -> dict[str, str]:
    """The passes and named pipelines, which are options of ``lamina-opt`` too, with their summaries."""
    from lamina.passes.framework.registry import all_passes, find_pipeline, pipeline_names

    found = {declaration.name: declaration.summary() for declaration in all_passes()}
    for name in pipeline_names():
        named = find_pipeline(name)
        found[name] = named.summary if named else ""
    return found


def _written(option: Option) -> str:
    if len(option.name) == 1:
        return f"-{option.name}"
    return f"--{option.name}=" if option.metavar and option.implied is None else f"--{option.name}"


def _bash(tools: Tools, commands: dict[str, str], explained: str) -> str:
    functions = "\n".join(_bash_function(tool, *given) for tool, given in tools.items())
    complete = "\n".join(f"complete -F _lamina_{tool} lamina-{tool}" for tool in tools)
    return f"""# bash completion for Lamina: eval "$(lamina completion bash)"
{functions}
_lamina() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    explain) COMPREPLY=($(compgen -W "{explained}" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$word")) ;;
    {"|".join(tools)}) _lamina_${{COMP_WORDS[1]}} ;;
  esac
}}
{complete}
complete -F _lamina lamina"""


def _bash_function(tool: str, options: list[Option], passes: dict[str, str]) -> str:
    words = " ".join([*map(_written, options), *(f"--{name}" for name in passes)])
    offer = 'COMPREPLY=($(compgen -W "{}" -- "$value")); return ;;'
    choices = "".join(
        f"    --{option.name}) {offer.format(' '.join(option.choices))}\n"
        for option in options
        if option.choices
    )
    named = "|".join(f"--{option.name}" for option in options if option.kind == "pass")
    choices += f"    {named}) {offer.format(' '.join(passes))}\n" if named else ""
    return f"""_lamina_{tool}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option value
  if [[ $word == = ]]; then option=${{COMP_WORDS[COMP_CWORD-1]}} value=
  elif [[ ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then option=${{COMP_WORDS[COMP_CWORD-2]}} value=$word
  fi
  case $option in
{choices}    --*) COMPREPLY=($(compgen -f -- "$value")); return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "{words}" -- "$word"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
"""


def _zsh(tools: Tools, commands: dict[str, str], explained: str) -> str:
    functions = "\n".join(_zsh_function(tool, *given) for tool, given in tools.items())
    subcommands = " ".join(f"'{name}:{_zsh_quoted(what)}'" for name, what in commands.items())
    defined = "\n".join(f"compdef _lamina_{tool} lamina-{tool}" for tool in tools)
    return f"""#compdef {" ".join(f"lamina-{tool}" for tool in tools)} lamina
# zsh completion for Lamina: eval "$(lamina completion zsh)"
{functions}
_lamina() {{
  local -a commands=({subcommands})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
    explain) compadd {explained} ;;
    completion) compadd {" ".join(SHELLS)} ;;
    {"|".join(tools)}) shift words; (( CURRENT-- )); _lamina_$words[1] ;;
  esac
}}
{defined}
compdef _lamina lamina"""


def _zsh_quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    return escaped.replace("`", "\\`")


def _zsh_function(tool: str, options: list[Option], passes: dict[str, str]) -> str:
    rows: list[str] = []
    for option in options:
        action = ""
        if option.choices:
            action = f":value:({' '.join(option.choices)})"
        elif option.kind == "pass":
            action = f":pass:({' '.join(passes)})"
        elif option.metavar:
            action = ":value:_files"
        rows.append(f"    '{_written(option)}[{_zsh_quoted(option.help)}]{action}'")
    rows += [f"    '--{name}=-[{_zsh_quoted(summary)}]'" for name, summary in passes.items()]
    lines = " \\\n".join(rows)
    return f"""_lamina_{tool}() {{
  _arguments \\
{lines} \\
    '*:file:_files'
}}"""


def _fish(tools: Tools, commands: dict[str, str], explained: str) -> str:
    lines = ["# fish completion for Lamina: lamina completion fish | source"]
    for tool, given in tools.items():
        lines += _fish_rows(tool, *given)
    first = "__fish_use_subcommand"
    lines += [
        f"complete -c lamina -n {first} -f -a {name} -d {_fish_quoted(what)}"
        for name, what in commands.items()
    ]
    for command, words in {"explain": explained, "completion": " ".join(SHELLS)}.items():
        seen = f"'__fish_seen_subcommand_from {command}'"
        lines.append(f"complete -c lamina -n {seen} -f -a {_fish_quoted(words)}")
    return "\n".join(lines)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish_rows(tool: str, options: list[Option], passes: dict[str, str]) -> list[str]:
    def row(flag: str, help_text: str, more: Iterable[str] = ()) -> str:
        return " ".join([f"complete -c lamina-{tool}", flag, "-d", _fish_quoted(help_text), *more])

    lines: list[str] = []
    for option in options:
        flag = f"-s {option.name}" if len(option.name) == 1 else f"-l {option.name}"
        more: list[str] = []
        if option.choices:
            more = ["-x", "-a", _fish_quoted(" ".join(option.choices))]
        elif option.kind == "pass":
            more = ["-x", "-a", _fish_quoted(" ".join(passes))]
        elif option.metavar and option.implied is None:
            more = ["-r"]
        lines.append(row(flag, option.help, more))
    return [*lines, *(row(f"-l {name}", summary) for name, summary in passes.items())]
