"""Differences from the API description are reported: status, media type, code and body of every response."""

import json
from typing import Any

import attrs
import pytest
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, PathParam
from servicekit.errors import NotFound, ServiceError
from servicekit.openapi import ApiInfo, ReceivedResponse, build_document
from servicekit.testing.described import response_validator

JSON = "application/json"
PROBLEM = "application/problem+json"


class OrderAbsent(ServiceError):  # noqa: N818 - a refusal
    """No such order."""

    status = 404
    code = "order_absent"
    detail = "No existe."


@attrs.frozen(kw_only=True)
class Order:
    """An order."""

    number: int


async def never(_request: Request) -> Response:
    raise AssertionError


def endpoint(method: str, path: str, responses: dict[int, Answer], **more: Any) -> Endpoint:
    return Endpoint(method, path, never, access="public", summary="x", responses=responses, **more)


KEY = {"key": PathParam("Key", "1")}
ENDPOINTS = [
    endpoint(
        "GET",
        "/orders/{key}",
        {200: Answer("It", Body(Order, {"number": 1}))},
        path_params=KEY,
        errors=(OrderAbsent,),
    ),
    endpoint("POST", "/orders", {201: Answer("New", Body(Order, {"number": 1}, required=False))}),
    endpoint("DELETE", "/orders/{key}", {204: Answer("Gone")}, path_params=KEY),
    endpoint("GET", "/orders/last", {200: Answer("PDF", Body({"type": "string"}, "x", "application/pdf"))}),
]
DOCUMENT = build_document(ENDPOINTS, ApiInfo(title="T", version="1", security=lambda _: None))


def problems(method: str, path: str, status: int, media: str = "", content: bytes = b"") -> list[str]:
    described = response_validator(DOCUMENT)
    return described.problems(ReceivedResponse(method, path, status, media, content))


def problem(error: ServiceError, **changes: object) -> bytes:
    return json.dumps({**error.body("id"), **changes}).encode()


@pytest.mark.parametrize(
    "answered",
    [
        ("GET", "/orders/5", 200, "application/json; charset=utf-8", b'{"number":5}'),
        ("HEAD", "/orders/5", 200, JSON),
        ("DELETE", "/orders/5", 204),
        ("GET", "/orders/A%2F1", 404, PROBLEM, problem(OrderAbsent())),
        ("GET", "/orders/last", 200, "application/pdf", b"%PDF-"),
        ("GET", "/elsewhere", 404, PROBLEM, problem(NotFound())),
        ("GET", "/", 200, "text/html", b"<!doctype html>"),
        ("PUT", "/orders/5", 405, PROBLEM, problem(NotFound())),
        ("GET", "/orders/", 404, PROBLEM, problem(NotFound())),
    ],
)
def test_a_described_response_is_valid(answered: tuple[Any, ...]) -> None:
    assert problems(*answered) == []


@pytest.mark.parametrize(
    ("answered", "told"),
    [
        (("GET", "/orders/5", 201, JSON, b"{}"), "GET /orders/{key} 201: the status is not described: {}"),
        (
            ("GET", "/orders/5", 200, JSON, b'{"number":"x"}'),
            "GET /orders/{key} 200: 'x' is not of type 'integer'",
        ),
        (
            ("GET", "/orders/5", 200, "text/html", b"<p>"),
            "GET /orders/{key} 200: text/html is not described, only application/json",
        ),
        (
            ("GET", "/orders/last", 200, JSON, b'{"number":5}'),
            "GET /orders/last 200: application/json is not described, only application/pdf",
        ),
        (
            ("GET", "/orders/5", 200),
            "GET /orders/{key} 200: a body without a type is not described, only application/json",
        ),
        (
            ("DELETE", "/orders/5", 204, JSON, b"{}"),
            "DELETE /orders/{key} 204: application/json is not described, only no body",
        ),
        (
            ("GET", "/orders/5", 404, PROBLEM, problem(NotFound())),
            (
                "GET /orders/{key} 404: the code not_found is not described: "
                "name its class in errors= of the Endpoint"
            ),
        ),
        (
            ("GET", "/orders/5", 404, PROBLEM, problem(OrderAbsent(), status="404")),
            "GET /orders/{key} 404: '404' is not of type 'integer'",
        ),
        (
            ("GET", "/elsewhere", 404, PROBLEM, problem(NotFound(), detail=None)),
            "GET /elsewhere 404: None is not of type 'string'",
        ),
    ],
)
def test_an_undescribed_response_is_reported(answered: tuple[Any, ...], told: str) -> None:
    assert problems(*answered) == [told]


def test_only_an_optional_response_body_may_be_absent() -> None:
    assert problems("POST", "/orders", 201) == []
    assert problems("POST", "/orders", 201, JSON, b'{"number": 1}') == []
    assert problems("POST", "/orders", 201, JSON, b'{"number": "x"}') != []
    assert problems("GET", "/orders/1", 200) == [
        "GET /orders/{key} 200: a body without a type is not described, only application/json"
    ]
