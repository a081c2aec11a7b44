"""Declarations of the endpoints: who may call them, what they take and answer, with examples."""

from typing import Any, Final

from erp_gateway.errors import PermissionDenied
from erp_gateway.exports.errors import ExportNoRoom
from erp_gateway.jobs.errors import START_ERRORS
from erp_gateway.jobs.respond_async import ACCEPTED, PREFER
from erp_gateway.report_gateway.errors import (
    UPSTREAM_ERRORS,
    DocumentFailed,
    ReportEmpty,
    ReportFailed,
    ReportNotFound,
    ReportObsolete,
    ReportUnknown,
)
from erp_gateway.report_parameters import MAX_VALUES_BYTES
from erp_gateway.storage.errors import StoreUnavailable
from erp_gateway.web.access import Access, MenuAccess
from erp_gateway.web.upstream_errors import UPSTREAM_FAILURES, UPSTREAM_REFUSALS
from servicekit.endpoint import Answer, Body, Endpoint, Handler, PathParam, QueryParam
from servicekit.errors import InvalidQuery, NotConfigured, ServiceError

MAX_DEFINITION_BYTES: Final = 256 * 1024
"""As many parameters as a report may have, with the longest names."""

MAX_DOCUMENT_BYTES: Final = 2 * 1024
"""A screen, a code and fifty numbers."""

RUN: Final = MenuAccess("/reportes/ejecutar")
_TAG: Final = "Report gateway"
_CODE: Final = {
    "code": PathParam(
        "Code of the report at the report gateway.",
        "RCRI0002",
        {"type": "string", "minLength": 1, "maxLength": 50},
    )
}

_OFF: Final[tuple[type[ServiceError], ...]] = (NotConfigured,)
_STORED: Final[tuple[type[ServiceError], ...]] = (*_OFF, StoreUnavailable)
_ASKED: Final[tuple[type[ServiceError], ...]] = (*_STORED, *UPSTREAM_ERRORS)
_PRINTED: Final[tuple[type[ServiceError], ...]] = (
    InvalidQuery,
    *_ASKED,
    ReportNotFound,
    ReportUnknown,
    ReportObsolete,
    ReportFailed,
    ReportEmpty,
)

_DATE: Final[dict[str, Any]] = {
    "name": "Fecha",
    "type": "xsd:date",
    "required": True,
    "isDocEntry": False,
    "label": "Fecha de corte",
    "input": {"kind": "date", "options": [], "default": None},
    "isRange": False,
    "isMultiple": False,
}
_WAREHOUSE: Final[dict[str, Any]] = {
    "name": "warehouse@Select * from OWHS",
    "type": "xsd:string",
    "required": True,
    "isDocEntry": False,
    "label": "Bodega",
    "input": {
        "kind": "select",
        "options": [{"value": "01", "label": "Central"}, {"value": "02", "label": "Norte"}],
        "default": "01",
    },
    "isRange": False,
    "isMultiple": False,
}
_DOCUMENT_KEY: Final[dict[str, Any]] = {
    "name": "DocKey@",
    "type": "xsd:decimal",
    "required": True,
    "isDocEntry": True,
    "label": "Documento",
    "input": {"kind": "number", "options": [], "default": None},
    "isRange": False,
    "isMultiple": False,
}
_STOCK: Final[dict[str, Any]] = {
    "title": "Existencias por bodega",
    "category": "Inventario",
    "enabled": True,
    "documents": [],
    "parameters": [_WAREHOUSE, _DATE],
}
_FRESH: Final[dict[str, Any]] = {"missing": [], "obsoleto": False}
_ORDER: Final[dict[str, Any]] = {
    "code": "RDR20001",
    "title": "Orden de venta",
    "category": "Ventas",
    "enabled": True,
    "documents": [{"screen": "/ventas/pedidos", "default": True}],
    "parameters": [_DOCUMENT_KEY],
    **_FRESH,
}
_REGISTERED: Final[dict[str, Any]] = {"code": "RCRI0002", **_STOCK, **_FRESH}
_FORMAT: Final[dict[str, Any]] = {
    "code": "RDR20001",
    "title": "Orden de venta",
    "default": True,
    "obsoleto": False,
}
_PDF: Final = Answer(
    "The PDF, as a file named after the report's title.",
    Body({"type": "string", "format": "binary"}, example="%PDF-1.7 …", media_type="application/pdf"),
    {"Content-Disposition": "`attachment`, with the title as file name"},
)


def authorized(handler: Handler, shape: type) -> Endpoint:
    """Declare `GET /api/gateway/authorized`."""
    return Endpoint(
        "GET",
        "/api/gateway/authorized",
        handler,
        access=Access.ADMIN,
        summary="Reports the gateway authorises",
        description=(
            "The report gateway's general catalogue. Layouts of documents are never in it: `document` asks "
            "the ERP for those of a document type, its default first. A report need not be listed to be "
            "registered."
        ),
        tag=_TAG,
        query=(
            QueryParam(
                "document",
                "Document type of the ERP whose layouts to list",
                "RDR2",
                {"type": "string", "pattern": "^[A-Za-z0-9_]{3,20}$"},
            ),
        ),
        responses={
            200: Answer(
                "The reports, or the document type's layouts",
                Body(
                    shape,
                    {
                        "items": [
                            {
                                "code": "RCRI0002",
                                "name": "Existencias por bodega",
                                "registered": True,
                                "default": False,
                                "printable": True,
                            }
                        ]
                    },
                ),
            )
        },
        errors=(*_ASKED, InvalidQuery, *UPSTREAM_REFUSALS, *UPSTREAM_FAILURES),
    )


def suggested(handler: Handler, shape: type) -> Endpoint:
    """Declare `GET /api/gateway/authorized/{code}/parameters`."""
    return Endpoint(
        "GET",
        "/api/gateway/authorized/{code}/parameters",
        handler,
        access=Access.ADMIN,
        summary="Parameters of a report, as registry definitions",
        description=(
            "What the report itself tells, as a suggestion: it can be sent to the registry as it is. "
            "`required` is the administrator's choice. Headings carry no value and are left out."
        ),
        tag=_TAG,
        path_params=_CODE,
        responses={
            200: Answer(
                "The parameters, in the report's own order",
                Body(shape, {"code": "RDR20001", "parameters": [_DOCUMENT_KEY]}),
            )
        },
        errors=(*_ASKED, ReportUnknown),
    )


def registry(handler: Handler, shape: type) -> Endpoint:
    """Declare `GET /api/gateway/registry`."""
    return Endpoint(
        "GET",
        "/api/gateway/registry",
        handler,
        access=Access.ADMIN,
        summary="Registered reports",
        tag=_TAG,
        responses={200: Answer("All of them, by code", Body(shape, {"items": [_REGISTERED, _ORDER]}))},
        errors=_STORED,
    )


def register(handler: Handler, taken: type, answered: type) -> Endpoint:
    """Declare `PUT /api/gateway/registry/{code}`."""
    return Endpoint(
        "PUT",
        "/api/gateway/registry/{code}",
        handler,
        access=Access.ADMIN,
        summary="Register or update a report",
        description=(
            "The report gateway says whether there is such a report: every parameter must be one of its own, "
            "byte for byte and with its type. Their order, `isRange` and `isMultiple` are the report's, "
            "whatever is sent; a value of a range is `{from, to}`, several values are a list.\n\n"
            "A screen has one default format: a report that becomes the default takes that place from the "
            "one that had it. A report with `documents` needs a parameter with `isDocEntry`, and every other "
            "required parameter a default, because nobody is asked."
        ),
        tag=_TAG,
        path_params=_CODE,
        request=Body(taken, _STOCK),
        max_body_bytes=MAX_DEFINITION_BYTES,
        responses={200: Answer("The report as registered", Body(answered, _REGISTERED))},
        errors=(*_ASKED, ReportUnknown),
    )


def check(handler: Handler, answered: type) -> Endpoint:
    """Declare `POST /api/gateway/registry/{code}/check`."""
    return Endpoint(
        "POST",
        "/api/gateway/registry/{code}/check",
        handler,
        access=Access.ADMIN,
        summary="Look whether a report still has its parameters",
        description=(
            "Asks the report gateway. `missing` names registered parameters that are gone at the designer, "
            "or have another type there; `obsoleto` is true then, here and in the lists, and the report is "
            "refused with `report_obsolete` until it is registered anew or its parameters are back. An "
            "export looks by itself, at most once a minute."
        ),
        tag=_TAG,
        path_params=_CODE,
        responses={200: Answer("The report as it is registered", Body(answered, _REGISTERED))},
        errors=(*_ASKED, ReportNotFound, ReportUnknown),
    )


def unregister(handler: Handler) -> Endpoint:
    """Declare `DELETE /api/gateway/registry/{code}`."""
    return Endpoint(
        "DELETE",
        "/api/gateway/registry/{code}",
        handler,
        access=Access.ADMIN,
        summary="Remove a report from the registry",
        tag=_TAG,
        path_params=_CODE,
        responses={204: Answer("Removed.")},
        errors=(*_STORED, ReportNotFound),
    )


def reports(handler: Handler, shape: type) -> Endpoint:
    """Declare `GET /api/gateway/reports`."""
    return Endpoint(
        "GET",
        "/api/gateway/reports",
        handler,
        access=RUN,
        summary="Enabled reports",
        description="Those that are tied to screens only for who may use one of these.",
        tag=_TAG,
        responses={200: Answer("By category and title", Body(shape, {"items": [_REGISTERED]}))},
        errors=_STORED,
    )


def export(handler: Handler, taken: type) -> Endpoint:
    """Declare `POST /api/gateway/reports/{code}/export`."""
    return Endpoint(
        "POST",
        "/api/gateway/reports/{code}/export",
        handler,
        access=RUN,
        summary="Make a report's PDF",
        description=(
            "`values` by parameter name: texts, numbers, dates such as `2026-01-31`, booleans; "
            '`{"from": …, "to": …}` for a range and a list for several values. Values of parameters that are '
            "not registered, hidden, or given by the configuration are dropped. A parameter that is not sent "
            "takes its default; one that is sent empty has no value.\n\n"
            "A report that is tied to screens needs permission for one of these besides."
        ),
        tag=_TAG,
        path_params=_CODE,
        max_body_bytes=MAX_VALUES_BYTES,
        request=Body(taken, {"values": {"warehouse@Select * from OWHS": "01", "Fecha": "2026-01-31"}}),
        headers=(PREFER,),
        responses={200: _PDF, 202: ACCEPTED},
        errors=(*_PRINTED, *START_ERRORS),
    )


def documents(handler: Handler, shape: type) -> Endpoint:
    """Declare `GET /api/gateway/documents`."""
    return Endpoint(
        "GET",
        "/api/gateway/documents",
        handler,
        access=Access.SCREEN,
        summary="PDF formats of a screen's documents",
        tag=_TAG,
        query=(
            QueryParam(
                "screen",
                "Menu route of the screen",
                "/ventas/pedidos",
                {"type": "string"},
                required=True,
            ),
        ),
        responses={
            200: Answer(
                "The enabled formats, the default first",
                Body(shape, {"items": [_FORMAT]}),
            )
        },
        errors=(*_STORED, PermissionDenied, InvalidQuery),
    )


def export_document(handler: Handler, taken: type) -> Endpoint:
    """Declare `POST /api/gateway/documents/export`."""
    return Endpoint(
        "POST",
        "/api/gateway/documents/export",
        handler,
        access=Access.SCREEN,
        summary="PDF of a document",
        description=(
            "`docEntry` goes into the parameter that the registry marks with `isDocEntry`. `docEntries` in "
            "its place, at most 50, makes one PDF of several, in this order: all of them, or none, and the "
            "document that failed is named."
        ),
        headers=(PREFER,),
        tag=_TAG,
        max_body_bytes=MAX_DOCUMENT_BYTES,
        request=Body(taken, {"screen": "/ventas/pedidos", "code": "RDR20001", "docEntry": 2451}),
        responses={200: _PDF, 202: ACCEPTED},
        errors=(*_PRINTED, *START_ERRORS, DocumentFailed, ExportNoRoom, PermissionDenied),
    )
