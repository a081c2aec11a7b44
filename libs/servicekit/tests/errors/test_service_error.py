"""The one error body, and what every exception becomes."""

from typing import Any

import pytest
from error_classes import Teapot, body

from servicekit.errors import (
    FieldProblem,
    NotConfigured,
    ServiceError,
    Upstream,
    problem_response,
)


def test_the_body_has_exactly_the_members_that_apply() -> None:
    assert body(Teapot()) == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "La tetera está ocupada.",
        "message": "La tetera está ocupada.",
        "code": "teapot_busy",
        "requestId": "id-1",
    }


def test_the_body_carries_field_problems_upstream_and_members() -> None:
    error = Teapot(
        "Otra frase.",
        errors=[FieldProblem("paths[0]", "No.")],
        upstream=Upstream(-5002, "Item code missing"),
        members={"option": "$filter", "position": 7, "expected": ["name"], "found": None},
    )
    answer = body(error)
    assert answer["detail"] == answer["message"] == "Otra frase."
    assert answer["errors"] == [{"path": "paths[0]", "message": "No."}]
    assert answer["upstream"] == {"code": -5002, "message": "Item code missing"}
    assert (answer["option"], answer["position"], answer["expected"]) == ("$filter", 7, ["name"])
    assert "found" not in answer


def test_an_errors_own_title_overrides_the_default() -> None:
    class Titled(Teapot):
        title = "Short and stout"

    assert body(Titled())["title"] == "Short and stout"


@pytest.mark.parametrize("status", [429, 503])
def test_responses_429_and_503_always_have_retry_after(status: int) -> None:
    busy = type("Busy", (ServiceError,), {"status": status, "code": "busy", "detail": "Ocupado."})
    assert problem_response(busy(), "x").headers["retry-after"] == "5"
    assert problem_response(busy(retry_after_s=7), "x").headers["retry-after"] == "7"
    assert problem_response(busy(headers={"Retry-After": "9"}), "x").headers["retry-after"] == "9"


def test_other_statuses_have_retry_after_only_if_set() -> None:
    assert "retry-after" not in problem_response(Teapot(), "x").headers
    assert problem_response(NotConfigured(), "x").headers["retry-after"] == "3600"


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"status": 409, "detail": "x"}, "code"),
        ({"status": 409, "code": "TeaPot", "detail": "x"}, "code"),
        ({"code": "x", "detail": "x"}, "status"),
        ({"status": 200, "code": "x", "detail": "x"}, "status"),
        ({"status": 409, "code": "x"}, "detail"),
        ({"status": 409, "code": "x", "detail": ""}, "detail"),
    ],
)
def test_an_incomplete_error_class_is_refused_when_it_is_defined(
    members: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(TypeError, match=rf"Wrong\.{complaint} must be"):
        type("Wrong", (ServiceError,), members)


def test_a_copied_error_has_the_same_facts_and_the_text_of_its_cause() -> None:
    error = Teapot("Otra.", upstream=Upstream(-1, "No"), members={"option": "x"}, headers={"X-A": "b"})
    assert error.cause is None
    with pytest.raises(Teapot) as caught:
        raise error from LookupError("below")
    again = caught.value.without_traceback()
    assert (again.__traceback__, again.__cause__) == (None, None)
    assert again.body("r") == error.body("r")
    assert (again.headers, str(again)) == (error.headers, str(error))
    assert error.cause == again.cause == again.without_traceback().cause == "LookupError: below"
