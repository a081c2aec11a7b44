"""`GET /api/audit` for administrators."""

from typing import Final
from zoneinfo import ZoneInfo

from attrs import define, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.audit.query import (
    MAX_TEXT_CHARS,
    parse_audit_query,
)
from erp_gateway.audit.store import AuditItem, AuditStore
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import AuditAction, AuditResult
from erp_gateway.web.access import Access
from erp_gateway.web.requests import page_params
from servicekit.endpoint import Answer, Body, Endpoint, QueryParam, json_response, read_query
from servicekit.errors import InvalidQuery


@frozen(kw_only=True)
class AuditAnswer:
    """One page of records, newest first."""

    items: tuple[AuditItem, ...]
    page: int
    page_size: int
    total: int


_DESCRIPTION: Final = (
    "`detail` has only the members that apply: `rows`, `truncated`, `format`, `attempts` (how many requests "
    "the record counts), `fieldsOmitted`, `sizes`, `write`; of a denied request `method`, `references`; of "
    "changed permissions `added` and `removed` (routes, 4 KB together), `addedOmitted` and `removedOmitted`."
)
_TEXT: Final = {"type": "string", "maxLength": MAX_TEXT_CHARS}
_DAY: Final = (
    "A day (`2026-03-31`: the whole day in the service's time zone) or a time (`2026-03-31T18:30:00Z`)"
)
_QUERY: Final = (
    QueryParam("usuario", "Web user, exactly.", example="ana", schema=_TEXT),
    QueryParam(
        "accion",
        "Action.",
        example="sl_update",
        schema={"type": "string", "enum": [action.value for action in AuditAction]},
    ),
    QueryParam("recurso", "Resource, exactly.", example="Orders", schema=_TEXT),
    QueryParam(
        "clave", "Key of a record of `recurso`, in any letter case: its history.", example="118", schema=_TEXT
    ),
    QueryParam(
        "resultado",
        "Result.",
        example="ok",
        schema={"type": "string", "enum": [result.value for result in AuditResult]},
    ),
    QueryParam("desde", f"{_DAY}; inclusive.", example="2026-03-01"),
    QueryParam("hasta", f"{_DAY}; inclusive.", example="2026-03-31"),
    *page_params("Records"),
)


@define(eq=False, repr=False)
class AuditEndpoints:
    """Handler of the audit.

    Args:
        store: the records.
        timezone: time zone of the days in a query.
    """

    _store: AuditStore
    _timezone: ZoneInfo

    async def find(self, request: Request) -> Response:
        """Answer one page of records."""
        query = parse_audit_query(read_query(request), self._timezone)
        page = await self._store.find(query.conditions, page=query.page, page_size=query.page_size)
        return json_response(
            AuditAnswer(
                items=page.entries,
                page=query.page,
                page_size=query.page_size,
                total=page.total,
            )
        )

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoint."""
        return [
            Endpoint(
                "GET",
                "/api/audit",
                self.find,
                access=Access.ADMIN,
                summary="Audit records, newest first",
                description=_DESCRIPTION,
                query=_QUERY,
                responses={200: Answer("One page of records.", Body(AuditAnswer))},
                errors=(InvalidQuery, StoreUnavailable),
            )
        ]
