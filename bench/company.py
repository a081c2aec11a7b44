"""A running supplier-returns on the simulated company, with the requests of a busy warehouse."""

import http
import io
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pypdfium2  # type: ignore[import-untyped, unused-ignore]  # it carries no types
from stack.addresses import any_addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import Answer, exchange
from stack.stack import erpsim_process, returns_process

from bench.servers import LOAD_CPU, Server, pin

PEOPLE: Final = tuple(f"bodega{number:02}" for number in range(10))
LARGE_PLACE, QUIET_PLACE = "01", "09"
"""Warehouses: one with thousands of open receipt lines, and one that has received nothing yet."""

SUPPLIERS, LINES, PIECES = 60, 50, 4
"""Number of receipts that are returned completely: one document each, whose guide has two pages."""

PAGES: Final = 2
LONGEST_S: Final = 600.0
SETTINGS: Final = {"LOG_LEVEL": "INFO", "SL_TIMEOUT": str(LONGEST_S), "UNCERTAIN_WAIT": str(3 * LONGEST_S)}
"""The simulated ERP computes one response after another, so the last of fifty comes late."""

_ERP: Final = "/b1s/v1"
_PLANNINGS: Final = "/planificaciones"


class WarehouseCompany:
    """Requests to the service and to the ERP. Use `warehouse_company`.

    Args:
        service: supplier-returns.
        erp_port: of the Service Layer.
    """

    def __init__(self, service: Server, erp_port: int) -> None:
        self.service = service
        self._erp_port = erp_port
        login = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
        self._administrator = _cookie(_call(erp_port, "POST", f"{_ERP}/Login", login).headers["Set-Cookie"])
        manager = self._sign_in(ERP_USER)
        self._ask("POST", "/metadata/rebuild", {"simular": False}, manager)
        for name in PEOPLE:
            self._tell_erp("Users", {"UserCode": name, "UserPassword": ERP_PASSWORD, "Superuser": "tYES"})
        self._people = [self._sign_in(name) for name in PEOPLE]

    def table(self, rows: int) -> bytes:
        """Return the body of a paste of so many rows, as people copy them from a sheet."""
        dice = random.Random(rows)
        lines = [
            f"{item['ItemCode']}\t{item['ItemName']}\t{dice.randint(1, 90)}\t\tPasillo {dice.randint(1, 40)}"
            for item in dice.choices(self._items, k=rows)
        ]
        text = "\n".join(["Código\tDescripción\tCantidad\tMotivo\tObservación", *lines, f"Total\t\t{rows}"])
        return json.dumps({"whsCode": LARGE_PLACE, "texto": text}, ensure_ascii=False).encode()

    def paste(self, tables: Sequence[bytes]) -> None:
        """Paste all tables at once, spread over the users."""
        with ThreadPoolExecutor(len(tables)) as connections:
            pasted = [
                connections.submit(self._ask, "POST", f"{_PLANNINGS}/pegar", table, cookie)
                for table, cookie in zip(tables, self._people * len(tables), strict=False)
            ]
        for each in pasted:
            each.result()

    def plan(self) -> dict[str, Any]:
        """Receive goods from many suppliers, and plan to send all of it back: a document each."""
        items = [each["ItemCode"] for each in self._items if _is_plain(each)][:LINES]
        for supplier in self._suppliers:
            lines = [
                {"ItemCode": item, "Quantity": PIECES, "WarehouseCode": QUIET_PLACE, "UnitPrice": 1_000}
                for item in items
            ]
            self._tell_erp("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": lines})
        wanted = [{"itemCode": item, "cantidad": PIECES * SUPPLIERS} for item in items]
        new = {"cabecera": {"whsCode": QUIET_PLACE}, "lineas": wanted, "permitirOtra": True}
        planned: dict[str, Any] = self._ask("POST", _PLANNINGS, new, self._people[0])
        sizes = [document["lineas"] for document in planned["documentos"]]
        if sizes != [LINES] * SUPPLIERS:
            raise RuntimeError(f"planned documents of {sizes} lines")
        return planned

    def execute(self, planned: Mapping[str, Any]) -> None:
        """Execute a planning and fetch its guides as one PDF."""
        path, cookie = f"{_PLANNINGS}/{planned['id']}", self._people[0]
        found = self._ask("POST", f"{path}/devoluciones", {"version": planned["version"]}, cookie)
        until = time.monotonic() + LONGEST_S
        while found["estado"] == "en_proceso" and time.monotonic() < until:  # it was answered 202
            time.sleep(0.5)
            found = self._ask("GET", path, None, cookie)
        if found["estado"] != "ejecutada":
            raise RuntimeError(f"the planning is {found['estado']}")
        answer = _call(self.service.port, "POST", f"/api{path}/pdf", {}, cookie)
        with pypdfium2.PdfDocument(io.BytesIO(answer.content)) as joined:
            if len(joined) != SUPPLIERS * PAGES:
                raise RuntimeError(f"the joined guides have {len(joined)} pages")

    @cached_property
    def _items(self) -> list[dict[str, Any]]:
        """Return items that suppliers deliver, and as many that they don't."""
        fields = "ItemCode,ItemName,ManageBatchNumbers,ManageSerialNumbers,Frozen"
        return self._rows(f"Items?$select={fields}")[-1_000:]

    @cached_property
    def _suppliers(self) -> list[str]:
        which = "CardType eq 'cSupplier' and Frozen eq 'tNO' and Currency eq 'CLP'"
        rows = self._rows(f"BusinessPartners?$select=CardCode&$filter={quote(which)}")
        return [row["CardCode"] for row in rows[:SUPPLIERS]]

    def _rows(self, path: str) -> list[dict[str, Any]]:
        everything = {**self._administrator, "Prefer": "odata.maxpagesize=0"}
        rows: list[dict[str, Any]] = _call(self._erp_port, "GET", f"{_ERP}/{path}", None, everything).body[
            "value"
        ]
        return rows

    def _tell_erp(self, resource: str, row: Mapping[str, Any]) -> None:
        _call(self._erp_port, "POST", f"{_ERP}/{resource}", row, self._administrator)

    def _sign_in(self, user: str) -> dict[str, str]:
        credentials = {"usuario": user, "clave": ERP_PASSWORD}
        answer = _call(self.service.port, "POST", "/api/auth/login", credentials)
        return _cookie(answer.headers["Set-Cookie"])

    def _ask(self, method: str, path: str, body: object, cookie: Mapping[str, str]) -> Any:
        return _call(self.service.port, method, f"/api{path}", body, cookie).body


@contextmanager
def warehouse_company(folder: Path) -> Iterator[WarehouseCompany]:
    """Run the simulated ERP of the full seed on the load's core, and the service on all cores; sign
    users in.
    """
    addresses = any_addresses()
    with (
        erpsim_process(folder, addresses, penalty_s=0.0) as erp,
        returns_process(folder, addresses, SETTINGS) as service,
    ):
        pin(erp.pid, LOAD_CPU)
        erp.wait_until_it_answers(addresses.erpsim, "/ping/", timeout_s=LONGEST_S)
        service.wait_until_it_answers(addresses.returns, "/api/health")
        yield WarehouseCompany(Server("supplier-returns", service, addresses.returns), addresses.erpsim)


def _call(
    port: int, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> Answer:
    answer = exchange(port, method, path, body, headers=headers, timeout_s=LONGEST_S)
    if answer.status >= http.HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{method} {path}: {answer.status} {answer.content.decode(errors='replace')}")
    return answer


def _cookie(header: str) -> dict[str, str]:
    return {"Cookie": header.partition(";")[0]}


def _is_plain(item: Mapping[str, Any]) -> bool:
    return "tYES" not in (item["ManageBatchNumbers"], item["ManageSerialNumbers"], item["Frozen"])
