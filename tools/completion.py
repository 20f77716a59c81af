"""``lamina completion bash|zsh|fish``: completion of commands, options and passes."""

from __future__ import annotations

from collections.abc import Iterable

from lamina.tools.command_line import Option, declared_options
from lamina.tools.opt.arguments import OptArguments

SHELLS = ("bash", "zsh", "fish")


def completion(shell: str, commands: dict[str, str]) -> str:
    """The script for a shell; ``commands`` are those of ``lamina`` with a line of help each."""
    options = [option for option, _ in declared_options(OptArguments).values()]
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](options, _passes(), commands)


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


def _bash(options: list[Option], passes: dict[str, str], commands: dict[str, str]) -> str:
    words = " ".join([*map(_written, options), *(f"--{name}" for name in passes)])
    offer = 'COMPREPLY=($(compgen -W "{}" -- "$value")); return ;;'
    choices = "".join(
        f"    --{option.name}) {offer.format(' '.join(option.choices))}\n"
        for option in options
        if option.choices
    )
    named = "|".join(f"--{option.name}" for option in options if option.kind == "pass")
    return f"""# bash completion for Lamina: eval "$(lamina completion bash)"
_lamina_opt() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option value
  if [[ $word == = ]]; then option=${{COMP_WORDS[COMP_CWORD-1]}} value=
  elif [[ ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then option=${{COMP_WORDS[COMP_CWORD-2]}} value=$word
  fi
  case $option in
{choices}    {named}) COMPREPLY=($(compgen -W "{" ".join(passes)}" -- "$value")); return ;;
    --*) COMPREPLY=($(compgen -f -- "$value")); return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "{words}" -- "$word"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
_lamina() {{
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "${{COMP_WORDS[1]}}"))
  elif [[ ${{COMP_WORDS[1]}} == explain ]]; then
    COMPREPLY=($(compgen -W "{" ".join(passes)}" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  elif [[ ${{COMP_WORDS[1]}} == completion ]]; then
    COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  else
    _lamina_opt
  fi
}}
complete -F _lamina_opt lamina-opt
complete -F _lamina lamina"""


def _zsh(options: list[Option], passes: dict[str, str], commands: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        escaped = text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
        return escaped.replace("`", "\\`")

    rows: list[str] = []
    for option in options:
        action = ""
        if option.choices:
            action = f":value:({' '.join(option.choices)})"
        elif option.kind == "pass":
            action = f":pass:({' '.join(passes)})"
        elif option.metavar:
            action = ":value:_files"
        rows.append(f"    '{_written(option)}[{quoted(option.help)}]{action}'")
    rows += [f"    '--{name}=-[{quoted(summary)}]'" for name, summary in passes.items()]
    lines = " \\\n".join(rows)
    subcommands = " ".join(f"'{name}:{quoted(what)}'" for name, what in commands.items())
    return f"""#compdef lamina-opt lamina
# zsh completion for Lamina: eval "$(lamina completion zsh)"
_lamina_opt() {{
  _arguments \\
{lines} \\
    '*:file:_files'
}}
_lamina() {{
  local -a commands=({subcommands})
  if (( CURRENT == 2 )); then _describe command commands
  elif [[ $words[2] == explain ]]; then compadd {" ".join(passes)}
  elif [[ $words[2] == completion ]]; then compadd {" ".join(SHELLS)}
  else shift words; (( CURRENT-- )); _lamina_opt
  fi
}}
compdef _lamina_opt lamina-opt
compdef _lamina lamina"""


def _fish(options: list[Option], passes: dict[str, str], commands: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def row(flag: str, help_text: str, more: Iterable[str] = ()) -> str:
        return " ".join(["complete -c lamina-opt", flag, "-d", quoted(help_text), *more])

    lines = ["# fish completion for Lamina: lamina completion fish | source"]
    for option in options:
        flag = f"-s {option.name}" if len(option.name) == 1 else f"-l {option.name}"
        more: list[str] = []
        if option.choices:
            more = ["-x", "-a", quoted(" ".join(option.choices))]
        elif option.kind == "pass":
            more = ["-x", "-a", quoted(" ".join(passes))]
        elif option.metavar and option.implied is None:
            more = ["-r"]
        lines.append(row(flag, option.help, more))
    lines += [row(f"-l {name}", summary) for name, summary in passes.items()]
    first = "__fish_use_subcommand"
    lines += [
        f"complete -c lamina -n {first} -f -a {name} -d {quoted(what)}" for name, what in commands.items()
    ]
    seen = "'__fish_seen_subcommand_from explain'"
    lines.append(f"complete -c lamina -n {seen} -f -a {quoted(' '.join(passes))}")
    seen = "'__fish_seen_subcommand_from completion'"
    lines.append(f"complete -c lamina -n {seen} -f -a {quoted(' '.join(SHELLS))}")
    lines.append("complete -c lamina -n '__fish_seen_subcommand_from opt' -w lamina-opt")
    return "\n".join(lines)
