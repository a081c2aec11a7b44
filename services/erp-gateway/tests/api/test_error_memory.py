"""Requests that failed: nothing of the ERP's answers is left once they are told, without any collector."""

from typing import TYPE_CHECKING, Any

import pytest

from erpclient import ErpError, HttpReply
from erpsim.faults import Answer, Fault
from servicekit.errors import ServiceError
from servicekit.testing.remains import uncollected

if TYPE_CHECKING:
    from tests.api.conftest import Gateway

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

TIMES = 10
ANSWER = Answer(status=200, body='{"value": [{"ItemCode": "', content_type="application/json")
"""Half an answer; erpclient's test_errors_kept has the other ways to fail."""

REQUESTS: dict[str, tuple[str, str, Any, str]] = {
    "list": ("GET", "sl/Items", None, ""),
    "record": ("GET", "sl/Items/A", None, ""),
    "create": ("POST", "sl/Orders", {"Comments": "x"}, ""),
    "create with a key": ("POST", "sl/Orders", {"Comments": "x"}, "Idempotency-Key"),
    "change": ("PATCH", "sl/Orders/5", {"Comments": "x"}, ""),
    "service": ("POST", "sl/SeriesService_GetDocumentSeries", {}, ""),
    "export": ("GET", "sl/Items/export?formato=csv", None, ""),
}


@pytest.mark.parametrize("request_", REQUESTS)
async def test_ten_failed_erp_responses_leave_no_error_in_memory(gateway: "Gateway", request_: str) -> None:
    ana = await gateway.signed_in()
    method, path, body, key = REQUESTS[request_]
    gateway.sim.faults.add(Fault(action=ANSWER, path=path.split("/")[1].split("?")[0] + "*", times=None))
    with uncollected(HttpReply, ErpError, ServiceError) as remains:
        for number in range(TIMES):
            headers = {key: f"a-key-of-a-test-{number}"} if key else {}
            got = await gateway.http.request(method, f"/api/{path}", headers=ana | headers, json=body)
            assert got.status_code >= 400
        assert await remains.names() == []
