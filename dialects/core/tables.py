"""Tables of rules by operation name: one mechanism for every concern of an op.

A concern (shape rule, reference value, derivative, lowering, …) is one :class:`RuleTable`. Its entries are
registered by decorators in the modules of one package, a module per op family, which are imported when
the first rule is asked for. A plugin dialect fills the same tables from its own modules.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

RuleT = TypeVar("RuleT")


class RuleTable(Generic[RuleT]):
    """Rules of one concern by op name. ``@table("nn.add", "nn.sub")`` registers a rule for both."""

    def __init__(self, concern: str, package: str | None = None) -> None:
        """``package`` is the dotted name of the package whose modules hold Lamina's own entries."""
        self.concern = concern
        self._package = package
        self._loaded = package is None
        self._lock = threading.RLock()
        self._loading = False
        self._rules: dict[str, RuleT] = {}

    def __call__(self, *names: str) -> Callable[[RuleT], RuleT]:
        """A decorator that registers a rule under op names. A second rule for a name is an error."""

        def register(rule: RuleT) -> RuleT:
            for name in names:
                if name in self._rules:
                    raise ValueError(f"a {self.concern} for '{name}' is already registered")
                self._rules[name] = rule
            return rule

        return register

    def get(self, name: str) -> RuleT | None:
        """The rule of an op, or None."""
        self._load()
        return self._rules.get(name)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._rules))

    def _load(self) -> None:
        """Import the modules of the package, once; a second thread waits until all rules are there."""
        if self._loaded:
            return
        with self._lock:
            if self._loaded or self._loading:
                return
            self._loading = True
            try:
                self._import_rules()
                self._loaded = True
            finally:
                self._loading = False

    def _import_rules(self) -> None:
        assert self._package is not None
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
