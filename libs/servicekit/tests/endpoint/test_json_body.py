"""Strict JSON: what is read, what is refused with which words, and what is written."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import httpx2
import msgspec
import pytest
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import override

from servicekit.endpoint import AppSettings, json_response, read_body, read_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@attrs.frozen(kw_only=True)
class Login:
    user_name: str
    password: str


@pytest.fixture
def client(make_endpoint: Any, make_app: Any, open_client: Any) -> httpx2.AsyncClient:
    async def typed(request: Request) -> Response:
        return json_response(await read_json(request, Login))

    async def raw(request: Request) -> Response:
        return Response(await read_body(request))

    async def optional(request: Request) -> Response:
        return Response(await read_body(request, optional=True))

    app = make_app(
        make_endpoint("POST", "/typed", typed),
        make_endpoint("POST", "/raw", raw),
        make_endpoint("POST", "/optional", optional),
        settings=AppSettings(max_body_bytes=100, body_timeout_s=0.5),
    )
    opened: httpx2.AsyncClient = open_client(app)
    return opened


JSON_TYPE = {"content-type": "application/json"}


@pytest.mark.asyncio
async def test_a_typed_body_is_read_and_written_in_camel_case(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/typed", json={"userName": "ana", "password": "x"})
    assert answer.status_code == 200
    assert answer.json() == {"userName": "ana", "password": "x"}
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.asyncio
async def test_a_body_with_a_wrong_shape_lists_each_problem(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/typed", json={"userName": 1, "extra": True})
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_body"
    assert answer.json()["errors"] == [
        {"path": "userName", "message": "Debe ser un texto."},
        {"path": "password", "message": "Falta este campo."},
        {"path": "extra", "message": "Este campo no existe."},
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("body", ["[]", '"x"', "null", "1"])
async def test_a_body_that_is_not_an_object_is_refused(client: httpx2.AsyncClient, body: str) -> None:
    answer = await client.post("/typed", content=body, headers=JSON_TYPE)
    assert answer.json()["errors"] == [{"path": "", "message": "Debe ser un objeto."}]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; CHARSET=Utf8",
        "application/json; charset=us-ascii",
        "application/json;odata=minimalmetadata",
        "application/json; charset=UTF-8; odata=verbose",
    ],
)
async def test_every_form_of_the_json_media_type_is_accepted(
    client: httpx2.AsyncClient, content_type: str
) -> None:
    answer = await client.post("/raw", content=b'{"a":1.10}', headers={"content-type": content_type})
    assert (answer.status_code, answer.content) == (200, b'{"a":1.10}')


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/raw", "/optional", "/typed"])
@pytest.mark.parametrize(
    "content_type",
    [
        *(None, "", "text/plain", "application/jsonp", "text/json"),
        *("application/json; charset=latin-1", "application/json; odata=verbose; charset=latin-1"),
    ],
)
async def test_any_other_media_type_answers_415(
    client: httpx2.AsyncClient, path: str, content_type: str | None
) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    answer = await client.post(path, content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


CODINGS = [
    *(["gzip"], ["GZIP"], ["x-gzip"], ["deflate"], ["br"], ["zstd"], ["aes128gcm"], ["nonsense"]),
    *(["identity, gzip"], ["gzip,identity"], ["gzip, deflate"], ["identity", "gzip"], [" , gzip"]),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/raw", "/optional", "/typed"])
@pytest.mark.parametrize("codings", CODINGS, ids=str)
@pytest.mark.parametrize("body", [b'{"userName": "ana"}', gzip.compress(b"{}")], ids=["plain", "compressed"])
async def test_an_encoded_body_answers_415_with_the_reason(
    client: httpx2.AsyncClient, path: str, codings: list[str], body: bytes
) -> None:
    headers = [*JSON_TYPE.items(), *(("content-encoding", coding) for coding in codings)]
    answer = await client.post(path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert "Content-Encoding" in answer.json()["message"]
    assert answer.headers["accept-encoding"] == "identity"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "codings", [[], [""], ["identity"], ["IDENTITY"], ["identity, identity"], [" , "]], ids=str
)
async def test_a_body_that_is_called_unencoded_is_read(
    client: httpx2.AsyncClient, codings: list[str]
) -> None:
    headers = [*JSON_TYPE.items(), *(("content-encoding", coding) for coding in codings)]
    answer = await client.post("/raw", content=b'{"a":1.10}', headers=headers)
    assert (answer.status_code, answer.content) == (200, b'{"a":1.10}')


@pytest.mark.asyncio
async def test_the_encoding_of_an_absent_body_is_ignored(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/optional", headers={"content-encoding": "gzip"})
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.asyncio
async def test_a_byte_order_mark_before_json_is_ignored(client: httpx2.AsyncClient) -> None:
    sent = b'\xef\xbb\xbf{"a": "\xef\xbb\xbf", "n": 10.100}'
    answer = await client.post("/raw", content=sent, headers=JSON_TYPE)
    assert answer.content == sent[3:], "only the first one, and every digit stays"
    answer = await client.post("/optional", content=sent[:3], headers=JSON_TYPE)
    assert (answer.status_code, answer.content) == (200, b"")
    typed = await client.post("/typed", content=b"\xef\xbb\xbf[]", headers=JSON_TYPE)
    assert typed.json()["code"] == "invalid_body", "it was read"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b" \xef\xbb\xbf{}",
        b"\xef\xbb{}",
        b"\xef\xbb\xbf",
        "\ufeff{}".encode("utf-16-le"),
        "\ufeff{}".encode("utf-32-be"),
    ],
)
async def test_a_malformed_byte_order_mark_is_malformed_json(client: httpx2.AsyncClient, body: bytes) -> None:
    answer = await client.post("/typed", content=body, headers=JSON_TYPE)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", [{}, JSON_TYPE, {"content-type": "text/plain"}])
async def test_an_optional_body_may_be_missing_with_any_type(
    client: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await client.post("/optional", headers=headers)
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.asyncio
async def test_a_body_over_its_time_limit_answers_408(client: httpx2.AsyncClient) -> None:
    class Slow(httpx2.AsyncByteStream):
        @override
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"{"
            await asyncio.sleep(30)
            yield b"}"

    answer = await client.post("/raw", content=Slow(), headers=JSON_TYPE)
    assert (answer.status_code, answer.json()["code"]) == (408, "request_timeout")
    assert answer.headers["connection"] == "close"


def test_answers_show_times_in_utc_and_decimals_as_numbers() -> None:
    moment = datetime.fromisoformat("2026-01-31T10:00:00.123456-03:00")
    body = bytes(json_response({"at": moment, "sum": Decimal("100.10"), "raw": msgspec.Raw(b"1.50")}).body)
    assert body == b'{"at":"2026-01-31T13:00:00.123Z","sum":100.10,"raw":1.50}'


def test_json_responses_accept_a_status_and_headers() -> None:
    response = json_response([], status=201, headers={"Location": "/x"})
    assert (response.status_code, response.headers["location"], bytes(response.body)) == (201, "/x", b"[]")


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without zone"):
        json_response(datetime(2026, 1, 31, tzinfo=UTC).replace(tzinfo=None))
