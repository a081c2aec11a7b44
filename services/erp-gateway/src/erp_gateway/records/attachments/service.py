"""The files of a record: listed, read into a spool, added through the ledger."""

import asyncio
import secrets
from typing import Final, TypeVar
from weakref import WeakValueDictionary

import msgspec
from attrs import define, evolve, field, frozen

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.spool import Spool
from erp_gateway.records.attachments.errors import (
    AttachmentExists,
    AttachmentNotFound,
    AttachmentsUnsupported,
)
from erp_gateway.records.attachments.rules import safe_name
from erp_gateway.records.attachments.upload import Upload
from erp_gateway.records.proxy.declarations.registry import Registered
from erp_gateway.records.proxy.plans import ModifyPlan, RecordPlan
from erp_gateway.records.proxy.sending import CALL_FAILURES, Sending, refusal_after
from erp_gateway.records.proxy.service import ProxyService, WriteContext
from erp_gateway.values.audit_event import SentFields
from erp_gateway.web.error_map import CallKind
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import WriteState, state_after
from erp_gateway.writes.write import ADD_FILES, Write, WriteKind
from erpclient import ATTACHMENTS, Caller, ErpClient, ErpError, ErpRecord, ErpRefused, ErpReplyUnreadable
from erpclient.odata import RecordQuery
from servicekit.erp.errors import upstream_of

_BAD_REQUEST: Final = 400
_SUFFIX_BYTES: Final = 4

ENTRY: Final = RecordQuery(select=("AttachmentEntry",))


T = TypeVar("T")


class _Owner(msgspec.Struct):
    entry: int | None = msgspec.field(name="AttachmentEntry", default=None)


class _Line(msgspec.Struct):
    name: str | None = msgspec.field(name="FileName", default=None)
    extension: str | None = msgspec.field(name="FileExtension", default=None)
    day: str | None = msgspec.field(name="AttachmentDate", default=None)

    @property
    def file_name(self) -> str:
        return ".".join(filter(None, (self.name, self.extension)))


class _Lines(msgspec.Struct):
    lines: list[_Line] = msgspec.field(name="Attachments2_Lines", default_factory=list)


class _Created(msgspec.Struct):
    entry: int = msgspec.field(name="AbsoluteEntry")


@frozen(kw_only=True)
class Attachment:
    """One file of a record.

    Attributes:
        number: its position, from 1.
        name: name with extension.
        added_on: the day on which it was added, as the ERP returns it.
    """

    number: int
    name: str
    added_on: str | None


@frozen(kw_only=True)
class OpenFile:
    """A file of a record, completely read. The sender closes its spool."""

    title: str
    extension: str
    spool: Spool


@define(eq=False, repr=False)
class AttachmentService:
    """Reads and adds files of records.

    Args:
        client: the ERP.
        proxy: reads records and sends writes.
        ledger: rows and outcomes of writes.
        budget: disk space for files in transit.
    """

    _client: ErpClient
    _proxy: ProxyService
    _ledger: Ledger
    _budget: SpoolBudget
    _adding: "WeakValueDictionary[tuple[str, str], asyncio.Lock]" = field(
        factory=WeakValueDictionary, init=False
    )

    async def list_files(self, plan: RecordPlan, caller: Caller) -> tuple[Attachment, ...]:
        """Return the files of a record, in the order in which they were added."""
        _, lines = await self._lines(plan, caller)
        return tuple(
            Attachment(
                number=number,
                name=line.file_name,
                added_on=None if line.day is None else line.day[:10],
            )
            for number, line in enumerate(lines, 1)
        )

    async def open_file(self, plan: RecordPlan, number: int, caller: Caller, *, reads: bool) -> OpenFile:
        """Read one file of a record; without `reads` only its name.

        Raises:
            AttachmentNotFound: the record has no file with this number.
            ExportNoRoom: there is no disk space for it.
        """
        entry, lines = await self._lines(plan, caller)
        if not 1 <= number <= len(lines):
            raise AttachmentNotFound
        line = lines[number - 1]
        title, extension = safe_name(line.name, line.extension)
        spool = Spool(self._budget.of(caller.user))
        try:
            if reads:
                await self._client.download(entry, line.file_name, spool.write, caller=caller)
        except BaseException:
            spool.close()
            raise
        spool.end()
        return OpenFile(title=title, extension=extension, spool=spool)

    async def add(self, plan: ModifyPlan, upload: Upload, context: WriteContext) -> WriteAnswer:
        """Add files to a record: to its entry, or to a new one that the record then refers to.

        Uploads to one record wait for each other: two first files would create two entries, and the record
        would lose one.
        """
        resource = plan.target.resource
        read = RecordPlan(plan.target, plan.predicate, None, ENTRY)
        lock = self._adding.setdefault((resource.name, plan.predicate), asyncio.Lock())
        async with lock:
            record = await self._owner(read, context.caller)
            entry = _read(record.body, _Owner).entry
            there = [] if entry is None else await self._files(entry, context.caller)
            write = Write(
                kind=WriteKind.ACTION,
                actor=context.actor,
                resource=resource.name,
                key=plan.key,
                fields=SentFields.of([ADD_FILES]),
                body=upload.digest,
                variant=ADD_FILES,
                idempotency_key=context.idempotency_key,
                sizes=upload.sizes,
            )
            write_entry = await self._ledger.open(write)
            if isinstance(write_entry, WriteAnswer):
                return write_entry
            async with write_entry, self._proxy.sending(write_entry, resource.name) as sending:
                try:
                    if not upload.names.isdisjoint(line.file_name.casefold() for line in there):
                        # The ERP may reject or overwrite a second file of the same name, so the gateway
                        # rejects it first.
                        write_entry.failed(WriteState.REFUSED, AttachmentExists())
                    else:
                        stored = await self._store(upload, entry, context.caller, sending)
                        write_entry.done(WriteAnswer(status=204))
                        if entry is None:
                            await self._refer(plan, record, stored, write_entry, context.caller)
                except CALL_FAILURES as error:
                    write_entry.failed(state_after(error), refusal_after(error, CallKind.MODIFY))
            return write_entry.answer()

    async def _store(self, upload: Upload, entry: int | None, caller: Caller, sending: Sending) -> ErpRecord:
        """Store the files; if the ERP refuses them, try once more under other names."""
        # All records share one folder, so another record's file may have the name. The ERP's text for that
        # depends on its language, so every 400 counts as such. After a refusal nothing is stored.
        try:
            return await self._client.upload(
                upload.parts(), entry=entry, caller=caller, before_sending=sending.start
            )
        except ErpRefused as error:
            if error.status != _BAD_REQUEST:
                raise
        suffix = secrets.token_hex(_SUFFIX_BYTES)
        again = evolve(caller, disconnected=None)
        return await self._client.upload(upload.parts(suffix), entry=entry, caller=again)

    async def _refer(
        self, plan: ModifyPlan, record: ErpRecord, stored: ErpRecord, write_entry: Entry, caller: Caller
    ) -> None:
        """Let the record refer to its new entry. If that fails, the stored files cannot be removed."""
        entry = _read(stored.body, _Created).entry
        try:
            await self._client.modify(
                plan.target.resource.name,
                plan.predicate,
                b'{"AttachmentEntry":%d}' % entry,
                caller=evolve(caller, disconnected=None),
                if_match=record.etag,
            )
        except ErpError as error:
            refusal = OutcomeUnknown(upstream=upstream_of(error), members={"attachmentEntry": entry})
            write_entry.failed(WriteState.UNKNOWN, refusal)

    async def _lines(self, plan: RecordPlan, caller: Caller) -> tuple[int, list[_Line]]:
        record = await self._owner(evolve(plan, query=ENTRY), caller)
        entry = _read(record.body, _Owner).entry
        if entry is None:
            return 0, []
        return entry, await self._files(entry, caller)

    async def _files(self, entry: int, caller: Caller) -> list[_Line]:
        files = await self._client.get(ATTACHMENTS, f"({entry})", RecordQuery(), caller=caller)
        return _read(files.body, _Lines).lines

    async def _owner(self, plan: RecordPlan, caller: Caller) -> ErpRecord:
        """Read the attachment entry of a record.

        Raises:
            AttachmentsUnsupported: records of this resource have no files.
        """
        check_supported(plan.target)
        return (await self._proxy.get(plan, caller)).answer


def check_supported(target: Registered) -> None:
    """Refuse a resource whose records have no files.

    Raises:
        AttachmentsUnsupported: its records have no files.
    """
    if not target.resource.attachments:
        raise AttachmentsUnsupported


def _read(body: bytes, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=shape, strict=False)
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("attachments without what they must have") from error
