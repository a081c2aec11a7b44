"""Calls of `sbo-service-layer`. Its addresses are those of version 1, and it checks no certificate."""

import os
import warnings
from importlib import import_module
from typing import Any

from stack.company import COMPANY, ERP_PASSWORD, ERP_USER

from tools.foreign_clients.attempts import attempt

# a bug of the client: it declares Python 3.9, but needs 3.13 for this
if not hasattr(warnings, "deprecated"):
    vars(warnings)["deprecated"] = import_module("typing_extensions").deprecated


def demand(result: dict[str, Any]) -> dict[str, Any]:
    """Return a successful result of the client; fail otherwise."""
    assert result["success"], result
    assert result["code"] < 400, result
    return result


def main() -> None:
    """Try the client."""
    module = import_module("sbo_service.service")
    client = module.Service(ERP_USER, ERP_PASSWORD, COMPANY, "localhost", int(os.environ["ERP_PORT"]))
    attempt("login", lambda: client.login().raise_for_status())
    page = attempt("list", lambda: demand(client.read_entity("Items")))
    attempt("next page", lambda: demand(client.read_entity("Items", next=page["next"])))
    attempt("record by key", lambda: demand(client.read_entity("Items", code="CEM-0001")))
    attempt("list by condition", lambda: demand(client.read_entity("Items", filter="Valid eq 'tYES'")))
    attempt("count", lambda: int(client.read_entity("Items", count=True)["data"]))
    attempt("documents", lambda: demand(client.read_documents("Orders", skip=20)))
    attempt("document by number", lambda: demand(client.read_documents("Invoices", filter="DocEntry eq 1")))
    lines = [{"ItemCode": "CEM-0001", "Quantity": 1}]
    order = {"CardCode": "C00001", "DocDueDate": "2026-01-01", "DocumentLines": lines}
    made = attempt("create document", lambda: demand(client.create_document("Orders", order)))
    entry = made["data"][0]["DocEntry"]
    change = {"DocEntry": entry, "Comments": "changed"}
    attempt("change document", lambda: demand(client.update_document("Orders", change, "DocEntry")))
    attempt("close document", lambda: demand(client.close_document("Orders", entry)))
    attempt("reopen document", lambda: demand(client.reopen_document("Orders", entry)))
    attempt("cancel document", lambda: demand(client.cancel_document("Orders", entry)))
    attempt(
        "cancellation document",
        lambda: client.create_cancelation_document("PurchaseReturns", 1).raise_for_status(),
    )
    house = {"WarehouseCode": "S1", "WarehouseName": "one"}
    attempt("create record", lambda: demand(client.create_entity("Warehouses", house)))
    attempt("change record", lambda: demand(client.update_entity("Warehouses", house, "WarehouseCode")))
    attempt("delete record", lambda: demand(client.delete_entity("Warehouses", "S1")))
    attempt("logout", lambda: client.logout().raise_for_status())


if __name__ == "__main__":
    main()
