"""A run as a value, and as JSON: with nothing that tells whose installation it is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from attrs import frozen

from erpdoctor.checks import DEPENDS_ON, Check, Figure, Finding
from servicekit.clock import iso_utc
from servicekit.last_run import FORM, Outcome

_EXIT_CODES: Final = {Outcome.FAIL: 2, Outcome.WARN: 1}


@frozen
class Result:
    """What became of one check.

    Attributes:
        check: which one.
        finding: what it found.
        duration_s: how long it took.
    """

    check: Check
    finding: Finding
    duration_s: float

    @property
    def outcome(self) -> Outcome:
        """What became of it."""
        return self.finding.outcome

    @property
    def page(self) -> str:
        """The documentation's page that says more."""
        cause = self.finding.cause
        return self.check.page if cause is None or cause.page is None else cause.page

    def as_json(self) -> dict[str, Any]:
        """Return what may be told of it; never what was seen."""
        cause = self.finding.cause
        return {
            "name": self.check.name,
            "group": self.check.group,
            "lookedAt": self.check.looked_at,
            "outcome": self.outcome.value,
            "cause": None if cause is None else cause.code,
            "text": None if cause is None else cause.text,
            "mend": None if cause is None else cause.remedy or None,
            "page": self.page,
            "suspects": list(self.finding.suspects),
            "durationS": round(self.duration_s, 3),
            "figures": {name: _plain(value) for name, value in self.finding.figures.items()},
        }


@frozen(kw_only=True)
class Run:
    """What came of checks that were run.

    Attributes:
        service: whose checks they were.
        version: of the service.
        results: what became of each check, in their order.
    """

    service: str
    version: str
    results: tuple[Result, ...]

    @property
    def outcome(self) -> Outcome:
        """The gravest of all; a check that was not looked at does not count."""
        found = {result.outcome for result in self.results}
        return next((each for each in (Outcome.FAIL, Outcome.WARN) if each in found), Outcome.OK)

    @property
    def exit_code(self) -> int:
        """0 where all is well, 1 with warnings, 2 with failures."""
        return _EXIT_CODES.get(self.outcome, 0)

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """How many checks ended how."""
        found = Counter(result.outcome for result in self.results)
        return {outcome: found[outcome] for outcome in Outcome}


@frozen(kw_only=True)
class Report(Run):
    """A run of a doctor.

    Attributes:
        started_at: when it began.
        duration_s: how long it took.
    """

    started_at: datetime
    duration_s: float

    def as_json(self) -> dict[str, Any]:
        """Return the run without anything that tells whose installation it is."""
        return {
            "doctor": FORM,
            "service": self.service,
            "version": self.version,
            "startedAt": iso_utc(self.started_at),
            "durationS": round(self.duration_s, 3),
            "outcome": self.outcome.value,
            "counts": {outcome.value: number for outcome, number in self.counts.items()},
            "checks": [result.as_json() for result in self.results],
        }


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return round(value, 3) if isinstance(value, float) else value


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
    """Yield the lines of the table: a heading a group, a line a check, what is wrong below it, the sum.

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
    """Yield what people should do, the gravest first; the numbers go on from failures to warnings."""
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
    looked = f"{result.check.looked_at}: {told}" if told else result.check.looked_at
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
