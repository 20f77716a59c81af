"""What argparse lacks: help that must not be lost, lists, and whole numbers with a least value."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from lamina.tools.output import show


class ToolParser(argparse.ArgumentParser):
    """The parser of a command line: option names are not abbreviated."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog, description=description, epilog=epilog, allow_abbrev=False)

    def print_help(self, file: Any = None) -> None:
        # argparse drops the error of a full disk.
        show(self.format_help())


def separate(text: str) -> list[str]:
    """The type of values between commas, as ``lamina-opt`` takes those of an option that may be repeated."""
    return text.split(",")


def whole_number(least: int) -> Callable[[str], int]:
    """The type of a whole number that is not below ``least``."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number of at least {least}")
        return number

    return convert
