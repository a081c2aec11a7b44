"""How the proxy's endpoints read in the API's description: parameters, shapes, examples, errors."""

from typing import Final

from erp_gateway.errors import PermissionDenied
from erp_gateway.exports import options as exports
from erp_gateway.ledger.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    LedgerUnavailable,
)
from erp_gateway.ledger.idempotency import MAX_KEY_CHARS
from erp_gateway.proxy import errors
from erp_gateway.proxy.offer import Offer
from erp_gateway.web import odata_errors
from erp_gateway.web.upstream_errors import (
    UPSTREAM_FAILURES,
    UPSTREAM_REFUSALS,
    MaybeInApproval,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
    UpstreamKeyUnsupported,
)
from servicekit.endpoint import Answer, Body, PathParam, QueryParam
from servicekit.endpoint.declare import HeaderParam
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidBody, MethodNotAllowed, ServiceError

TAG: Final = "ERP"

_COUNT: Final = "odata.count"
_OBJECT: Final = {"type": "object", "additionalProperties": True}
"""A record of the ERP: it may hold anything; generators of clients take silence for nothing."""

RESOURCE: Final = {"resource": PathParam("A registered resource", "Items")}
RESOURCE_OR_ACTION: Final = {
    "resource": PathParam("A registered resource, or a registered service action", "Orders")
}
RECORD: Final = {
    **RESOURCE,
    "key": PathParam(
        "Key of the record, percent-encoded in one segment (`A%2F1` for `A/1`); "
        "a composite one as `CardCode='C1',ItemCode='A1'`",
        "A00001",
    ),
}
ACTION: Final = {**RECORD, "action": PathParam("An action that the resource declares", "Cancel")}

_SELECT: Final = QueryParam("$select", "Properties to read, separated by commas", "ItemCode,ItemName")
_EXPAND: Final = QueryParam("$expand", "Navigation properties that the resource declares", "ItemGroups")
RECORD_QUERY: Final = (_SELECT, _EXPAND)
LIST_QUERY: Final = (
    _SELECT,
    QueryParam(
        "$filter",
        "A condition: `eq ne gt ge lt le`, `and or not`, `()`, `startswith endswith contains substringof`",
        "startswith(ItemName,'Tornillo') and Valid eq 'tYES'",
    ),
    QueryParam("$orderby", "Properties, each with `asc` or `desc`", "ItemCode desc"),
    _EXPAND,
    QueryParam(
        "$top", "Rows to answer", 50, {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
    ),
    QueryParam("$skip", "Rows to leave out at the start", 0, {"type": "integer", "minimum": 0}),
    *exports.QUERY,
)
LIST_DESCRIPTION: Final = (
    "As a file, all records that match, or as many as `$top` says, which may then be more; without `$select` "
    "the resource's own columns, with their Spanish titles."
)

_IF_MATCH: Final = HeaderParam(
    "If-Match",
    "`*`, or the `odata.etag` that was read; only where the resource carries tags",
    'W/"356A192B7913B04C54574D18C28D46E6395428AB"',
)
READ_HEADERS: Final = (
    HeaderParam("B1S-PageSize", "Accepted and ignored: the gateway sets it to `$top`", "50"),
    HeaderParam(
        "B1S-CaseInsensitive", "Accepted and ignored: the gateway sets it where there is a filter", "true"
    ),
    HeaderParam(
        "Cache-Control",
        "`no-cache`: the ERP is asked also for reference data that is in memory; all else is ignored",
        "no-cache",
    ),
)
_IDEMPOTENCY_KEY: Final = HeaderParam(
    "Idempotency-Key",
    "1 to 128 visible ASCII characters, new for each operation: the same request with the same key is done "
    "once and gets the same answer, with `Idempotency-Replayed: true`",
    "8f7c2f5e-6c1d-4a55-9d31-0f4f2f6f3c11",
    {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS},
)
CREATE_HEADERS: Final = (_IDEMPOTENCY_KEY,)
MODIFY_HEADERS: Final = (
    _IDEMPOTENCY_KEY,
    _IF_MATCH,
    HeaderParam(
        "B1S-ReplaceCollectionsOnPatch",
        "`true`: the sent lines become all the lines, others are deleted. Where the resource declares it",
        "true",
        {"type": "string", "enum": ["true", "false"]},
    ),
)
ACTION_HEADERS: Final = (_IDEMPOTENCY_KEY, _IF_MATCH)

OFFER_ANSWER: Final = Answer(
    "The resources and service actions that the caller may use",
    Body(
        Offer,
        {
            "items": [
                {
                    "name": "Orders",
                    "title": "Pedidos de venta",
                    "singular": "Pedido de venta",
                    "path": "/api/sl/Orders",
                    "methods": ["GET", "POST", "PATCH"],
                    "key": [{"name": "DocEntry", "type": "integer"}],
                    "actions": [],
                    "expand": ["PaymentTermsType", "SalesPerson"],
                    "etag": True,
                    "replacesCollections": True,
                    "approvable": True,
                    "screen": "/ventas/pedidos",
                    "columns": [
                        {"name": "DocNum", "title": "Número", "type": "integer", "choices": []},
                        {
                            "name": "DocumentStatus",
                            "title": "Estado",
                            "type": "choice",
                            "choices": [
                                {"value": "bost_Open", "title": "Abierto"},
                                {"value": "bost_Close", "title": "Cerrado"},
                            ],
                        },
                    ],
                }
            ],
            "serviceActions": ["SeriesService_GetDocumentSeries"],
        },
    ),
)
_REPLAYED: Final = {
    "Idempotency-Replayed": "`true` where the first request with the key was answered so before"
}
_FROM_MEMORY: Final = {
    "Age": "Seconds since it was read from the ERP, where reference data is answered from memory",
    "X-ERP-Stale": "`true` where it is answered from memory because the ERP gives no answers",
}
LIST_ANSWER: Final = Answer(
    "A page of records",
    Body(
        {
            "type": "object",
            "required": ["value", _COUNT],
            "properties": {
                "value": {"type": "array", "items": _OBJECT},
                _COUNT: {"type": "integer", "description": "How many records match in all"},
            },
        },
        {"value": [{"ItemCode": "A00001", "ItemName": "Tornillo 3/8", "AvgStdPrice": 100.10}], _COUNT: 1},
    ),
    {**_FROM_MEMORY, **exports.DISPOSITION_HEADER},
    exports.FILES,
)
RECORD_ANSWER: Final = Answer(
    "The record, with `odata.etag` where the resource carries tags",
    Body(_OBJECT, {"ItemCode": "A00001", "ItemName": "Tornillo 3/8", "odata.etag": 'W/"356A192B…"'}),
    {"ETag": "Entity tag of the record, to be sent back as `If-Match`", **_FROM_MEMORY},
)
CREATED_ANSWER: Final = Answer(
    "The record as the ERP created it; to a repeated request without it where it was over 256 KiB, or found "
    "only later",
    Body(_OBJECT, {"DocEntry": 2451, "DocNum": 1032, "DocTotal": 119000.0}, required=False),
    {"Location": "Path of the new record", **_REPLAYED},
)
ACTION_ANSWER: Final = Answer(
    "What the ERP returned",
    Body({}, {"value": [{"Series": 4, "Name": "Primario"}]}, required=False),
    _REPLAYED,
)
DONE_ANSWER: Final = Answer("Done; nothing to return", headers=_REPLAYED)
MODIFIED_ANSWER: Final = Answer("Changed", headers=_REPLAYED)

NEW_RECORD: Final = Body(
    _OBJECT,
    {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A00001", "Quantity": 2.5, "UnitPrice": 100.10}]},
    required=False,
)
CHANGES: Final = Body(_OBJECT, {"Comments": "Entregar por la mañana"})
PARAMETERS: Final = Body(_OBJECT, {}, required=False)

_ODATA: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.ODataSyntax,
    odata_errors.ODataLimit,
    odata_errors.ODataUnknownOption,
    odata_errors.ODataRepeatedOption,
    odata_errors.ODataForbiddenName,
    odata_errors.ODataBadValue,
    odata_errors.ODataEncoding,
)
_ANY: Final[tuple[type[ServiceError], ...]] = (
    errors.ResourceNotRegistered,
    errors.HeaderNotAllowed,
    PermissionDenied,
    *UPSTREAM_REFUSALS,
    *UPSTREAM_FAILURES,
)
_WRITE: Final[tuple[type[ServiceError], ...]] = (
    *_ANY,
    InvalidBody,
    odata_errors.ODataUnknownOption,
    errors.EtagUnsupported,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    FirstOutcomeUnknown,
    LedgerUnavailable,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
)
_ON_RECORD: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.KeyBadValue,
    odata_errors.IfMatchBadValue,
    UpstreamKeyUnsupported,
)

LIST_ERRORS: Final = (*_ANY, *_ODATA, MethodNotAllowed, RecordNotFound)
RECORD_ERRORS: Final = (*LIST_ERRORS, odata_errors.KeyBadValue)
POST_ERRORS: Final = (
    *_WRITE,
    errors.ActionNotRegistered,
    MethodNotAllowed,
    MaybeInApproval,
)
MODIFY_ERRORS: Final = (
    *_WRITE,
    *_ON_RECORD,
    errors.HeaderBadValue,
    MethodNotAllowed,
    RecordNotFound,
)
ACTION_ERRORS: Final = (*_WRITE, *_ON_RECORD, errors.ActionNotRegistered)
