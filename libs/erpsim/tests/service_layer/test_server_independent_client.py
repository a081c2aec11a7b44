"""An independent client, `b1sl-python`, works against the simulator unchanged (it speaks v2).

Its thousand generated models take seconds to import: the tests do so as they run, not as they are collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from b1sl.b1sl.async_client import AsyncB1Client
    from b1sl.b1sl.models._generated.entities.inventory import Item
    from b1sl.b1sl.models.paginated_result import PaginatedResult
    from b1sl.b1sl.resources.odata import AsyncQueryBuilder

pytestmark = [pytest.mark.asyncio, pytest.mark.check]


def client_of(sim: Simulator, password: str = "erpsim") -> AsyncB1Client:
    from b1sl.b1sl.async_client import AsyncB1Client
    from b1sl.b1sl.config import B1Config

    config = B1Config(base_url=sim.origin, username="manager", password=password, company_db="SBO_DEMO")
    return AsyncB1Client(config)


def item(**fields: str) -> Item:
    from b1sl.b1sl.models._generated.entities.inventory import Item

    return Item.model_validate(fields)


async def page_of(query: AsyncQueryBuilder[Any]) -> PaginatedResult[Any]:
    from b1sl.b1sl.models.paginated_result import PaginatedResult

    page = await query.execute()
    assert isinstance(page, PaginatedResult)
    return page


async def some_customer(client: AsyncB1Client) -> str:
    found = await page_of(client.business_partners.filter("CardType eq 'C'").select("CardCode").top(1))
    return str(found[0].card_code)


async def test_the_client_logs_in_and_out() -> None:
    async with run_sim() as sim:
        async with client_of(sim):
            assert len(sim.sessions) == 1
        assert len(sim.sessions) == 0
        assert sim.calls[-1].path == "Logout"


async def test_the_client_reports_a_refused_login() -> None:
    from b1sl.b1sl.exceptions.exceptions import B1AuthError

    async with run_sim() as sim:
        client = client_of(sim, password="no")
        with pytest.raises(B1AuthError, match="Login failed"):
            await client.connect()
        await client.aclose()


async def test_the_client_logs_in_again_after_its_session_ends() -> None:
    async with run_sim() as sim, client_of(sim) as client:
        sim.sessions.end_all()
        assert await client.items.exists("NOPE") is False
        assert len(sim.calls.of("POST", "Login")) == 2


async def test_the_client_pages_through_a_whole_set() -> None:
    from b1sl.b1sl.resources.base import ODataQuery

    async with run_sim() as sim, client_of(sim) as client:
        query = ODataQuery(select=["ItemCode"], orderby="ItemCode")
        codes = [each.item_code async for each in client.items.stream(query, page_size=50)]
        assert len(codes) == len(set(codes)) == await client.items.count()
        page = await page_of(client.items.select("ItemCode").top(30))
        assert len(page) == 30
        assert page.has_more


async def test_the_client_filters_and_reports_a_missing_record() -> None:
    from b1sl.b1sl.exceptions.exceptions import B1NotFoundError

    async with run_sim() as sim, client_of(sim) as client:
        customer = await some_customer(client)
        found = await page_of(client.business_partners.filter(f"CardCode eq '{customer}'"))
        assert [partner.card_code for partner in found] == [customer]
        with pytest.raises(B1NotFoundError, match="No matching records found"):
            await client.items.get("NOPE")


async def test_the_client_creates_and_changes_with_entity_tags() -> None:
    from b1sl.b1sl.exceptions.exceptions import SAPConcurrencyError

    async with run_sim() as sim, client_of(sim) as client, client_of(sim) as other:
        created = await client.items.create(item(ItemCode="T1", ItemName="One"))
        assert created.item_code == "T1"
        await client.items.get("T1")
        await client.items.update("T1", item(ItemName="Two"))
        [change] = sim.calls.of("PATCH", "Items('T1')")
        assert change.headers["if-match"].startswith('W/"')
        await client.items.get("T1")
        await other.items.update("T1", item(ItemName="Three"))
        with pytest.raises(SAPConcurrencyError):
            await client.items.update("T1", item(ItemName="Four"))
        assert (await client.items.get("T1")).item_name == "Three"


async def test_the_client_creates_an_order_and_closes_it() -> None:
    from b1sl.b1sl.models._generated.entities.general import Document

    async with run_sim() as sim, client_of(sim) as client:
        await client.items.create(item(ItemCode="T1", ItemName="One"))
        order = Document.model_validate(
            {
                "CardCode": await some_customer(client),
                "DocDueDate": "2026-05-30",
                "DocumentLines": [{"ItemCode": "T1", "Quantity": 2.0, "UnitPrice": 10.5}],
            }
        )
        created = await client.orders.create(order)
        assert created.doc_entry is not None
        assert created.document_lines is not None
        assert created.document_lines[0].line_total == 21.0
        await client.orders.action(created.doc_entry, "Close")
        assert (await client.orders.get(created.doc_entry)).document_status == "bost_Close"


async def test_the_client_runs_a_batch_with_a_change_set_and_reads() -> None:
    async with run_sim() as sim, client_of(sim) as client:
        async with client.batch() as batch:
            async with batch.changeset():
                await batch.items.create(item(ItemCode="T1", ItemName="One"))
                await batch.items.create(item(ItemCode="T2", ItemName="Two"))
            await batch.items.get("T1")
            results = await batch.execute()
        assert results.all_ok
        assert [result.status for result in results] == [201, 201, 200]
        assert results[2].entity.item_name == "One"


async def test_the_client_reports_a_failed_change_set_and_skipped_requests() -> None:
    from b1sl.b1sl.batch.results import BatchOutcome

    async with run_sim() as sim, client_of(sim) as client:
        async with client.batch() as batch:
            async with batch.changeset():
                await batch.items.create(item(ItemCode="T1", ItemName="One"))
                await batch.items.update("NOPE", item(ItemName="x"))
            await batch.items.get("T1")
            results = await batch.execute()
        assert [result.outcome for result in results] == [
            BatchOutcome.ROLLED_BACK,
            BatchOutcome.ROLLED_BACK,
            BatchOutcome.NOT_EXECUTED,
        ]
        assert not await client.items.exists("T1")
