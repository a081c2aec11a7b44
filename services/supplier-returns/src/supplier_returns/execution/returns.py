"""Return documents, drafts and used keys, read and written through the Service Layer."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, TypeVar

import msgspec

from erpclient import (
    Caller,
    ErpClient,
    ErpError,
    ErpList,
    ErpRefused,
    ErpReplyUnreadable,
    Outcome,
    SessionEnded,
)
from erpclient.batch import (
    ChangeSetDone,
    ChangeSetNotSent,
    ChangeSetRefused,
    ChangeSetUnknown,
    creation_of,
)
from erpclient.odata import ListQuery, RecordQuery, quote_string
from supplier_returns.execution.fence import (
    FENCE_SET,
    create_row,
    fence_key,
    fence_row,
    needing_fence,
)
from supplier_returns.execution.rules.failures import NotSent, Posted, PostOutcome, Refused, Unknown
from supplier_returns.execution.rules.finding import (
    DraftStanding,
    ErpDraft,
    ErpReturn,
    name_of,
    planning_name,
)
from supplier_returns.execution.rules.return_body import KEY_FIELD
from supplier_returns.planning.errors import MetadataMissing
from supplier_returns.web.error_map import needing_right, upstream_service_error

RETURNS: Final = "PurchaseReturns"
DRAFTS: Final = "Drafts"
MOST_FOUND: Final = 20
"""Documents asked for under one key; there is one, unless people copied it by hand."""

AT_ONCE: Final = 100
"""Returns of one planning asked for in one call."""

_UNKNOWN_FIELD_CODES: Final = frozenset({201, -1000})
"""The ERP's 400 for a property that it does not know, in a filter and elsewhere (seen live)."""

_REFUSED_DRAFTS: Final = frozenset({"dasRejected", "dasCancelled"})
_DONE_DRAFTS: Final = frozenset({"dasGenerated", "dasGeneratedbyAuthorizer"})


_R = TypeVar("_R")


class _ReturnRow(msgspec.Struct):
    DocEntry: int
    DocNum: int
    CardCode: str
    U_LIB_Clave: str | None = None
    FolioNumber: int | None = None
    Cancelled: str | None = None
    CancelStatus: str | None = None


class _DraftRow(msgspec.Struct):
    DocEntry: int
    AuthorizationStatus: str | None = None


class _Made(msgspec.Struct):
    DocEntry: int
    DocNum: int
    FolioNumber: int | None = None


_RETURN_ROWS: Final = msgspec.json.Decoder(list[_ReturnRow])
_DRAFT_ROWS: Final = msgspec.json.Decoder(list[_DraftRow])
_MADE: Final = msgspec.json.Decoder(_Made)
_RETURN_FIELDS: Final = tuple(_ReturnRow.__struct_fields__)
_DRAFT_FIELDS: Final = tuple(_DraftRow.__struct_fields__)


class ErpReturns:
    """The ERP's return documents by the key that each of ours carries, for one signed-in user.

    It lets `erpclient.ErpError` through where it looks, and never where it posts, but for an ended session.

    Args:
        erp: The user's session.
        caller: For whom.
    """

    def __init__(self, erp: ErpClient, caller: Caller) -> None:
        self._erp = erp
        self._caller = caller

    async def find_returns(self, key: str) -> Sequence[ErpReturn]:
        """Return every return document under the key's name, cancelled ones included."""
        rows = await self._find(RETURNS, key, _RETURN_FIELDS, _RETURN_ROWS)
        return [_return_of(row) for row in rows]

    async def find_all(self, planning_id: int) -> Sequence[ErpReturn]:
        """Return every return document of a planning, cancelled ones included: one call for every 100."""
        name, found = planning_name(planning_id), list[ErpReturn]()
        while True:
            page = await self._read(RETURNS, name, _RETURN_FIELDS, top=AT_ONCE, skip=len(found))
            rows = _decoded(page, _RETURN_ROWS)
            found += [_return_of(row) for row in rows]
            if not rows or len(found) >= page.count:
                return found

    async def find_drafts(self, key: str) -> Sequence[ErpDraft]:
        """Return every stored draft under the key's name that has not become a document."""
        rows = await self._find(DRAFTS, key, _DRAFT_FIELDS, _DRAFT_ROWS)
        return [
            ErpDraft(
                doc_entry=row.DocEntry,
                standing=DraftStanding.REFUSED
                if row.AuthorizationStatus in _REFUSED_DRAFTS
                else DraftStanding.WAITING,
            )
            for row in rows
            if row.AuthorizationStatus not in _DONE_DRAFTS
        ]

    async def is_fenced(self, key: str) -> bool:
        """Tell whether the key is used up in the fence."""
        try:
            with needing_fence():
                await self._erp.get(
                    FENCE_SET, fence_key(key), RecordQuery(select=("Code",)), caller=self._caller
                )
        except ErpRefused as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return False
            _check_installed(error)
            raise
        return True

    async def use_up(self, key: str) -> bool:
        """Use a key up in the fence, without a return; tell whether it surely was not used up before.

        Raises:
            ErpError: It could not be.
            OutcomeUnknown: No answer came, and it does not show as used up.
        """
        try:
            return await create_row(key, self._erp, self._caller)
        except ErpRefused:
            if await self.is_fenced(key):
                return False
            raise

    async def post(self, key: str, body: bytes, *, fenced: bool) -> PostOutcome:
        """Post a return.

        Args:
            key: The document's.
            body: JSON.
            fenced: Whether to use the key up in the same transaction, so that no second return can have it.

        Raises:
            SessionEnded: The ERP no longer knows the session; nothing was done.
        """
        return await (self._post_fenced(key, body) if fenced else self._post_alone(body))

    async def _post_fenced(self, key: str, body: bytes) -> PostOutcome:
        operations = [creation_of(FENCE_SET, fence_row(key)), creation_of(RETURNS, body)]
        match await self._erp.run_change_set(operations, caller=self._caller):
            case ChangeSetDone(operations=(_, made)):
                return _read_made(made.body, made.location)
            case (
                ChangeSetRefused(error=error) | ChangeSetUnknown(error=error) | ChangeSetNotSent(error=error)
            ):
                return _outcome_of(error)
        return Unknown()

    async def _post_alone(self, body: bytes) -> PostOutcome:
        try:
            made = await self._erp.create(RETURNS, body, caller=self._caller)
        except ErpError as error:
            return _outcome_of(error)
        return _read_made(made.body, made.location)

    async def _find(
        self, entity_set: str, key: str, fields: Sequence[str], rows: msgspec.json.Decoder[list[_R]]
    ) -> list[_R]:
        return _decoded(await self._read(entity_set, name_of(key), fields), rows)

    async def _read(
        self, entity_set: str, name: str, fields: Sequence[str], *, top: int = MOST_FOUND, skip: int = 0
    ) -> ErpList:
        query = ListQuery(
            select=tuple(fields),
            filter=f"startswith({KEY_FIELD},{quote_string(name)})",
            orderby=("DocEntry asc",),
            top=top,
            skip=skip,
        )
        try:
            with needing_right(entity_set, task="ver las devoluciones a proveedores y sus borradores"):
                return await self._erp.list(entity_set, query, caller=self._caller)
        except ErpRefused as error:
            _check_installed(error)
            raise


def _decoded(found: ErpList, rows: msgspec.json.Decoder[list[_R]]) -> list[_R]:
    try:
        return rows.decode(found.rows)
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("a document without its key or number") from error


def _return_of(row: _ReturnRow) -> ErpReturn:
    return ErpReturn(
        doc_entry=row.DocEntry,
        doc_num=row.DocNum,
        card_code=row.CardCode,
        key=row.U_LIB_Clave or "",
        folio=row.FolioNumber or None,
        is_cancelled=row.Cancelled == "tYES" or row.CancelStatus == "csYes",
        is_cancellation=row.CancelStatus == "csCancellation",
    )


def _read_made(body: bytes, location: str | None) -> PostOutcome:
    """Read a new return; a success that names none is no success (a draft, or an answer without a body).

    A draft has a key and a number as well, and is told by the place that the ERP names.
    """
    if location is not None and not location.startswith(f"{RETURNS}("):
        return Unknown()
    try:
        made = _MADE.decode(body)
    except msgspec.DecodeError:
        return Unknown()
    return Posted(doc_entry=made.DocEntry, doc_num=made.DocNum, folio=made.FolioNumber or None)


def _outcome_of(error: ErpError) -> PostOutcome:
    if isinstance(error, SessionEnded):
        raise error.again()
    if isinstance(error, ErpRefused):
        return Refused(code=error.code, text=error.text)
    if error.outcome is Outcome.UNKNOWN:
        return Unknown()
    return NotSent(upstream_service_error(error, writes=True).detail)


def _check_installed(error: ErpRefused) -> None:
    if error.status == HTTPStatus.BAD_REQUEST and error.code in _UNKNOWN_FIELD_CODES:
        raise MetadataMissing from error
