"""Responses of the proxy: bytes of the ERP with the gateway's headers."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.writes.outcome import WriteAnswer
from erpclient import ErpList, ErpRecord, ErpReply
from servicekit.cache import CachedAnswer
from servicekit.request_log import request_facts

_JSON: Final = "application/json"
_NO_CONTENT: Final = 204


def list_response(request: Request, answer: CachedAnswer[ErpList]) -> Response:
    """Answer `{"value": […], "odata.count": n}` with the rows as the ERP sent them."""
    page = answer.answer
    body = b'{"value":%b,"odata.count":%d}' % (page.rows, page.count)
    return Response(body, media_type=_JSON, headers=_cache_headers(request, answer))


def record_response(request: Request, answer: CachedAnswer[ErpRecord]) -> Response:
    """Answer one record, with its entity tag as `ETag`."""
    record = answer.answer
    tag = {} if record.etag is None else {"ETag": record.etag}
    return Response(record.body, media_type=_JSON, headers={**tag, **_cache_headers(request, answer)})


def _cache_headers(
    request: Request, answer: CachedAnswer[ErpList] | CachedAnswer[ErpRecord]
) -> dict[str, str]:
    """Return the headers with the age of a cached answer, and note it in the request's log line."""
    if answer.age_s is None:
        return {}
    facts = request_facts(request.scope)
    facts.cached = True
    headers = {"Age": str(int(answer.age_s))}
    if answer.stale:
        facts.extra["stale"] = True
        headers["X-ERP-Stale"] = "true"
    return headers


def write_response(request: Request, answer: WriteAnswer) -> Response:
    """Answer a write, and mark a replay in the headers and in the request's log line."""
    headers = dict(answer.headers)
    if answer.replayed:
        headers["Idempotency-Replayed"] = "true"
        request_facts(request.scope).extra["replayed"] = True
    media_type = answer.media_type if answer.body else None
    return Response(answer.body, status_code=answer.status, media_type=media_type, headers=headers)


def reply_response(reply: ErpReply) -> Response:
    """Answer an action without a record: 204, or 200 with the ERP's body."""
    if reply.status == _NO_CONTENT or not reply.body:
        return Response(status_code=_NO_CONTENT)
    return Response(reply.body, media_type=_JSON)
