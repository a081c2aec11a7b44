"""The one error body, and exceptions that become errors."""

import json

import pytest
from error_classes import Teapot, body
from starlette.exceptions import HTTPException

from servicekit.errors import (
    InternalError,
    Upstream,
    as_service_error,
    problem_response,
)


def test_the_answer_has_the_media_type_status_and_headers() -> None:
    response = problem_response(Teapot(headers={"Allow": "GET"}), "id-1")
    assert response.status_code == 409
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["allow"] == "GET"


def test_half_a_surrogate_pair_of_a_foreign_text_does_not_break_the_answer() -> None:
    assert body(Teapot(upstream=Upstream(None, "a\ud800b")))["upstream"]["message"] == "a?b"


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
def test_an_exception_of_starlette_becomes_the_matching_service_error(status: int, code: str) -> None:
    error = as_service_error(HTTPException(status, "English words", headers={"Allow": "GET"}))
    assert error.code == code
    assert "English" not in json.dumps(body(error))
    assert error.headers == ({} if status >= 500 else {"Allow": "GET"})


def test_any_other_exception_becomes_an_internal_error_without_details() -> None:
    error = as_service_error(RuntimeError("secret details"))
    assert isinstance(error, InternalError)
    assert "secret" not in json.dumps(body(error))
