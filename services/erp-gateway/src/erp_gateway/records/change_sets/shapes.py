"""Body and answer of `/api/change-sets`."""

from typing import Any, Final

from attrs import frozen

from erp_gateway.records.change_sets.errors import NotInChangeSet
from erp_gateway.records.proxy import errors
from erp_gateway.records.proxy.shapes import ANY_WRITE, ON_RECORD, REPLAYED
from erp_gateway.settings.erp import MAX_CHANGE_SET
from erp_gateway.web.upstream_errors import MaybeInApproval
from servicekit.endpoint import Answer, Body
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import MethodNotAllowed

DESCRIPTION: Final = (
    "The ERP does all of them or none. Each operation needs the same rights as alone; if one is refused, "
    "none is sent. `errors` names the operation (`operations[n]`) where it is known."
)

_RECORD: Final = {"type": ["object", "null"], "additionalProperties": True}

_OPERATION: Final = {
    "type": "object",
    "required": ["method", "resource"],
    "additionalProperties": False,
    "properties": {
        "method": {"enum": ["POST", "PATCH"]},
        "resource": {"type": "string", "description": "A registered resource"},
        "key": {
            "type": ["string", "integer", "null"],
            "description": "Key of the record for a change or an action, as in the path of `/api/sl`",
        },
        "action": {"type": ["string", "null"], "description": "An action that the resource declares"},
        "body": _RECORD,
        "ifMatch": {"type": "null", "description": "Refused: the ERP ignores it inside a change set"},
    },
}

_EXAMPLE: Final = {
    "operations": [
        {
            "method": "POST",
            "resource": "Orders",
            "body": {
                "CardCode": "C00001",
                "DocDueDate": "2026-12-31",
                "DocumentLines": [{"ItemCode": "A00001", "Quantity": 2.5}],
            },
        },
        {"method": "PATCH", "resource": "BusinessPartners", "key": "C00001", "body": {"Notes": "Pedido web"}},
    ]
}

BODY: Final = Body(
    {
        "type": "object",
        "required": ["operations"],
        "additionalProperties": False,
        "properties": {
            "operations": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_CHANGE_SET,
                "items": _OPERATION,
            }
        },
    },
    _EXAMPLE,
)


@frozen(kw_only=True)
class ChangeSetOperation:
    """Outcome of one operation.

    Attributes:
        status: 201 for a new record, 204 for a change or an action, 200 for an action with a result.
        location: path of a new record.
        etag: entity tag of a new record.
        body: the new record, or the result of an action.
    """

    status: int
    location: str | None
    etag: str | None
    body: dict[str, Any] | None


@frozen(kw_only=True)
class ChangeSetAnswer:
    """A change set that the ERP did, its operations in their order.

    Attributes:
        change_set: number of the set: the `id` of its first write.
        operations: one for each.
    """

    change_set: str
    operations: tuple[ChangeSetOperation, ...]


_EXAMPLE_ANSWER: Final = {
    "changeSet": "01JNB0K6T4W5C8Q2V7M3R9XZAE",
    "operations": [
        {
            "status": 201,
            "location": "/api/sl/Orders/2451",
            "etag": 'W/"356A192B…"',
            "body": {"DocEntry": 2451, "DocNum": 1032},
        },
        {"status": 204, "location": None, "etag": None, "body": None},
    ],
}
ANSWER: Final = Answer(
    "All operations were done; to a repeated request without the bodies where the answer was over 256 KiB, "
    "or found only later",
    Body(ChangeSetAnswer, _EXAMPLE_ANSWER),
    REPLAYED,
)
ERRORS: Final = (
    *ANY_WRITE,
    *ON_RECORD,
    errors.FieldNotWritable,
    errors.ActionNotRegistered,
    MethodNotAllowed,
    MaybeInApproval,
    NotInChangeSet,
    RecordNotFound,
)
