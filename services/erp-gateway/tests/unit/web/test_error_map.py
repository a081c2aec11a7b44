"""Every failure of a call to the ERP against every kind of call: one table, as the decisions have it."""

from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.web.error_map import CallKind, translating_errors, upstream_service_error
from erp_gateway.web.odata_errors import ODataLimit
from erpclient import (
    CallerGone,
    ErpError,
    ErpKeyUnsupported,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Outcome,
    Phase,
    QueueClosed,
    QueueFull,
    QueueTimeout,
    SessionEnded,
)
from erpclient.odata import InvalidOption, ODataErrorCode
from servicekit.errors import ServiceError, Upstream

READS = (CallKind.READ, CallKind.QUERY_ACTION)
WRITES = (CallKind.CREATE, CallKind.CREATE_APPROVABLE, CallKind.MODIFY, CallKind.ACTION)
ALL = (*READS, *WRITES)


def during_login(error: ErpError) -> ErpError:
    """A failure of the login that the request needed: the request itself was never sent."""
    return error.without_traceback(outcome=Outcome.NOT_DONE)


TABLE: list[tuple[str, ErpError, tuple[CallKind, ...], int, str]] = [
    ("400", ErpRefused(400, -10, "x"), ALL, 400, "upstream_rejected"),
    ("400 of another kind", ErpRefused(400, None, ""), ALL, 400, "upstream_rejected"),
    ("404 on a read", ErpRefused(404, -2028, "x"), (CallKind.READ,), 404, "record_not_found"),
    ("404 without JSON on a read", ErpRefused(404, None, ""), (CallKind.READ,), 404, "record_not_found"),
    ("404 on a change", ErpRefused(404, -2028, "x"), (CallKind.MODIFY,), 404, "record_not_found"),
    (
        "404 on a post",
        ErpRefused(404, -2028, "x"),
        (CallKind.CREATE, CallKind.ACTION, CallKind.QUERY_ACTION),
        400,
        "upstream_rejected",
    ),
    (
        "-2028 on a document",
        ErpRefused(404, -2028, "x"),
        (CallKind.CREATE_APPROVABLE,),
        400,
        "maybe_in_approval",
    ),
    ("400 cut off", ErpRefused(400, None, "", is_cut_off=True), (CallKind.CREATE,), 400, "upstream_rejected"),
    (
        "400 cut off on a document",
        ErpRefused(400, None, "", is_cut_off=True),
        (CallKind.CREATE_APPROVABLE,),
        400,
        "maybe_in_approval",
    ),
    ("-2028 with 400", ErpRefused(400, -2028, "x"), (CallKind.CREATE_APPROVABLE,), 400, "maybe_in_approval"),
    (
        "-2028 elsewhere",
        ErpRefused(400, -2028, "x"),
        (CallKind.CREATE, CallKind.MODIFY),
        400,
        "upstream_rejected",
    ),
    ("403", ErpRefused(403, -6006, "x"), ALL, 502, "upstream_forbidden"),
    ("409", ErpRefused(409, None, "x"), ALL, 409, "upstream_conflict"),
    ("412", ErpRefused(412, -2039, "x"), ALL, 412, "stale_etag"),
    ("429", ErpRefused(429, None, ""), ALL, 503, "upstream_busy"),
    ("414", ErpRefused(414, None, ""), ALL, 400, "upstream_rejected"),
    ("key with a slash", ErpKeyUnsupported(404, None, ""), WRITES, 502, "upstream_key_unsupported"),
    ("500 on a read", ErpServerError(500, 305, "x"), READS, 502, "upstream_failed"),
    ("502 on a read", ErpServerError(502, None, ""), READS, 502, "upstream_failed"),
    ("503 on a read", ErpServerError(503, None, ""), READS, 503, "upstream_busy"),
    ("500 on a write", ErpServerError(500, 305, "x"), WRITES, 502, "outcome_unknown"),
    ("503 on a write", ErpServerError(503, None, ""), WRITES, 502, "outcome_unknown"),
    ("500 at the login", during_login(ErpServerError(500, 305, "x")), ALL, 502, "upstream_failed"),
    ("503 at the login", during_login(ErpServerError(503, None, "x")), ALL, 503, "upstream_busy"),
    ("no connection", ErpUnreachable("ECONNREFUSED", Phase.CONNECT), ALL, 502, "upstream_unreachable"),
    (
        "connection lost on a read",
        ErpUnreachable("ECONNRESET", Phase.ANSWER),
        READS,
        502,
        "upstream_unreachable",
    ),
    (
        "connection lost on a write",
        ErpUnreachable("ECONNRESET", Phase.ANSWER),
        WRITES,
        502,
        "outcome_unknown",
    ),
    ("no connection in time", ErpTimeout(Phase.CONNECT), ALL, 504, "upstream_timeout"),
    ("no answer to a read", ErpTimeout(Phase.ANSWER), READS, 504, "upstream_timeout"),
    ("no answer to a write", ErpTimeout(Phase.ANSWER), WRITES, 504, "outcome_unknown"),
    ("no answer to the login", during_login(ErpTimeout(Phase.ANSWER)), ALL, 504, "upstream_timeout"),
    ("unreadable read", ErpReplyUnreadable("truncated"), READS, 502, "upstream_unreadable"),
    ("unreadable write", ErpReplyUnreadable("truncated"), WRITES, 502, "outcome_unknown"),
    ("unreadable login", during_login(ErpReplyUnreadable("html")), ALL, 502, "upstream_unreadable"),
    ("read beyond the limit", ErpReplyTooLarge(), READS, 502, "reply_too_large"),
    ("write beyond the limit", ErpReplyTooLarge(), WRITES, 502, "outcome_unknown"),
    ("login refused", ErpLoginRejected(-304, "x"), ALL, 502, "upstream_login_failed"),
    ("no answers", ErpUnwell(), ALL, 503, "erp_unavailable"),
    ("session over", SessionEnded(), ALL, 502, "upstream_login_failed"),
    ("queue full", QueueFull("total"), ALL, 503, "queue_full"),
    ("user's share full", QueueFull("user"), ALL, 503, "queue_full"),
    ("waited too long", QueueTimeout(), ALL, 503, "queue_timeout"),
    ("closing", QueueClosed(), ALL, 503, "shutting_down"),
    ("client gone", CallerGone(), ALL, 503, "client_gone"),
]
CASES = [
    pytest.param(error, call, status, code, id=f"{name}, {call.value}")
    for name, error, calls, status, code in TABLE
    for call in calls
]


@pytest.mark.parametrize(("error", "kind", "status", "code"), CASES)
def test_each_erp_failure_has_its_status_and_code(
    error: ErpError, kind: CallKind, status: int, code: str
) -> None:
    answer = upstream_service_error(error, kind)
    assert (answer.status, answer.code) == (status, code)
    assert answer.status != 401
    if answer.status == 503:
        assert int(answer.headers["Retry-After"]) > 0


def test_every_kind_of_error_is_in_the_table() -> None:
    def descendants(kind: type[ErpError]) -> set[type[ErpError]]:
        return {kind}.union(*(descendants(child) for child in kind.__subclasses__()))

    in_production = {kind for kind in descendants(ErpError) if kind.__module__.startswith("erpclient")}
    assert {type(error) for _, error, _, _, _ in TABLE} == in_production - {ErpError}


def test_an_error_class_without_a_mapping_raises_a_type_error() -> None:
    class NewKindError(ErpError):
        pass

    with pytest.raises(TypeError, match="NewKindError"):
        upstream_service_error(NewKindError("x"), CallKind.READ)


def test_the_erp_code_and_text_are_in_the_error_response() -> None:
    answer = upstream_service_error(ErpRefused(400, -5002, "Invalid value"), CallKind.CREATE)
    assert answer.upstream == Upstream(-5002, "Invalid value")
    answer = upstream_service_error(ErpServerError(500, "305", ""), CallKind.MODIFY)
    assert answer.upstream == Upstream("305", "")


@pytest.mark.parametrize(
    "error",
    [ErpRefused(404, None, ""), ErpUnreachable("ENOTFOUND", Phase.CONNECT), ErpLoginRejected(-304, "Fail")],
)
def test_failures_that_do_not_answer_the_request_show_no_upstream(error: ErpError) -> None:
    assert upstream_service_error(error, CallKind.READ).upstream is None


def request() -> Request:
    return Request({"type": "http", "method": "GET", "path": "/", "headers": []})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (ErpTimeout(Phase.ANSWER), "upstream_timeout"),
        (InvalidOption(ODataErrorCode.LIMIT, "too long"), ODataLimit.code),
    ],
)
async def test_an_error_of_a_handler_is_translated_with_its_cause(raised: Exception, code: str) -> None:
    async def failing(_: Request) -> Response:
        raise raised

    with pytest.raises(ServiceError) as caught:
        await translating_errors(failing)(request())
    assert caught.value.code == code
    assert caught.value.__cause__ is raised


@pytest.mark.asyncio
async def test_responses_and_foreign_errors_pass_unchanged() -> None:
    async def fine(_: Request) -> Response:
        return Response("ok")

    async def crashing(_: Request) -> Any:
        raise RuntimeError("boom")

    answer = await translating_errors(fine)(request())
    assert answer.body == b"ok"
    with pytest.raises(RuntimeError, match="boom"):
        await translating_errors(crashing)(request())
