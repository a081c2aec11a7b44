"""Reads the ERP's print layouts of a document type."""

import json
from http import HTTPStatus
from typing import Any, Final

import msgspec

from erp_gateway.reports.crystal.wire import AuthorizedReport
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erpclient import (
    Caller,
    ErpClient,
    ErpError,
    ErpRefused,
    ErpReplyUnreadable,
)

_LIST: Final = "ReportLayoutsService_GetReportLayoutList"
_DEFAULT: Final = "ReportLayoutsService_GetDefaultReport"
_CRYSTAL: Final = "rlcCrystal"


async def load_layouts(erp: ErpClient, document: str, caller: Caller) -> tuple[AuthorizedReport, ...]:
    """Return the layouts of a document type such as `RDR2`, the default first.

    The report gateway does not list them, so `ReportLayoutsService` is called through the shared session
    (SAP's Service Layer API reference).

    Raises:
        ServiceError: the call to the ERP failed.
    """
    try:
        return await _load(erp, document, caller)
    except ErpError as error:
        raise upstream_service_error(error, CallKind.QUERY_ACTION) from error


async def _load(erp: ErpClient, document: str, caller: Caller) -> tuple[AuthorizedReport, ...]:
    body = json.dumps({"ReportParams": {"ReportCode": document}}).encode()
    rows = read_reply((await erp.call_service(_LIST, body, caller=caller)).body, _LayoutList).value
    if not rows:
        return ()
    try:
        default = read_reply((await erp.call_service(_DEFAULT, body, caller=caller)).body, _Default).code
    except ErpRefused as error:
        if error.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise
        default = None  # a document type without layouts, or one without the right to them
    found = (
        AuthorizedReport(row.code, row.name or row.code, row.code == default, row.category == _CRYSTAL)
        for row in rows
    )
    return tuple(sorted(found, key=lambda layout: (not layout.default, layout.code)))


class _Row(msgspec.Struct):
    code: str = msgspec.field(name="LayoutCode")
    name: str | None = msgspec.field(name="LayoutName", default=None)
    category: str | None = msgspec.field(name="Category", default=None)


class _LayoutList(msgspec.Struct):
    value: list[_Row]


class _Default(msgspec.Struct):
    code: str | None = msgspec.field(name="LayoutCode", default=None)


def read_reply(body: bytes, shape: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("no list of layouts") from error
