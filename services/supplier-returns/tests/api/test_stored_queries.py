"""Stored queries on the simulated company: installed if needed, read completely or not at all."""

import asyncio
import json
import re
import threading
from typing import TYPE_CHECKING, Any

import attrs
import httpx2
import pytest

from erpclient import Caller
from erpsim.company.switches import SqlDialect, Switches
from erpsim.faults import Answer, BadGateway, Delay, ExpireSession, Fault, Refuse
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import Management, StockItem
from supplier_returns.saved_queries.errors import (
    QueryIncomplete,
    StoredQueryNewer,
    StoredQueryOutdated,
    UnqueryableValue,
)
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.saved_queries.queries import OPEN_RECEIPTS, STOCK, STORED_QUERIES, StoredQuery
from supplier_returns.saved_queries.reader import QueryReader
from supplier_returns.saved_queries.rows import StockRow
from supplier_returns.saved_queries.warehouse import StoredQueries
from supplier_returns.web.erp_errors import ErpForbidden
from supplier_returns.web.session import WebSession

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

ANALYSER_TEXT = (
    "Invalid SQL syntax:select secret from x, line 1, character position 19, Cannot support this function or "
    "expression: 'length'"
)
GRANTED = frozenset({"bodega:DP_Stock", "bodega:DP_EntradasAbiertas"})


def session_of(service: "Service", client: httpx2.AsyncClient) -> WebSession:
    return service.components.sessions.authenticate([client.cookies["dp_sid"]])


async def receipts(
    service: "Service",
    client: httpx2.AsyncClient,
    whs_code: str = "01",
    *,
    page_rows: int = 25_000,
    **more: Any,
) -> list[OpenReceiptLine]:
    queries = StoredQueries(
        QueryInstaller("HANA", service.components.clock), service.components.computing, page_rows=page_rows
    )
    erp = session_of(service, client).erp
    return list(await queries.warehouse(erp, Caller("x")).read_open_receipts(whs_code, **more))


async def stock(service: "Service", client: httpx2.AsyncClient, **more: Any) -> list[StockItem]:
    queries = StoredQueries(QueryInstaller("HANA", service.components.clock), service.components.computing)
    return list(
        await queries.warehouse(session_of(service, client).erp, Caller("x")).read_stock("01", **more)
    )


def expected(sim: Simulator, whs_code: str) -> set[tuple[int, int]]:
    """Find the open lines without SQL."""
    rows: Any = sim.world.company.rows("PurchaseDeliveryNotes")  # sparse rows: unset fields are absent
    return {
        (document["DocEntry"], line["LineNum"])
        for document in rows
        if document.get("DocumentStatus") == "bost_Open" and document.get("Cancelled", "tNO") == "tNO"
        for line in document.get("DocumentLines", ())
        if line.get("WarehouseCode") == whs_code
        and line.get("LineStatus") == "bost_Open"
        and line.get("RemainingOpenQuantity")
    }


@pytest.mark.asyncio
@pytest.mark.parametrize("dialect", [SqlDialect.HANA, SqlDialect.MSSQL])
async def test_both_query_texts_are_accepted_and_find_all_rows(
    open_service: "OpenService", dialect: SqlDialect
) -> None:
    switches = attrs.evolve(Switches(), sql_dialect=dialect)
    name = "HANA" if dialect is SqlDialect.HANA else "MSSQL"
    async with (
        run_sim(switches=switches) as sim,
        open_service(sim, DB_TYPE=name) as service,
        service.signed_in() as client,
    ):
        erp, queries = session_of(service, client).erp, service.components.stored_queries
        with service.counting() as calls:
            lines = await queries.warehouse(erp, Caller("x")).read_open_receipts("01")
            items = await queries.warehouse(erp, Caller("x")).read_stock("01")
        assert len(calls) == 2 * 3, "a look, an installation and the query itself, of both"
        assert {(line.doc_entry, line.line_num) for line in lines} == expected(sim, "01")
        assert lines
        assert {item.code for item in items} >= {line.item_code for line in lines}
        with service.counting() as calls:
            await queries.warehouse(erp, Caller("x")).read_open_receipts("02")
        assert len(calls) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("page_rows", [2, 3, 5, 9, 10, 11])
@pytest.mark.parametrize("stable", [True, False])
async def test_small_pages_are_combined_by_key_ranges(
    open_service: "OpenService", page_rows: int, *, stable: bool
) -> None:
    switches = attrs.evolve(Switches(), sql_stable_pages=stable)
    async with run_sim(switches=switches) as sim, open_service(sim) as service, service.signed_in() as client:
        most = max(
            sum(entry == other for other, _ in expected(sim, "01")) for entry, _ in expected(sim, "01")
        )
        if page_rows <= most:  # a single receipt exceeds a page
            with pytest.raises(QueryIncomplete):
                await receipts(service, client, page_rows=page_rows)
        else:
            lines = await receipts(service, client, page_rows=page_rows)
            assert {(line.doc_entry, line.line_num) for line in lines} == expected(sim, "01")
            assert len(lines) == len(expected(sim, "01"))


@pytest.mark.asyncio
async def test_a_slow_check_of_the_queries_does_not_delay_other_users(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    queries = service.components.stored_queries
    async with service.signed_in() as other:
        service.sim.faults.add(Fault(action=Delay(seconds=1.0), method="GET", path="SQLQueries*", times=1))
        looks = len(service.sim.calls.of("GET", "SQLQueries"))
        slow = asyncio.create_task(
            queries.warehouse(session_of(service, manager).erp, Caller("x")).read_stock("01")
        )
        await service.arrived("GET", "SQLQueries", looks + 1)
        found = await queries.warehouse(session_of(service, other).erp, Caller("y")).read_stock("01")
        assert not slow.done()
        assert await slow == found


@pytest.mark.asyncio
async def test_a_single_item_can_be_read(service: "Service", manager: httpx2.AsyncClient) -> None:
    everything = await receipts(service, manager)
    item_code = everything[0].item_code
    with service.counting() as calls:
        lines = await receipts(service, manager, item_code=item_code)
    assert lines == [line for line in everything if line.item_code == item_code]
    assert f"articulo='{item_code}'" in json.loads(calls[-1].body)["ParamList"]
    items = await stock(service, manager)
    assert await stock(service, manager, item_code=items[0].code) == [items[0]]
    assert await stock(service, manager, item_code="no such [item]'s") == []
    assert items[0].on_hand > 0


SEEN_ON: set[int] = set()


class WatchedRow(StockRow, kw_only=True):
    """A row that records the thread of its creation."""

    def __post_init__(self) -> None:
        SEEN_ON.add(threading.get_ident())


@pytest.mark.asyncio
async def test_rows_are_decoded_on_a_thread(service: "Service", manager: httpx2.AsyncClient) -> None:
    SEEN_ON.clear()
    reader = QueryReader(
        STOCK, WatchedRow, QueryInstaller("HANA", service.components.clock), service.components.computing
    )
    erp = session_of(service, manager).erp
    assert await reader.read(erp, Caller("x"), keep=lambda row: row, whs_code="01")
    assert SEEN_ON
    assert threading.get_ident() not in SEEN_ON


def page(rows: list[dict[str, Any]], **more: str) -> Answer:
    body = {"odata.metadata": "x", "SqlText": "select", "value": rows, **more}
    return Answer(status=200, body=json.dumps(body), content_type="application/json")


def row(key: int, code: str = "A1", count: int = 0) -> dict[str, Any]:
    return {
        "ItmsGrpCod": key, "Filas": count, "ItemCode": code, "ItemName": "", "InvntryUom": "", "OnHand": 1.5,
        "IsCommited": 0, "OnOrder": 0, "ManBtchNum": "N", "ManSerNum": "N", "validFor": "N",
        "validFrom": None, "validTo": None, "frozenFor": "N", "frozenFrom": None, "frozenTo": None,
        "Version": STOCK.version,
    }  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [
        page([]),
        page([row(100)]),
        page([row(100), row(0, "", 2)]),
        page([row(100), row(101), row(0, "", 1)]),
        page([row(100), row(0, "", 1), row(0, "", 1)]),
        page([row(-5), row(0, "", 1)]),
        page([row(0, "", 0)], **{"odata.nextLink": "List?$skip=20"}),
        page([{"ItemCode": "A1"}]),
        page([{**row(100), "OnHand": "many"}, row(0, "", 1)]),
    ],
    ids=["empty", "no-count", "one-lost", "one-more", "two-counts", "stranger", "endless", "form", "number"],
)
async def test_a_missing_page_is_an_error(
    service: "Service", manager: httpx2.AsyncClient, answer: Answer
) -> None:
    await stock(service, manager)
    service.sim.faults.add(Fault(action=answer, path="SQLQueries(*)/List", times=None))
    with pytest.raises(QueryIncomplete):
        await stock(service, manager)


@pytest.mark.asyncio
async def test_tiny_pages_lead_to_an_error_after_a_few_calls(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    await stock(service, manager)
    tiny = page([row(key * 1000) for key in range(20)], **{"odata.nextLink": "List?$skip=20"})
    service.sim.faults.add(Fault(action=tiny, path="SQLQueries(*)/List", times=None))
    with service.counting() as calls, pytest.raises(QueryIncomplete):
        await stock(service, manager)
    assert len(calls) <= 65


@pytest.mark.asyncio
async def test_a_receipt_without_a_date_is_an_error(service: "Service", manager: httpx2.AsyncClient) -> None:
    lines = await receipts(service, manager)
    assert lines
    broken = {
        "DocEntry": 1, "LineNum": 0, "DocNum": 1, "DocDate": "", "CardCode": "P", "CardName": "",
        "LicTradNum": "", "NumAtCard": "", "FolioNum": 0, "ItemCode": "A1", "OpenQty": 1, "OpenInvQty": 1,
        "NumPerMsr": 0, "unitMsr": "", "Price": 0, "DocCur": "CLP", "TaxCode": "", "BPLId": 0, "Filas": 0,
        "Version": OPEN_RECEIPTS.version,
    }  # fmt: skip
    total = {**broken, "ItemCode": "", "Filas": 1}
    service.sim.faults.add(Fault(action=page([broken, total]), path="SQLQueries(*)/List"))
    with pytest.raises(QueryIncomplete):
        await receipts(service, manager)
    good = {**broken, "DocDate": "2026-03-01T00:00:00Z"}
    service.sim.faults.add(Fault(action=page([good, total]), path="SQLQueries(*)/List"))
    (line,) = await receipts(service, manager)
    assert (line.doc_date.isoformat(), int(line.factor), line.branch) == ("2026-03-01", 1, None)


@pytest.mark.asyncio
async def test_a_user_without_the_right_to_run_queries_gets_its_name(
    open_service: "OpenService",
) -> None:
    async with (
        run_sim(switches=attrs.evolve(Switches(), sql_grants=GRANTED)) as sim,
        open_service(sim) as service,
        service.signed_in() as manager,
        service.signed_in("bodega") as bodega,
    ):
        with pytest.raises(ErpForbidden) as missing:
            await stock(service, bodega)
        assert missing.value.members == {"authorization": "Modify SQL Queries in Service Layer"}
        assert "«DP_Stock»" in missing.value.detail
        await stock(service, manager)
        assert await stock(service, bodega)
    async with (
        run_sim() as sim,
        open_service(sim) as service,
        service.signed_in() as manager,
        service.signed_in("bodega") as bodega,
    ):
        await stock(service, manager)
        with pytest.raises(ErpForbidden) as refused:
            await stock(service, bodega)
        assert refused.value.members == {"authorization": "Service Layer SQL Query: DP_Stock"}
        assert refused.value.upstream is not None
        assert refused.value.upstream.code == -6006


async def rename(service: "Service", name: str) -> None:
    company = service.sim.world.company
    (found,) = [each for each in company.rows("SQLQueries") if each["SqlCode"] == "DP_Stock"]
    with company.transaction():
        company.update("SQLQueries", {**found, "SqlName": name})


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["DP_Stock v0", "DP_Stock", "DP_EntradasAbiertas v1", "otra v9", ""])
async def test_an_older_query_is_updated_with_the_right_and_otherwise_refused(
    open_service: "OpenService", name: str
) -> None:
    async with (
        run_sim(switches=attrs.evolve(Switches(), sql_grants=GRANTED)) as sim,
        open_service(sim) as service,
        service.signed_in() as manager,
        service.signed_in("bodega") as bodega,
    ):
        await stock(service, manager)
        await rename(service, name)
        with pytest.raises(StoredQueryOutdated) as outdated:
            await stock(service, bodega)
        assert outdated.value.upstream is not None
        assert await stock(service, manager)
        names = {each["SqlName"] for each in sim.world.company.rows("SQLQueries")}
        assert STOCK.name in names
        assert await stock(service, bodega)


@pytest.mark.asyncio
async def test_a_newer_query_is_never_overwritten(service: "Service", manager: httpx2.AsyncClient) -> None:
    await stock(service, manager)
    await rename(service, "DP_Stock v99")
    with pytest.raises(StoredQueryNewer):
        await stock(service, manager)
    assert service.sim.calls.of("PATCH") == []


@pytest.mark.asyncio
async def test_installing_a_query_without_a_reply_is_an_unknown_outcome(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(Fault(action=BadGateway(), method="POST", path="SQLQueries"))
    with pytest.raises(OutcomeUnknown):
        await stock(service, manager)
    assert await stock(service, manager)


@pytest.mark.asyncio
async def test_a_missing_query_is_installed_again(service: "Service", manager: httpx2.AsyncClient) -> None:
    erp, queries = session_of(service, manager).erp, service.components.stored_queries
    before = await queries.warehouse(erp, Caller("x")).read_stock("01")
    company = service.sim.world.company
    with company.transaction():
        company.remove("SQLQueries", ("DP_Stock",))
    assert await queries.warehouse(erp, Caller("x")).read_stock("01") == before


async def retext(service: "Service", query: StoredQuery, name: str, version: int) -> None:
    """Store another text under the same name, as a program of another version would."""
    company = service.sim.world.company
    (found,) = [each for each in company.rows("SQLQueries") if each["SqlCode"] == query.code]
    text = query.text("HANA").replace(f'{query.version} AS "Version"', f'{version} AS "Version"')
    with company.transaction():
        company.update("SQLQueries", {**found, "SqlName": name, "SqlText": text})


@pytest.mark.asyncio
async def test_installed_versions_are_checked_at_sign_in_and_not_by_requests(
    service: "Service", clock: ManualClock
) -> None:
    queries = service.components.stored_queries
    for seconds, looks in ((0, 1), (0, 0), (599, 0), (1, 1)):
        clock.advance(seconds)
        with service.counting() as calls:
            async with service.signed_in() as client:
                erp = session_of(service, client).erp
        assert len([call for call in calls if call.path == "SQLQueries"]) == looks
        with service.counting() as calls:
            await queries.warehouse(erp, Caller("x")).read_stock("01")
        if seconds:
            assert len(calls) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("query", STORED_QUERIES)
async def test_another_version_is_noticed_by_its_rows_at_once(
    service: "Service", manager: httpx2.AsyncClient, query: StoredQuery
) -> None:
    erp, queries = session_of(service, manager).erp, service.components.stored_queries

    async def read() -> tuple[Any, ...]:
        lots = queries.warehouse(erp, Caller("x"))
        return (
            await queries.warehouse(erp, Caller("x")).read_stock("01"),
            await queries.warehouse(erp, Caller("x")).read_open_receipts("01"),
            await lots.read_lots("01", Management.BATCHES),
            await lots.read_lots("01", Management.SERIALS),
        )

    before = await read()
    await retext(service, query, f"{query.code} v0", 0)
    assert await read() == before, "ours was installed again"
    assert query.name in {each["SqlName"] for each in service.sim.world.company.rows("SQLQueries")}
    await retext(service, query, f"{query.code} v99", 99)
    with pytest.raises(StoredQueryNewer):
        await read()
    await retext(service, query, query.name, query.version - 1)
    with pytest.raises(QueryIncomplete):
        await read()


@pytest.mark.asyncio
async def test_a_text_with_other_parameters_is_replaced(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    erp, queries = session_of(service, manager).erp, service.components.stored_queries
    before = await queries.warehouse(erp, Caller("x")).read_stock("01")
    company = service.sim.world.company
    (found,) = [each for each in company.rows("SQLQueries") if each["SqlCode"] == STOCK.code]
    text = 'SELECT T0."ItemCode" FROM "OITM" T0 WHERE T0."ItemCode" = :otro'
    with company.transaction():
        company.update("SQLQueries", {**found, "SqlName": "DP_Stock v1", "SqlText": text})
    assert await queries.warehouse(erp, Caller("x")).read_stock("01") == before


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("code", "text", "status", "word"),
    [
        (701, ANALYSER_TEXT, 502, "función"),
        (702, "Table 'OITW' not accessible", 502, "tabla"),
        (703, "Column 'OnHand' from table 'OITW' not accessible", 502, "columna"),
        (704, "Parameter error.", 502, "parámetro"),
        (-2014, ANALYSER_TEXT, 502, "función"),
        (702, ANALYSER_TEXT, 502, "función"),
        (703, ANALYSER_TEXT, 502, "función"),
        (-2014, ANALYSER_TEXT.replace(" x,", f" x{' ' * 1500},"), 502, "función"),
    ],
)  # fmt: skip
async def test_a_refusal_of_the_analyser_is_explained_without_the_statement(
    service: "Service", manager: httpx2.AsyncClient, code: int, text: str, status: int, word: str
) -> None:
    await stock(service, manager)
    service.sim.faults.add(
        Fault(action=Refuse(status=400, code=code, text=text), path="SQLQueries(*)/List", times=None)
    )
    with pytest.raises(ServiceError) as caught:
        await stock(service, manager)
    error = caught.value
    assert (error.status, error.code) == (status, "stored_query_rejected")
    assert [each for each in ("función", "tabla", "columna", "parámetro") if each in error.detail] == [word]
    assert "secret" not in json.dumps(error.body("r"))
    assert error.upstream is not None
    assert error.upstream.message == re.sub(r":select secret from x *,", ": …,", text)


@pytest.mark.asyncio
async def test_a_warehouse_code_with_forbidden_characters_is_refused(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    for whs_code in ("O'B", "A&B"):
        with pytest.raises(UnqueryableValue):
            await receipts(service, manager, whs_code)


@pytest.mark.asyncio
async def test_other_errors_are_raised_unchanged(service: "Service", manager: httpx2.AsyncClient) -> None:
    await stock(service, manager)
    service.sim.faults.add(Fault(action=Refuse(status=400, code=-1, text="no"), path="SQLQueries(*)/List"))
    with pytest.raises(Exception, match="refused the request"):
        await stock(service, manager)
    service.sim.faults.add(Fault(action=ExpireSession(), path="SQLQueries(*)/List"))
    with pytest.raises(Exception, match="session is over"):
        await stock(service, manager)
