"""Bodies of writes: checked as strict JSON objects, forwarded as the bytes that the client sent."""

import asyncio
from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

from erp_gateway.records.proxy.body.checks import read_fields
from erp_gateway.records.proxy.body.references import References, references_in
from erp_gateway.records.proxy.declarations.object_types import ENTITY_SETS
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.values.audit_event import SentFields

OFF_LOOP_BYTES: Final = 32 * 1024
"""Bodies above this are checked in a thread: below it a check takes at most some milliseconds."""


@frozen(kw_only=True)
class WriteTarget:
    """What a body is written to.

    Attributes:
        resource: whose record; None for a service action.
        action: the service action whose parameters it holds.
        key: of the record; empty where it is new.
        optional: whether an empty body is fine (an action without parameters); it has no fields.
        is_change: whether it changes a record, whose rows it then names.
    """

    resource: Resource | None = None
    action: ServiceAction | None = None
    key: str = ""
    optional: bool = False
    is_change: bool = False


@frozen
class CheckedBody:
    """What a body sends.

    Attributes:
        fields: the names of its fields as paths (`DocumentLines[].ItemCode`), each once, for the audit.
        references: the records that it names.
    """

    fields: SentFields = field(factory=SentFields)
    references: References = field(factory=References)


class BodyChecker:
    """Checks bodies without holding up the event loop.

    Args:
        secret_fields: casefolded names of properties that may not be written.
        object_types: entity set by object type.
    """

    def __init__(self, secret_fields: frozenset[str], object_types: Mapping[int, str] = ENTITY_SETS) -> None:
        self._secret_fields = secret_fields
        self._object_types = object_types
        # One large body at a time: several threads would take turns with the event loop at its expense.
        self._large = asyncio.Lock()

    async def check(self, body: bytes, target: WriteTarget) -> CheckedBody:
        """Check the body of a write.

        Raises:
            MalformedJson: no strict JSON.
            InvalidBody: no JSON object, or one with names that cannot be properties or may not be written,
                with numbers that the ERP cannot hold, with a row that lacks its name, or with a parameter
                that the service action does not take.
            FieldNotWritable: it has fields that no client may write.
        """
        if target.optional and not body:
            return CheckedBody()
        if len(body) <= OFF_LOOP_BYTES:
            return self._check(body, target)
        async with self._large:
            return await asyncio.to_thread(self._check, body, target)

    def _check(self, body: bytes, target: WriteTarget) -> CheckedBody:
        value, fields = read_fields(body, self._secret_fields, change=target.is_change, action=target.action)
        found = references_in(value, target.resource, key=target.key, object_types=self._object_types)
        return CheckedBody(fields, found)
