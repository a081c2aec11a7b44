"""Reads of employees from the ERP, and how their answers are parsed."""

import json

import pytest
from structlog.testing import capture_logs

from erp_gateway.people.auth.directory import EmployeeDirectory
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
async def test_the_query_has_only_the_name_and_the_needed_fields() -> None:
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
async def test_an_employee_is_parsed() -> None:
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
async def test_an_unclear_active_flag_means_inactive(active: str | None) -> None:
    (employee,) = (await EmployeeDirectory(Erp([{**ROW, "Active": active}])).find("ana", CALLER)).employees
    assert not employee.active


@pytest.mark.asyncio
async def test_a_missing_password_becomes_an_empty_one() -> None:
    (employee,) = (await EmployeeDirectory(Erp([{**ROW, "U_WEB_PASS": None}])).find("ana", CALLER)).employees
    assert employee.stored_password.reveal() == ""


@pytest.mark.asyncio
async def test_more_matches_than_rows_make_the_result_incomplete() -> None:
    candidates = await EmployeeDirectory(Erp([ROW], count=51)).find("ana", CALLER)
    assert not candidates.complete


@pytest.mark.asyncio
async def test_a_refused_lookup_is_logged_with_a_hint() -> None:
    erp = Erp([], refusal=ErpRefused(400, -1000, "Property 'U_WEB_USER' of 'EmployeeInfo' is invalid"))
    with capture_logs() as logs, pytest.raises(EmployeeLookupRefused):
        await EmployeeDirectory(erp).find("ana", CALLER)
    assert logs[0]["event"] == "employee_lookup_refused"
    assert "U_WEB_USER" in logs[0]["text"]


@pytest.mark.asyncio
async def test_a_busy_erp_is_not_a_refused_lookup() -> None:
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
async def test_a_reply_without_the_fields_is_unreadable_and_not_quoted(rows: object) -> None:
    with pytest.raises(ErpReplyUnreadable) as caught:
        await EmployeeDirectory(Erp(rows)).find("ana", CALLER)
    assert caught.value.__cause__ is None
    assert "planted" not in str(caught.value)
