"""The simulated company: its preparation, and its content after the run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from demo.company import TRACE_FIELD, add_trace_field
from stack.addresses import Addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import Answer, exchange

from soak.values import Order, Piece, Return

WEB_USERS = ("ana", "g1", "g2", "g3", "g4", "g5")
"""Users of the gateway; the first one exists in the seed."""

ERP_USERS = (ERP_USER, "bodega", "d1", "d2")
"""Users who create returns."""

CUSTOMER, ITEM = "C00001", "A/1"
WAREHOUSE = "01"
PLENTY = 100_000
PLENTIFUL = 6
ROOT = "/b1s/v2"


class Erp:
    """The Service Layer itself, past every proxy, as its superuser."""

    def __init__(self, port: int, cookie: str) -> None:
        self._ask = partial(exchange, port, headers={"Cookie": cookie, "Prefer": "odata.maxpagesize=0"})

    def rows(self, what: str) -> list[dict[str, Any]]:
        """Return all entities of a set, or the result of a query."""
        rows: list[dict[str, Any]] = self._good("GET", what).body["value"]
        return rows

    def create(self, what: str, body: object) -> dict[str, Any]:
        """Create an entity."""
        made: dict[str, Any] = self._good("POST", what, body).body
        return made

    def _good(self, method: str, what: str, body: object = None) -> Answer:
        answer = self._ask(method, f"{ROOT}/{what.replace(' ', '%20')}", body)
        if answer.status >= 300:
            raise OSError(f"{method} {what}: {answer.status} {answer.content[:300]!r}")
        return answer


@contextmanager
def erp_of(port: int) -> Iterator[Erp]:
    """Sign in at the simulated Service Layer."""
    who = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    login = exchange(port, "POST", f"{ROOT}/Login", who)
    cookie = f"B1SESSION={login.body['SessionId']}"
    try:
        yield Erp(port, cookie)
    finally:
        exchange(port, "POST", f"{ROOT}/Logout", headers={"Cookie": cookie})


def prepare(addresses: Addresses) -> list[str]:
    """Add users, the trace field and returnable goods; return the codes of some items."""
    add_trace_field(addresses.erpsim)
    with erp_of(addresses.erpsim) as erp:
        for name in WEB_USERS[1:]:
            person = {"FirstName": name, "LastName": "S", "Active": "tYES"}
            erp.create("EmployeesInfo", {**person, "U_WEB_USER": name, "U_WEB_PASS": f"{name}-demo"})
        for name in ERP_USERS[2:]:
            user = {"UserCode": name, "UserName": name, "UserPassword": ERP_PASSWORD, "Superuser": "tYES"}
            erp.create("Users", user)
        return list(_receive(erp))


def _receive(erp: Erp) -> Iterator[str]:
    """Receive many pieces of some items of different suppliers; yield these and some scarce ones."""
    plain = {
        row["ItemCode"]
        for row in erp.rows("Items")
        if "tYES" not in (row.get("ManageBatchNumbers"), row.get("ManageSerialNumbers"))
        and row.get("Valid") != "tNO"
    }
    suppliers: dict[str, list[str]] = {}
    for receipt in erp.rows("PurchaseDeliveryNotes"):
        for line in receipt["DocumentLines"] if receipt.get("DocumentStatus") == "bost_Open" else ():
            if line["WarehouseCode"] == WAREHOUSE and line["ItemCode"] in plain:
                suppliers.setdefault(receipt["CardCode"], []).append(line["ItemCode"])
    received = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    for supplier, items in list(suppliers.items())[:PLENTIFUL]:
        line = {"ItemCode": items[0], "Quantity": PLENTY, "UnitPrice": 100, "WarehouseCode": WAREHOUSE}
        erp.create(
            "PurchaseDeliveryNotes", {"CardCode": supplier, "DocDate": received, "DocumentLines": [line]}
        )
        yield from dict.fromkeys((items[0], items[-1]))


def orders(erp: Erp) -> list[Order]:
    """Return the orders of the run: their customer's number begins with a tilde."""
    fields = f"DocEntry,NumAtCard,Comments,{TRACE_FIELD}"
    return [
        Order(
            row["DocEntry"],
            row["NumAtCard"],
            row["Comments"],
            row[TRACE_FIELD] or "",
        )
        for row in erp.rows(f"Orders?$select={fields}&$filter=startswith(NumAtCard,'~')")
    ]


def returns(erp: Erp) -> list[Return]:
    """Read the returns of plannings."""
    return [
        Return(row["DocEntry"], row["U_LIB_Odev"], row["U_LIB_Clave"] or "", _pieces(row["DocumentLines"]))
        for row in erp.rows("PurchaseReturns")
        if row.get("U_LIB_Odev")
    ]


def _pieces(lines: Sequence[dict[str, Any]]) -> tuple[Piece, ...]:
    return tuple((line["BaseEntry"], line["BaseLine"], Decimal(str(line["Quantity"]))) for line in lines)
