"""Calls of `pyb1slayer`; it checks the certificate."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from stack.company import COMPANY, ERP_PASSWORD, ERP_USER

from tools.foreign_clients.attempts import attempt

Call: TypeAlias = Callable[[str, Callable[[], Awaitable[Any]]], None]
HOUSE = {"WarehouseCode": "P1", "WarehouseName": "one"}
ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-01-01",
    "DocumentLines": [{"ItemCode": "CEM-0001", "Quantity": 1}],
}
JOINED = "$crossjoin(Orders,Orders/DocumentLines)"
OPTIONS = (
    "$expand=Orders($select=DocEntry),Orders/DocumentLines($select=ItemCode)"
    "&$filter=Orders/DocEntry eq Orders/DocumentLines/DocEntry"
)


def main() -> None:
    """Try the client."""
    url = f"https://localhost:{os.environ['ERP_PORT']}/b1s/{os.environ['ERP_VERSION']}/"
    with asyncio.Runner() as runner, TemporaryDirectory() as folder:
        client = import_module("pyb1slayer.connection").SLConnection(url, COMPANY, ERP_USER, ERP_PASSWORD)

        def call(name: str, work: Callable[[], Awaitable[Any]]) -> None:
            async def work_within() -> Any:
                return await work()

            attempt(name, lambda: runner.run(work_within()))

        call("login", client.login)
        _read(client, call)
        _write(client, call)
        _ask_more(client, call, Path(folder) / "note.txt")
        call("logout", client.close)


def _read(client: Any, call: Call) -> None:
    def items() -> Any:
        return client.request("Items")

    call("list", lambda: items().select("ItemCode,ItemName").top(2).get())
    call("next page", lambda: items().skip(20).get())
    call("list by condition", lambda: items().filter("startswith(ItemCode,'C')").orderby("ItemCode").get())
    call("page size", lambda: items().with_page_size(5).get())
    call("any letter case", lambda: items().filter("contains(ItemName,'A')").case_insensitive().get())
    call("inline count", lambda: items().inlinecount().top(1).get())
    call("record by key", client.request("BusinessPartners", "C00001").get)


def _write(client: Any, call: Call) -> None:
    call("create document", lambda: client.request("Orders").post(ORDER))
    call("create record", lambda: client.request("Warehouses").post(HOUSE))
    call("change record", lambda: client.request("Warehouses", "P1").patch({"WarehouseName": "other"}))
    call("delete record", client.request("Warehouses", "P1").delete)


def _ask_more(client: Any, call: Call, note: Path) -> None:
    note.write_text("note", encoding="utf-8")
    read_one = import_module("pyb1slayer.batch").SLBatchRequest("GET", "Items?$top=1")

    async def ask_view() -> Any:
        return await (await client.semantic.query("AnyQuery")).get()

    call("ping", client.ping)
    call("ping of a node", lambda: client.ping_node(1))
    call("batch", lambda: client.post_batch(read_one))
    call("aggregation", lambda: client.request("Orders").apply("aggregate(DocTotal with sum as All)").get())
    call("joined query", lambda: client.query_service.post_query(JOINED, OPTIONS))
    call("attachment by path", lambda: client.post_attachment(str(note)))
    call("semantic layer", ask_view)


if __name__ == "__main__":
    main()
