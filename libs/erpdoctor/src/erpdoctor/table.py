"""A run as a table for the terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from erpdoctor.checks import DEPENDS_ON, Figure
from erpdoctor.report import Report, Result
from servicekit.last_run import Outcome

_WORDS: Final = {Outcome.OK: "bien", Outcome.WARN: "aviso", Outcome.FAIL: "falla", Outcome.SKIPPED: "omitida"}

_NUMBERED: Final = {
    Outcome.OK: "bien",
    Outcome.WARN: "con aviso",
    Outcome.FAIL: "con falla",
    Outcome.SKIPPED: "omitidas",
}

_HEADINGS: Final = {
    Outcome.FAIL: "Por corregir, en este orden:",
    Outcome.WARN: "Avisos por revisar:",
    Outcome.SKIPPED: "Sin mirar (no cuenta como bien):",
}

_INDENT: Final = " " * 10


def table_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the table: groups, checks with their faults, and the totals.

    Of what was skipped for another check only the number is told, and which check it was: else one failure
    fills the screen. At the end stand the remedies: of the failures, in the order in which to go about them,
    then of the warnings; and how to have looked at what was not.
    """
    width = max((len(result.check.name) for result in report.results), default=0)
    origins = _origins(report.results)
    for group, found in groupby(report.results, key=lambda result: result.check.group):
        results = list(found)
        yield ""
        yield group.upper()
        for result in results:
            if result.check.name not in origins:
                yield from _lines(result, width)
        folded = Counter(origins[each.check.name] for each in results if each.check.name in origins)
        for names, count in folded.items():
            noun = "prueba más depende" if count == 1 else "pruebas más dependen"
            yield f"  {_WORDS[Outcome.SKIPPED]:<8}{count} {noun} de {', '.join(names)}"
    yield ""
    counts = ", ".join(f"{report.counts[outcome]} {word}" for outcome, word in _NUMBERED.items())
    yield f"{len(report.results)} pruebas en {report.duration_s:.1f} s: {counts}"
    yield from _to_do(report.results, width)


def _to_do(results: Sequence[Result], width: int) -> Iterator[str]:
    """Yield the remedies, most severe first, numbered through failures and warnings."""
    at = 0
    for outcome, heading in _HEADINGS.items():
        remedies = [(each.check.name, _remedy_of(each)) for each in results if each.outcome is outcome]
        if outcome is Outcome.SKIPPED:
            remedies = [(name, remedy) for name, remedy in remedies if remedy]
        if remedies:
            yield ""
            yield heading
        for name, remedy in remedies:
            at += 1
            number = "  -" if outcome is Outcome.SKIPPED else f"{at:>3}."
            yield f"{number} {name:<{width}}  {remedy}"


def _remedy_of(result: Result) -> str:
    cause, suspects = result.finding.cause, result.finding.suspects
    remedy = "" if cause is None else cause.remedy
    return f"Primero {', '.join(suspects)}; si después sigue: {remedy}" if suspects else remedy


def _origins(results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
    """Return, for each check that was skipped for others, those others that were not."""
    origins: dict[str, tuple[str, ...]] = {}
    missing: set[str] = set()
    for result in results:
        if result.outcome in (Outcome.FAIL, Outcome.SKIPPED):
            missing.add(result.check.name)
        if result.finding.cause is DEPENDS_ON:
            needed = [each for each in result.check.needs if each in missing]
            found = [origin for each in needed for origin in origins.get(each, (each,))]
            origins[result.check.name] = tuple(dict.fromkeys(found))
    return origins


def _lines(result: Result, width: int) -> Iterator[str]:
    finding = result.finding
    told = finding.seen or _told(result)
    looked = f"{result.check.title}: {told}" if told else result.check.title
    yield _one_line(f"  {_WORDS[result.outcome]:<8}{result.check.name:<{width}}  {looked}")
    cause = finding.cause
    if cause is None:
        return
    yield f"{_INDENT}Causa: {cause.text} ({cause.code})"
    if finding.suspects:
        yield f"{_INDENT}Quizá por: {', '.join(finding.suspects)}, que también falla"
    if cause.remedy:
        yield f"{_INDENT}Remedio: {cause.remedy}"
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
