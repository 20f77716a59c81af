"""``--mlir-timing`` and ``--mlir-pass-statistics``: the tables, in the forms of ``mlir-opt``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from lamina.passes.framework.display_names import display_name
from lamina.passes.framework.passes import Pass
from lamina.passes.framework.pipeline import Pipeline
from lamina.passes.framework.timing import Timer

_RULE = "===-------------------------------------------------------------------------==="


def timing_text(total: Timer, *, as_list: bool) -> str:
    """The table of ``--mlir-timing``: a tree, or a list with the longest first."""
    rows = _as_list(total) if as_list else _as_tree(total, 0)
    lines = [
        _RULE,
        f"{'... Execution time report ...':^{len(_RULE)}}".rstrip(),
        _RULE,
        f"  Total Execution Time: {total.wall:.4f} seconds",
        "",
        "  ----User Time----  ----Wall Time----  ----Name----",
    ]
    lines += [f"{_time(t.user, total.user)}{_time(t.wall, total.wall)}  {name}" for t, name in rows]
    return "\n".join(lines)


def _time(seconds: float, total: float) -> str:
    return f"  {seconds:8.4f} ({_percent(seconds, total):5.1f}%)"


def _percent(seconds: float, total: float) -> float:
    return 100.0 * seconds / total if total else 0.0


def _as_tree(total: Timer, depth: int) -> Iterator[tuple[Timer, str]]:
    for part in total.parts.values():
        yield part, "  " * depth + part.name
        yield from _as_tree(part, depth + 1)
    if depth == 0:
        yield total, total.name


def _as_list(total: Timer) -> list[tuple[Timer, str]]:
    merged: dict[str, Timer] = {}
    for part, name in _as_tree(total, 0):
        if part is total or name == "Rest":
            continue
        known = merged.setdefault(part.name, Timer(part.name))
        known.wall += part.wall
        known.user += part.user
    rows = sorted(merged.values(), key=lambda timer: -timer.wall)
    return [(timer, timer.name) for timer in (*rows, total.parts["Rest"], total)]


def timing_json(total: Timer) -> str:
    """The times as JSON: a list of objects with ``wall``, ``user``, ``name``, ``passes``; the total last."""
    import json

    def shown(timer: Timer) -> dict[str, object]:
        user = {"duration": round(timer.user, 6), "percentage": round(_percent(timer.user, total.user), 1)}
        wall = {"duration": round(timer.wall, 6), "percentage": round(_percent(timer.wall, total.wall), 1)}
        found: dict[str, object] = {"user": user, "wall": wall, "name": timer.name}
        if timer.name not in ("Rest", "Total"):
            found["passes"] = [*(shown(part) for part in timer.parts.values()), {}]
        return found

    rows = [json.dumps(shown(timer)) for timer in (*total.parts.values(), total)]
    return "[\n" + ",\n".join(rows) + "\n]"


def statistics_text(pipeline: Pipeline, counts: Mapping[int, Counter[str]], *, as_list: bool) -> str:
    """The table of ``--mlir-pass-statistics``: nested like the pipeline, or a list by name of pass."""
    lines = [_RULE, f"{'... Pass statistics report ...':^{len(_RULE)}}".rstrip(), _RULE]
    if as_list:
        merged: dict[str, tuple[Pass, Counter[str]]] = {}
        for pass_ in pipeline.passes():
            merged.setdefault(display_name(pass_), (pass_, Counter()))[1].update(counts.get(id(pass_), {}))
        for _, (pass_, counter) in sorted(merged.items()):
            lines += _entry(pass_, counter, 0)
    else:
        lines += _nested(pipeline, counts, 0)
    return "\n".join(lines)


def _nested(pipeline: Pipeline, counts: Mapping[int, Counter[str]], indent: int) -> Iterator[str]:
    for item in pipeline.items:
        if isinstance(item, Pipeline):
            yield f"{'  ' * indent}'{item.anchor}' Pipeline"
            yield from _nested(item, counts, indent + 1)
        else:
            yield from _entry(item, counts.get(id(item), Counter()), indent)


def _entry(pass_: Pass, counter: Counter[str], indent: int) -> list[str]:
    """A pass with all that it declares, and what else it counted."""
    names = sorted({*pass_.statistics, *counter})
    blank = "  " * indent
    digits = max((len(str(counter[name])) for name in names), default=1)
    width = max((len(name) for name in names), default=0)
    rows = (
        f"{blank}  (S) {counter[name]:{digits}} {name:<{width}} - {pass_.statistics.get(name, '')}".rstrip(
            " -"
        )
        for name in names
    )
    return [blank + display_name(pass_), *rows]
