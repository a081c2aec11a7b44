"""The company's name: asked once, bounded in time, never the reason of a failure."""

import asyncio

import pytest

from erp_gateway.people.auth.company import CompanyName
from erpclient import (
    Caller,
    CallerGone,
    ErpError,
    ErpRefused,
    ErpReply,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    Phase,
    QueueFull,
    QueueTimeout,
)
from servicekit.clock import ManualClock

CALLER = Caller("anonymous")


class Service:
    """Answers with a body, or never, or fails."""

    def __init__(self, body: bytes | None, failure: ErpError | None = None) -> None:
        self.body = body
        self.failure = failure
        self.asked: list[str] = []

    async def call_service(self, name: str, body: bytes, *, caller: Caller) -> ErpReply:
        self.asked.append(name)
        if self.failure is not None:
            raise self.failure
        if self.body is None:
            await asyncio.Event().wait()
        return ErpReply(200, self.body or b"")


def make_name(service: Service, clock: ManualClock) -> CompanyName:
    return CompanyName(service, clock, database="SBO_DEMO", limit_s=0.02)


@pytest.mark.asyncio
async def test_the_company_name_comes_from_the_erp(clock: ManualClock) -> None:
    service = Service(b'{"CompanyName": "Comercial Demo", "Version": 1000280}')
    assert await make_name(service, clock).get(CALLER) == "Comercial Demo"
    assert service.asked == ["CompanyService_GetCompanyInfo"]


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [None, b"", b"{}", b'{"CompanyName": null}', b"<html>"])
async def test_without_a_readable_reply_the_database_name_is_used(
    clock: ManualClock, body: bytes | None
) -> None:
    name = make_name(Service(body), clock)
    assert await name.get(CALLER) == "SBO_DEMO"


@pytest.mark.asyncio
@pytest.mark.parametrize("failure", [CallerGone(), QueueFull("user"), QueueTimeout()], ids=repr)
async def test_a_call_that_left_the_queue_does_not_delay_the_next_login(
    clock: ManualClock, failure: ErpError
) -> None:
    service = Service(b'{"CompanyName": "Comercial Demo"}', failure)
    name = make_name(service, clock)
    assert await name.get(CALLER) == "SBO_DEMO"
    service.failure = None
    assert await name.get(CALLER) == "Comercial Demo"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "failure",
    [
        ErpUnreachable("ECONNREFUSED", Phase.CONNECT),
        ErpTimeout(Phase.ANSWER),
        ErpServerError(500, None, ""),
        ErpRefused(429, None, ""),
    ],
    ids=repr,
)
async def test_after_a_failure_the_erp_is_not_called_for_a_minute(
    clock: ManualClock, failure: ErpError
) -> None:
    service = Service(b'{"CompanyName": "Comercial Demo"}', failure)
    name = make_name(service, clock)
    assert await name.get(CALLER) == "SBO_DEMO"
    service.failure = None
    clock.advance(59)
    assert await name.get(CALLER) == "SBO_DEMO"
    assert len(service.asked) == 1
    clock.advance(1)
    assert await name.get(CALLER) == "Comercial Demo"
