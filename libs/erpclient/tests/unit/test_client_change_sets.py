"""Change sets on real sockets: each ends with one of four values."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from clients import ANA, PASSWORD, make_client
from recording_observer import RecordingObserver
from scripted_erp import (
    DROP,
    HTML_502,
    INVALID_SESSION,
    RESET,
    Answer,
    Call,
    ScriptedErp,
    error_v1,
    json_answer,
)

from erpclient import (
    Caller,
    CallTrace,
    ErpClient,
    ErpLoginRejected,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    Outcome,
    QueueClosed,
    SessionEnded,
)
from erpclient.batch import ChangeSetDone, ChangeSetNotSent, ChangeSetRefused, ChangeSetUnknown, creation_of

PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
MULTIPART = "multipart/mixed;boundary=batchresponse_b"
DONE = (
    "--batchresponse_b\r\nContent-Type: multipart/mixed; boundary=changesetresponse_c\r\n\r\n"
    f"--changesetresponse_c\r\n{PART}HTTP/1.1 201 Created\r\nLocation: /b1s/v1/Items('A')\r\n\r\n"
    '{{"ItemCode" : "A"{filling}}}\n\r\n'
    "--changesetresponse_c--\r\n--batchresponse_b--\r\n"
)
REFUSED = (
    f"--batchresponse_b\r\n{PART}HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n"
    '{"error" : {"code" : -10, "message" : {"lang" : "en-us", "value" : "no"}}}\n\r\n--batchresponse_b--\r\n'
)
CREATE = [creation_of("Items", b'{"ItemCode": "A"}')]


def multipart(text: str, status: int = 202) -> Answer:
    return Answer(status, text.encode(), content_type=MULTIPART)


def done(filling: str = "") -> Answer:
    return multipart(DONE.format(filling=filling))


@pytest_asyncio.fixture
async def client(erp: ScriptedErp) -> AsyncIterator[ErpClient]:
    async with make_client(erp) as opened:
        yield opened


@pytest.mark.asyncio
async def test_a_change_set_is_one_post_with_the_callers_ids(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(done())
    trace = CallTrace()
    result = await client.run_change_set(CREATE, caller=Caller("ana", "req-1", trace=trace))
    assert isinstance(result, ChangeSetDone)
    assert result.operations[0].location == "Items('A')"
    (call,) = erp.work
    assert (call.method, call.target) == ("POST", "/b1s/v1/$batch")
    assert call.headers["x-request-id"] == "req-1"
    assert call.headers["accept"] == "multipart/mixed"
    kind, _, boundary = call.headers["content-type"].partition(";boundary=")
    assert kind == "multipart/mixed"
    assert call.body.startswith(f"--{boundary}\r\n".encode())
    assert b"POST /b1s/v1/Items\r\n" in call.body
    assert trace.calls == 1


@pytest.mark.asyncio
async def test_a_large_change_set_reply_is_parsed_like_a_small_one(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(done(f', "Remarks": "{"x" * 600_000}"'))
    result = await client.run_change_set(CREATE, caller=ANA, hidden=[frozenset({"Remarks"})])
    assert isinstance(result, ChangeSetDone)
    assert result.operations[0].body == b'{"ItemCode":"A"}'


@pytest.mark.asyncio
async def test_a_refused_change_set_is_a_value(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(multipart(REFUSED))
    result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetRefused)
    assert (result.operation, result.error.code, result.error.text) == (None, -10, "no")


@pytest.mark.asyncio
async def test_a_refused_batch_is_a_refused_change_set(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(error_v1(400, -1000, "Incomplete Batch Request Body!"))
    result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetRefused)
    assert (result.operation, result.error.code) == (None, -1000)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (DROP, ErpUnreachable),
        (RESET, ErpUnreachable),
        (HTML_502, ErpServerError),
        (Answer(500, b"", content_type=""), ErpServerError),
        (json_answer({}), ErpReplyUnreadable),
        (Answer(202, done().body[:-30], content_type=MULTIPART), ErpReplyUnreadable),
        (Answer(raw=b"HTTP/1.1 202 A\r\nContent-Length: 99\r\n\r\n--b", close=True), ErpReplyUnreadable),
        (Answer(raw=b"junk\r\n\r\n", close=True), ErpReplyUnreadable),
        (done("x" * 2000), ErpReplyUnreadable),
    ],
    ids=[
        "dropped",
        "reset",
        "502 page",
        "empty 500",
        "json",
        "cut text",
        "truncated",
        "no http",
        "too large",
    ],
)
async def test_any_other_reply_leaves_the_outcome_unknown_without_a_retry(
    erp: ScriptedErp, answer: Answer, error: type[Exception]
) -> None:
    erp.script(answer)
    async with make_client(erp, max_reply_bytes=1500) as client:
        result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetUnknown)
    assert isinstance(result.error, error)
    assert result.error.outcome is Outcome.UNKNOWN
    assert len(erp.work) == 1
    assert PASSWORD not in repr(result)


@pytest.mark.asyncio
async def test_no_answer_in_time_leaves_the_outcome_unknown(erp: ScriptedErp, client: ErpClient) -> None:
    async def silence(call: Call) -> Answer:
        await asyncio.sleep(60)
        return done()

    erp.handler = silence
    result = await client.run_change_set(CREATE, caller=ANA, timeout_s=2.0)
    assert isinstance(result, ChangeSetUnknown)
    assert isinstance(result.error, ErpTimeout)
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_change_set_rejected_with_401_is_sent_again(
    erp: ScriptedErp,
) -> None:
    erp.script(INVALID_SESSION, done())
    observer = RecordingObserver()
    async with make_client(erp, observer=observer) as client:
        result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetDone)
    assert len(erp.work) == 2
    assert erp.logins == 2
    assert observer.repeats == ["expired_session"]


@pytest.mark.asyncio
async def test_a_second_401_ends_the_change_set_as_not_sent(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(INVALID_SESSION)
    result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetNotSent)
    assert isinstance(result.error, ErpLoginRejected)
    assert len(erp.work) == 2


@pytest.mark.asyncio
async def test_an_expired_personal_session_ends_the_change_set_as_not_sent(erp: ScriptedErp) -> None:
    erp.script(INVALID_SESSION)
    async with make_client(erp, renewable=False) as client:
        result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetNotSent)
    assert isinstance(result.error, SessionEnded)


@pytest.mark.asyncio
async def test_without_a_connection_the_change_set_is_not_sent(erp: ScriptedErp, client: ErpClient) -> None:
    await erp.stop()
    result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetNotSent)
    assert isinstance(result.error, ErpUnreachable)
    assert result.error.outcome is Outcome.NOT_DONE


@pytest.mark.asyncio
async def test_a_closing_client_sends_no_change_set(erp: ScriptedErp, client: ErpClient) -> None:
    client.drain()
    result = await client.run_change_set(CREATE, caller=ANA)
    assert isinstance(result, ChangeSetNotSent)
    assert isinstance(result.error, QueueClosed)
    assert erp.calls == []


@pytest.mark.asyncio
async def test_an_empty_change_set_is_a_value_error(erp: ScriptedErp, client: ErpClient) -> None:
    with pytest.raises(ValueError, match="operations"):
        await client.run_change_set([], caller=ANA)
    assert erp.calls == []
