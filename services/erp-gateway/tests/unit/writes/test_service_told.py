"""What is told of a write whose end nobody knows, or whose answer nobody has read; how it is known again."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs
from uncounted_writes import Uncounted

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.web.error_map import MaybeInApproval, OutcomeUnknown
from erp_gateway.writes.errors import LedgerUnavailable
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.service import Entry, Ledger, answer_without_record, explained
from erp_gateway.writes.store import LedgerStore, StoreSecret, WriteItem
from erp_gateway.writes.writes import ADD_FILES, Intent, Write, WriteAnswer, WriteKind, WriteOutcome
from servicekit.clock import ManualClock
from servicekit.errors import Upstream

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NONE = SentFields()
UPSTREAM = Upstream(code="-5002", message="x")
ROW: dict[str, Any] = {
    "id": "01W", "at": "2026-03-02T12:00:00.000Z", "web_user": "ana", "request_id": "r", "resource": "Items",
    "fields": (), "fields_omitted": 0, "result": "done", "reason": None, "ended_at": None, "ended_by": None,
    "next_look_at": None,
}  # fmt: skip


def intent(kind: WriteKind, key: str | None = None, fields: SentFields = NONE, **more: Any) -> Intent:
    actor = Actor(web_user="ana")
    given = {"at": NOON, "actor": actor, "resource": "Items", "body_fingerprint": b"", **more}
    return Intent(write_id="01W", kind=kind, key=key, fields=fields, **given)


@pytest.mark.parametrize(
    ("asked", "look_at", "what", "advice", "places"),
    [
        (
            intent(WriteKind.CREATE),
            None,
            "crear un registro en Items",
            "No lo repita: busque primero en el ERP si existe, también entre los borradores.",
            ["/api/sl/Items"],
        ),
        (
            intent(WriteKind.CREATE, traced=True, trace_field="U_W"),
            NOON,
            "crear un registro en Items",
            "El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.",
            ["/api/sl/Items?$filter=U_W%20eq%20'01W'", "/api/sl/Drafts?$filter=U_W%20eq%20'01W'"],
        ),
        (
            intent(WriteKind.UPDATE, "A/1"),
            None,
            "modificar el registro A/1 de Items",
            "No lo repita: lea primero el registro y compruebe si tiene el cambio.",
            ["/api/sl/Items/A%2F1"],
        ),
        (
            intent(WriteKind.ACTION, "A/1", SentFields((ADD_FILES,))),
            None,
            "agregar archivos al registro A/1 de Items",
            "No lo repita: mire primero si el registro tiene los archivos, que no se pueden quitar.",
            ["/api/attachments/Items/A%2F1"],
        ),
    ],
)
@pytest.mark.parametrize("noted", [True, False])
def test_who_asked_is_told_what_to_do_before_asking_again(
    asked: Intent, look_at: datetime | None, what: str, advice: str, places: list[str], noted: bool
) -> None:
    refusal = OutcomeUnknown(upstream=UPSTREAM, members={"also": 1})
    refusal.caused_by = "ErpTimeout"
    ended = WriteOutcome(state=WriteState.UNKNOWN, refusal=refusal, look_at=look_at, noted=noted)
    told = explained(refusal, asked, ended)
    begins = f"Se pidió al ERP {what} y no se recibió su respuesta: no se sabe si se realizó. {advice}"
    ends = " La operación quedó anotada con el número 01W." if noted else ""
    assert told.detail == begins + ends
    assert (told.upstream, told.cause) == (UPSTREAM, "ErpTimeout")
    assert (told.members["also"], told.members["lookAt"]) == (1, places)
    assert told.members["nextStep"] == ("look" if look_at is None else "wait")


@pytest.mark.parametrize(
    ("kind", "key", "answer"),
    [
        ("create", "A/1", WriteAnswer(status=201, headers={"Location": "/api/sl/Items/A%2F1"})),
        ("create", None, WriteAnswer(status=201)),
        ("update", "A/1", WriteAnswer(status=204)),
        ("action", "A/1", WriteAnswer(status=204)),
    ],
)
def test_of_a_write_that_was_done_is_told_what_is_surely_true(
    kind: str, key: str | None, answer: WriteAnswer
) -> None:
    assert answer_without_record(WriteItem(kind=kind, key=key, found_in=None, **ROW)) == answer


def test_a_record_among_the_drafts_is_told_with_its_write() -> None:
    with pytest.raises(MaybeInApproval) as told:
        answer_without_record(WriteItem(kind="create", key="7", found_in="Drafts", **ROW))
    assert told.value.members["draft"] == "7"
    assert told.value.members["write"]["id"] == "01W"


@pytest.mark.asyncio
async def test_a_request_is_known_again_by_a_later_version(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    """Keys outlive an upgrade: what they are kept as may not change."""
    store, hour = LedgerStore(database), timedelta(hours=1)
    secret, counts = StoreSecret(b"s" * 32), Uncounted()
    ledger = Ledger(store, recorder, secret, clock, keep=hour, required=True, observer=counts)
    for user, key in (("ana", "A/1"), ("eva", None)):
        entry = await ledger.open(
            Write(
                kind=WriteKind.UPDATE,
                actor=Actor(web_user=user),
                resource="Items",
                key=key,
                body=b"{}",
                idempotency_key="k",
            )
        )
        assert isinstance(entry, Entry)
        async with entry:
            entry.done(WriteAnswer(status=204))
    rows = await database.read(
        "SELECT key_mac, request_mac, body_mac FROM ledger_key "
        "JOIN ledger_write ON id = write_id ORDER BY web_user",
        [],
    )
    assert [[bytes(mac).hex()[:12] for mac in row] for row in rows] == [
        ["b75995e76653", "101e8b020b91", "57f164826130"],
        ["e258c5342d3f", "0c652f540625", "57f164826130"],
    ]


@pytest.mark.asyncio
async def test_a_row_that_does_not_come_in_time_is_told_by_its_number(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    store, hour, counts = LedgerStore(database), timedelta(hours=1), Uncounted()
    secret = await store.open_secret()
    ledger = Ledger(store, recorder, secret, clock, keep=hour, required=True, observer=counts, limit_s=0.01)
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with capture_logs() as logs, pytest.raises(LedgerUnavailable):
        await ledger.committed(never, intent(WriteKind.CREATE))
    (told,) = logs
    assert (told["event"], told["write_id"], told["error"]) == ("write_row_failed", "01W", "TimeoutError")
