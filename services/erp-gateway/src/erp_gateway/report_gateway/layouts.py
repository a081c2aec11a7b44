"""A document type's print layouts, asked of the ERP: the report gateway lists none of them."""

import json
from http import HTTPStatus
from typing import Any, Final

import msgspec
from attrs import frozen

from erp_gateway.web.error_map import Call, upstream_service_error
from erpclient import Caller, ErpClient, ErpError, ErpRefused, ErpReplyUnreadable

_LIST: Final = "ReportLayoutsService_GetReportLayoutList"
_DEFAULT: Final = "ReportLayoutsService_GetDefaultReport"
_CRYSTAL: Final = "rlcCrystal"


@frozen(kw_only=True)
class Layout:
    """One layout.

    Attributes:
        code: its code.
        name: for people.
        default: whether the ERP prints this document type with it.
        printable: whether the report gateway can print it: it prints Crystal layouts alone.
    """

    code: str
    name: str
    default: bool
    printable: bool


class ErpLayouts:
    """Asks `ReportLayoutsService` through the shared session (SAP's Service Layer API reference).

    Args:
        client: the ERP.
    """

    def __init__(self, client: ErpClient) -> None:
        self._client = client

    async def of_document(self, document: str, caller: Caller) -> tuple[Layout, ...]:
        """Return the layouts of a document type such as `RDR2`, the default first.

        Raises:
            ServiceError: the ERP could not be asked.
        """
        try:
            return await self._load(document, caller)
        except ErpError as error:
            raise upstream_service_error(error, Call.QUERY_ACTION) from error

    async def _load(self, document: str, caller: Caller) -> tuple[Layout, ...]:
        body = json.dumps({"ReportParams": {"ReportCode": document}}).encode()
        rows = _read(await self._ask(_LIST, body, caller), _LayoutList).value
        if not rows:
            return ()
        try:
            default = _read(await self._ask(_DEFAULT, body, caller), _Default).code
        except ErpRefused as error:
            if error.status == HTTPStatus.TOO_MANY_REQUESTS:
                raise
            default = None  # a document type without one, or one that nobody here may ask for
        found = (
            Layout(
                code=row.code,
                name=row.name or row.code,
                default=row.code == default,
                printable=row.category == _CRYSTAL,
            )
            for row in rows
        )
        return tuple(sorted(found, key=lambda layout: (not layout.default, layout.code)))

    async def _ask(self, name: str, body: bytes, caller: Caller) -> bytes:
        return (await self._client.call_service(name, body, caller=caller)).body


class _Row(msgspec.Struct):
    code: str = msgspec.field(name="LayoutCode")
    name: str | None = msgspec.field(name="LayoutName", default=None)
    category: str | None = msgspec.field(name="Category", default=None)


class _LayoutList(msgspec.Struct):
    value: list[_Row]


class _Default(msgspec.Struct):
    code: str | None = msgspec.field(name="LayoutCode", default=None)


def _read(body: bytes, shape: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("no list of layouts") from error
