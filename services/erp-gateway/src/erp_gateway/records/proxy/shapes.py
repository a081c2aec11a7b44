"""Parameters, bodies, answers and errors of `/api/sl` and `/api/history` for the API's description."""

from typing import Final

from erp_gateway.files.exports.shapes import DISPOSITION_HEADER, FILES, QUERY
from erp_gateway.records.proxy import errors
from erp_gateway.records.proxy.history import History
from erp_gateway.records.proxy.offer import Offer
from erp_gateway.records.proxy.sums import Sums
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web import odata_errors
from erp_gateway.web.upstream_errors import (
    UPSTREAM_FAILURES,
    UPSTREAM_REFUSALS,
    MaybeInApproval,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
    UpstreamKeyUnsupported,
)
from erp_gateway.writes.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    LedgerUnavailable,
)
from erp_gateway.writes.idempotency_key import MAX_KEY_CHARS
from servicekit.endpoint import Answer, Body, PathParam, QueryParam
from servicekit.endpoint.declare import HeaderParam
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidBody, InvalidQuery, MethodNotAllowed, ServiceError

COLLECTION_PATH: Final = "/api/sl/{resource}"
RECORD_PATH: Final = "/api/sl/{resource}/{key}"
ACTION_PATH: Final = "/api/sl/{resource}/{key}/{action}"

SUMS_PATH: Final = "/api/sums/{resource}"

_COUNT: Final = "odata.count"
_OBJECT: Final = {"type": "object", "additionalProperties": True}
"""A record of the ERP with any properties. Without it, client generators allow none."""

RESOURCE_PARAM: Final = {"resource": PathParam("A registered resource", "Items")}
RESOURCE_OR_ACTION_PARAM: Final = {
    "resource": PathParam("A registered resource, or a registered service action", "Orders")
}
RECORD_PARAMS: Final = {
    **RESOURCE_PARAM,
    "key": PathParam(
        "Key of the record, percent-encoded in one segment (`A%2F1` for `A/1`); "
        "a composite one as `CardCode='C1',ItemCode='A1'`",
        "A00001",
    ),
}
ACTION_PARAMS: Final = {
    **RECORD_PARAMS,
    "action": PathParam("An action that the resource declares", "Cancel"),
}

SELECT: Final = QueryParam("$select", "Properties to read, separated by commas", "ItemCode,ItemName")
EXPAND: Final = QueryParam("$expand", "Navigation properties that the resource declares", "ItemGroups")
FILTER: Final = QueryParam(
    "$filter",
    "A condition: `eq ne gt ge lt le`, `and or not`, `()`, `startswith endswith contains substringof`",
    "startswith(ItemName,'Tornillo') and Valid eq 'tYES'",
)
LIST_QUERY: Final = (
    SELECT,
    FILTER,
    QueryParam("$orderby", "Properties, each with `asc` or `desc`", "ItemCode desc"),
    EXPAND,
    QueryParam(
        "$top", "Rows to answer", 50, {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}
    ),
    QueryParam("$skip", "Rows to leave out at the start", 0, {"type": "integer", "minimum": 0}),
    *QUERY,
)
LIST_DESCRIPTION: Final = (
    "As a file, all records that match, or as many as `$top` says, which may then be more; without `$select` "
    "the resource's own columns, with their Spanish titles."
)

SUMS_QUERY: Final = (
    QueryParam("$select", "Columns to add up; without it all that add up", "DocTotal,DocTotalFc"),
    FILTER,
)
SUMS_DESCRIPTION: Final = (
    "For whoever may read the records, with the `$filter` of a list. Columns that add up are the resource's "
    "own columns with a `measure` that `adds` (`GET /api/sl`). The ERP computes the sums in one call, each "
    "currency and unit by itself. `available` is false where the resource has no such column or the ERP does "
    "not add up; the service then does not ask it again before its next login."
)
SUMS_ANSWER: Final = Answer("The sums", Body(Sums))

HISTORY_DESCRIPTION: Final = (
    "Changes through the gateway, newest first, for users who may read the record. Values are not stored. "
    "Administrators see denied requests in `GET /api/audit`. Makes no call to the ERP."
)

IF_MATCH: Final = HeaderParam(
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
        "`no-cache`: read from the ERP even if the cache has an answer; other values are ignored",
        "no-cache",
    ),
)
IDEMPOTENCY_KEY: Final = HeaderParam(
    "Idempotency-Key",
    "1 to 128 visible ASCII characters, new for each operation: the same request with the same key is done "
    "once and gets the same answer, with `Idempotency-Replayed: true`",
    "8f7c2f5e-6c1d-4a55-9d31-0f4f2f6f3c11",
    {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS},
)
MODIFY_HEADERS: Final = (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    HeaderParam(
        "B1S-ReplaceCollectionsOnPatch",
        "`true`: the sent lines become all the lines, others are deleted. Where the resource declares it",
        "true",
        {"type": "string", "enum": ["true", "false"]},
    ),
)

OFFER_ANSWER: Final = Answer("The resources and service actions that the caller may use", Body(Offer))
REPLAYED: Final = {
    "Idempotency-Replayed": "`true` where the first request with the key was answered so before"
}
_FROM_CACHE: Final = {
    "Age": "Seconds since the answer was read from the ERP, if the cache of reference data answers",
    "X-ERP-Stale": "`true` if the cache answers because the ERP does not respond",
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
    {**_FROM_CACHE, **DISPOSITION_HEADER},
    FILES,
)
RECORD_ANSWER: Final = Answer(
    "The record, with `odata.etag` where the resource carries tags",
    Body(_OBJECT, {"ItemCode": "A00001", "ItemName": "Tornillo 3/8", "odata.etag": 'W/"356A192B…"'}),
    {"ETag": "Entity tag of the record, to be sent back as `If-Match`", **_FROM_CACHE},
)
HISTORY_ANSWER: Final = Answer("A page of it", Body(History))
CREATED_ANSWER: Final = Answer(
    "The record as the ERP created it; to a repeated request without it where it was over 256 KiB, or found "
    "only later",
    Body(_OBJECT, {"DocEntry": 2451, "DocNum": 1032, "DocTotal": 119000.0}, required=False),
    {"Location": "Path of the new record", **REPLAYED},
)
ACTION_ANSWER: Final = Answer(
    "What the ERP returned",
    Body({}, {"value": [{"Series": 4, "Name": "Primario"}]}, required=False),
    REPLAYED,
)
DONE_ANSWER: Final = Answer("Done; nothing to return", headers=REPLAYED)
ACTED_ANSWER: Final = Answer(
    "What the ERP returned: the new document, for `CreateCancellationDocument`",
    Body({}, {"DocEntry": 2452, "DocNum": 1033, "CancelStatus": "csCancellation"}, required=False),
    {"Location": "Path of the new document, for `CreateCancellationDocument`", **REPLAYED},
)

NEW_RECORD_BODY: Final = Body(
    _OBJECT,
    {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A00001", "Quantity": 2.5, "UnitPrice": 100.10}]},
    required=False,
)

_ODATA: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.ODataSyntax,
    odata_errors.ODataLimit,
    odata_errors.ODataUnknownOption,
    odata_errors.ODataRepeatedOption,
    odata_errors.ODataForbiddenName,
    odata_errors.ODataBadValue,
    odata_errors.ODataEncoding,
)
ANY_CALL: Final[tuple[type[ServiceError], ...]] = (
    errors.ResourceNotRegistered,
    errors.HeaderNotAllowed,
    PermissionDenied,
    *UPSTREAM_REFUSALS,
    *UPSTREAM_FAILURES,
)
ANY_WRITE: Final[tuple[type[ServiceError], ...]] = (
    *ANY_CALL,
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
ON_RECORD: Final[tuple[type[ServiceError], ...]] = (
    odata_errors.KeyBadValue,
    odata_errors.IfMatchBadValue,
    UpstreamKeyUnsupported,
)

LIST_ERRORS: Final = (*ANY_CALL, *_ODATA, MethodNotAllowed, RecordNotFound)
HISTORY_ERRORS: Final = (
    errors.ResourceNotRegistered,
    PermissionDenied,
    odata_errors.KeyBadValue,
    InvalidQuery,
    MethodNotAllowed,
    StoreUnavailable,
)
POST_ERRORS: Final = (
    *ANY_WRITE,
    errors.FieldNotWritable,
    errors.ActionNotRegistered,
    errors.RateLimited,
    MethodNotAllowed,
    MaybeInApproval,
)
MODIFY_ERRORS: Final = (
    *ANY_WRITE,
    *ON_RECORD,
    errors.FieldNotWritable,
    errors.HeaderBadValue,
    MethodNotAllowed,
    RecordNotFound,
)

ACTION_ERRORS: Final = (
    *ANY_WRITE,
    *ON_RECORD,
    errors.FieldNotWritable,
    errors.ActionNotRegistered,
    MaybeInApproval,
)
ACTION_DESCRIPTION: Final = (
    "`GET /api/sl` lists the actions of each resource. `Close`, `Cancel` and `Reopen` change the record "
    "(204). `CreateCancellationDocument` cancels a document that posts to stock or accounts by a new one and "
    "answers 200 with it; an approval procedure may keep it as a draft (`maybe_in_approval`). The ERP "
    "refuses what the state of the record does not allow (400 `upstream_rejected`, code -5006)."
)

CHANGE_BODY: Final = Body(_OBJECT, {"Comments": "Entregar por la mañana"})
ACTION_BODY: Final = Body(_OBJECT, {}, required=False)
CHANGED_ANSWER: Final = Answer("Changed", headers=REPLAYED)
