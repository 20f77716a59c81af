"""``lamina-opt``: run passes on textual IR."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.tools.command_line import WrongUse, declared_options, help_text, read_command_line
from lamina.tools.console import run_tool, say
from lamina.tools.opt.arguments import EPILOG, USAGE, OptArguments
from lamina.tools.output import show


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``lamina-opt``; returns the exit status."""
    return run_tool(_run, argv)


def _run(arguments: Sequence[str]) -> int:
    try:
        args, words, unknown = read_command_line(OptArguments, arguments)
        if len(words) > 1:
            raise WrongUse(f"unexpected argument '{words[1]}': one file is read")
        args.file = words[0] if words else "-"
        return 0 if _told(args) else _transformed(args, unknown)
    except WrongUse as problem:
        usage = USAGE.partition("\n")[0]
        say(f"{usage}; lamina-opt --help tells more\nlamina-opt: error: {problem}")
        return 2


def _told(args: OptArguments) -> bool:
    """Answer a question about the tool itself; whether there was one."""
    if args.help or args.h:
        show(help_text(USAGE, OptArguments, EPILOG))
    elif args.version:
        from lamina.tools.doctor import version_text

        show(version_text())
    else:
        return False
    return True


def _transformed(args: OptArguments, flags: list[str]) -> int:
    if args.load:
        from lamina.tools.plugins import load

        load(args.load)
    if args.irdl_file:
        from lamina.tools.opt.irdl_files import load_irdl

        load_irdl(args.irdl_file)
    if args.list_passes or args.show_dialects:
        asked = "list-passes" if args.list_passes else "show-dialects"
        if args.file != "-":
            raise WrongUse(f"unexpected argument '{args.file}': --{asked} reads no file")
        if flags:
            raise WrongUse(f"unexpected argument '{flags[0]}': --{asked} runs no pass")
        from lamina.tools.opt.listing import list_of_dialects, list_of_passes

        show(list_of_passes() if args.list_passes else list_of_dialects())
        return 0
    text = _pipeline_text(args, flags)
    from lamina.tools.opt.driver import transform

    return transform(args, text)


def _pipeline_text(args: OptArguments, flags: list[str]) -> str:
    """The pipeline of ``--pass-pipeline``, or of the passes given as options, in order."""
    if not flags:
        return args.pass_pipeline or ""
    for flag in flags:
        name = flag.lstrip("-").partition("=")[0]
        if not _is_pass(name):
            raise WrongUse(f"there is no option or pass '{flag.partition('=')[0]}'{_suggestion(name)}")
    if args.pass_pipeline is not None:
        raise WrongUse("give passes as options or with --pass-pipeline, not both")
    pairs = (flag.lstrip("-").partition("=") for flag in flags)
    return ",".join(f"{name}{{{options}}}" if options else name for name, _, options in pairs)


def _is_pass(name: str) -> bool:
    from lamina.passes.framework.registry import is_pass_or_pipeline

    return is_pass_or_pipeline(name)


def _suggestion(name: str) -> str:
    from lamina.dialects.core.diagnostics import did_you_mean
    from lamina.passes.framework.registry import pass_names, pipeline_names

    known = (*declared_options(OptArguments), *pass_names(), *pipeline_names())
    near = did_you_mean(f"--{name}", [f"--{n}" for n in known])
    return f"; {near}" if near else ""
