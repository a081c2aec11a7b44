"""The service as a real process, started from the environment and stopped by a signal."""

import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import load_pem_x509_certificate
from service_process import arrived, environment, started

from erpsim.company.clock import SystemClock
from erpsim.faults import BadGateway, Delay, Fault
from erpsim.process.certificates import self_signed
from erpsim.simulator import run_sim
from servicekit.testing.ports import free_port

PASSPHRASE = "canary-passphrase"


def run(command: str, environ: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "supplier_returns", command]
    return subprocess.run(
        arguments, env=environ, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.asyncio
async def test_a_signal_lets_running_requests_finish_and_logs_out_every_session(tmp_path: Path) -> None:
    async with run_sim() as sim, started(sim.url, tmp_path) as (server, client):
        for _ in range(2):
            body = {"usuario": "manager", "clave": "erpsim"}
            client.cookies.clear()
            assert (await client.post("/api/auth/login", json=body)).status_code == 200
        sim.faults.add(Fault(action=Delay(seconds=4), path="Warehouses*"))
        running = asyncio.create_task(client.get("/api/catalogos/almacenes"))
        await arrived(sim, "GET", "Warehouses")
        waiting = asyncio.create_task(client.get("/api/catalogos/almacenes?actualizar=true"))
        await asyncio.sleep(2)  # the service gives no sign that the request arrived
        server.process.send_signal(signal.SIGTERM)
        refused = await waiting
        assert (refused.status_code, refused.json()["code"]) == (503, "shutting_down")
        assert (await running).status_code == 200
        assert await server.ended() == 0
        assert len(sim.calls.of("POST", "Logout")) == 2
    finished = [line for line in server.lines if line["event"] == "request_finished"]
    assert {line["status"] for line in finished} == {200, 503}


@pytest.mark.asyncio
async def test_a_rebuild_that_is_killed_is_completed_after_a_restart(tmp_path: Path) -> None:
    body = {"usuario": "manager", "clave": "erpsim"}
    async with run_sim() as sim:
        async with started(sim.url, tmp_path) as (server, client):
            assert (await client.post("/api/auth/login", json=body)).status_code == 200
            sim.faults.add(Fault(action=Delay(seconds=30), method="POST", path="UserFieldsMD", nth=20))
            running = asyncio.create_task(client.post("/api/metadata/rebuild"))
            await arrived(sim, "POST", "UserFieldsMD", 20)
            server.process.kill()
            await server.ended()
            with pytest.raises(httpx2.TransportError):
                await running
        sim.faults.clear()
        async with started(sim.url, tmp_path) as (_, client):
            forgotten = await client.get("/api/auth/me", headers={"Cookie": f"dp_sid={'a' * 43}"})
            assert (forgotten.status_code, forgotten.json()["message"]) == (401, "Debe iniciar sesión")
            assert (await client.post("/api/auth/login", json=body)).status_code == 200
            rebuilt = (await client.post("/api/metadata/rebuild")).json()
            assert rebuilt["errores"] == []
            assert rebuilt["sinCambios"] == 5 + 19  # the tables, and the fields before the kill
            assert (await client.get("/api/metadata/status")).json()["completo"]
            again = (await client.post("/api/metadata/rebuild")).json()
            assert (again["creados"], again["actualizados"]) == ([], [])


@pytest.mark.proof
@pytest.mark.asyncio
async def test_a_slow_call_does_not_extend_the_grace_period(
    tmp_path: Path,
) -> None:
    async with (
        run_sim() as sim,
        started(sim.url, tmp_path, SL_TIMEOUT="0.5", SHUTDOWN_GRACE="10.5") as (server, client),
    ):
        body = {"usuario": "manager", "clave": "erpsim"}
        assert (await client.post("/api/auth/login", json=body)).status_code == 200
        sim.faults.add(Fault(action=Delay(seconds=60), method="POST", path="UserTablesMD"))
        running = asyncio.create_task(client.post("/api/metadata/rebuild"))
        await arrived(sim, "POST", "UserTablesMD")
        server.process.send_signal(signal.SIGTERM)
        assert await server.ended() == 0
        with suppress(httpx2.TransportError):
            await running
    assert any(line["event"] == "erp_sessions_left_open" for line in server.lines)


@pytest.mark.asyncio
async def test_the_process_ends_at_once_while_the_erp_does_not_reply(tmp_path: Path) -> None:
    async with run_sim() as sim, started(sim.url, tmp_path) as (server, client):
        body = {"usuario": "manager", "clave": "erpsim"}
        assert (await client.post("/api/auth/login", json=body)).status_code == 200
        sim.faults.add(Fault(action=BadGateway(), times=None))
        async with asyncio.timeout(20):
            while (await client.get("/api/catalogos/almacenes?actualizar=true")).status_code != 503:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert await server.ended() == 0
        assert time.monotonic() - began < 10
        assert sim.calls.of("POST", "Logout") == []
    assert [line["event"] for line in server.lines].count("erp_unwell") == 1


@pytest.mark.asyncio
async def test_the_service_starts_and_is_healthy_without_the_erp(tmp_path: Path) -> None:
    async with started("http://127.0.0.1:1/b1s/v1", tmp_path) as (_, client):
        assert (await client.get("/api/health")).json()["estado"] == "ok"
        assert await check_health(PORT=str(client.base_url.port)) == 0
    assert await check_health(PORT=str(client.base_url.port)) == 1


async def check_health(**settings: str) -> int | None:
    """Run the health check of the image."""
    command = (sys.executable, "-m", "supplier_returns.health.self_check")
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy"), "http://127.0.0.1:9"
    )  # a container engine may set them
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **proxies, **settings}, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


def write_certificate(folder: Path, form: str) -> dict[str, str]:
    """Write a certificate for localhost, as a pair or a bundle. Return its settings."""
    made = self_signed("localhost", SystemClock())
    (folder / "cert.pem").write_bytes(made.certificate_pem)
    (folder / "key.pem").write_bytes(made.key_pem)
    if form == "pair":
        return {"HTTPS_CERT_PATH": str(folder / "cert.pem"), "HTTPS_KEY_PATH": str(folder / "key.pem")}
    key = load_pem_private_key(made.key_pem, None)
    assert isinstance(key, EllipticCurvePrivateKey)
    certificate = load_pem_x509_certificate(made.certificate_pem)
    encryption = BestAvailableEncryption(PASSPHRASE.encode())
    content = serialize_key_and_certificates(b"returns", key, certificate, None, encryption)
    (folder / "bundle.pfx").write_bytes(content)
    return {"HTTPS_PFX_PATH": str(folder / "bundle.pfx"), "HTTPS_PFX_PASSPHRASE": PASSPHRASE}


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["pair", "bundle"])
async def test_with_a_certificate_the_service_speaks_https_and_redirects_http(
    tmp_path: Path, form: str
) -> None:
    port, plain = str(free_port()), str(free_port())
    settings = write_certificate(tmp_path, form) | {"PORT": port, "HTTP_REDIRECT_PORT": plain}
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    async with (
        run_sim() as sim,
        started(sim.url, tmp_path, COOKIE_SECURE="true", **settings) as (server, client),
        httpx2.AsyncClient(verify=trusting, trust_env=False, base_url=f"https://localhost:{port}") as secure,
    ):
        health = await secure.get("/api/health")
        assert health.json()["estado"] == "ok"
        assert health.headers["Strict-Transport-Security"].startswith("max-age=31536000")
        assert await check_health(**settings) == 0
        body = {"usuario": "manager", "clave": "erpsim"}
        own = {"Origin": f"https://localhost:{port}"}
        login = await secure.post("/api/auth/login", json=body, headers=own)
        assert login.headers["Set-Cookie"].endswith("; Secure")
        assert (await secure.get("/api/auth/me")).status_code == 200
        moved = await secure.get(f"http://localhost:{plain}/api/health?x=1")
        assert moved.status_code == 301
        assert moved.headers["Location"] == f"https://localhost:{port}/api/health?x=1"
        with pytest.raises(httpx2.TransportError):
            await client.get("/api/health")  # plain HTTP on the HTTPS port
        server.process.terminate()
        assert await server.ended() == 0
    assert PASSPHRASE not in json.dumps(server.lines)


def test_the_reader_of_the_configuration_may_close_the_pipe_early(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        printed = subprocess.run(
            [sys.executable, "-m", "supplier_returns", "check-config"],
            env=environment("http://erp/b1s/v1"),
            cwd=tmp_path,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (printed.returncode, printed.stderr) == (0, "")


def test_check_config_prints_the_settings_or_every_error(tmp_path: Path) -> None:
    good = run("check-config", environment("http://erp/b1s/v1"), tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    assert "SL_TIMEOUT=60\n" in good.stdout
    doubtful = run("check-config", environment("http://erp/b1s/v1", COOKIE_SECURES="true"), tmp_path)
    assert (doubtful.returncode, doubtful.stdout) == (0, good.stdout)
    assert doubtful.stderr == (
        "warning: COOKIE_SECURES: is no setting of this service; did you mean COOKIE_SECURE?\n"
    )
    plain = run("check-config", environment("http://erp/b1s/v1", ENVIRONMENT="production"), tmp_path)
    assert (plain.returncode, plain.stderr) == (
        0,
        (
            "warning: SL_URL: is plain http: passwords cross the network readable; "
            "use the ERP's https address\n"
            "warning: SIGN_IN_DENIED_USERS: is empty: name the gateway's account (its ERP_SL_USER), "
            "or strangers can lock it\n"
        ),
    )
    unsafe = environment(
        "https://erp/b1s/v1",
        ENVIRONMENT="production",
        SL_REJECT_UNAUTHORIZED="false",
        SIGN_IN_DENIED_USERS="manager",
        TRUSTED_PROXIES="::/0",
    )
    named = run("check-config", unsafe, tmp_path).stderr.splitlines()
    assert [line.split(":")[1].strip() for line in named] == ["TRUSTED_PROXIES", "SL_REJECT_UNAUTHORIZED"]
    (tmp_path / "ca.pem").write_text("no certificate", encoding="utf-8")
    no_authority = run("check-config", environment("http://erp/b1s/v1", SL_CA_FILE="ca.pem"), tmp_path)
    assert (no_authority.returncode, no_authority.stdout) == (2, "")
    assert no_authority.stderr == "SL_CA_FILE: 'ca.pem' holds no certificate; allowed: a readable PEM file\n"
    bad = run("check-config", environment("http://erp", DB_TYPE="x"), tmp_path)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert [line.partition(":")[0] for line in bad.stderr.splitlines()] == ["SL_URL", "DB_TYPE"]
    refused = run("serve", environment("http://erp", DB_TYPE="x", LANG="es_CL.UTF-8"), tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == "DB_TYPE: 'x' no se admite; se admite: uno de HANA, MSSQL"
