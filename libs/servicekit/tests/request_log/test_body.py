"""The request's body on its way in."""

import asyncio
from collections.abc import Iterable

import pytest
from starlette.types import Message

from servicekit.errors import BodyTooLarge
from servicekit.request_log.body import RequestBody


class Wire:
    """A `receive` that gives the chunks one by one and then never answers again, as a quiet client does."""

    def __init__(self, chunks: Iterable[bytes], *, whole: bool = True, gone: bool = False) -> None:
        given = list(chunks)
        self.messages: list[Message] = [
            {"type": "http.request", "body": chunk, "more_body": not whole or number < len(given)}
            for number, chunk in enumerate(given, start=1)
        ]
        if gone:
            self.messages.append({"type": "http.disconnect"})

    async def __call__(self) -> Message:
        if not self.messages:
            await asyncio.Event().wait()
        return self.messages.pop(0)


CHUNKED = {b"transfer-encoding": b"chunked"}


async def read(body: RequestBody) -> bytes:
    whole = b""
    while True:
        message = await body()
        whole += bytes(message.get("body", b""))
        if not message.get("more_body", False):
            return whole


@pytest.mark.asyncio
async def test_a_body_of_exactly_the_limit_passes() -> None:
    body = RequestBody(Wire([b"ab", b"cd"]), CHUNKED, 4)
    body.check_announced()
    assert await read(body) == b"abcd"


@pytest.mark.asyncio
async def test_a_body_one_byte_over_the_limit_is_refused() -> None:
    with pytest.raises(BodyTooLarge):
        await read(RequestBody(Wire([b"ab", b"cde"]), CHUNKED, 4))


@pytest.mark.parametrize(("length", "fine"), [(b"4", True), (b"5", False), (b"9" * 18, False)])
def test_an_announced_length_over_the_limit_is_refused_unread(length: bytes, fine: bool) -> None:
    body = RequestBody(Wire([]), {b"content-length": length}, 4)
    if fine:
        body.check_announced()
    else:
        with pytest.raises(BodyTooLarge):
            body.check_announced()


@pytest.mark.parametrize("length", [b"", b"-1", b"1e9", b"9" * 5000, "٣".encode()])
def test_a_malformed_content_length_is_ignored(length: bytes) -> None:
    RequestBody(Wire([]), {b"content-length": length}, 4).check_announced()


@pytest.mark.asyncio
async def test_an_endpoint_may_set_its_own_body_limit() -> None:
    body = RequestBody(Wire([b"abcdef"]), {b"content-length": b"6"}, 4)
    body.limit = 6
    body.check_announced()
    assert await read(body) == b"abcdef"


@pytest.mark.asyncio
async def test_discarding_reads_the_rest_of_the_body() -> None:
    wire = Wire([b"a"] * 100)
    body = RequestBody(wire, {b"content-length": b"100"}, 10)
    with pytest.raises(BodyTooLarge):
        await read(body)
    await body.discard()
    assert wire.messages == []


@pytest.mark.asyncio
async def test_discarding_an_absent_or_finished_body_does_not_wait() -> None:
    await RequestBody(Wire([]), {}, 4).discard()
    await RequestBody(Wire([]), {b"content-length": b"0"}, 4).discard()
    body = RequestBody(Wire([b"ab"]), CHUNKED, 4)
    await read(body)
    await body.discard()


@pytest.mark.asyncio
async def test_discarding_ends_at_a_client_disconnect() -> None:
    body = RequestBody(Wire([b"a"], whole=False, gone=True), CHUNKED, 4)
    await body.discard()
    gone = RequestBody(Wire([], gone=True), CHUNKED, 4)
    assert (await gone())["type"] == "http.disconnect"
    await gone.discard()


@pytest.mark.asyncio
async def test_discarding_a_stalled_body_times_out() -> None:
    async with asyncio.timeout(30):
        await RequestBody(Wire([]), {b"content-length": b"100"}, 4).discard()


@pytest.mark.asyncio
async def test_discarding_ends_after_some_megabytes() -> None:
    wire = Wire([b"x" * (1 << 20)] * 40)
    await RequestBody(wire, CHUNKED, 4).discard()
    assert len(wire.messages) == 24
