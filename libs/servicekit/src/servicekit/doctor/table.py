"""A run for people: a table in Spanish. It may name hosts and users, and never a secret."""

from collections.abc import Iterator
from typing import Final

from servicekit.doctor.checks import Figure, Outcome
from servicekit.doctor.report import Report, Result

_WORDS: Final = {Outcome.OK: "bien", Outcome.WARN: "aviso", Outcome.FAIL: "falla", Outcome.SKIPPED: "omitida"}
_NUMBERED: Final = {
    Outcome.OK: "bien",
    Outcome.WARN: "con aviso",
    Outcome.FAIL: "con falla",
    Outcome.SKIPPED: "omitidas",
}
_INDENT: Final = " " * 10


def table_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the table: a heading a group, a line a check, what is wrong below it, the sum."""
    width = max((len(result.check.name) for result in report.results), default=0)
    group = None
    for result in report.results:
        if result.check.group != group:
            group = result.check.group
            yield ""
            yield group.upper()
        yield from _lines(result, width)
    yield ""
    counts = ", ".join(f"{report.counts[outcome]} {word}" for outcome, word in _NUMBERED.items())
    yield f"{len(report.results)} pruebas en {report.duration_s:.1f} s: {counts}"


def _lines(result: Result, width: int) -> Iterator[str]:
    finding = result.finding
    told = finding.seen or _told(result)
    looked = f"{result.check.looked_at}: {told}" if told else result.check.looked_at
    yield _one_line(f"  {_WORDS[result.outcome]:<8}{result.check.name:<{width}}  {looked}")
    cause = finding.cause
    if cause is None:
        return
    yield f"{_INDENT}Causa: {cause.text} ({cause.code})"
    if cause.mend:
        yield f"{_INDENT}Remedio: {cause.mend}"
    if cause.outcome is not Outcome.SKIPPED:
        yield f"{_INDENT}Más: {result.page}"


def _told(result: Result) -> str:
    return ", ".join(f"{name}={_shown(value)}" for name, value in result.finding.figures.items())


def _shown(value: Figure) -> str:
    if isinstance(value, bool):
        return "sí" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value) or "ninguno"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
