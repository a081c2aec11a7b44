"""OpenAPI document compared with the running service, and every route compared with one table."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

from erpsim.simulator import Simulator
from servicekit.errors import error_classes
from servicekit.openapi import build_document
from servicekit.testing.example_values import refused_examples, unused_values
from supplier_returns.app import api_info, list_endpoints
from supplier_returns.web.access import Access

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

PUBLIC = {"GET /api/health", "GET /api/auth/info", "POST /api/auth/login", "POST /api/auth/logout"}
SESSION = {
    "GET /api/auth/me",
    "GET /api/metadata/status",
    "POST /api/metadata/rebuild",
    "GET /api/catalogos",
    "GET /api/catalogos/almacenes",
}
OF_NO_ENDPOINT = {
    *("bad_request", "not_found", "method_not_allowed", "interrupted", "not_configured"),
    *("headers_too_large", "transfer_encoding_unsupported", "http_version_unsupported"),
}
"""Codes that no endpoint answers: base classes, unknown addresses, the forced end, and no proper HTTP."""


@pytest.mark.asyncio
async def test_only_the_routes_of_the_contract_are_public(service: "Service") -> None:
    declared = {f"{each.method} {each.path}": each.access for each in list_endpoints(service.components)}
    assert {name for name, access in declared.items() if access is Access.PUBLIC} == PUBLIC
    assert {name for name, access in declared.items() if access is Access.SESSION} >= SESSION


@pytest.mark.asyncio
async def test_every_other_route_needs_a_session(service: "Service") -> None:
    async with service.client_at() as client:
        for each in list_endpoints(service.components):
            if f"{each.method} {each.path}" not in PUBLIC:
                path = each.path.replace("{", "").replace("}", "")
                answer = await client.request(each.method, path)
                assert (answer.status_code, answer.json()["message"]) == (401, "Debe iniciar sesión"), path
    assert len(service.sim.calls) == 0


@pytest.mark.asyncio
async def test_the_api_documentation_needs_a_session_and_is_off_in_production(
    open_service: "OpenService", sim: Simulator
) -> None:
    for environment, enabled, status in (
        ("test", "", 200),
        ("production", "", 404),
        ("production", "true", 200),
        ("test", "false", 404),
    ):
        settings = {"ENVIRONMENT": environment, "DOCS_ENABLED": enabled}
        async with open_service(sim, **settings) as service, service.signed_in() as client:
            for path in ("/api/openapi.json", "/api/docs"):
                assert (await client.get(path)).status_code == status
                async with service.client_at() as stranger:
                    refused = await stranger.get(path)
                    assert refused.status_code == (401 if status == 200 else 404)
                    if status == 200:
                        body = refused.json()
                        assert body["message"] == body["detail"] == "Debe iniciar sesión"
                        assert "POST /api/auth/login" in body["ayuda"]


@pytest.mark.asyncio
async def test_the_openapi_document_is_valid_and_examples_match_their_schemas(
    manager: httpx2.AsyncClient,
) -> None:
    document = (await manager.get("/api/openapi.json")).json()
    await asyncio.to_thread(validate, document)
    assert document["components"]["securitySchemes"]["session"]["name"] == "dp_sid"

    def check(content: Mapping[str, Any], where: str) -> None:
        for body in content.values():
            schema = {**body["schema"], "components": document["components"]}
            for example in [body["example"]] if "example" in body else []:
                errors = [error.message for error in OAS31Validator(schema).iter_errors(example)]
                assert errors == [], where

    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            check(operation.get("requestBody", {}).get("content", {}), f"{method} {path}")
            for each in operation["parameters"]:
                problems = OAS31Validator(each["schema"]).iter_errors(each.get("example"))
                assert "example" not in each or list(problems) == [], (path, each["name"])
            for status, answer in operation["responses"].items():
                check(answer.get("content", {}), f"{method} {path} {status}")


@pytest.mark.asyncio
async def test_every_request_example_is_accepted_and_every_example_value_is_used(
    service: "Service",
) -> None:
    endpoints = list_endpoints(service.components)
    assert refused_examples(endpoints, api_info()) == {}
    assert unused_values(endpoints, api_info()) == set()


@pytest.mark.asyncio
async def test_every_error_code_is_listed_for_its_routes(service: "Service") -> None:
    document = build_document(list_endpoints(service.components), api_info())
    listed: dict[str, set[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for answer in operation["responses"].values():
                examples = answer.get("content", {}).get("application/problem+json", {}).get("examples", {})
                for example in examples.values():
                    listed.setdefault(example["value"]["code"], set()).add(f"{method.upper()} {path}")
    assert set(listed) >= {error.code for error in error_classes(package="supplier_returns")} - OF_NO_ENDPOINT
    unsafe = {name for name in PUBLIC | listed["session_required"] if not name.startswith("GET")}
    assert listed["origin_forbidden"] == unsafe
    assert "POST /api/auth/login" in listed["upstream_unreachable"]
    assert not PUBLIC & listed["erp_forbidden"]


@pytest.mark.asyncio
async def test_responses_match_the_openapi_document(manager: httpx2.AsyncClient) -> None:
    document = (await manager.get("/api/openapi.json")).json()
    for method, path in (
        ("get", "/api/health"),
        ("get", "/api/auth/info"),
        ("get", "/api/auth/me"),
        ("get", "/api/metadata/status"),
        ("post", "/api/metadata/rebuild"),
        ("get", "/api/metadata/status"),
        ("get", "/api/catalogos"),
        ("get", "/api/catalogos/almacenes"),
    ):
        answer = await manager.request(method.upper(), path)
        content = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]
        schema = {**content["schema"], "components": document["components"]}
        assert [error.message for error in OAS31Validator(schema).iter_errors(answer.json())] == [], path
