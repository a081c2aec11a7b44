"""Web application next to the API, according to the settings."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from erpsim.simulator import Simulator

if TYPE_CHECKING:
    from tests.api.conftest import OpenService


@pytest.mark.asyncio
@pytest.mark.parametrize(("environment", "sources"), [("production", 404), ("development", 200)])
async def test_the_web_application_is_served_next_to_the_api(
    open_service: "OpenService", sim: Simulator, tmp_path: Path, environment: str, sources: int
) -> None:
    (tmp_path / "index.html").write_text("<html></html>", encoding="utf-8")
    (tmp_path / "main-5XHDFJ3K.js.map").write_text("{}", encoding="utf-8")
    settings = {"WEB_DIST_DIR": str(tmp_path), "WEB_CSP": "default-src 'none'", "ENVIRONMENT": environment}
    async with open_service(sim, **settings) as service, service.client_at() as client:
        page = await client.get("/planificaciones/12")
        assert (page.text, page.headers["Content-Security-Policy"]) == ("<html></html>", "default-src 'none'")
        assert (await client.get("/main-5XHDFJ3K.js.map")).status_code == sources
        assert (await client.get("/api/health")).json()["estado"] == "ok"
        assert (await client.get("/api/nada")).json()["code"] == "not_found"
        assert (await client.get("/api/auth/me")).status_code == 401


@pytest.mark.asyncio
async def test_without_a_web_application_the_root_explains_how_to_sign_in(
    open_service: "OpenService", sim: Simulator
) -> None:
    async with open_service(sim, TRUSTED_PROXIES="10.0.0.7/32") as service, service.client_at() as client:
        page = await client.get("/", headers={"X-Forwarded-Prefix": "/devoluciones"})
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "POST /devoluciones/api/auth/login" in page.text
        assert "POST /api/auth/login" in (await client.get("/")).text
        assert (await client.post("/", json={})).headers["Allow"] == "GET, HEAD"
        assert (await client.get("/planificaciones")).json()["code"] == "not_found"
