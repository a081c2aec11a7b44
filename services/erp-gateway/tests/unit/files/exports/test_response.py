"""A file that is sent: it breaks off once the person may not have it any more."""

from collections.abc import AsyncIterator

import pytest
from starlette.types import Message

from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.response import FileResponse
from erp_gateway.values.errors import PermissionDenied

RULES = PaceRules(min_bytes_s=100_000, max_s=60)


async def chunks() -> AsyncIterator[bytes]:
    for _ in range(3):
        yield b"x"


async def receive() -> Message:
    return {"type": "http.disconnect"}


@pytest.mark.parametrize("allowed", [0, 1, 2])
@pytest.mark.asyncio
async def test_a_download_breaks_off_before_the_next_chunk(allowed: int) -> None:
    sent: list[Message] = []
    closed: list[bool] = []

    async def send(message: Message) -> None:
        sent.append(message)

    def check() -> None:
        if len(sent) > allowed:  # the head counts as one
            raise PermissionDenied("Orders")

    response = FileResponse(chunks(), 3, {}, RULES, check=check, close=lambda: closed.append(True))
    with pytest.raises(PermissionDenied):
        await response({"type": "http"}, receive, send)
    assert [message.get("body") for message in sent] == [None, *[b"x"] * allowed]
    assert not any(message["type"] == "http.response.body" and not message["more_body"] for message in sent)
    assert closed == [True]
