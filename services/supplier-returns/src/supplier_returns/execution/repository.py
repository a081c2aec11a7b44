"""Read and write return documents, drafts and used keys through the Service Layer."""

from collections.abc import Sequence
from decimal import Decimal
from http import HTTPStatus
from typing import Final, TypeVar

import msgspec

from erpclient import (
    Caller,
    ErpClient,
    ErpError,
    ErpRefused,
    ErpReplyUnreadable,
    Outcome,
    SessionEnded,
)
from erpclient.batch import ChangeSetDone, ChangeSetNotSent, ChangeSetRefused, ChangeSetUnknown, creation_of
from erpclient.odata import ListQuery, RecordQuery, quote_string
from supplier_returns.execution.fence import (
    FENCE_SET,
    create_row,
    fence_key,
    fence_row,
    needing_fence,
)
from supplier_returns.execution.rules.failures import NotSent, Posted, PostOutcome, Refused, Unknown
from supplier_returns.execution.rules.finding import DraftStatus, ErpDraft, ErpReturn
from supplier_returns.execution.rules.keys import name_of, planning_name
from supplier_returns.planning.errors import MetadataMissing
from supplier_returns.settings.return_header import KEY_FIELD
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.rights import needing_right

RETURNS: Final = "PurchaseReturns"
DRAFTS: Final = "Drafts"
MAX_MATCHES: Final = 20
"""Maximum documents to read under one key. There is one, unless a user copied it."""

PAGE_SIZE: Final = 100
"""Maximum returns of one planning in one response."""

_UNKNOWN_FIELD_CODES: Final = frozenset({201, -1000})
"""ERP codes for an unknown property, with status 400: 201 in `$filter`, -1000 in `$select` or a body."""

_REFUSED_DRAFTS: Final = frozenset({"dasRejected", "dasCancelled"})
_DONE_DRAFTS: Final = frozenset({"dasGenerated", "dasGeneratedbyAuthorizer"})


_R = TypeVar("_R", bound=msgspec.Struct)


class _ReturnRow(msgspec.Struct):
    DocEntry: int
    DocNum: int
    CardCode: str
    U_LIB_Clave: str | None = None
    FolioNumber: int | None = None
    DocTotal: Decimal | None = None
    DocTotalFc: Decimal | None = None
    VatSum: Decimal | None = None
    VatSumFc: Decimal | None = None
    Cancelled: str | None = None
    CancelStatus: str | None = None


class _DraftRow(msgspec.Struct):
    DocEntry: int
    AuthorizationStatus: str | None = None


class _Made(msgspec.Struct):
    DocEntry: int
    DocNum: int
    FolioNumber: int | None = None
    DocTotal: Decimal | None = None
    DocTotalFc: Decimal | None = None
    VatSum: Decimal | None = None
    VatSumFc: Decimal | None = None


_MADE: Final = msgspec.json.Decoder(_Made)


class ReturnRepository:
    """Return documents of the ERP by the key of each document, for one signed-in user.

    Lookups raise `erpclient.ErpError`. A post returns its outcome and raises only if the session has ended.

    Args:
        erp: client of the ERP.
        caller: user of the requests.
    """

    def __init__(self, erp: ErpClient, caller: Caller) -> None:
        self._erp = erp
        self._caller = caller

    async def find_returns(self, key: str) -> Sequence[ErpReturn]:
        """Return every return under the key's name, including cancelled ones."""
        rows, _ = await self._read(RETURNS, name_of(key), _ReturnRow)
        return [_return_of(row) for row in rows]

    async def find_all(self, planning_id: int) -> Sequence[ErpReturn]:
        """Return every return of a planning, including cancelled ones. Each call reads 100 of them."""
        name, returns = planning_name(planning_id), list[ErpReturn]()
        while True:
            rows, count = await self._read(RETURNS, name, _ReturnRow, top=PAGE_SIZE, skip=len(returns))
            returns += [_return_of(row) for row in rows]
            # The ERP may answer with a shorter page than requested, so a short page is not the end.
            if not rows or len(returns) >= count:
                return returns

    async def find_drafts(self, key: str) -> Sequence[ErpDraft]:
        """Return every stored draft under the key's name that has not become a document."""
        rows, _ = await self._read(DRAFTS, name_of(key), _DraftRow)
        return [
            ErpDraft(
                doc_entry=row.DocEntry,
                status=DraftStatus.REFUSED
                if row.AuthorizationStatus in _REFUSED_DRAFTS
                else DraftStatus.WAITING,
            )
            for row in rows
            # A generated draft has become a document, which the lookup of returns finds.
            if row.AuthorizationStatus not in _DONE_DRAFTS
        ]

    async def is_fenced(self, key: str) -> bool:
        """Return whether the key is used up in the fence."""
        try:
            with needing_fence():
                await self._erp.get(
                    FENCE_SET, fence_key(key), RecordQuery(select=("Code",)), caller=self._caller
                )
        except ErpRefused as error:
            # The Service Layer answers a missing key with 404 and code -2028.
            if error.status == HTTPStatus.NOT_FOUND:
                return False
            _check_installed(error)
            raise
        return True

    async def use_up(self, key: str) -> bool:
        """Use up a key in the fence without a return; return True if it certainly was unused before.

        Raises:
            ErpError: the ERP did not use up the key.
            OutcomeUnknown: the ERP did not reply, and the key is not visibly used up.
        """
        try:
            return await create_row(key, self._erp, self._caller)
        except ErpRefused:
            # A refusal is final only if the row does not exist: -2035 means that somebody used the key
            # before.
            if await self.is_fenced(key):
                return False
            raise

    async def post(self, key: str, body: bytes, *, fenced: bool) -> PostOutcome:
        """Post a return.

        Args:
            key: key of the document.
            body: JSON of the return.
            fenced: whether to use up the key in the same transaction, which prevents a second return.

        Raises:
            SessionEnded: the ERP no longer knows the session; it created nothing.
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
            created = await self._erp.create(RETURNS, body, caller=self._caller)
        except ErpError as error:
            return _outcome_of(error)
        return _read_made(created.body, created.location)

    async def _read(
        self, entity_set: str, name: str, row: type[_R], *, top: int = MAX_MATCHES, skip: int = 0
    ) -> tuple[list[_R], int]:
        """Return documents whose keys start with this name, and their total number."""
        query = ListQuery(
            select=row.__struct_fields__,
            # One filter covers all keys of a document or a planning. `startswith` is one of the few filter
            # functions of the Service Layer (SAP manual 1.29).
            filter=f"startswith({KEY_FIELD},{quote_string(name)})",
            # Paging with `skip` needs a fixed order.
            orderby=("DocEntry asc",),
            top=top,
            skip=skip,
        )
        try:
            with needing_right(entity_set, task="ver las devoluciones a proveedores y sus borradores"):
                listed = await self._erp.list(entity_set, query, caller=self._caller)
        except ErpRefused as error:
            _check_installed(error)
            raise
        try:
            return msgspec.json.decode(listed.rows, type=list[row]), listed.count  # type: ignore[valid-type] # `row` is a variable
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("a document without its key or number") from error


def _return_of(row: _ReturnRow) -> ErpReturn:
    return ErpReturn(
        doc_entry=row.DocEntry,
        doc_num=row.DocNum,
        card_code=row.CardCode,
        key=row.U_LIB_Clave or "",
        # A new return has no folio yet. An add-on assigns it later, and until then the ERP gives 0 or null.
        folio=row.FolioNumber or None,
        total=_net_total(row),
        # `Cancelled` belongs to the original and `CancelStatus` also tells the counter-document from it.
        is_cancelled=row.Cancelled == "tYES" or row.CancelStatus == "csYes",
        is_cancellation=row.CancelStatus == "csCancellation",
    )


def _read_made(body: bytes, location: str | None) -> PostOutcome:
    """Read the reply to a post. A success without a return is unknown: a draft, or a reply without a body.

    A draft has a key and a number as well. Only the `Location` header distinguishes it.
    """
    if location is not None and not location.startswith(f"{RETURNS}("):
        return Unknown()
    try:
        made = _MADE.decode(body)
    except msgspec.DecodeError:
        return Unknown()
    return Posted(
        doc_entry=made.DocEntry,
        doc_num=made.DocNum,
        folio=made.FolioNumber or None,
        total=_net_total(made),
    )


def _net_total(row: _ReturnRow | _Made) -> Decimal | None:
    """Return a document's total without tax, in its own currency, or None if the ERP omits it.

    `DocTotal` is in local currency. `DocTotalFc` is 0 unless the document is in another currency.
    """
    total, tax = (row.DocTotalFc, row.VatSumFc) if row.DocTotalFc else (row.DocTotal, row.VatSum)
    return None if total is None or tax is None else total - tax


def _outcome_of(error: ErpError) -> PostOutcome:
    # The Service Layer rejects an ended session (301) before it executes anything.
    if isinstance(error, SessionEnded):
        raise error.without_traceback()
    if isinstance(error, ErpRefused):
        return Refused(code=error.code, text=error.text)
    if error.outcome is Outcome.UNKNOWN:
        return Unknown()
    return NotSent(upstream_service_error(error, writes=True).detail)


def _check_installed(error: ErpRefused) -> None:
    if error.status == HTTPStatus.BAD_REQUEST and error.code in _UNKNOWN_FIELD_CODES:
        raise MetadataMissing from error
