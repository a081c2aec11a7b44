"""The audit query: days are those of the time zone, faults are all told at once."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.audit.query import parse_audit_query
from erp_gateway.audit.store import AuditFilter
from erp_gateway.values.audit_event import AuditAction, AuditResult
from servicekit.errors import InvalidQuery

SANTIAGO = ZoneInfo("America/Santiago")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc] # year, month, day and so on


def faults(**parameters: str) -> dict[str, str]:
    with pytest.raises(InvalidQuery) as caught:
        parse_audit_query(parameters, SANTIAGO)
    return {problem.path: problem.message for problem in caught.value.errors}


def test_an_empty_query_selects_the_first_fifty_records() -> None:
    query = parse_audit_query({}, SANTIAGO)
    assert query.conditions == AuditFilter()
    assert (query.page, query.page_size) == (1, 50)


def test_an_empty_parameter_sets_no_condition() -> None:
    empty = dict.fromkeys(
        ["usuario", "accion", "recurso", "clave", "resultado", "desde", "hasta", "page"], ""
    )
    assert parse_audit_query(empty, SANTIAGO) == parse_audit_query({}, SANTIAGO)


def test_every_parameter_is_parsed() -> None:
    query = parse_audit_query(
        {
            "usuario": "ana",
            "accion": "sl_action",
            "recurso": "Orders",
            "clave": "118",
            "resultado": "denied",
            "page": "3",
            "pageSize": "200",
        },
        SANTIAGO,
    )
    assert query.conditions == AuditFilter(
        web_user="ana", action=AuditAction.SL_ACTION, resource="Orders", key="118", result=AuditResult.DENIED
    )
    assert (query.page, query.page_size) == (3, 200)


@pytest.mark.parametrize(
    ("given_day", "since", "before"),
    [
        pytest.param("2026-07-15", utc(2026, 7, 15, 4), utc(2026, 7, 16, 4), id="winter, UTC-4"),
        pytest.param("2026-01-15", utc(2026, 1, 15, 3), utc(2026, 1, 16, 3), id="summer, UTC-3"),
        # Clocks go back at the end of 4 April: that day has 25 hours.
        pytest.param("2026-04-04", utc(2026, 4, 4, 3), utc(2026, 4, 5, 4), id="long day"),
        # And forward at the end of 5 September: 6 September begins at 1 o'clock, 23 hours long.
        pytest.param("2026-09-06", utc(2026, 9, 6, 4), utc(2026, 9, 7, 3), id="short day"),
    ],
)
def test_a_day_is_a_whole_day_in_the_time_zone_of_the_service(
    given_day: str, since: datetime, before: datetime
) -> None:
    query = parse_audit_query({"desde": given_day, "hasta": given_day}, SANTIAGO)
    assert (query.conditions.since, query.conditions.before) == (since, before)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-31T18:30:00Z", utc(2026, 3, 31, 18, 30)),
        ("2026-03-31T18:30-03:00", utc(2026, 3, 31, 21, 30)),
        ("2026-03-31T18:30:15.250Z", utc(2026, 3, 31, 18, 30, 15, 250_000)),
        ("2026-03-31T18:30", utc(2026, 3, 31, 21, 30)),
    ],
)
def test_a_time_is_accepted(text: str, moment: datetime) -> None:
    assert parse_audit_query({"desde": text}, SANTIAGO).conditions.since == moment


def test_the_end_is_inclusive() -> None:
    before = parse_audit_query({"hasta": "2026-03-31T18:30:00Z"}, SANTIAGO).conditions.before
    assert before == utc(2026, 3, 31, 18, 30, 0, 1000)


@pytest.mark.parametrize("text", ["9999-12-31", "9999-12-31T23:59:59-03:00"])
def test_the_last_day_of_the_calendar_means_no_end(text: str) -> None:
    before = parse_audit_query({"hasta": text}, SANTIAGO).conditions.before
    assert before is not None
    assert before.year == 9999


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("usuario", "x" * 255),
        ("recurso", "x" * 255),
        ("clave", "118"),  # of which resource?
        ("accion", "sl_delete"),
        ("accion", "LOGIN"),
        ("resultado", "maybe"),
        ("page", "0"),
        ("page", "-1"),
        ("page", "1.0"),
        ("page", "\u0661"),  # a digit one, in Arabic
        ("page", "1000001"),
        ("page", "9" * 400),
        ("pageSize", "0"),
        ("pageSize", "201"),
        ("desde", "yesterday"),
        ("desde", "2026-02-30"),
        ("desde", "2026-3-1"),
        ("desde", "20260301"),
        ("desde", "2026-03-01T25:00:00Z"),
        ("desde", "0001-01-01T00:00:00+23:59"),
        ("desde", "9999-12-31T23:59:59-03:00"),
        ("hasta", "0001-01-01T00:00:00+05:00"),
        ("hasta", "2026-W10-1"),
        ("hasta", "2026-03-01 10:00"),
    ],
)
def test_a_problem_names_its_parameter(name: str, text: str) -> None:
    assert list(faults(**{name: text})) == [name]


def test_all_problems_are_reported_at_once() -> None:
    assert list(faults(accion="x", page="x", hasta="x")) == ["accion", "hasta", "page"]


@given(
    st.dictionaries(st.sampled_from(["usuario", "accion", "desde", "hasta", "page", "pageSize"]), st.text())
)
def test_any_text_is_parsed_or_rejected(parameters: dict[str, str]) -> None:
    try:
        query = parse_audit_query(parameters, SANTIAGO)
    except InvalidQuery:
        return
    assert 1 <= query.page <= 1_000_000
    assert 1 <= query.page_size <= 200
