"""Answers of the proxy as raw responses: the ERP's bytes with as little around them as possible."""

from typing import Final

from starlette.responses import Response

from erpclient import ErpList, ErpRecord, ErpReply

_JSON: Final = "application/json"
_NO_CONTENT: Final = 204


def list_answer(page: ErpList) -> Response:
    """Answer `{"value": […], "odata.count": n}` with the rows as they came."""
    return Response(b'{"value":%b,"odata.count":%d}' % (page.rows, page.count), media_type=_JSON)


def record_answer(record: ErpRecord) -> Response:
    """Answer one record, its entity tag as `ETag` too."""
    return Response(record.body, media_type=_JSON, headers=_tag(record))


def created_answer(record: ErpRecord, location: str | None) -> Response:
    """Answer 201 with the record and where it is."""
    headers = _tag(record)
    if location is not None:
        headers["Location"] = location
    return Response(record.body, status_code=201, media_type=_JSON, headers=headers)


def reply_answer(reply: ErpReply) -> Response:
    """Answer an action: 204, or 200 with what the ERP returned."""
    if reply.status == _NO_CONTENT or not reply.body:
        return Response(status_code=_NO_CONTENT)
    return Response(reply.body, media_type=_JSON)


def _tag(record: ErpRecord) -> dict[str, str]:
    return {} if record.etag is None else {"ETag": record.etag}
