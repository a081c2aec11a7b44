"""The company's name: asked once, bounded in time, never the reason of a failure."""

import asyncio

import pytest

from erp_gateway.auth.company import CompanyName
from erpclient import Caller, ErpReply
from servicekit.clock import ManualClock

CALLER = Caller("anonymous")


class Service:
    """Answers with a body, or never."""

    def __init__(self, body: bytes | None) -> None:
        self.body = body
        self.asked: list[str] = []

    async def call_service(self, name: str, body: bytes, *, caller: Caller) -> ErpReply:
        self.asked.append(name)
        if self.body is None:
            await asyncio.Event().wait()
        return ErpReply(200, self.body or b"")


def make_name(service: Service, clock: ManualClock) -> CompanyName:
    return CompanyName(service, clock, database="SBO_DEMO", limit_s=0.02)


@pytest.mark.asyncio
async def test_the_name_comes_from_the_erp(clock: ManualClock) -> None:
    service = Service(b'{"CompanyName": "Comercial Demo", "Version": 1000280}')
    assert await make_name(service, clock).get(CALLER) == "Comercial Demo"
    assert service.asked == ["CompanyService_GetCompanyInfo"]


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [None, b"", b"{}", b'{"CompanyName": null}', b"<html>"])
async def test_without_a_readable_answer_it_is_the_databases_name(
    clock: ManualClock, body: bytes | None
) -> None:
    name = make_name(Service(body), clock)
    assert await name.get(CALLER) == "SBO_DEMO"
