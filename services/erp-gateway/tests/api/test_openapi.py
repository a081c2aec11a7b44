"""The API's description against the running service: valid, complete, and true for whoever asks whatever."""

import asyncio
import contextlib
import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok

from erp_gateway.app import api_info, list_endpoints
from erp_gateway.queries.errors import DATABASE_ERRORS
from erp_gateway.reports.crystal.errors import report_gateway_error
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erpclient import (
    CallerGone,
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Phase,
    QueueClosed,
    QueueFull,
    QueueTimeout,
    SessionEnded,
)
from erpsim.simulator import run_sim
from servicekit.endpoint import OTHER_METHODS
from servicekit.errors import error_classes
from servicekit.openapi import build_document
from servicekit.testing.described import ValidatingTransport, response_validator
from servicekit.testing.example_values import refused_examples, unused_values

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

LOGIN = "POST /api/auth/login"
JSON = "application/json"
PROBLEM = "application/problem+json"
OF_NO_ENDPOINT = {
    *("bad_request", "not_found", "interrupted"),
    *("headers_too_large", "transfer_encoding_unsupported", "http_version_unsupported"),
}
"""Codes that no endpoint answers: a base class, unknown addresses, the forced end of the process; what never
reaches an endpoint, as it is no proper HTTP/1.1."""


class Running:
    """The application with its document, driven from outside its event loop."""

    def __init__(self, runner: asyncio.Runner, gateway: "Gateway") -> None:
        self._runner = runner
        self.gateway = gateway
        self.document = build_document(list_endpoints(gateway.components), api_info())

    def sign_in(self, user: str | None) -> dict[str, str]:
        """Return the headers of a user, of nobody for None."""
        return {} if user is None else self._runner.run(self.gateway.signed_in(user))

    def ask(self, method: str, url: str, **arguments: Any) -> httpx2.Response:
        """Send one request."""
        return self._runner.run(self.gateway.http.request(method, url, **arguments))

    def ask_as_described(self, document: Mapping[str, Any], url: str) -> httpx2.Response:
        """Get something whose answer is held against another description than the application's own."""
        transport = ValidatingTransport(self.gateway.app, response_validator(document), "10.0.0.7")
        client = httpx2.AsyncClient(transport=transport, base_url="http://gateway")
        return self._runner.run(client.get(url))

    def schema_problems(self, schema: Mapping[str, Any], value: object) -> list[str]:
        """Return what is wrong with a value."""
        rooted = {**schema, "components": self.document["components"]}
        return [error.message for error in OAS31Validator(rooted).iter_errors(value)]


@pytest.fixture
def running(open_gateway: "OpenGateway") -> Iterator[Running]:
    with asyncio.Runner() as runner:
        sim = run_sim()
        opening = open_gateway(runner.run(sim.__aenter__()))
        try:
            yield Running(runner, runner.run(opening.__aenter__()))
        finally:
            runner.run(opening.__aexit__(None, None, None))
            runner.run(sim.__aexit__(None, None, None))


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_the_document_is_valid_and_describes_every_endpoint(running: Running) -> None:
    validate(running.document)
    endpoints = list_endpoints(running.gateway.components)
    declared = {f"{each.method} {each.path}" for each in endpoints if each.method != OTHER_METHODS}
    assert {name for name, _ in operations(running.document)} == declared


def test_the_published_openapi_document_is_valid_and_complete(running: Running) -> None:
    published = running.ask("GET", "/api/openapi.json").json()
    validate(published)
    assert set(running.document["paths"]) < set(published["paths"])


def test_every_openapi_example_matches_its_schema(running: Running) -> None:
    checked = 0
    for name, operation in operations(running.document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (content for body in bodies for content in body.get("content", {}).values()):
            examples = [entry["value"] for entry in content.get("examples", {}).values()]
            examples += [content["example"]] if "example" in content else []
            assert examples, name
            for example in examples:
                assert running.schema_problems(content["schema"], example) == [], name
                checked += 1
        for parameter in operation["parameters"]:
            if "example" in parameter:
                assert running.schema_problems(parameter["schema"], parameter["example"]) == [], name
    assert checked > 300


def test_every_example_of_a_request_is_accepted_and_every_example_value_used(running: Running) -> None:
    endpoints = list_endpoints(running.gateway.components)
    assert refused_examples(endpoints, api_info()) == {}
    assert unused_values(endpoints, api_info()) == set()


def test_every_error_code_is_listed_somewhere(running: Running) -> None:
    listed = {
        example["value"]["code"]
        for _, operation in operations(running.document)
        for answer in operation["responses"].values()
        for example in answer.get("content", {}).get(PROBLEM, {}).get("examples", {}).values()
    }
    assert listed >= {error.code for error in error_classes(package="erp_gateway")} - OF_NO_ENDPOINT


ERP_ANSWERS = [
    *(ErpRefused(status, -1, "x") for status in (400, 403, 404, 409, 412, 422, 429)),
    *(ErpServerError(status, -1, "x") for status in (500, 502, 503)),
    *(
        ErpUnreachable("ECONNREFUSED", Phase.CONNECT),
        ErpTimeout(Phase.ANSWER),
        ErpLoginRejected(-1, "x"),
        SessionEnded(),
        ErpUnwell(),
    ),
    *(ErpReplyUnreadable("x"), QueueFull("user"), QueueTimeout(), QueueClosed(), CallerGone()),
]


def test_report_routes_declare_the_errors_of_database_and_report_gateway(running: Running) -> None:
    listed = dict(codes_of(running.document))
    of_gateway = {report_gateway_error(error).code for error in ERP_ANSWERS if not is_of_the_erp(error)}
    of_gateway |= {"report_failed", "report_empty", "report_not_found", "permission_denied"}
    for name in ("reports/{code}/export", "documents/export"):
        assert listed[f"POST /api/gateway/{name}"] >= of_gateway, name
    of_erp = {upstream_service_error(error, CallKind.QUERY_ACTION).code for error in ERP_ANSWERS}
    assert listed["GET /api/gateway/authorized"] >= of_erp
    of_database = {error.code for error in DATABASE_ERRORS} | {"report_data_failed", "not_found"}
    assert {"database_busy", "database_timeout", "query_result_too_large", "queue_full"} < of_database
    for name in ("render", "pdf"):
        assert listed[f"POST /api/html-reports/{{code}}/{name}"] >= of_database, name


def is_of_the_erp(error: ErpError) -> bool:
    """Return whether the report gateway's client keeps an error to itself: most 4xx, and the state of the
    ERP.
    """
    return isinstance(error, ErpUnwell) or (isinstance(error, ErpRefused) and error.status not in (403, 429))


def codes_of(document: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield each operation with the codes of its errors."""
    for name, operation in operations(document):
        answers = (answer.get("content", {}).get(PROBLEM, {}) for answer in operation["responses"].values())
        yield name, {code for answer in answers for code in answer.get("examples", {})}


def test_an_undescribed_response_fails_its_test(running: Running) -> None:
    document = copy.deepcopy(running.document)
    described = document["paths"]["/api/health"]["get"]["responses"].pop("200")
    with pytest.raises(AssertionError, match="GET /api/health 200: the status is not described"):
        running.ask_as_described(document, "/api/health")
    document["paths"]["/api/health"]["get"]["responses"]["200"] = described
    assert running.ask_as_described(document, "/api/health").status_code == 200
    refusals = document["paths"]["/api/auth/me"]["get"]["responses"]["401"]["content"][PROBLEM]["examples"]
    assert refusals.pop("session_required")
    with pytest.raises(AssertionError, match="the code session_required is not described"):
        running.ask_as_described(document, "/api/auth/me")


MODES = {"asked rightly": GenerationMode.POSITIVE, "asked wrongly": GenerationMode.NEGATIVE}
people = pytest.mark.parametrize(
    "user", ["ana", "luis", None], ids=["administrator", "plain user", "anonymous"]
)
modes = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)

ANY_WAY = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
ALWAYS_THE_SAME = settings(ANY_WAY, max_examples=3, derandomize=True)
VERY_MANY = settings(ANY_WAY, max_examples=100)


@pytest.mark.check
@people
@modes
def test_every_response_is_described_by_the_openapi_document(
    running: Running, user: str | None, mode: GenerationMode
) -> None:
    probe_everything(running, user, mode, ALWAYS_THE_SAME)


@pytest.mark.proof
@pytest.mark.timeout(3600)
@people
@modes
def test_every_response_to_many_varied_requests_is_described(
    running: Running, user: str | None, mode: GenerationMode
) -> None:
    probe_everything(running, user, mode, VERY_MANY)


def probe_everything(running: Running, user: str | None, mode: GenerationMode, how: settings) -> None:
    found = list(schemathesis.openapi.from_dict(running.document).get_all_operations())
    operations = [result.ok() for result in found if isinstance(result, Ok)]
    assert len(operations) == len(found)
    # Guessing passwords comes last: it blocks the user for the others.
    for operation in sorted(operations, key=lambda each: each.label == LOGIN):
        probe(running, operation, user, mode, how)


def probe(running: Running, operation: Any, user: str | None, mode: GenerationMode, how: settings) -> None:
    person = running.sign_in(user)
    ends_session = operation.label == "POST /api/auth/logout"

    @how
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Case[Any]) -> None:
        requested = case.as_transport_kwargs(base_url="http://gateway")
        headers = {name: str(value) for name, value in requested["headers"].items()}
        headers = {name: value for name, value in headers.items() if name != "Authorization"} | (
            running.sign_in(user) if ends_session else person
        )
        try:
            answer = running.ask(
                requested["method"],
                requested["url"],
                params=without_waiting(requested.get("params", {})),
                headers={name: value.encode("utf-8", "replace") for name, value in headers.items()},
                content=requested.get("data"),
                **({"json": requested["json"]} if "json" in requested else {}),
            )
        except (httpx2.InvalidURL, TypeError, UnicodeEncodeError):
            return  # the client library can't send it at all
        check_answer(running, operation.label, answer)

    with contextlib.suppress(Unsatisfiable) if mode is GenerationMode.NEGATIVE else contextlib.nullcontext():
        ask()  # there is no way to ask wrongly where nothing can be given


def without_waiting(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that can be sent; the probe keeps silent for minutes where it is asked to."""
    sent = {name: value for name, value in params.items() if value is not None}
    return sent | {"espera": "0"} if str(sent.get("espera", "")).isdigit() else sent


def check_answer(running: Running, label: str, answer: httpx2.Response) -> None:
    """Check what the client itself does not: that the answer belongs to this operation, and is no 500."""
    method, path = label.split()
    described = running.document["paths"][path][method.lower()]["responses"]
    assert answer.status_code != 500, answer.text
    assert str(answer.status_code) in described, f"{label}: {answer.status_code} {answer.text}"
    if answer.headers.get("Content-Type") == PROBLEM:
        body = answer.json()
        assert (body["status"], body["message"]) == (answer.status_code, body["detail"])
