"""Which employee a name means, and when a session has to end."""

import pytest
from employees import make_employee

from erp_gateway.people.auth.employee_choice import (
    Candidates,
    Employee,
    LoginFailure,
    SessionEnd,
    choose_employee,
    find_session_end,
)

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
def test_employee_of_a_name(employees: list[Employee], expected: Employee | LoginFailure) -> None:
    assert choose_employee("ana", Candidates(employees=employees)) == expected


def test_incomplete_candidates_are_ambiguous() -> None:
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
def test_sessions_that_may_continue(employees: list[Employee], expected: SessionEnd | None) -> None:
    candidates = Candidates(employees=employees)
    assert find_session_end("ana", 1, candidates, is_same_password=lambda _: True) is expected


def test_a_session_does_not_survive_its_password() -> None:
    candidates = Candidates(employees=[ANA])
    end = find_session_end("ana", 1, candidates, is_same_password=lambda stored: stored.reveal() == "earlier")
    assert end is SessionEnd.PASSWORD_CHANGED
