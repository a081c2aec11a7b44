"""Body limit of every endpoint in one table, compared with its largest possible body."""

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from supplier_returns.app import list_endpoints
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.settings.custom_fields import MAX_TEXT
from supplier_returns.settings.returns import MAX_FIELDS

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

    from erpsim.simulator import Simulator

NUMBERS = [2_000_000_000 + number for number in range(10_000)]
LARGEST: dict[str, Any] = {
    "POST /api/auth/login": {"usuario": "😀" * 254, "clave": "😀" * 1024},
    "POST /api/metadata/rebuild": {"simular": " " * 500},
    "PATCH /api/planificaciones/{id}/cabecera": {
        "version": 2**31 - 1,
        "motivo": "😀" * 254,
        "comentario": "😀" * 254,
        "whsCode": "😀" * 8,
        "camposDevolucion": {f"U_{'X' * 46}{number:02}": "😀" * MAX_TEXT for number in range(MAX_FIELDS)},
    },
    "PATCH /api/planificaciones/{id}/lineas/{lineId}": {
        "version": 2**31 - 1,
        "lotes": [{"lote": "ñ" * 36, "cantidad": 1.123456} for _ in range(900)],
    },
    "POST /api/planificaciones/{id}/replanificar": {"version": " " * 500},
    "POST /api/planificaciones/{id}/devoluciones": {"version": 2**31 - 1, "documentos": NUMBERS},
    "POST /api/planificaciones/{id}/reprocesar": {"documentos": NUMBERS, "replanificar": False},
    "POST /api/planificaciones/{id}/pdf": {"documentos": NUMBERS, "cedible": True, "parcial": True},
    "POST /api/planificaciones/{id}/cerrar": {"motivo": "😀" * 254},
    "POST /api/planificaciones/pegar": {"texto": "x" * (MAX_PASTE_BYTES - 100)},
}
"""Bodies that the endpoints' own rules allow, at their longest."""

AS_CONFIGURED = {"POST /api/planificaciones", "POST /api/planificaciones/{id}/lineas"}
"""`MAX_BODY_BYTES` holds: a plan may be large, and is read in a thread."""
JSON_TYPE = {"Content-Type": "application/json"}


@pytest.mark.asyncio
async def test_every_endpoint_declares_a_limit_that_fits_its_body(service: "Service") -> None:
    taking = {
        f"{endpoint.method} {endpoint.path}": endpoint.max_body_bytes
        for endpoint in list_endpoints(service.components)
        if endpoint.request is not None
    }
    assert {name for name, limit in taking.items() if limit is None} == AS_CONFIGURED
    own = {name: limit for name, limit in taking.items() if limit is not None}
    assert set(own) == set(LARGEST)
    for name, body in LARGEST.items():
        needed = len(json.dumps(body))
        assert needed <= own[name] <= 4 * needed, f"{name}: {own[name]} for {needed}"


@pytest.mark.asyncio
async def test_a_smaller_configured_limit_applies_to_every_endpoint_except_the_paste(
    open_service: "OpenService", sim: "Simulator"
) -> None:
    async with open_service(sim, MAX_BODY_BYTES="1024") as small, small.signed_in() as client:
        body = {"usuario": "manager", "clave": "x" * 1024}
        answer = await client.post("/api/auth/login", json=body)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        answer = await client.post("/api/planificaciones/pegar", content=b" " * 2048, headers=JSON_TYPE)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


@pytest.mark.asyncio
async def test_large_bodies_do_not_delay_other_requests(service: "Service") -> None:
    """Sends ten bodies of a megabyte at once. The limit is 100 ms; they used to take seconds."""
    names = b",".join(b'"k%05x":1' % number for number in range(100_000))
    body = b"{" + names[: 1024 * 1024 - 20].rpartition(b",")[0] + b"}"
    async with service.client_at() as client:
        started = time.perf_counter()
        answers = await asyncio.gather(
            *(client.post("/api/auth/login", content=body, headers=JSON_TYPE) for _ in range(10))
        )
        health = await client.get("/api/health")
        took_s = time.perf_counter() - started
    assert {answer.status_code for answer in answers} == {413}
    assert health.status_code == 200
    assert took_s < 1
