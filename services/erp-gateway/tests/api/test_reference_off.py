"""With the memory of reference data off, log, audit, metrics and answers are those of the time before it.

`golden/reference_off.json` was written by this test from the gateway as it was before it kept reference data.
Where a line or a figure is changed on purpose, it is changed there too.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog

if TYPE_CHECKING:
    from tests.api.conftest import OpenGateway

    from erpsim.simulator import Simulator

GOLDEN = Path(__file__).with_name("golden") / "reference_off.json"
ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2025-06-30",
    "DocumentLines": [{"ItemCode": "N+1", "Quantity": 1}],
}
OLD_TAG = 'W/"0000000000000000000000000000000000000000"'
REQUESTS: tuple[tuple[str, str, dict[str, Any] | None, dict[str, str]], ...] = (
    ("GET", "Items?$select=ItemCode,ItemName&$filter=startswith(ItemCode,'A')&$top=3", None, {}),
    ("GET", "BusinessPartners?$select=CardCode,CardName&$orderby=CardCode&$top=3", None, {}),
    ("GET", "Items/N+1", None, {}),
    ("GET", "Warehouses", None, {}),
    ("GET", "Warehouses", None, {}),
    ("GET", "Warehouses/01?$select=WarehouseName", None, {}),
    ("GET", "Warehouses/01?$select=WarehouseName", None, {"Cache-Control": "no-cache"}),
    ("GET", "Warehouses/NONE", None, {}),
    ("PATCH", "Warehouses/01", {"WarehouseName": "Central"}, {}),
    ("GET", "Warehouses/01?$select=WarehouseName", None, {}),
    ("POST", "Orders", ORDER, {"Idempotency-Key": "one"}),
    ("POST", "Orders", ORDER, {"Idempotency-Key": "one"}),
    ("POST", "Orders", {**ORDER, "Comments": "other"}, {"Idempotency-Key": "one"}),
    ("PATCH", "Items/N+1", {"ItemName": "Otro"}, {"If-Match": OLD_TAG}),
    ("GET", "EmployeesInfo?$select=U_WEB_PASS", None, {}),
    ("GET", "Warehouses?$filter=Nonsense(", None, {}),
    ("GET", "NotThere", None, {}),
    ("DELETE", "Warehouses/01", None, {}),
)
"""What the tour asks of the ERP, with reads of reference data, a write to it and refusals."""

_MASKED = ("ms", "upstream_ms", "queue_ms", "request_id", "timestamp", "head")
_OF_REQUESTS = re.compile(r"^(erp|http|audit|ledger|web)_")
_TIMED = re.compile(r"_seconds|_created")


@pytest.mark.asyncio
async def test_log_audit_metrics_and_answers_are_those_of_a_gateway_without_a_memory(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    seen: dict[str, Any] = {"answers": []}
    with structlog.testing.capture_logs() as logs:
        async with open_gateway(sim, REFERENCE_FRESH_S="0", STALE_IF_ERROR_S="0") as gateway:
            ana = await gateway.signed_in()
            clerk = await gateway.signed_in("luis")
            for who, asked in ((ana, REQUESTS), (clerk, REQUESTS[:11])):
                for method, path, body, headers in asked:
                    answer = await gateway.http.request(
                        method, f"/api/sl/{path}", json=body, headers={**who, **headers}
                    )
                    seen["answers"].append(
                        told(method, path, answer.status_code, answer.headers, answer.text)
                    )
            audit = await gateway.http.get("/api/audit?pageSize=200", headers=ana)
            seen["audit"] = [
                masked(entry, ("id", "at", "requestId", "chain")) for entry in audit.json()["items"]
            ]
            seen["metrics"] = figures(gateway.components.metrics_registry.collect())
    seen["log"] = [masked(line, _MASKED) for line in logs if line["event"] in ("request_finished", "AUDIT")]
    assert json.loads(json.dumps(seen)) == json.loads(GOLDEN.read_text("utf-8"))


def told(method: str, path: str, status: int, headers: Any, text: str) -> dict[str, Any]:
    """Return an answer without what is another one each time."""
    kept = sorted(headers)
    problem = json.loads(text).get("code") if status >= 400 and text else None
    return {"asked": f"{method} {path}", "status": status, "headers": kept, "code": problem}


def masked(record: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return a record with the values of some names hidden, and with those that are absent left absent."""
    return {name: "…" if name in names else value for name, value in sorted(record.items())}


def figures(families: Iterable[Any]) -> list[str]:
    """Return what was counted of requests, writes and the audit; of what is timed only how often."""
    return sorted(
        f"{sample.name}{json.dumps(sample.labels, sort_keys=True)} {sample.value:g}"
        for family in families
        for sample in family.samples
        if sample.value
        and _OF_REQUESTS.match(sample.name)
        and (sample.name.endswith("_count") or not _TIMED.search(sample.name))
    )
