"""Targets in absolute form mean their path and query; their authority decides nothing."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import QueryParam, json_response, path_param, read_query
from servicekit.request_log import request_facts
from servicekit.server.request_target import origin_form


async def tell(request: Request) -> Response:
    facts = request_facts(request.scope)
    return json_response([path_param(request, "key"), read_query(request), facts.host, facts.scheme])


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        (b"/a/b?c=d", b"/a/b?c=d"),
        (b"http://host:443/a%2Fb/c?d=e", b"/a%2Fb/c?d=e"),
        (b"HTTPS://user:word@[::1]:8080/a", b"/a"),
        (b"http://host", b"/"),
        (b"http://host?a=/b", b"/?a=/b"),
        (b"http:///a", b"/a"),
        (b"http://host//a", b"//a"),
        (b"/a?next=http://host/b", b"/a?next=http://host/b"),
        (b"/http://host/a", b"/http://host/a"),
        (b"*", b"*"),
        (b"host:443", b"host:443"),
        (b"ftp://host/a", b"ftp://host/a"),
        (b"nothttp://host/a", b"nothttp://host/a"),
    ],
)
def test_only_scheme_and_authority_are_removed(target: bytes, meant: bytes) -> None:
    assert origin_form(target) == meant


@given(st.from_regex(rb"/[!-~]{0,40}", fullmatch=True), st.sampled_from([b"http", b"https", b"Http"]))
def test_a_target_is_the_same_with_and_without_its_authority(target: bytes, scheme: bytes) -> None:
    assert origin_form(scheme + b"://host:1" + target) == origin_form(target) == target


@pytest.mark.asyncio
async def test_an_absolute_target_is_served_and_its_authority_ignored(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    endpoint = make_endpoint("GET", "/a/{key}", tell, query=(QueryParam("q", ""),))
    async with start_server(make_app(endpoint)) as server:
        wire = await server.connect()
        for target in (b"/a/x%2Fy?q=1", b"https://elsewhere.example:443/a/x%2Fy?q=1"):
            head, body = await wire.ask(b"GET " + target + b" HTTP/1.1\r\nHost: here")
            assert head.startswith(b"HTTP/1.1 200"), body
            assert json.loads(body) == ["x/y", {"q": "1"}, "here", "http"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "line", [b"OPTIONS *", b"GET *", b"CONNECT host:443", b"GET host:443", b"GET ftp://host/a/b", b"GET a/b"]
)
async def test_a_target_in_another_form_is_a_malformed_request(
    start_server: Any, make_endpoint: Any, make_app: Any, log_lines: Any, line: bytes
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        wire = await server.connect()
        head, body = await wire.ask(line + b" HTTP/1.1\r\nHost: x")
        assert head.startswith(b"HTTP/1.1 400")
        assert json.loads(body)["code"] == "bad_request"
        assert (await wire.ask(b"GET /a HTTP/1.1\r\nHost: x"))[0].startswith(b"HTTP/1.1 200")
    assert [entry["status"] for entry in log_lines if entry["event"] == "request_finished"] == [400, 200]
