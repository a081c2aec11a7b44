"""The published document, and the page that shows it."""

import base64
import hashlib
import re
from typing import Any

import pytest

from servicekit.openapi import ApiInfo, with_documentation
from servicekit.openapi.endpoints import content_security_policy

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
async def test_the_page_fetches_nothing_from_elsewhere_and_writes_no_markup(client: Any) -> None:
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
