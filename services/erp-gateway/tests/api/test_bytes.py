"""Bytes through the whole service: every digit in both directions, and large bodies beside short requests.

The upstream here is a few lines that keep the bytes they get and send the bytes they are told: a simulator
that understands numbers would hide what is asked.
"""

import asyncio
import codecs
import json
import re
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator


class Echo:
    """An upstream that answers every read with `row`, and every write with the very body it got."""

    def __init__(self) -> None:
        self.row = b"{}"
        self.received = b""
        self.url = ""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path.rpartition("/")[2]
        if path == "Login":
            session = {"SessionId": "s", "Version": "1000340", "SessionTimeout": 30}
            answer = web.json_response(session)
            answer.headers["Set-Cookie"] = "B1SESSION=s;HttpOnly;"
            return answer
        if path == "Logout":
            return web.Response(status=204)
        if path == "EmployeesInfo":
            ana = {"EmployeeID": 1, "U_WEB_USER": "ana", "U_WEB_PASS": "ana-demo", "Active": "tYES"}
            return web.json_response({"odata.count": "1", "value": [ana]})
        if request.method == "GET":
            page = b'{"odata.metadata":"x","odata.count":"1","value":[%b]}' % self.row
            return json_answer(page if path == "Items" else self.row)
        self.received = await request.read()
        return json_answer(self.received, status=201 if request.method == "POST" else 204)


def json_answer(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body if status != 204 else None, status=status, content_type="application/json")


@pytest_asyncio.fixture
async def echo() -> AsyncIterator[Echo]:
    upstream = Echo()
    runner = web.ServerRunner(web.Server(upstream.handle, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    upstream.url = f"http://127.0.0.1:{runner.addresses[0][1]}/b1s/v1"
    yield upstream
    await runner.cleanup()


@pytest_asyncio.fixture
async def gateway(open_gateway: "OpenGateway", sim: "Simulator", echo: Echo) -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, url=echo.url) as opened:
        yield opened


digits = st.text("0123456789", min_size=1, max_size=24)
integers = digits.map(lambda text: text.lstrip("0") or "0")
numbers = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole}{fraction}{exponent}",
    st.sampled_from(["", "-"]),
    integers,
    st.just("") | digits.map(".{}".format),
    st.just("")
    | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 250)),
)
texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12
)


def as_json(parts: list[tuple[str, str]], spelling: str) -> bytes:
    """Write an object of numbers and texts, with blanks as `spelling` says."""
    members = [
        f'"F{n}"{spelling}:{spelling}{number}, "T{n}": {json.dumps(text)}'
        for n, (number, text) in enumerate(parts)
    ]
    return ("{" + f"{spelling},{spelling}".join([*members, '"Lines": [ {"Price": 100.10} ]']) + "}").encode()


@pytest.mark.asyncio
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    parts=st.lists(st.tuples(numbers, texts), min_size=1, max_size=5),
    spelling=st.sampled_from(["", " ", "\n  "]),
)
async def test_every_digit_passes_in_both_directions(
    gateway: "Gateway", echo: Echo, parts: list[tuple[str, str]], spelling: str
) -> None:
    body = as_json(parts, spelling)
    if "Authorization" not in gateway.http.headers:
        gateway.http.headers.update(await gateway.signed_in())

    created = await gateway.http.post(
        "/api/sl/Orders", content=body, headers={"Content-Type": "application/json"}
    )
    assert created.status_code == 201
    assert literals(created.content) == literals(body)
    assert echo.received == body
    changed = await gateway.http.patch(
        "/api/sl/Orders/1", content=body, headers={"Content-Type": "application/json"}
    )
    assert changed.status_code == 204
    assert echo.received == body

    for method, path in (("POST", "Orders"), ("PATCH", "Orders/1")):
        marked = await gateway.http.request(
            method,
            f"/api/sl/{path}",
            content=codecs.BOM_UTF8 + body,
            headers={"Content-Type": "application/json"},
        )
        assert marked.is_success
        assert echo.received == body, "without the mark"

    echo.row = body
    record = await gateway.http.get("/api/sl/Items/A")
    listed = await gateway.http.get("/api/sl/Items")
    assert literals(record.content) == literals(body)
    assert literals(listed.content.removesuffix(b',"odata.count":1}')) == literals(body)


def literals(text: bytes) -> list[bytes]:
    """Return the numbers of a JSON text as they are written, outside its strings."""
    return re.findall(rb"-?[0-9][0-9.eE+-]*", re.sub(rb'"(?:[^"\\]|\\.)*"', b'""', text))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "number", ["1234567890.123456", "100.10", "0.1", "1e5", "-0.0", "12345678901234567890"]
)
async def test_numbers_that_floats_would_change(gateway: "Gateway", echo: Echo, number: str) -> None:
    ana = await gateway.signed_in()
    echo.row = b'{"DocTotal": %b}' % number.encode()
    answer = await gateway.http.get("/api/sl/Items", headers=ana)
    assert number in answer.text


@pytest.mark.asyncio
async def test_only_the_proxy_accepts_large_bodies(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    too_large = {"password": "x" * 17_000}, {"paths": ["/x" * 140_000]}
    for method, path, body in (
        ("POST", "/api/auth/login", too_large[0]),
        ("PUT", "/api/permissions/luis", too_large[1]),
        ("POST", "/api/gateway/documents/export", too_large[1]),
    ):
        answer = await gateway.http.request(method, path, json=body, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    answer = await gateway.http.post("/api/sl/Orders", json={"Comments": "x" * 900_000}, headers=ana)
    assert answer.status_code == 201


@pytest.mark.asyncio
async def test_large_bodies_do_not_delay_the_health_route(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    lines = b",".join([b'{"A":%b,"B":{}}' % (b"1" * 80)] * 9_900)
    body = b'{"N":[' + b"1," * 40_000 + b'1],"L":[' + lines + b"]}"
    assert 900_000 < len(body) < 1024 * 1024
    posting = [
        asyncio.create_task(
            gateway.http.post(
                "/api/sl/Orders", content=body, headers={**ana, "Content-Type": "application/json"}
            )
        )
        for _ in range(3)
    ]
    taken: list[float] = []
    while not all(task.done() for task in posting):
        started = time.monotonic()
        assert (await gateway.http.get("/api/health")).status_code == 200
        taken.append(time.monotonic() - started)
        await asyncio.sleep(0.005)
    assert {(await task).status_code for task in posting} == {201}
    assert len(taken) > 5
    assert sorted(taken)[len(taken) * 9 // 10] < 1.0  # promised are 0.1 s
