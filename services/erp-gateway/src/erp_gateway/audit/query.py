"""The query of `GET /api/audit` as a filter: words checked, days turned into instants. Pure values."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from attrs import Factory, define, field, frozen

from erp_gateway.audit.store import AuditFilter
from erp_gateway.values.audit_event import AuditAction, AuditResult
from erp_gateway.web.requests import DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE
from servicekit.errors import FieldProblem, InvalidQuery

T = TypeVar("T")
W = TypeVar("W", bound=StrEnum)

MAX_TEXT_CHARS: Final = 254

_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_NO_END: Final = f"{date.max}"
"""The day that programs write for one that never comes; no other can be added to it."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?", re.ASCII
)


@frozen(kw_only=True)
class AuditQuery:
    """What to look for, and which page of it."""

    conditions: AuditFilter
    page: int
    page_size: int


def _given(parameters: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in parameters.items() if value}


def parse_audit_query(parameters: Mapping[str, str], timezone: ZoneInfo) -> AuditQuery:
    """Read the parameters; an empty one asks nothing.

    Args:
        parameters: decoded values by name, each name once.
        timezone: of days and of times without an offset.

    Raises:
        InvalidQuery: `errors` names every fault.
    """
    reading = QueryReading(parameters)
    query = AuditQuery(
        conditions=AuditFilter(
            web_user=reading.text("usuario"),
            action=reading.word("accion", AuditAction, "una"),
            resource=reading.text("recurso"),
            key=reading.take("clave", reading.key, None),
            result=reading.word("resultado", AuditResult),
            since=reading.take("desde", lambda text: _instant(text, timezone, closes=False), None),
            before=reading.take("hasta", lambda text: _instant(text, timezone, closes=True), None),
        ),
        page=reading.number("page", MAX_PAGE, 1),
        page_size=reading.number("pageSize", MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE),
    )
    reading.check()
    return query


@define
class QueryReading:
    """Reads one parameter after another and keeps the faults; an empty one asks nothing.

    Attributes:
        parameters: decoded values by name.
        problems: what is wrong with them.
    """

    parameters: Mapping[str, str] = field(converter=_given)
    problems: list[FieldProblem] = Factory(list)

    def take(self, name: str, read: Callable[[str], T], default: T) -> T:
        """Return what `read` makes of a parameter; the default where it is not there, or at fault."""
        text = self.parameters.get(name)
        if text is None:
            return default
        try:
            return read(text)
        except _ParameterError as fault:
            self.problems.append(FieldProblem(name, str(fault)))
            return default

    def text(self, name: str) -> str | None:
        """Return a text."""
        return self.take(name, _text, None)

    def word(self, name: str, kind: type[W], one: str = "uno") -> W | None:
        """Return one of a few words."""

        def read(text: str) -> W:
            try:
                return kind(text)
            except ValueError:
                raise _ParameterError(f"Debe ser {one} de: {', '.join(kind)}.") from None

        return self.take(name, read, None)

    def number(self, name: str, most: int, default: int) -> int:
        """Return a whole number from 1."""
        return self.take(name, lambda text: _number(text, most), default)

    def key(self, text: str) -> str:
        """Read a key: which document it means, only its resource tells."""
        if "recurso" not in self.parameters:
            raise _ParameterError("Indique también el recurso.")
        return _text(text)

    def check(self) -> None:
        """Refuse the query if anything is wrong with it.

        Raises:
            InvalidQuery: `errors` names every fault.
        """
        if self.problems:
            raise InvalidQuery(errors=self.problems)


class _ParameterError(ValueError):
    """What is wrong with a value, in Spanish."""


def _text(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        raise _ParameterError(f"Tiene más de {MAX_TEXT_CHARS} caracteres.")
    return text


def _number(text: str, most: int) -> int:
    if not _WHOLE_NUMBER.fullmatch(text) or not 1 <= int(text) <= most:
        raise _ParameterError(f"Debe ser un número entero entre 1 y {most}.")
    return int(text)


def _instant(text: str, timezone: ZoneInfo, *, closes: bool) -> datetime:
    """Return where the asked span begins, or with `closes` where it has ended (the end given counts)."""
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text) + (timedelta(days=1) if closes else timedelta())
            return datetime.combine(day, time(), timezone).astimezone(UTC)
        if _MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=timezone)
            return moment.astimezone(UTC) + (timedelta(milliseconds=1) if closes else timedelta())
    except OverflowError:
        if closes and text.startswith(_NO_END):
            return datetime.max.replace(tzinfo=UTC)
    except ValueError:
        pass  # a day or time that no calendar has
    raise _ParameterError(
        "Debe ser una fecha como 2026-03-31, o una fecha con hora como 2026-03-31T18:30:00Z."
    )
