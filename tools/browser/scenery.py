"""Test data for every page of the console."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stack.company import COMPANY, ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer

Ask = Callable[..., Answer]
ADMINISTRATOR = "ana"
RETURNS = "/devoluciones/api"
WAREHOUSE = "01"
_RECEIPTS = "$select=DocumentLines&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry%20desc"


@dataclass(frozen=True)
class Scenery:
    """Identifiers of the test data, as used in addresses of pages.

    Attributes:
        batches: returnable item managed by batches.
        serials: returnable item managed by serial numbers.
        items: returnable items without batches or serial numbers, at least a hundred pieces of each.
        planned: a planning with shortages that is not executed.
        executed: an executed planning.
        order: a sales order that was changed once.
    """

    items: list[str]
    batches: str
    serials: str
    planned: int
    executed: int
    order: int

    def pages(self) -> dict[str, str]:
        """Return every page: a name for files, and its path."""
        return {
            "inicio": "/",
            "registros": "/erp",
            "pedidos": "/erp/Orders",
            "pedido": f"/erp/Orders/{self.order}",
            "crear-pedido": "/crear/Orders",
            "informes": "/informes",
            "informe": "/informes/html/ventas",
            "consulta": "/informes/consulta/pedido",
            "trabajos": "/trabajos",
            "escrituras": "/escrituras",
            "planificaciones": "/devoluciones",
            "nueva-devolucion": "/devoluciones/nueva",
            "planificacion": f"/devoluciones/{self.planned}",
            "planificacion-ejecutada": f"/devoluciones/{self.executed}",
            "preparacion": "/devoluciones/preparacion",
            "sistema": "/sistema",
            "permisos": "/permisos",
            "sesiones": "/sesiones",
            "auditoria": "/auditoria",
            "historia": f"/historia/Orders/{self.order}",
            "no-existe": "/nada",
        }


def build(ask: Ask, erp: Ask, *, program: tuple[str, str]) -> Scenery:
    """Prepare the ERP for plannings and create the data of the pages.

    Args:
        ask: sends a request through nginx.
        erp: sends one to the simulated ERP itself.
        program: web user and password of an administrator who is not signed in in any browser.
    """
    superuser = _cookie(ask, ERP_USER)
    _expect(ask("POST", f"{RETURNS}/metadata/rebuild", {"simular": False}, headers=superuser), 200)
    managed = _items(ask, superuser, _received(erp))
    items = managed["ninguna"]
    clerk = _cookie(ask, WAREHOUSE_USER)
    executed = _plan(ask, clerk, {items[0]: 2, items[1]: 1})
    path = f"{RETURNS}/planificaciones/{executed['id']}/devoluciones"
    _expect(ask("POST", path, {"version": executed["version"]}, headers=clerk), 200)
    planned = _plan(ask, clerk, {items[2]: 3, items[3]: 100_000, "NO-EXISTE": 5})
    return Scenery(
        items=items,
        batches=managed["lotes"][0],
        serials=managed["series"][0],
        planned=planned["id"],
        executed=executed["id"],
        order=_order(ask, program),
    )


def _expect(answer: Answer, status: int) -> Any:
    if answer.status != status:
        raise RuntimeError(f"expected {status}, got {answer.status}: {answer.content!r}")
    return answer.body


def _cookie(ask: Ask, user: str) -> dict[str, str]:
    login = ask("POST", f"{RETURNS}/auth/login", {"usuario": user, "clave": ERP_PASSWORD})
    _expect(login, 200)
    return {"Cookie": login.headers["Set-Cookie"].split(";")[0]}


def _received(erp: Ask) -> list[str]:
    """Return items of the newest open receipts, and some with serial numbers, which are rare."""
    login = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    session = _expect(erp("POST", "/b1s/v1/Login", login), 200)["SessionId"]
    headers = {"Cookie": f"B1SESSION={session}", "B1S-PageSize": "80"}
    path = f"/b1s/v1/PurchaseDeliveryNotes?{_RECEIPTS}&$top=80"
    found = _expect(erp("GET", path, headers=headers), 200)["value"]
    lines = [line for receipt in found for line in receipt["DocumentLines"]]
    codes = [each["ItemCode"] for each in lines if each["WarehouseCode"] == WAREHOUSE]
    path = "/b1s/v1/Items?$select=ItemCode&$filter=ManageSerialNumbers%20eq%20%27tYES%27&$top=80"
    codes += [each["ItemCode"] for each in _expect(erp("GET", path, headers=headers), 200)["value"]]
    return list(dict.fromkeys(codes))


def _items(ask: Ask, cookie: dict[str, str], codes: list[str]) -> dict[str, list[str]]:
    """Return the returnable items by the way single units are identified (`ninguna`, `lotes`, `series`)."""
    # Items without batches and serial numbers are only included if a hundred pieces can be returned.
    rows = "\n".join(f"{code}\t100" for code in codes)
    body = {"whsCode": WAREHOUSE, "texto": f"Código\tCantidad\n{rows}"}
    lines = _expect(ask("POST", f"{RETURNS}/planificaciones/pegar", body, headers=cookie), 200)["lineas"]
    found: dict[str, list[str]] = {"ninguna": [], "lotes": [], "series": []}
    for line in lines:
        if line["asignada"] == line["cantidad"] or (line["gestion"] != "ninguna" and line["asignada"] > 0):
            found[line["gestion"]].append(line["itemCode"])
    return found


def _plan(ask: Ask, cookie: dict[str, str], wanted: dict[str, int]) -> dict[str, Any]:
    lines = [{"itemCode": item, "cantidad": quantity} for item, quantity in wanted.items()]
    body = {"cabecera": {"whsCode": WAREHOUSE}, "lineas": lines, "permitirOtra": True}
    planning: dict[str, Any] = _expect(ask("POST", f"{RETURNS}/planificaciones", body, headers=cookie), 201)
    return planning


def _order(ask: Ask, program: tuple[str, str]) -> int:
    login = ask("POST", "/api/auth/login", dict(zip(("username", "password"), program, strict=True)))
    token = _expect(login, 200)["token"]
    query = "$select=CardCode&$filter=CardType%20eq%20%27cCustomer%27&$top=1"
    customer = _expect(ask("GET", f"/api/sl/BusinessPartners?{query}", token=token), 200)["value"][0][
        "CardCode"
    ]
    query = "$select=ItemCode&$filter=SalesItem%20eq%20%27tYES%27&$orderby=ItemCode&$top=2"
    sold = _expect(ask("GET", f"/api/sl/Items?{query}", token=token), 200)["value"]
    lines = [{"ItemCode": each["ItemCode"], "Quantity": 2, "UnitPrice": 1250.5} for each in sold]
    body = {"CardCode": customer, "DocDueDate": "2030-12-31", "DocumentLines": lines}
    number: int = _expect(ask("POST", "/api/sl/Orders", body, token=token), 201)["DocEntry"]
    _expect(ask("PATCH", f"/api/sl/Orders/{number}", {"Comments": "Entregar por la tarde"}, token=token), 204)
    return number
