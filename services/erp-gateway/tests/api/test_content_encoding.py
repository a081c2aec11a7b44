"""A compressed body is refused with the reason on every route that reads one."""

import gzip
from typing import TYPE_CHECKING

import pytest

from erp_gateway.app import list_endpoints

if TYPE_CHECKING:
    from tests.api.conftest import Gateway

FORM = {"POST /api/attachments/{resource}/{key}": "multipart/form-data; boundary=b"}


@pytest.mark.asyncio
async def test_an_encoded_body_is_rejected_with_415_on_every_route(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    gateway.sim.calls.clear()
    refused = set()
    for endpoint in list_endpoints(gateway.components):
        if endpoint.request is None:
            continue
        name = f"{endpoint.method} {endpoint.path}"
        path = endpoint.path.replace("{resource}/{key}/{action}", "IncomingPayments/1/Cancel")
        path = path.replace("{resource}", "Orders").replace("{key}", "1").replace("{", "").replace("}", "")
        text = {**ana, "Content-Type": "text/plain"}
        answer = await gateway.http.request(endpoint.method, path, content=b"{}", headers=text)
        if answer.status_code != 415:
            assert answer.status_code in {404, 503}, f"{name}: no such record, or no such module here"
            continue
        for coding in ("gzip", "Identity, BR"):
            headers = {"Content-Type": FORM.get(name, "application/json"), "Content-Encoding": coding}
            answer = await gateway.http.request(
                endpoint.method, path, content=gzip.compress(b"{}"), headers=ana | headers
            )
            assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type"), name
            assert "Content-Encoding" in answer.json()["message"], name
            assert answer.headers["Accept-Encoding"] == "identity"
        refused.add(name)
    assert refused > {
        "POST /api/auth/login",
        "POST /api/sl/{resource}",
        "PATCH /api/sl/{resource}/{key}",
        *FORM,
    }
    assert not gateway.sim.calls.total
