"""Requests in process fail the test that makes them when the answer is not as it is published."""

from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from servicekit.testing.described import ValidatingTransport, response_validator

JSON = "application/json"
SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "components": {},
    "paths": {
        "/orders/{key}": {
            "get": {
                "responses": {
                    "200": {"description": "It", "content": {"application/json": {"schema": SCHEMA}}}
                }
            }
        }
    },
}


async def order(request: Request) -> JSONResponse:
    key = request.path_params["key"]
    return JSONResponse({"number": int(key) if key.isdigit() else key, "from": request.client.host})  # type: ignore[union-attr]


def client() -> httpx2.AsyncClient:
    application = Starlette(routes=[Route("/orders/{key}", order)])
    transport = ValidatingTransport(application, response_validator(DOCUMENT), "10.0.0.7")
    return httpx2.AsyncClient(transport=transport, base_url="http://orders")


@pytest.mark.asyncio
async def test_a_described_response_is_returned() -> None:
    async with client() as http:
        answer = await http.get("/orders/7?with=a%20query")
    assert answer.json() == {"number": 7, "from": "10.0.0.7"}


@pytest.mark.asyncio
async def test_an_undescribed_response_fails_the_test() -> None:
    async with client() as http:
        with pytest.raises(AssertionError, match="'seven' is not of type 'integer'"):
            await http.get("/orders/seven")
