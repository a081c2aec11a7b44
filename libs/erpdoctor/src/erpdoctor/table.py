"""A run as a table for the terminal."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from attrs import frozen

from erpdoctor.checks import DEPENDS_ON, Cause, Figure
from erpdoctor.report import Report, Result
from servicekit.last_run import Outcome


@frozen(kw_only=True)
class Language:
    """Fixed words of the table.

    Attributes:
        words: outcome of a check.
        numbered: outcome behind a number.
        headings: above the remedies.
        folded: what was skipped for other checks: one, and several.
        total: last line of the table.
        first: remedy of a check that suspects others.
        cause, maybe, remedy, more, yes, no, none: lines and words below a check.
    """

    words: Mapping[Outcome, str]
    numbered: Mapping[Outcome, str]
    headings: Mapping[Outcome, str]
    folded: tuple[str, str]
    total: str
    first: str
    cause: str
    maybe: str
    remedy: str
    more: str
    yes: str
    no: str
    none: str


SPANISH: Final = Language(
    words={Outcome.OK: "bien", Outcome.WARN: "aviso", Outcome.FAIL: "falla", Outcome.SKIPPED: "omitida"},
    numbered={
        Outcome.OK: "bien",
        Outcome.WARN: "con aviso",
        Outcome.FAIL: "con falla",
        Outcome.SKIPPED: "omitidas",
    },
    headings={
        Outcome.FAIL: "Por corregir, en este orden:",
        Outcome.WARN: "Avisos por revisar:",
        Outcome.SKIPPED: "Sin mirar (no cuenta como bien):",
    },
    folded=("prueba más depende de", "pruebas más dependen de"),
    total="{checks} pruebas en {seconds:.1f} s: {counts}",
    first="Primero {names}; si después sigue: {remedy}",
    cause="Causa: {text} ({code})",
    maybe="Quizá por: {names}, que también falla",
    remedy="Remedio: {remedy}",
    more="Más: {page}",
    yes="sí",
    no="no",
    none="ninguno",
)
ENGLISH: Final = Language(
    words={Outcome.OK: "ok", Outcome.WARN: "warning", Outcome.FAIL: "failed", Outcome.SKIPPED: "skipped"},
    numbered={
        Outcome.OK: "ok",
        Outcome.WARN: "with warnings",
        Outcome.FAIL: "failed",
        Outcome.SKIPPED: "skipped",
    },
    headings={
        Outcome.FAIL: "To correct, in this order:",
        Outcome.WARN: "Warnings to look at:",
        Outcome.SKIPPED: "Not checked (does not count as ok):",
    },
    folded=("more check depends on", "more checks depend on"),
    total="{checks} checks in {seconds:.1f} s: {counts}",
    first="First {names}; if it still fails: {remedy}",
    cause="Cause: {text} ({code})",
    maybe="Maybe because of {names}, which failed too",
    remedy="Remedy: {remedy}",
    more="More: {page}",
    yes="yes",
    no="no",
    none="none",
)
"""The titles of checks are Spanish only; their names are English."""

_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_INDENT: Final = " " * 10


def table_lines(report: Report, language: Language = SPANISH) -> Iterator[str]:
    """Yield the lines of the table: groups, checks with their faults, and the totals.

    Checks skipped because of another are only counted with its name; otherwise one failure would fill the
    screen. The end lists the remedies: of the failures in the order to fix them, then of the warnings, and
    how to run the skipped checks.
    """
    width = max((len(result.check.name) for result in report.results), default=0)
    origins = _origins(report.results)
    for group, found in groupby(report.results, key=lambda result: result.check.group):
        results = list(found)
        yield ""
        yield group.upper()
        for result in results:
            if result.check.name not in origins:
                yield from _lines(result, width, language)
        folded = Counter(origins[each.check.name] for each in results if each.check.name in origins)
        for names, count in folded.items():
            depend = language.folded[count > 1]
            yield f"  {language.words[Outcome.SKIPPED]:<8}{count} {depend} {', '.join(names)}"
    yield ""
    counts = ", ".join(f"{report.counts[outcome]} {word}" for outcome, word in language.numbered.items())
    yield language.total.format(checks=len(report.results), seconds=report.duration_s, counts=counts)
    yield from _to_do(report.results, width, language)


def _to_do(results: Sequence[Result], width: int, language: Language) -> Iterator[str]:
    at = 0
    for outcome, heading in language.headings.items():
        remedies = [
            (each.check.name, _remedy_of(each, language)) for each in results if each.outcome is outcome
        ]
        if outcome is Outcome.SKIPPED:
            remedies = [(name, remedy) for name, remedy in remedies if remedy]
        if remedies:
            yield ""
            yield heading
        for name, remedy in remedies:
            at += 1
            number = "  -" if outcome is Outcome.SKIPPED else f"{at:>3}."
            yield f"{number} {name:<{width}}  {remedy}"


def _remedy_of(result: Result, language: Language) -> str:
    cause, suspects = result.finding.cause, result.finding.suspects
    remedy = "" if cause is None else remedy_in(cause, language)
    return language.first.format(names=", ".join(suspects), remedy=remedy) if suspects else remedy


def text_in(cause: Cause, language: Language) -> str:
    """Return a cause's text without links, in Spanish if it has no English text."""
    return _LINK.sub(r"\1", cause.english) if language is ENGLISH and cause.english else cause.text


def remedy_in(cause: Cause, language: Language) -> str:
    """Return a cause's remedy, in Spanish if it has no English text."""
    return cause.english_remedy if language is ENGLISH and cause.english_remedy else cause.remedy


def _origins(results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
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


def _lines(result: Result, width: int, language: Language) -> Iterator[str]:
    finding = result.finding
    title = "" if language is ENGLISH else result.check.title
    facts = finding.seen or _described(result, language)
    line = ": ".join(part for part in (title, facts) if part)
    yield _one_line(f"  {language.words[result.outcome]:<8}{result.check.name:<{width}}  {line}".rstrip())
    cause = finding.cause
    if cause is None:
        return
    yield _INDENT + language.cause.format(text=text_in(cause, language), code=cause.code)
    if finding.suspects:
        yield _INDENT + language.maybe.format(names=", ".join(finding.suspects))
    if cause.remedy:
        yield _INDENT + language.remedy.format(remedy=remedy_in(cause, language))
    if cause.outcome is not Outcome.SKIPPED:
        yield _INDENT + language.more.format(page=result.page)


def _described(result: Result, language: Language) -> str:
    figures = result.finding.figures.items()
    return ", ".join(f"{name}={_shown(value, language)}" for name, value in figures)


def _shown(value: Figure, language: Language) -> str:
    if isinstance(value, bool):
        return language.yes if value else language.no
    if isinstance(value, tuple):
        return ", ".join(value) or language.none
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
