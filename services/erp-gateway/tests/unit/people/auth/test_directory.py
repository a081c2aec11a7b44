"""What is asked of the ERP about employees, and how its answer is read."""

import json

import pytest
from employees import make_employee
from structlog.testing import capture_logs

from erp_gateway.people.auth.directory import (
    Candidates,
    Employee,
    EmployeeDirectory,
    LoginFailure,
    SessionEnd,
    choose_employee,
    find_session_end,
)
from erp_gateway.people.auth.errors import EmployeeLookupRefused
from erpclient import Caller, ErpList, ErpRefused, ErpReplyUnreadable, Lane
from erpclient.odata import ListQuery

ROW = {
    "EmployeeID": 7,
    "FirstName": "Ana",
    "LastName": None,
    "eMail": "ana@example.com",
    "Active": "tYES",
    "U_WEB_USER": "ana",
    "U_WEB_PASS": "planted-password",
}


class Erp:
    """Answers one list, or refuses."""

    def __init__(self, rows: object, *, count: int = 1, refusal: ErpRefused | None = None) -> None:
        self.answer = ErpList(json.dumps(rows).encode(), count)
        self.refusal = refusal
        self.asked: list[tuple[str, ListQuery, Lane, bool]] = []

    async def list(
        self, resource: str, query: ListQuery, *, caller: Caller, case_insensitive: bool = True
    ) -> ErpList:
        self.asked.append((resource, query, caller.user, case_insensitive))
        if self.refusal is not None:
            raise self.refusal
        return self.answer


CALLER = Caller("anonymous")


@pytest.mark.asyncio
async def test_only_the_name_is_asked_for_and_only_the_needed_fields() -> None:
    erp = Erp([ROW])
    await EmployeeDirectory(erp).find("x' or 1 eq 1 or U_WEB_USER eq '", CALLER)
    ((resource, query, lane, case_insensitive),) = erp.asked
    assert resource == "EmployeesInfo"
    assert query.filter == "U_WEB_USER eq 'x'' or 1 eq 1 or U_WEB_USER eq '''"
    assert query.select == (
        "EmployeeID",
        "FirstName",
        "LastName",
        "eMail",
        "Active",
        "U_WEB_USER",
        "U_WEB_PASS",
    )
    assert (lane, case_insensitive) == ("anonymous", False)


@pytest.mark.asyncio
async def test_an_employee_is_read() -> None:
    candidates = await EmployeeDirectory(Erp([ROW])).find("ana", CALLER)
    (employee,) = candidates.employees
    assert (employee.user.employee_id, employee.user.name, employee.active) == (7, "ana", True)
    assert (employee.user.first_name, employee.user.last_name, employee.user.email) == (
        "Ana",
        "",
        "ana@example.com",
    )
    assert employee.stored_password.reveal() == "planted-password"
    assert candidates.complete


@pytest.mark.asyncio
@pytest.mark.parametrize("active", ["tNO", None, "", "Y"])
async def test_who_is_not_clearly_active_is_not(active: str | None) -> None:
    (employee,) = (await EmployeeDirectory(Erp([{**ROW, "Active": active}])).find("ana", CALLER)).employees
    assert not employee.active


@pytest.mark.asyncio
async def test_a_missing_password_is_an_empty_one() -> None:
    (employee,) = (await EmployeeDirectory(Erp([{**ROW, "U_WEB_PASS": None}])).find("ana", CALLER)).employees
    assert employee.stored_password.reveal() == ""


@pytest.mark.asyncio
async def test_more_matches_than_rows_are_told() -> None:
    candidates = await EmployeeDirectory(Erp([ROW], count=51)).find("ana", CALLER)
    assert not candidates.complete


@pytest.mark.asyncio
async def test_a_refusal_is_told_to_the_operator() -> None:
    erp = Erp([], refusal=ErpRefused(400, -1000, "Property 'U_WEB_USER' of 'EmployeeInfo' is invalid"))
    with capture_logs() as logs, pytest.raises(EmployeeLookupRefused):
        await EmployeeDirectory(erp).find("ana", CALLER)
    assert logs[0]["event"] == "employee_lookup_refused"
    assert "U_WEB_USER" in logs[0]["text"]


@pytest.mark.asyncio
async def test_an_erp_that_asks_to_come_back_later_has_not_refused() -> None:
    refusal = ErpRefused(429, None, "Too many requests")
    with capture_logs() as logs, pytest.raises(ErpRefused) as caught:
        await EmployeeDirectory(Erp([], refusal=refusal)).find("ana", CALLER)
    assert caught.value is refusal
    assert logs == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "rows",
    [
        [{key: value for key, value in ROW.items() if key != "U_WEB_PASS"}],
        [{**ROW, "EmployeeID": "planted-password"}],
        [{**ROW, "U_WEB_PASS": {"planted-password": 1}}],
    ],
)
async def test_an_answer_without_the_fields_is_unreadable_and_shows_nothing(rows: object) -> None:
    with pytest.raises(ErpReplyUnreadable) as caught:
        await EmployeeDirectory(Erp(rows)).find("ana", CALLER)
    assert caught.value.__cause__ is None
    assert "planted" not in str(caught.value)


ANA = make_employee("ana", 1)


@pytest.mark.parametrize(
    ("employees", "expected"),
    [
        pytest.param([ANA], ANA, id="one"),
        pytest.param([], LoginFailure.UNKNOWN_USER, id="none"),
        pytest.param([make_employee("Ana", 1)], LoginFailure.UNKNOWN_USER, id="another case"),
        pytest.param([make_employee("ana ", 1)], LoginFailure.UNKNOWN_USER, id="a blank at the end"),
        pytest.param([make_employee("Ana", 1), ANA], ANA, id="another case beside"),
        pytest.param([make_employee("ana", 1, active=False)], LoginFailure.INACTIVE, id="inactive"),
        pytest.param([make_employee("ana", 2, active=False), ANA], ANA, id="a former employee beside"),
        pytest.param([ANA, make_employee("ana", 2)], LoginFailure.AMBIGUOUS_USER, id="two"),
    ],
)
def test_whom_a_name_means(employees: list[Employee], expected: Employee | LoginFailure) -> None:
    assert choose_employee("ana", Candidates(employees=employees)) == expected


def test_more_candidates_than_the_erp_answered_are_ambiguous() -> None:
    candidates = Candidates(employees=[ANA], complete=False)
    assert choose_employee("ana", candidates) is LoginFailure.AMBIGUOUS_USER


def test_an_employee_does_not_show_the_password() -> None:
    assert "planted" not in repr(ANA)
    assert "planted" not in str(Candidates(employees=[ANA]))


@pytest.mark.parametrize(
    ("employees", "expected"),
    [
        pytest.param([ANA], None, id="as at the login"),
        pytest.param([ANA, make_employee("ana", 2, active=False)], None, id="a former employee beside"),
        pytest.param([], SessionEnd.UNKNOWN_USER, id="gone, or renamed"),
        pytest.param([make_employee("ana", 1, active=False)], SessionEnd.INACTIVE, id="inactive"),
        pytest.param([ANA, make_employee("ana", 2)], SessionEnd.AMBIGUOUS_USER, id="two"),
        pytest.param([make_employee("ana", 2)], SessionEnd.EMPLOYEE_CHANGED, id="somebody else"),
    ],
)
def test_whose_session_may_go_on(employees: list[Employee], expected: SessionEnd | None) -> None:
    candidates = Candidates(employees=employees)
    assert find_session_end("ana", 1, candidates, is_same_password=lambda _: True) is expected


def test_a_session_does_not_survive_its_password() -> None:
    candidates = Candidates(employees=[ANA])
    end = find_session_end("ana", 1, candidates, is_same_password=lambda stored: stored.reveal() == "earlier")
    assert end is SessionEnd.PASSWORD_CHANGED
