"""Writes with a row before them and their outcome after them, and one answer for one request sent again."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar
from urllib.parse import quote

import structlog
from attrs import Factory, define, evolve, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.settings.modules import LedgerRules
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.web.error_map import MaybeInApproval
from erp_gateway.writes.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    LedgerUnavailable,
    write_member,
)
from erp_gateway.writes.resolution import LookUps, RecordKeys, WriteResolution
from erp_gateway.writes.rules import RepeatAnswer, TakenKey, WriteState, is_replayed
from erp_gateway.writes.store import LedgerStore, StoreSecret, WriteItem
from erp_gateway.writes.writes import (
    Claim,
    Intent,
    Trace,
    Write,
    WriteAnswer,
    WriteKind,
    WriteNumbers,
    WriteOutcome,
    with_trace,
)
from erpclient import ErpClient
from servicekit.clock import Clock, iso_utc
from servicekit.errors import InternalError, Interrupted, ServiceError
from servicekit.tasks import every

MAX_KEY_CHARS: Final = 128

_VISIBLE: Final = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY_CHARS}}}")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPED: Final = re.compile(r'\\(["\\])')


def read_idempotency_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the key of a request, None where it has none.

    A key in quotes, as the IETF's draft writes it (draft-ietf-httpapi-idempotency-key-header), is the same as
    the one without.

    Args:
        headers: raw, names in lower case, as ASGI gives them.

    Raises:
        IdempotencyKeyBadValue: not 1 to 128 visible ASCII characters, or given more than once.
    """
    found = [value for name, value in headers if name == b"idempotency-key"]
    if not found:
        return None
    text = found[0].decode("latin-1").strip(" \t")
    if text.startswith('"'):
        quoted = _QUOTED.fullmatch(text)
        text = "" if quoted is None else _ESCAPED.sub(r"\1", quoted[1])
    if len(found) > 1 or not _VISIBLE.fullmatch(text):
        raise IdempotencyKeyBadValue
    return text


Take: TypeAlias = Callable[[], Awaitable[TakenKey | None]]
"""Takes the key, with the row of its write; returns what stands in the way where that can't be."""

_CREATED: Final = 201
_NO_CONTENT: Final = 204


@define(eq=False)
class FirstRequest:
    """The request that came first under a key, as long as only this process knows how it ends.

    Attributes:
        claim: knows it again.
        ended: how its write ended; None when it was none, or nobody is to be told that.
        writes: whether it is certain that it makes a write of its own.
        refused: whether the store refused it the key.
    """

    claim: Claim
    ended: "asyncio.Future[WriteOutcome | None]"
    writes: bool = False
    refused: bool = False

    async def answer_to(self, claim: Claim) -> WriteAnswer | None:
        """Wait for the end and return what another request under the key gets; None: what the store says."""
        another = self.claim.request_fingerprint != claim.request_fingerprint
        if self.writes and another:
            raise IdempotencyKeyReused
        came_after = self.ended.done()
        ended = await asyncio.shield(self.ended)
        if self.refused:
            raise LedgerUnavailable  # the store would let each of them wait as long, one after another
        if ended is None:
            return None
        if another:
            raise IdempotencyKeyReused
        if came_after and ended.state is WriteState.UNKNOWN:
            # The store has not taken that yet: its row says open.
            raise FirstOutcomeUnknown(ended.write_id, state=WriteState.OPEN)
        return ended.told().again()


class IdempotentRequests:
    """Lets the first request with a key make its write, and gives all others what it got.

    Args:
        store: where keys and answers are.
    """

    def __init__(self, store: LedgerStore) -> None:
        self._store = store
        self._firsts: dict[bytes, FirstRequest] = {}

    async def open(self, claim: Claim, take: Take) -> FirstRequest | WriteAnswer:
        """Return the earlier answer to a request, or let it write under its key; `end` it then, in any case.

        Raises:
            IdempotencyKeyReused: another request came under the key.
            FirstOutcomeUnknown: nobody knows whether the first one was done.
            LedgerUnavailable: the store refused; nothing was sent.
            ServiceError: what became of the first one's write, where it was not done.
        """
        while (earlier := self._firsts.get(claim.key_fingerprint)) is not None:
            answer = await earlier.answer_to(claim)
            if answer is not None:
                return answer
        first = self._firsts[claim.key_fingerprint] = FirstRequest(
            claim, asyncio.get_running_loop().create_future()
        )
        try:
            standing = await take()
            first.writes = standing is None
            return first if standing is None else await self._earlier(standing)
        except LedgerUnavailable:
            first.refused = True
            raise
        finally:
            if not first.writes:
                self.end(first, None)

    def end(self, first: FirstRequest, ended: WriteOutcome | None) -> None:
        """Give all who wait for a first request what it got; None: the next of them asks the store.

        What the store has not taken yet stays in memory where nothing may be sent again.
        """
        if ended is None or ended.noted or not _must_be_kept(ended):
            del self._firsts[first.claim.key_fingerprint]
        # Nobody reads what a client was told who had left: the next one who waits is first then.
        first.ended.set_result(None if ended is None or ended.abandoned else ended)

    async def forget_noted(self) -> None:
        """Forget what is kept in memory since the store did not take it, once it has.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        for key_fingerprint, first in list(self._firsts.items()):
            if first.ended.done():
                known = await self._store.find_key(key_fingerprint)
                if known is None or known.state is not WriteState.OPEN:
                    del self._firsts[key_fingerprint]

    async def _earlier(self, standing: TakenKey) -> WriteAnswer:
        known = standing.known
        if standing.gets is RepeatAnswer.REUSED:
            raise IdempotencyKeyReused
        if standing.gets is RepeatAnswer.UNKNOWN:
            raise FirstOutcomeUnknown(known.write_id, state=known.state, look_at=known.look_at)
        try:
            answer = await self._store.find_answer(known.write_id)
            if answer is not None:
                return answer.again()
            record = await self._store.find(known.write_id)
        except StoreUnavailable as error:
            raise LedgerUnavailable from error
        if record is None:
            raise LookupError(known.write_id)
        return answer_without_record(record).again()


def _must_be_kept(ended: WriteOutcome) -> bool:
    return ended.state is WriteState.UNKNOWN or is_replayed(ended.state, ended.reason)


def answer_without_record(record: WriteItem) -> WriteAnswer:
    """Return what is known to be true of a write that was done, and whose answer nobody has read.

    Raises:
        MaybeInApproval: its record was found among the drafts.
    """
    if record.found_in is not None:
        raise MaybeInApproval(members={"draft": record.key, "write": write_member(record.id)})
    if record.kind != WriteKind.CREATE:
        return WriteAnswer(status=_NO_CONTENT)
    where = {}
    if record.key is not None:
        where["Location"] = f"/api/sl/{record.resource}/{quote(record.key, safe='')}"
    return WriteAnswer(status=_CREATED, headers=where)


T = TypeVar("T")

_log = structlog.get_logger(__name__)


_DONE_WHAT: Final = {
    WriteKind.CREATE: "crear un registro en {resource}",
    WriteKind.UPDATE: "modificar el registro {key} de {resource}",
    WriteKind.ACTION: "ejecutar una acción sobre el registro {key} de {resource}",
}
_ADD_FILES: Final = "agregar archivos al registro {key} de {resource}"


def explained(refusal: ServiceError, intent: Intent, ended: WriteOutcome) -> ServiceError:
    """Return the refusal of an unknown write with all that helps, in words for people and in members.

    Args:
        refusal: what the client would be told.
        intent: the write.
        ended: how it ended, as noted.
    """
    told = type(refusal)(
        _sentences(intent, ended),
        upstream=refusal.upstream,
        members={
            **refusal.members,
            "outcome": "unknown",
            "write": {
                **(write_member(intent.write_id) if ended.noted else {"id": intent.write_id}),
                "kind": intent.kind.value,
                "resource": intent.resource,
                "key": intent.key,
            },
            "nextStep": "look" if ended.look_at is None else "wait",
            "nextLookAt": None if ended.look_at is None else iso_utc(ended.look_at),
            "lookAt": _places(intent),
            "sameKeyIsSafe": intent.claim is not None,
        },
    )
    told.caused_by = refusal.cause
    return told


def _sentences(intent: Intent, ended: WriteOutcome) -> str:
    what = (_ADD_FILES if intent.adds_files else _DONE_WHAT[intent.kind]).format(
        resource=intent.resource, key=intent.key
    )
    said = [f"Se pidió al ERP {what} y no se recibió su respuesta: no se sabe si se realizó."]
    if ended.look_at is not None:
        said.append("El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.")
    elif intent.adds_files:
        said.append("No lo repita: mire primero si el registro tiene los archivos, que no se pueden quitar.")
    elif intent.kind is WriteKind.CREATE:
        said.append("No lo repita: busque primero en el ERP si existe, también entre los borradores.")
    else:
        said.append("No lo repita: lea primero el registro y compruebe si tiene el cambio.")
    if ended.noted:
        said.append(f"La operación quedó anotada con el número {intent.write_id}.")
    return " ".join(said)


def _places(intent: Intent) -> list[str]:
    """Return addresses of this API that show whether it was done."""
    path = f"/api/{'attachments' if intent.adds_files else 'sl'}/{intent.resource}"
    if intent.key is not None:
        return [f"{path}/{quote(intent.key, safe='')}"]
    if intent.trace_field is None:
        return [path]
    condition = quote(f"{intent.trace_field} eq '{intent.write_id}'", safe="'")
    return [f"{each}?$filter={condition}" for each in dict.fromkeys((path, "/api/sl/Drafts"))]


_NOTHING: Final = timedelta()


class LedgerObserver(Protocol):
    """Counts for the metrics page."""

    def write_ended(self, state: WriteState) -> None:
        """Count a write by what is known of it."""
        ...

    def write_without_row(self) -> None:
        """Count a write whose row could not be committed before it was sent, or instead of sending it."""
        ...


@define(eq=False, repr=False)
class Ledger:
    """Keeps a row of every write.

    The row is committed while the call waits for its turn, with a key before that, and nothing is sent
    before. Its outcome is committed with its audit record, before the answer.

    Args:
        store: where the rows are.
        recorder: where the ends are recorded.
        secret: the store's, from `LedgerStore.open_secret`.
        clock: time.
        keep: how long an idempotency key is kept.
        keep_writes: how long the row of a write is kept that ended; None for ever.
        trace: the field that carries a write's number, where the installation has one.
        required: whether a write is refused whose row can't be committed; else it goes on without.
        observer: counts.
        limit_s: how long a write waits for its row when its turn has come.
    """

    _store: LedgerStore
    _recorder: AuditRecorder
    _secret: StoreSecret
    _clock: Clock
    _keep: timedelta = field(kw_only=True)
    _keep_writes: timedelta | None = field(default=None, kw_only=True)
    _trace: Trace | None = field(default=None, kw_only=True)
    _required: bool = field(kw_only=True)
    _observer: LedgerObserver = field(kw_only=True)
    _limit_s: float = field(default=1.0, kw_only=True)
    _numbers: WriteNumbers = field(factory=WriteNumbers, init=False)
    _left: frozenset[str] | None = field(default=None, init=False)
    _idempotent: IdempotentRequests = field(
        default=Factory(lambda self: IdempotentRequests(self._store), takes_self=True), init=False
    )

    async def open(self, write: Write) -> "Entry | WriteAnswer":
        """Open a write: return its entry, or what its key's first request was answered.

        The entry is owed to its block: between this and its `async with` nothing may wait or fail, or the
        write stays open until the process ends.

        Raises:
            IdempotencyKeyReused: another request came under the key.
            FirstOutcomeUnknown: nobody knows whether the key's first request was done.
            LedgerUnavailable: the key could not be taken; nothing may be sent.
            ServiceError: what became of the key's first request, where it was not done.
        """
        intent = self._intent_of(write)
        body = write.body
        if intent.trace_field is not None:
            body = with_trace(body, intent.trace_field, intent.write_id)
        claim = intent.claim
        if claim is None:
            return Entry(self, intent, body, row=_lined_up(self._store.begin(intent)))
        opened = await self._idempotent.open(claim, partial(self._take, claim, intent))
        return opened if isinstance(opened, WriteAnswer) else Entry(self, intent, body, first=opened)

    async def tidy(self) -> None:
        """Delete recorded answers, keys and rows whose time is over, and what memory need not keep any more.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        await self._idempotent.forget_noted()
        now = self._clock.now()
        await self._store.delete_expired(now)
        if self._keep_writes is not None:
            await self._store.delete_before(now - self._keep_writes)

    async def close_open(self, spare: timedelta = _NOTHING) -> int:
        """Note as unknown what an earlier process left behind, once nothing of it can be under way any more.

        The first call finds what was left, before this process writes anything; further ones go on with it.

        Args:
            spare: how long a write may take that an earlier process has begun, which may not have ended.

        Returns:
            how many writes are still to be waited for.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        found = await self._store.find_open()
        if self._left is None:
            self._left = frozenset(intent.write_id for intent in found)
        left = [intent for intent in found if intent.write_id in self._left]
        # Without another process nothing can be under way, whatever a clock says that was set back.
        over = [intent for intent in left if not spare or intent.at + spare <= self._clock.now()]
        unknown = WriteOutcome(state=WriteState.UNKNOWN, refusal=Interrupted())
        await asyncio.gather(*(self.note(intent, unknown) for intent in over))
        if over:
            _log.warning("writes_left_open", writes=len(over))
        return len(left) - len(over)

    async def find_unsure(self, within_s: float) -> frozenset[str]:
        """Return the resources with writes whose outcome was still unknown so many seconds ago, or since.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return await self._store.find_unsure(self._clock.now() - timedelta(seconds=within_s))

    async def _take(self, claim: Claim, intent: Intent) -> TakenKey | None:
        """Take the key, with the row of the write; where it can't be had, return what stands in the way."""
        row = _lined_up(self._store.claim(intent, claim, self._clock.now()))
        try:
            await self.committed(row, intent)
        except LedgerUnavailable as refusal:
            await self.note(intent, WriteOutcome(state=WriteState.NOT_SENT, refusal=refusal))
            raise
        return row.result()

    def _intent_of(self, write: Write) -> Intent:
        now, mac = self._clock.now(), self._secret.mac
        body_fingerprint = mac("body", write.body)
        claim = None
        if write.idempotency_key is not None:
            asked = (write.kind.value, write.resource, write.key or "", write.variant)
            claim = Claim(
                key_fingerprint=mac(
                    "key", (write.actor.web_user or "").encode(), write.idempotency_key.encode()
                ),
                request_fingerprint=mac("request", *(part.encode() for part in asked), body_fingerprint),
                expires_at=now + self._keep,
            )
        is_traced = write.traceable and write.kind is WriteKind.CREATE
        field = self._trace.field if self._trace is not None and is_traced else None
        return Intent(
            write_id=self._numbers.next(now),
            at=now,
            kind=write.kind,
            actor=write.actor,
            resource=write.resource,
            key=write.key,
            fields=write.fields,
            body_fingerprint=body_fingerprint,
            claim=claim,
            traced=field is not None,
            trace_field=field,
            sizes=write.sizes,
        )

    async def committed(self, row: "asyncio.Future[Any]", intent: Intent) -> None:
        """Wait for the row; where there is none, refuse or go on, as configured. With a key: refuse.

        Raises:
            LedgerUnavailable: it could not be committed in time.
        """
        required = self._required or intent.claim is not None
        try:
            async with asyncio.timeout(self._limit_s):
                await asyncio.shield(row)
        except Exception as error:  # whatever it is, it must not be the reason that a write is lost
            self._observer.write_without_row()
            _log.error(
                "write_row_failed",
                write_id=intent.write_id,
                resource=intent.resource,
                required=required,
                error=type(error).__name__,
            )
            if required:
                raise LedgerUnavailable from error

    async def note(self, intent: Intent, ended: WriteOutcome) -> WriteOutcome:
        """Note how a write ended, and return that as its client is told it."""
        self._observer.write_ended(ended.state)
        now = self._clock.now()
        look_at = None
        if ended.state is WriteState.UNKNOWN and intent.traced and self._trace is not None:
            look_at = now + timedelta(seconds=self._trace.delays_s[0])
        ended = evolve(
            ended, write_id=intent.write_id, request_id=intent.actor.request_id or "", look_at=look_at
        )
        number = await self._recorder.record(intent.event(ended), self._store.ending(intent, ended, now))
        return evolve(ended, noted=number is not None)

    def end(self, first: FirstRequest, ended: WriteOutcome | None) -> None:
        """Give all who wait for a key what its first request got; None: they ask the store."""
        self._idempotent.end(first, ended)


@define(eq=False, repr=False)
class Entry:
    """A write that was opened: use it as a context manager around its sending, and tell how that ended.

    Leaving commits what was told; what nobody told is unknown. If the process itself ends meanwhile, the row
    stays open for the next one.

    Attributes:
        body: what is to be sent: with the write's number in it where the record carries that.

    Args:
        ledger: whose it is.
        intent: the write.
        body: what is to be sent.
        row: done once the write's row is committed; None where it is, with the key.
        first: what waits for its end, where it has a key.
    """

    _ledger: Ledger
    _intent: Intent
    body: bytes
    _row: "asyncio.Future[None] | None" = field(default=None, kw_only=True)
    _first: FirstRequest | None = field(default=None, kw_only=True)
    _ended: WriteOutcome | None = field(default=None, init=False)

    async def committed(self) -> None:
        """Wait for the row; nothing may be sent before.

        Raises:
            LedgerUnavailable: there is none, and nothing may be sent without.
        """
        if self._row is None:
            return
        try:
            await self._ledger.committed(self._row, self._intent)
        except LedgerUnavailable as refusal:
            self.failed(WriteState.NOT_SENT, refusal.without_traceback())
            raise

    def done(self, answer: WriteAnswer, *, key: str | None = None) -> None:
        """Tell that the ERP did it: what the client is answered, and the key of a record that was created."""
        self._ended = WriteOutcome(state=WriteState.DONE, answer=answer, key=key)

    def failed(self, state: WriteState, refusal: ServiceError) -> None:
        """Tell that it was not done, or that nobody knows: `state`; and what the client is told instead."""
        self._ended = WriteOutcome(state=state, refusal=refusal)

    @property
    def is_unknown(self) -> bool:
        """Whether the ERP may have done it, or may still do it, as far as was told."""
        return self._ended is None or self._ended.state is WriteState.UNKNOWN

    def answer(self) -> WriteAnswer:
        """Return what the client is answered, after the end.

        Raises:
            ServiceError: what it is told instead.
        """
        if self._ended is None:
            raise InternalError
        return self._ended.given()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        told: WriteOutcome | None = None
        try:
            if self._ended is not None:
                told = self._ended = await self._noted(self._ended)
            elif error is None or isinstance(error, Exception):
                await self._noted(WriteOutcome(state=WriteState.UNKNOWN, refusal=InternalError()))
        finally:
            if self._first is not None:
                self._ledger.end(self._first, told)

    async def _noted(self, ended: WriteOutcome) -> WriteOutcome:
        noted = await self._ledger.note(self._intent, ended)
        if noted.state is WriteState.UNKNOWN and noted.refusal is not None:
            return evolve(noted, refusal=explained(noted.refusal, self._intent, noted))
        return noted


def _lined_up(row: "asyncio.Future[T]") -> "asyncio.Future[T]":
    """Mark an error of the row as seen: whoever waits for it is told, if somebody still does."""
    row.add_done_callback(lambda row: row.cancelled() or row.exception())
    return row


TIDY_INTERVAL_S: Final = 60.0
"""How often recorded answers are looked for whose time is over."""

LEFT_INTERVAL_S: Final = 2.0
"""How often writes are looked for that another process left open, while some may still be under way."""

LOOK_INTERVAL_S: Final = 1.0
"""How often unknown writes are looked for that are to be looked up."""


@frozen(kw_only=True)
class OpenLedger:
    """What carries out writes, what shows and settles them, and what looks up unknown ones, if anything."""

    ledger: Ledger
    resolution: WriteResolution
    lookups: LookUps | None


@asynccontextmanager
async def open_ledger(
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    rules: LedgerRules,
    keep_days: int | None,
    client: ErpClient,
    keys: RecordKeys,
    observer: LedgerObserver,
    left_s: float = 0.0,
) -> AsyncIterator[OpenLedger]:
    """Open the ledger: what a process left open that has ended is noted as unknown first.

    Args:
        database: the store; open until after this.
        recorder: the audit; open until after this.
        clock: time.
        rules: how it is configured.
        keep_days: how long the row of a write is kept that ended; None for ever.
        client: the ERP, where unknown writes are looked up; open until after this.
        keys: what is known of the keys of resources.
        observer: counts.
        left_s: how long a process that served before, and may not have ended, may take for a write.

    Raises:
        StoreUnavailable: the store refused.
    """
    store = LedgerStore(database)
    trace = None if rules.trace_field is None else Trace(rules.trace_field, rules.trace_looks_s)
    ledger = Ledger(
        store,
        recorder,
        await store.open_secret(),
        clock,
        keep=timedelta(hours=rules.idempotency_hours),
        keep_writes=None if keep_days is None else timedelta(days=keep_days),
        trace=trace,
        required=rules.required,
        observer=observer,
    )
    close_left = partial(ledger.close_open, timedelta(seconds=left_s))
    left = await close_left()
    resolution = WriteResolution(store, recorder, keys.check, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(every(TIDY_INTERVAL_S, "ledger_tidy", ledger.tidy))
        if left:
            await stack.enter_async_context(every(LEFT_INTERVAL_S, "writes_left", close_left))
        lookups = None
        if trace is None:
            await store.forget_looks()
        else:
            lookups = LookUps(client, store, recorder, clock, trace=trace, keys=keys)
            await stack.enter_async_context(every(LOOK_INTERVAL_S, "write_looks", lookups.run_due))
        yield OpenLedger(ledger=ledger, resolution=resolution, lookups=lookups)
