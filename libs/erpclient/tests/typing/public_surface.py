"""The public surface as a type checker sees it. Only mypy checks this file; it is never run."""

from typing import assert_never, assert_type

from erpclient import (
    AiohttpTransport,
    Caller,
    CallTrace,
    Clock,
    Credentials,
    Dialect,
    ErpClient,
    ErpError,
    ErpList,
    ErpRecord,
    ErpRefused,
    ErpReply,
    ErpSettings,
    ErpUnreachable,
    NullObserver,
    Observer,
    Outcome,
    Phase,
    Ping,
    QueueStats,
    SessionState,
    SystemClock,
    Transport,
)
from erpclient.batch import (
    ChangeSetDone,
    ChangeSetNotSent,
    ChangeSetRefused,
    ChangeSetUnknown,
    OperationDone,
    creation_of,
)
from erpclient.odata import ListQuery, RecordQuery

clock: Clock = SystemClock()
observer: Observer = NullObserver()
transport: Transport = AiohttpTransport()


async def calls(client: ErpClient, caller: Caller) -> None:
    assert_type(await client.list("Items", ListQuery(), caller=caller), ErpList)
    assert_type(await client.get("Items", "('A')", RecordQuery(), caller=caller), ErpRecord)
    assert_type(await client.create("Items", b"{}", caller=caller), ErpRecord)
    await client.modify("Items", "('A')", b"{}", caller=caller, if_match="*")
    assert_type(await client.action("Orders", "(1)", "Cancel", b"", caller=caller), ErpReply)
    assert_type(await client.call_service("CompanyService_GetCompanyInfo", b"", caller=caller), ErpReply)
    assert_type(await client.ping(), Ping)
    assert_type(client.queue_stats, QueueStats)
    assert_type(client.session_state, SessionState)
    async with client as entered:
        assert_type(entered, ErpClient)


def answers(page: ErpList, record: ErpRecord, reply: ErpReply) -> None:
    assert_type(page.rows, bytes)
    assert_type(page.count, int)
    assert_type(record.body, bytes)
    assert_type(record.etag, str | None)
    assert_type(reply.status, int)


def errors(error: ErpError, refused: ErpRefused, unreachable: ErpUnreachable) -> None:
    assert_type(error.outcome, Outcome)
    assert_type(refused.without_traceback(), ErpRefused)
    assert_type(refused.code, int | str | None)
    assert_type(unreachable.phase, Phase)
    assert_type(unreachable.network_code, str)


def values(settings: ErpSettings, caller: Caller) -> None:
    assert_type(settings.dialect, Dialect)
    assert_type(caller.trace, CallTrace)
    ErpClient(
        settings,
        Credentials("SBO_DEMO", "manager", "secret"),
        transport=transport,
        clock=clock,
        observer=observer,
    )
    Caller("ana", request_id=1)  # type: ignore[arg-type]  # ids are text
    ErpSettings()  # type: ignore[call-arg]  # an address is needed
    page = ErpList(b"[]", 0)
    page.count = 1  # type: ignore[misc]  # answers are frozen


async def change_sets(client: ErpClient, caller: Caller) -> None:
    result = await client.run_change_set([creation_of("Items", b"{}")], caller=caller)
    assert_type(result, ChangeSetDone | ChangeSetRefused | ChangeSetUnknown | ChangeSetNotSent)
    match result:
        case ChangeSetDone(operations=operations):
            assert_type(operations, tuple[OperationDone, ...])
        case ChangeSetRefused(operation=number, error=refused):
            assert_type(number, int | None)
            assert_type(refused, ErpRefused)
        case ChangeSetUnknown(error=error) | ChangeSetNotSent(error=error):
            assert_type(error, ErpError)
        case _:
            assert_never(result)
