"""Starting without the ERP, coming back with it, ending without losing a write: real signals."""

import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from stack.addresses import Addresses, any_addresses
from stack.exchange import Answer, exchange
from stack.processes import Child
from stack.stack import erpsim_process, gateway_process

Ask = Callable[..., Answer]
CREDENTIALS = {"username": "ana", "password": "ana-demo"}


@pytest.fixture
def addresses() -> Addresses:
    return any_addresses()


@pytest.fixture
def gateway(tmp_path: Path, addresses: Addresses) -> Iterator[Child]:
    """A gateway of the test's own; the ERP is not there yet."""
    with gateway_process(tmp_path, addresses, {"ADMIN_WEB_USERS": "ana"}) as child:
        child.wait_until_it_answers(addresses.gateway, "/api/health")
        yield child


@pytest.fixture
def erpsim(tmp_path: Path, addresses: Addresses) -> Iterator[Child]:
    with erpsim_process(tmp_path, addresses, penalty_s=0, seed="small") as child:
        child.wait_until_it_answers(addresses.erpsim, "/ping/", timeout_s=60)
        yield child


def test_the_gateway_is_healthy_without_the_erp_and_recovers_by_itself(
    tmp_path: Path, addresses: Addresses, gateway: Child
) -> None:
    ask = partial(exchange, addresses.gateway)
    assert ask("GET", "/api/health").status == 200
    assert ask("GET", "/api/health/erp").status == 503
    away = ask("POST", "/api/auth/login", CREDENTIALS)
    assert away.status == 502
    with erpsim_process(tmp_path, addresses, penalty_s=0, seed="small") as erpsim:
        erpsim.wait_until_it_answers(addresses.erpsim, "/ping/", timeout_s=60)
        answers = (ask("POST", "/api/auth/login", CREDENTIALS).status for _ in range(50))
        assert next((status for status in answers if _pause_unless(status == 200)), None) == 200


def _pause_unless(good: bool) -> bool:
    if not good:
        threading.Event().wait(0.1)
    return good


def test_sigterm_finishes_a_write_refuses_new_requests_and_logs_out(
    addresses: Addresses, erpsim: Child, gateway: Child
) -> None:
    ask = partial(exchange, addresses.gateway)
    control = partial(exchange, addresses.control)
    token = ask("POST", "/api/auth/login", CREDENTIALS).body["token"]
    control(
        "POST", "/faults", {"method": "POST", "path": "Warehouses", "action": {"kind": "delay", "seconds": 2}}
    )
    answers: list[Answer] = []
    body = {"WarehouseCode": "SIGT", "WarehouseName": "Bodega del cierre"}
    writing = threading.Thread(
        target=lambda: answers.append(ask("POST", "/api/sl/Warehouses", body, token=token))
    )
    writing.start()
    _wait_for(lambda: control("GET", "/calls?method=POST&path=Warehouses").body["calls"] != [])

    gateway.signal(signal.SIGTERM)
    refused = _status_or_refused(ask)
    writing.join()

    assert [answer.status for answer in answers] == [201]
    assert refused in {503, None}
    assert gateway.wait(5) == 0
    logouts = control("GET", "/calls?method=POST&path=Logout").body["calls"]
    assert [call["status"] for call in logouts] == [204]
    assert len(control("GET", "/calls?method=POST&path=Warehouses").body["calls"]) == 1


def test_an_idle_gateway_stops_at_once(addresses: Addresses, gateway: Child) -> None:
    gateway.signal(signal.SIGTERM)
    assert gateway.wait(3) == 0


def test_a_second_gateway_on_the_same_store_does_not_start(
    tmp_path: Path, addresses: Addresses, gateway: Child
) -> None:
    other = any_addresses()
    with gateway_process(tmp_path, other, {"ADMIN_WEB_USERS": "ana"}) as second:
        assert second.wait(10) != 0
    assert str(gateway.pid) in second.output()


def test_every_invalid_setting_is_named_at_once(tmp_path: Path, addresses: Addresses) -> None:
    bad = {"PORT": "http", "ERP_SL_URL": "ftp://x", "ERP_SL_MAX_CONCURENCY": "2"}
    with gateway_process(tmp_path, addresses, bad) as child:
        assert child.wait(10) != 0
    for name in bad:
        assert name in child.output()


def test_no_secret_is_in_the_log(addresses: Addresses, erpsim: Child, gateway: Child) -> None:
    ask = partial(exchange, addresses.gateway)
    token = ask("POST", "/api/auth/login", CREDENTIALS).body["token"]
    secret = "Contraseña-que-no-debe-verse"
    ask("POST", "/api/auth/login", {"username": "ana", "password": secret})
    ask("GET", f"/api/sl/Items?$top=1&token={token}", token=token)
    output = gateway.output()
    assert output
    assert secret not in output
    assert token not in output
    assert "erpsim" not in output.replace(f":{addresses.erpsim}", "")
    assert "B1SESSION" not in output


def _status_or_refused(ask: Ask) -> int | None:
    try:
        return ask("GET", "/api/health").status
    except ConnectionError:
        return None


def _wait_for(holds: Callable[[], bool], *, timeout_s: float = 30.0) -> None:
    pause = threading.Event()
    for _ in range(int(timeout_s / 0.05)):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError("it did not come true in time")
