"""Parse the query parameters of `GET /api/audit` into a filter. Pure values."""

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
# Programs write 9999-12-31 for "no end". Adding a day to it overflows.
_LAST_DAY: Final = f"{date.max}"

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?", re.ASCII
)


@frozen(kw_only=True)
class AuditQuery:
    """Filter and page of an audit query."""

    conditions: AuditFilter
    page: int
    page_size: int


def _without_empty(parameters: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in parameters.items() if value}


def parse_audit_query(parameters: Mapping[str, str], timezone: ZoneInfo) -> AuditQuery:
    """Parse the parameters; an empty one sets no condition.

    Args:
        parameters: decoded values by name, each name once.
        timezone: time zone of days and of times without an offset.

    Raises:
        InvalidQuery: `errors` has every problem.
    """
    parser = QueryParser(parameters)
    query = AuditQuery(
        conditions=AuditFilter(
            web_user=parser.text("usuario"),
            action=parser.choice("accion", AuditAction, "una"),
            resource=parser.text("recurso"),
            key=parser.parse("clave", parser.key, None),
            result=parser.choice("resultado", AuditResult),
            since=parser.parse("desde", lambda text: _instant(text, timezone, is_end=False), None),
            before=parser.parse("hasta", lambda text: _instant(text, timezone, is_end=True), None),
        ),
        page=parser.number("page", MAX_PAGE, 1),
        page_size=parser.number("pageSize", MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE),
    )
    parser.check()
    return query


@define
class QueryParser:
    """Parses parameters one by one and collects problems; an empty parameter sets no condition.

    Attributes:
        parameters: decoded values by name.
        problems: collected so far.
    """

    parameters: Mapping[str, str] = field(converter=_without_empty)
    problems: list[FieldProblem] = Factory(list)

    def parse(self, name: str, read: Callable[[str], T], default: T) -> T:
        """Return the parsed value of a parameter; the default if it is missing or invalid."""
        text = self.parameters.get(name)
        if text is None:
            return default
        try:
            return read(text)
        except _ParameterError as fault:
            self.problems.append(FieldProblem(name, str(fault)))
            return default

    def text(self, name: str) -> str | None:
        """Parse a text."""
        return self.parse(name, _text, None)

    def choice(self, name: str, kind: type[W], article: str = "uno") -> W | None:
        """Parse a member of an enumeration."""

        def read(text: str) -> W:
            try:
                return kind(text)
            except ValueError:
                raise _ParameterError(f"Debe ser {article} de: {', '.join(kind)}.") from None

        return self.parse(name, read, None)

    def number(self, name: str, most: int, default: int) -> int:
        """Parse a whole number from 1."""
        return self.parse(name, lambda text: _number(text, most), default)

    def key(self, text: str) -> str:
        """Parse a key, which needs a resource: keys of different resources can be equal."""
        if "recurso" not in self.parameters:
            raise _ParameterError("Indique también el recurso.")
        return _text(text)

    def check(self) -> None:
        """Reject the query if there are problems.

        Raises:
            InvalidQuery: `errors` has every problem.
        """
        if self.problems:
            raise InvalidQuery(errors=self.problems)


class _ParameterError(ValueError):
    """Problem of a value, in Spanish."""


def _text(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        raise _ParameterError(f"Tiene más de {MAX_TEXT_CHARS} caracteres.")
    return text


def _number(text: str, most: int) -> int:
    if not _WHOLE_NUMBER.fullmatch(text) or not 1 <= int(text) <= most:
        raise _ParameterError(f"Debe ser un número entero entre 1 y {most}.")
    return int(text)


def _instant(text: str, timezone: ZoneInfo, *, is_end: bool) -> datetime:
    """Return the start of the requested span, or with `is_end` the moment after its last one."""
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text) + (timedelta(days=1) if is_end else timedelta())
            return datetime.combine(day, time(), timezone).astimezone(UTC)
        if _MOMENT.fullmatch(text):
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=timezone)
            return moment.astimezone(UTC) + (timedelta(milliseconds=1) if is_end else timedelta())
    except OverflowError:
        if is_end and text.startswith(_LAST_DAY):
            return datetime.max.replace(tzinfo=UTC)
    except ValueError:
        pass  # the form is right, but there is no such day or time
    raise _ParameterError(
        "Debe ser una fecha como 2026-03-31, o una fecha con hora como 2026-03-31T18:30:00Z."
    )
