"""The limit of every endpoint's body, as one written table beside the largest body that it may need."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from erp_gateway.app import list_endpoints

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

LARGEST: dict[str, Any] = {
    "POST /api/auth/login": {"username": "😀" * 254, "password": "😀" * 1024},
    "POST /api/writes/{id}/settle": {"result": "not_done", "key": "😀" * 254},
    "PUT /api/permissions/{webUser}": {"paths": [f"/{'x' * 195}{number:04}" for number in range(500)]},
    "PUT /api/gateway/registry/{code}": {
        "title": "t" * 200,
        "documents": [{"screen": f"/{'x' * 400}{number}"} for number in range(100)],
        "parameters": [{"name": f"{number:03}{'x' * 997}", "type": "xsd:string"} for number in range(100)],
    },
    "POST /api/gateway/reports/{code}/export": {
        "values": {f"p{number}": "x" * 1000 for number in range(100)}
    },
    "POST /api/gateway/documents/export": {
        "screen": f"/{'x' * 499}",
        "code": "x" * 50,
        "docEntry": 2**31 - 1,
    },
    "POST /api/erpdb/queries/{name}": {"params": {f"p{number}": "x" * 5000 for number in range(20)}},
    "POST /api/erpdb/queries/{name}/count": {"params": {f"p{number}": "x" * 5000 for number in range(20)}},
    "POST /api/sl-queries/{name}": {"params": {f"p{number}": "x" * 5000 for number in range(20)}},
    "POST /api/html-reports/{code}/render": {"values": {f"p{number}": "x" * 1000 for number in range(100)}},
    "POST /api/html-reports/{code}/pdf": {"values": {f"p{number}": "x" * 1000 for number in range(100)}},
}
"""Bodies that the endpoints' own rules allow, at their longest."""

AS_CONFIGURED = {
    "POST /api/change-sets",
    "POST /api/sl/{resource}",
    "PATCH /api/sl/{resource}/{key}",
    "POST /api/sl/{resource}/{key}/{action}",
}
"""`MAX_BODY_BYTES` holds: the ERP's documents may be large; large ones are read in a thread."""
FILES = "POST /api/attachments/{resource}/{key}"
"""A form of files, spooled as it comes: its limit is a setting's."""


@pytest.mark.asyncio
async def test_every_endpoint_declares_a_limit_that_fits_its_body(gateway: "Gateway") -> None:
    taking = {
        f"{endpoint.method} {endpoint.path}": endpoint.max_body_bytes
        for endpoint in list_endpoints(gateway.components)
        if endpoint.request is not None
    }
    assert {name for name, limit in taking.items() if limit is None} == AS_CONFIGURED
    own = {name: limit for name, limit in taking.items() if limit is not None}
    assert set(own) == {*LARGEST, FILES}
    for name, body in LARGEST.items():
        needed = len(json.dumps(body))
        assert needed <= own[name] <= 4 * needed, f"{name}: {own[name]} for {needed}"


@pytest.mark.asyncio
async def test_a_smaller_configured_body_limit_applies_to_every_endpoint(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, MAX_BODY_BYTES="1024") as small:
        body = {"username": "ana", "password": "x" * 1024}
        answer = await small.http.post("/api/auth/login", json=body)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.asyncio
async def test_the_first_twenty_body_errors_are_listed_and_the_rest_counted(gateway: "Gateway") -> None:
    body = {f"x{number}": 1 for number in range(1000)}
    answer = await gateway.http.post("/api/auth/login", json=body)
    errors = answer.json()["errors"]
    assert (answer.status_code, len(errors)) == (400, 21)
    assert errors[0] == {"path": "username", "message": "Falta este campo."}
    assert errors[20] == {"path": "", "message": "Además, problemas sin mostrar: 982."}
    ana = await gateway.signed_in()
    for path, faulty in (
        ("/api/permissions/luis", {"paths": ["//"] * 100}),
        ("/api/permissions/luis", {"paths": [1] * 100}),
    ):
        errors = (await gateway.http.put(path, json=faulty, headers=ana)).json()["errors"]
        assert len(errors) == 21
        assert errors[20]["message"].endswith(": 80.")
    nameless = {f"a\n{number}": 1 for number in range(100)}
    errors = (await gateway.http.post("/api/sl/Items", json=nameless, headers=ana)).json()["errors"]
    assert len(errors) == 21
