"""The published document, and the page that shows it."""

import asyncio
import base64
import hashlib
import re
import shutil
from ipaddress import ip_network
from typing import Any

import pytest

from servicekit.endpoint import AppSettings
from servicekit.openapi import ApiInfo, SecurityScheme, with_documentation
from servicekit.openapi.endpoints import content_security_policy
from servicekit.server import ServerSettings, serving_beside

INFO = ApiInfo(title="A service", version="0.0.1", security=lambda _endpoint: None)


@pytest.fixture
def client(make_endpoint: Any, make_app: Any, open_client: Any) -> Any:
    published = with_documentation([make_endpoint("GET", "/api/things")], INFO, access="public")
    return open_client(make_app(*published))


@pytest.mark.asyncio
async def test_the_document_is_answered(client: Any) -> None:
    answer = await client.get("/api/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()["paths"]) == {"/api/things", "/api/openapi.json", "/api/docs"}


@pytest.mark.asyncio
async def test_the_document_contains_each_clients_own_prefix(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    published = with_documentation([make_endpoint("GET", "/api/things")], INFO, access="public")
    settings = AppSettings(trusted_proxies=(ip_network("10.0.0.0/8"),))
    app = make_app(*published, settings=settings)
    for peer, server in (("10.0.0.1", "/returns"), ("203.0.113.9", "/")):
        client = open_client(app, peer=peer)
        answer = await client.get("/api/openapi.json", headers={"X-Forwarded-Prefix": "/returns"})
        assert answer.json()["servers"] == [{"url": server}]


@pytest.mark.asyncio
async def test_the_page_is_answered_under_a_policy_that_allows_only_itself(client: Any) -> None:
    answer = await client.get("/api/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    policies = answer.headers.get_list("content-security-policy")
    assert policies == [content_security_policy(answer.text)]
    directives = dict(each.strip().split(" ", 1) for each in policies[0].split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["connect-src"] == "'self'"
    assert directives["frame-ancestors"] == directives["base-uri"] == directives["form-action"] == "'none'"
    for kind in ("script", "style"):
        (inline,) = re.findall(rf"<{kind}>(.*?)</{kind}>", answer.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert directives[f"{kind}-src"] == f"'sha256-{digest}'"


@pytest.mark.asyncio
async def test_the_docs_page_loads_nothing_external_and_inserts_no_markup(client: Any) -> None:
    page = (await client.get("/api/docs")).text
    assert "//" not in re.sub(r"^\s*//.*$", "", page, flags=re.MULTILINE)
    assert not re.search(r"<(link|img|iframe|script|style)\s", page)
    assert not re.search(r"\s(style|on[a-z]+)=\"", page)
    for dangerous in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "localStorage",
    ):
        assert dangerous not in page
    assert re.findall(r"fetch\(([^,)]+)", page) == ["url", '"openapi.json"']


@pytest.mark.asyncio
async def test_the_two_have_the_access_kind_that_the_service_gives(make_endpoint: Any) -> None:
    published = with_documentation(
        [], INFO, access="session", document_path="/x/openapi.json", page_path="/x/docs"
    )
    assert [(each.path, each.access) for each in published] == [
        ("/x/openapi.json", "session"),
        ("/x/docs", "session"),
    ]


BROWSER = shutil.which("chromium-headless-shell") or shutil.which("chromium")
BEARER = {"type": "http", "scheme": "bearer"}
COOKIE = {"type": "apiKey", "in": "cookie", "name": "sid"}


@pytest.mark.skipif(BROWSER is None, reason="no headless browser is installed")
@pytest.mark.parametrize(
    ("scheme", "hidden"), [(BEARER, {"cookie"}), (COOKIE, {"token"})], ids=["bearer", "cookie"]
)
@pytest.mark.asyncio
async def test_the_docs_page_asks_for_a_token_or_explains_the_cookie(
    make_endpoint: Any, make_app: Any, scheme: dict[str, str], hidden: set[str]
) -> None:
    info = ApiInfo(
        title="A service",
        version="0.0.1",
        security=lambda _endpoint: SecurityScheme(name="session", scheme=scheme),
    )
    app = make_app(*with_documentation([make_endpoint("GET", "/api/things")], info, access="public"))
    async with serving_beside(app, ServerSettings(host="127.0.0.1", port=0)) as port:
        page = await show(f"http://127.0.0.1:{port}/api/docs")
    assert "A service" in page  # the document has been read
    places = dict(re.findall(r'<(?:input|p) id="(token|cookie)"([^>]*)>', page))
    assert {name for name, properties in places.items() if 'hidden=""' in properties} == hidden
    assert ('id="cookie-name">sid<' in page) == ("token" in hidden)


async def show(url: str) -> str:
    """Return the page as it stands once its script has run."""
    options = ("--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=10000")
    pipe = asyncio.subprocess.PIPE
    browser = await asyncio.create_subprocess_exec(str(BROWSER), *options, url, stdout=pipe, stderr=pipe)
    async with asyncio.timeout(120):
        page, _ = await browser.communicate()
    return page.decode()
