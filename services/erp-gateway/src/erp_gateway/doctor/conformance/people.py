"""Questions about employees."""

from typing import Final

from erp_gateway.doctor.conformance.sources import METADATA
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, one_of, rows, status

_YES_NO: Final = ("tYES", "tNO")


@question(
    "Can employees be found by the user field `U_WEB_USER`?",
    expected="200",
    source="the contract of this service: two user fields of employees",
    breaks="no user can sign in",
    switches=("other_habits=empty-lists-are-404",),
)
async def _employees_by_web_user(fixture: Fixture) -> str:
    options = {
        "$select": "EmployeeID,Active,U_WEB_USER",
        "$filter": "U_WEB_USER eq 'conformance no such user'",
        "$top": "1",
    }
    return status(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))


@question(
    "Does `Active` of an employee say `tYES` or `tNO`?",
    expected="yes-or-no",
    source=METADATA,
    breaks="every employee counts as inactive, and no user can sign in",
    switches=("other_habits=yes-and-no-in-letters",),
)
async def _employee_active_is_a_word(fixture: Fixture) -> str:
    options = {"$select": "EmployeeID,Active", "$top": "1"}
    found = rows(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))
    if not found:
        raise QuestionSkipped("no record in EmployeesInfo")
    return one_of(found[0].get("Active"), _YES_NO, "yes-or-no")


PEOPLE_QUESTIONS: Final = questions_in(globals())
