"""Planning returns through nginx, against the simulated ERP, as a web application sees it."""

import http.client
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from stack.addresses import Addresses, any_addresses
from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer, exchange
from stack.stack import local_stack

Ask = Callable[..., Answer]

API = "/devoluciones/api"
PLANNINGS = f"{API}/planificaciones"
MIB = 1024 * 1024
MAX_PASTE_S = 50.0
MAX_HEALTH_S = 1.0
"""Ten times what is promised; `make proof` measures the promises themselves."""

SIXTY = 60
"""Documents that the full seed's open receipts in the first warehouse make."""

HEARTBEAT_S = 15.0
"""After so long without news a stream says that it lives."""

QUIET_END_S = 6.0
"""Additional seconds that the ERP takes for the one document."""

STREAM_S = 120.0
TRIES = 5
"""Other programs on the machine may take the processor away; they won't each time."""


def sign_in(ask: Ask, erp_user: str) -> Ask:
    """Sign an ERP user in and return what asks as them."""
    answer = ask("POST", f"{API}/auth/login", {"usuario": erp_user, "clave": ERP_PASSWORD})
    assert answer.status == 200, answer.content
    cookie = SimpleCookie(answer.headers["Set-Cookie"])["dp_sid"]
    assert cookie["path"] == "/devoluciones"
    assert cookie["httponly"]
    return partial(ask, headers={"Cookie": f"dp_sid={cookie.value}"})


def as_manager(ask: Ask) -> Ask:
    """Sign an ERP superuser in, and make the company know what a planning is."""
    asking = sign_in(ask, ERP_USER)
    rebuilt = asking("POST", f"{API}/metadata/rebuild", {"simular": False})
    assert rebuilt.status == 200, rebuilt.content
    assert rebuilt.body["errores"] == []
    return asking


@pytest.fixture(scope="module")
def manager(ask: Ask) -> Ask:
    """Send requests as an ERP superuser whose company has plannings."""
    return as_manager(ask)


@pytest.fixture(scope="module")
def bodega(ask: Ask, manager: Ask) -> Ask:
    """Send requests as a warehouse user whose only right is to run the stored queries."""
    return sign_in(ask, WAREHOUSE_USER)


@pytest.fixture(scope="module")
def items(ask: Ask, administrator: str) -> list[str]:
    """Codes of items with open receipts in the first warehouse."""
    return items_of_open_receipts(ask, administrator)


def items_of_open_receipts(ask: Ask, administrator: str) -> list[str]:
    """Read the codes of items with open receipts in the first warehouse."""
    path = "/api/sl/PurchaseDeliveryNotes"
    query = "$select=DocEntry&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry%20desc&$top=9"
    found: dict[str, None] = {}
    for receipt in ask("GET", f"{path}?{query}", token=administrator).body["value"]:
        whole = ask("GET", f"{path}/{receipt['DocEntry']}?$select=DocumentLines", token=administrator).body
        found |= {
            line["ItemCode"]: None
            for line in whole["DocumentLines"]
            if line["WarehouseCode"] == "01" and line["LineStatus"] == "bost_Open"
        }
    assert len(found) > 2
    return list(found)


@pytest.fixture
def planning(bodega: Ask, items: list[str]) -> dict[str, Any]:
    """A stored planning of three items."""
    lines = [{"itemCode": item, "cantidad": 2} for item in items[:3]]
    new = {"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True}
    created = bodega("POST", PLANNINGS, new)
    assert created.status == 201, created.content
    assert bodega("GET", created.headers["Location"]).body == created.body
    body: dict[str, Any] = created.body
    return body


def test_health_is_public_and_plannings_require_a_session(ask: Ask) -> None:
    assert ask("GET", f"{API}/health").status == 200
    refused = ask("GET", PLANNINGS)
    assert (refused.status, refused.body["message"]) == (401, "Debe iniciar sesión")


def test_a_paste_preview_explains_rows_that_cannot_be_returned(bodega: Ask, items: list[str]) -> None:
    text = f"Código\tCantidad\r\n{items[0]}\t1\r\n{items[1]}\t1.000.000\r\nNO-EXISTE\t1\r\nX\tdos\r\n"
    preview = bodega("POST", f"{PLANNINGS}/pegar", {"whsCode": "01", "texto": text})
    assert preview.status == 200, preview.content
    first, second, unknown = preview.body["lineas"]
    assert first["asignada"] == 1
    assert first["mensaje"] is None
    assert second["cantidad"] == 1_000_000
    assert "en la bodega" in second["mensaje"]
    assert unknown["mensaje"].startswith("El ERP no tiene este artículo")
    assert [(note["fila"], note["columna"], note["valor"]) for note in preview.body["errores"]] == [
        (5, "cantidad", "dos")
    ]


def test_a_line_change_with_a_stale_version_is_refused(bodega: Ask, planning: dict[str, Any]) -> None:
    path = f"{PLANNINGS}/{planning['id']}/lineas/1"
    changed = bodega("PATCH", path, {"version": 1, "cantidad": 1})
    assert changed.status == 200, changed.content
    assert changed.body["lineas"][1:] == planning["lineas"][1:]
    stale = bodega("PATCH", path, {"version": 1, "cantidad": 3})
    assert (stale.status, stale.code) == (409, "stale_version")


@pytest.mark.parametrize("count", [12, pytest.param(50, marks=pytest.mark.proof)])
def test_many_simultaneous_pastes_do_not_block_health_checks(
    ask: Ask, bodega: Ask, manager: Ask, items: list[str], count: int
) -> None:
    new = {"whsCode": "01", "texto": "Código\tCantidad\n" + "".join(f"{item}\t1\n" for item in items)}
    slowest: list[float] = []
    with ThreadPoolExecutor(count) as pool:
        pastes = [
            pool.submit((bodega, manager)[number % 2], "POST", f"{PLANNINGS}/pegar", new)
            for number in range(count)
        ]
        while not all(paste.done() for paste in pastes):
            begin = time.monotonic()
            assert ask("GET", f"{API}/health").status == 200
            slowest.append(time.monotonic() - begin)
            time.sleep(0.005)
        answers = [paste.result() for paste in pastes]
    assert {answer.status for answer in answers} == {200}, [answer.content[:200] for answer in answers]
    assert max(slowest) < 10 * MAX_HEALTH_S, sorted(slowest)[-5:]


def test_creating_and_joining_sixty_documents_does_not_block_health_checks(tmp_path: Path) -> None:
    everything = 100_000
    settings = {"ADMIN_WEB_USERS": "ana"}
    # a stack of its own, since it leaves nothing to return
    with local_stack(tmp_path, addresses=any_addresses(), gateway_settings=settings) as stack:
        ask = partial(exchange, stack.addresses.origin)
        as_manager(ask)
        bodega = sign_in(ask, WAREHOUSE_USER)
        ana = ask("POST", "/api/auth/login", {"username": "ana", "password": "ana-demo"}).body["token"]
        items = items_of_open_receipts(ask, ana)
        lines = [{"itemCode": item, "cantidad": everything} for item in items]
        created = bodega("POST", PLANNINGS, {"cabecera": {"whsCode": "01"}, "lineas": lines})
        assert created.status == 201, created.content
        path, version = f"{PLANNINGS}/{created.body['id']}", created.body["version"]
        for line in created.body["lineas"]:
            if line["estado"] == "requiere_lotes":
                change = {"version": version, "excluida": True}
                version = bodega("PATCH", f"{path}/lineas/{line['lineId']}", change).body["version"]
        slowest: list[float] = []
        executing = partial(executed_to_its_end, bodega, path, version)
        executed = answer_beside_health_checks(ask, slowest, executing)
        joining = partial(bodega, "POST", f"{path}/pdf", {})
        joined = answer_beside_health_checks(ask, slowest, joining)
    assert joined.status == 200, joined.content[:200]
    assert [document["estado"] for document in executed.body["documentos"]] == ["creado"] * SIXTY
    assert joined.content.startswith(b"%PDF-")
    assert max(slowest) < MAX_HEALTH_S, sorted(slowest)[-5:]


def executed_to_its_end(bodega: Ask, path: str, version: int) -> Answer:
    """Execute a planning, and wait for the end where the answer does not: a slow one is 202 after a while."""
    answer = bodega("POST", f"{path}/devoluciones", {"version": version})
    until = time.monotonic() + STREAM_S
    while answer.status < 300 and answer.body["estado"] == "en_proceso" and time.monotonic() < until:
        time.sleep(0.2)
        answer = bodega("GET", path)
    return answer


def answer_beside_health_checks(ask: Ask, durations: list[float], call: Callable[[], Answer]) -> Answer:
    """Make a call, and while it runs one health check after another; note how long each took."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(call)
        while not answer.done():
            begin = time.monotonic()
            assert ask("GET", f"{API}/health").status == 200
            durations.append(time.monotonic() - begin)
            time.sleep(0.005)
        return answer.result()


def test_every_user_sees_the_planning(manager: Ask, planning: dict[str, Any]) -> None:
    listed = manager("GET", f"{PLANNINGS}?status=O&whsCode=01&tamano=1")
    assert [row["id"] for row in listed.body["datos"]] == [planning["id"]]
    assert manager("GET", f"{PLANNINGS}/{planning['id']}").body == planning


def test_a_page_of_another_site_cannot_change_a_planning(ask: Ask, bodega: Ask, addresses: Addresses) -> None:
    cookie = bodega.keywords["headers"]["Cookie"]  # type: ignore[attr-defined]
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = ask("POST", PLANNINGS, {}, headers={"Cookie": cookie, **headers})
        assert (refused.status, refused.code) == (403, "origin_forbidden")
    own = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{addresses.origin}"}
    assert ask("POST", PLANNINGS, {}, headers=own).status == 400


def test_a_paste_of_ten_mebibytes_passes_nginx_without_blocking_health_checks(ask: Ask, bodega: Ask) -> None:
    rows = 49_000
    comment = "c" * (10 * MIB // rows - 40)
    text = "Código\tCantidad\tObs\n" + "".join(f"A{n % 900:04d}\t1\t{comment}\n" for n in range(rows))
    new = {"whsCode": "01", "texto": text}
    bodega("POST", f"{PLANNINGS}/pegar", new)  # what is slow once only, is slow now
    found: list[tuple[float, float]] = []
    with ThreadPoolExecutor(1) as pool:
        for _ in range(TRIES):
            started = time.monotonic()
            paste = pool.submit(bodega, "POST", f"{PLANNINGS}/pegar", new)
            slowest = 0.0
            while not paste.done():
                begin = time.monotonic()
                assert ask("GET", f"{API}/health").status == 200
                slowest = max(slowest, time.monotonic() - begin)
                time.sleep(0.005)
            answer = paste.result()
            assert answer.status == 200, answer.content[:300]
            assert answer.body["filasLeidas"] == rows
            found.append((time.monotonic() - started, slowest))
            if found[-1][0] < MAX_PASTE_S and slowest < MAX_HEALTH_S:
                return
    pytest.fail(f"seconds to answer, and of the slowest health check: {found}")


def events_of(addresses: Addresses, path: str, body: object, cookie: str) -> list[tuple[float, str]]:
    """Read an event stream through nginx; return when each event came after the headers, and what it was."""
    connection = http.client.HTTPConnection("127.0.0.1", addresses.origin, timeout=STREAM_S)
    headers = {"Cookie": cookie, "Content-Type": "application/json", "Accept": "text/event-stream"}
    try:
        connection.request("POST", path, json.dumps(body).encode(), headers)
        reply = connection.getresponse()
        assert reply.status == 200
        assert (reply.getheader("Content-Type") or "").startswith("text/event-stream")
        begin = time.monotonic()
        return [
            (time.monotonic() - begin, line.decode().strip())
            for line in iter(reply.readline, b"")
            if line.startswith((b"event", b":"))
        ]
    finally:
        connection.close()


def plan_of_one_document(bodega: Ask, items: list[str]) -> dict[str, Any]:
    """Plan one piece of the first item that needs no batch or serial number."""
    text = "Código\tCantidad\n" + "\n".join(f"{item}\t1" for item in items)
    preview = bodega("POST", f"{PLANNINGS}/pegar", {"whsCode": "01", "texto": text}).body
    plain = [line for line in preview["lineas"] if line["gestion"] == "ninguna" and line["asignada"]]
    lines = [{"itemCode": plain[0]["itemCode"], "cantidad": 1}]
    new = {"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True}
    planned = bodega("POST", PLANNINGS, new)
    assert planned.status == 201, planned.content
    assert len(planned.body["documentos"]) == 1
    body: dict[str, Any] = planned.body
    return body


def test_the_heartbeat_of_an_execution_passes_nginx_without_delay(
    bodega: Ask, control: Ask, items: list[str], addresses: Addresses
) -> None:
    planned = plan_of_one_document(bodega, items)
    path = f"{PLANNINGS}/{planned['id']}"
    slow = {"path": "$batch", "action": {"kind": "delay", "seconds": HEARTBEAT_S + QUIET_END_S}}
    assert control("POST", "/faults", slow).status == 201
    cookie = bodega.keywords["headers"]["Cookie"]  # type: ignore[attr-defined]
    came = events_of(addresses, f"{path}/devoluciones", {"version": planned["version"]}, cookie)
    events = [event for _, event in came]
    assert events == ["event: progreso", ": vivo", "event: progreso", "event: resultado"]
    first, alive, _, end = (when for when, _ in came)
    assert first < HEARTBEAT_S / 2, "the first event does not wait for the ERP"
    assert alive - first > HEARTBEAT_S - 1
    assert end - alive > QUIET_END_S / 2, "nothing keeps the comment back until the next event"
    assert bodega("GET", path).body["estado"] == "ejecutada"


def test_the_description_is_served_under_the_prefix(bodega: Ask) -> None:
    document = bodega("GET", f"{API}/openapi.json")
    assert document.status == 200
    assert "/api/planificaciones/pegar" in document.body["paths"]
