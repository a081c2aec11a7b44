"""The one error body, and what every exception becomes."""

import json
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from servicekit import errors
from servicekit.erp import errors as erp_errors
from servicekit.errors import (
    BadRequest,
    FieldProblem,
    InternalError,
    NotConfigured,
    NotFound,
    ServiceError,
    Upstream,
    all_error_codes,
    as_service_error,
    problem_response,
)


class Teapot(ServiceError):  # noqa: N818 - a refusal, as in errors.py
    """A class of a test."""

    status = 409
    code = "teapot_busy"
    detail = "La tetera está ocupada."


def body(error: ServiceError) -> dict[str, Any]:
    answer = json.loads(bytes(problem_response(error, "id-1").body))
    assert isinstance(answer, dict)
    return answer


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


def test_the_first_twenty_field_problems_are_told_and_the_others_counted() -> None:
    found = (FieldProblem(f"lines[{number}]", "No.") for number in range(25))
    told = body(Teapot(errors=found))["errors"]
    assert [problem["path"] for problem in told] == [*(f"lines[{number}]" for number in range(20)), ""]
    assert told[20]["message"] == "Además, problemas sin mostrar: 5."
    few = [FieldProblem("x", "No.")] * 20
    assert len(body(Teapot(errors=few))["errors"]) == 20


def test_the_answer_has_the_media_type_status_and_headers() -> None:
    response = problem_response(Teapot(headers={"Allow": "GET"}), "id-1")
    assert response.status_code == 409
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["allow"] == "GET"


def test_half_a_surrogate_pair_of_a_foreign_text_does_not_break_the_answer() -> None:
    assert body(Teapot(upstream=Upstream(None, "a\ud800b")))["upstream"]["message"] == "a?b"


def test_a_title_of_its_own_wins() -> None:
    class Titled(Teapot):
        title = "Short and stout"

    assert body(Titled())["title"] == "Short and stout"


@pytest.mark.parametrize("status", [429, 503])
def test_429_and_503_always_say_when_to_come_again(status: int) -> None:
    busy = type("Busy", (ServiceError,), {"status": status, "code": "busy", "detail": "Ocupado."})
    assert problem_response(busy(), "x").headers["retry-after"] == "5"
    assert problem_response(busy(retry_after_s=7), "x").headers["retry-after"] == "7"
    assert problem_response(busy(headers={"Retry-After": "9"}), "x").headers["retry-after"] == "9"


def test_other_statuses_do_not() -> None:
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


def test_a_service_error_answers_itself() -> None:
    error = Teapot()
    assert as_service_error(error) is error
    assert str(error) == "teapot_busy"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (404, "not_found"),
        (405, "method_not_allowed"),
        (413, "body_too_large"),
        (415, "unsupported_media_type"),
        (400, "bad_request"),
        (416, "bad_request"),
        (500, "internal_error"),
        (502, "internal_error"),
    ],
)
def test_an_exception_of_starlette_becomes_its_twin(status: int, code: str) -> None:
    error = as_service_error(HTTPException(status, "English words", headers={"Allow": "GET"}))
    assert error.code == code
    assert "English" not in json.dumps(body(error))
    assert error.headers == ({} if status >= 500 else {"Allow": "GET"})


def test_any_other_exception_becomes_a_bland_internal_error() -> None:
    error = as_service_error(RuntimeError("secret details"))
    assert isinstance(error, InternalError)
    assert "secret" not in json.dumps(body(error))


def ready_errors() -> list[type[ServiceError]]:
    return [
        value
        for module in (errors, erp_errors)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ServiceError) and value is not ServiceError
    ]


def test_every_ready_error_is_listed_with_its_code() -> None:
    listed = {(row.code, row.status, row.detail) for row in all_error_codes(package="servicekit")}
    assert listed == {(cls.code, cls.status, cls.detail) for cls in ready_errors()}


def test_the_list_can_be_kept_to_one_package_and_is_sorted() -> None:
    everything = all_error_codes()
    assert "teapot_busy" in {row.code for row in everything}
    assert "teapot_busy" not in {row.code for row in all_error_codes(package="some_service")}
    assert [row.code for row in everything] == sorted(row.code for row in everything)


@pytest.mark.parametrize("cls", ready_errors(), ids=lambda cls: cls.code)
def test_every_ready_error_speaks_spanish_and_ends_its_sentence(cls: type[ServiceError]) -> None:
    assert cls.detail.endswith(".")
    assert not {"the", "is", "not"} & set(cls.detail.lower().split())


def test_refusals_form_the_families_that_the_head_of_the_module_draws() -> None:
    drawn = errors.__doc__ or ""
    for cls in ready_errors():
        if cls.__module__ != errors.__name__:
            continue
        assert f"{cls.status} {cls.code}" in drawn, cls
        parent = "ServiceError" if cls.__bases__ == (ServiceError,) else cls.__bases__[0].__name__
        assert parent in {"ServiceError", "BadRequest"}
    assert issubclass(errors.MalformedJson, BadRequest)
    assert not issubclass(NotFound, BadRequest)


def test_an_error_made_again_has_the_same_facts_and_only_the_text_of_its_cause() -> None:
    error = Teapot("Otra.", upstream=Upstream(-1, "No"), members={"option": "x"}, headers={"X-A": "b"})
    assert error.cause is None
    with pytest.raises(Teapot) as caught:
        raise error from LookupError("below")
    again = caught.value.again()
    assert (again.__traceback__, again.__cause__) == (None, None)
    assert again.body("r") == error.body("r")
    assert (again.headers, str(again)) == (error.headers, str(error))
    assert error.cause == again.cause == again.again().cause == "LookupError: below"
