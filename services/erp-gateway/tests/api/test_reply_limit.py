"""An answer of the ERP beyond what is read of one is told as such, and says nothing of the ERP's health."""

from typing import TYPE_CHECKING

import pytest

from erpsim.faults import Answer, Fault
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import OpenGateway

    from erpsim.simulator import Simulator

MIB = 1024 * 1024
LIMIT = {"ERP_SL_MAX_REPLY_BYTES": str(MIB)}


@pytest.mark.asyncio
async def test_a_page_over_the_reply_limit_is_refused_with_a_remedy(open_gateway: "OpenGateway") -> None:
    async with run_sim(seed="wide") as sim, open_gateway(sim, **LIMIT) as gateway:
        ana = gateway.http
        ana.headers.update(await gateway.signed_in())
        for _ in range(4):  # three calls without an answer would make the ERP unwell
            answer = await ana.get("/api/sl/Items?$top=20")
            assert (answer.status_code, answer.json()["code"]) == (502, "reply_too_large")
            assert "$select" in answer.json()["message"]
        assert (await ana.get("/api/health/erp")).status_code == 200
        fewer = await ana.get("/api/sl/Items?$top=20&$select=ItemCode,ItemName")
        assert (fewer.status_code, len(fewer.json()["value"])) == (200, 20)


@pytest.mark.asyncio
async def test_a_write_response_over_the_limit_has_an_unknown_outcome(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, **LIMIT) as gateway:
        ana = gateway.http
        ana.headers.update(await gateway.signed_in())
        large = Answer(status=201, body=f'{{"x": "{"x" * MIB}"}}', content_type="application/json")
        sim.faults.add(Fault(action=large, method="POST", path="BusinessPartners"))
        answer = await ana.post(
            "/api/sl/BusinessPartners", json={"CardCode": "C-ANCHO", "CardType": "cCustomer", "CardName": "x"}
        )
    assert (answer.status_code, answer.json()["code"]) == (502, "outcome_unknown")
