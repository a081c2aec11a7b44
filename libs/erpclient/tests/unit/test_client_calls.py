"""Requests and results of each method of the client, on real sockets."""

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest
import pytest_asyncio
from clients import ANA, make_client
from scripted_erp import HTML_502, Answer, Call, ScriptedErp, error_v1, error_v2, json_answer, list_answer

from erpclient import (
    Caller,
    CallTrace,
    ErpClient,
    ErpError,
    ErpKeyUnsupported,
    ErpRefused,
    ErpReply,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    Outcome,
)
from erpclient.http.bodies import read_list
from erpclient.http.cleaner import Cleaner
from erpclient.odata import InvalidEntityTag, ListQuery, RecordQuery

TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
NO_RECORD = error_v1(404, -2028, "No matching records found (ODBC -2028)")
WEB_SERVERS_404 = Answer(404, b"<html><h1>Not Found</h1></html>", content_type="text/html")
UNKNOWN_VERSION = error_v1(400, -1000, "Property 'DataVersion' of 'Item' is invalid")


@pytest_asyncio.fixture
async def client(erp: ScriptedErp) -> AsyncIterator[ErpClient]:
    async with make_client(erp) as opened:
        yield opened


def options(call: Call) -> dict[str, str]:
    query = call.target.partition("?")[2]
    return dict(pair.split("=", 1) for pair in unquote(query).split("&")) if query else {}


@pytest.mark.asyncio
async def test_a_list_request_carries_page_size_session_and_caller_ids(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(list_answer([{"ItemCode": "A1"}], count=5000))
    trace = CallTrace()
    caller = Caller("ana", "req-1", f"00-{'a' * 32}-{'b' * 16}-01", trace=trace)
    found = await client.list("Items", ListQuery(filter="ItemName eq 'x'", top=7), caller=caller)
    assert json.loads(found.rows) == [{"ItemCode": "A1"}]
    assert found.count == 5000
    (call,) = erp.work
    assert (call.method, call.target.partition("?")[0]) == ("GET", "/b1s/v1/Items")
    assert options(call)["$top"] == "7"
    assert options(call)["$filter"] == "ItemName eq 'x'"
    assert options(call)["$inlinecount"] == "allpages"
    assert call.headers["b1s-pagesize"] == "7"
    assert call.headers["b1s-caseinsensitive"] == "true"
    assert call.headers["x-request-id"] == "req-1"
    assert call.headers["traceparent"] == caller.traceparent
    assert call.cookies == {"B1SESSION": next(iter(erp.sessions)), "ROUTEID": ".node1"}
    assert trace.calls == 1
    assert trace.upstream_s > 0


@pytest.mark.parametrize(
    ("query", "case_insensitive", "sent"),
    [
        (ListQuery(), True, False),
        (ListQuery(filter="A eq 1"), True, True),
        (ListQuery(filter="A eq 1"), False, False),
    ],
)
@pytest.mark.asyncio
async def test_letter_case_is_ignored_for_filters_by_default(
    erp: ScriptedErp, client: ErpClient, query: ListQuery, case_insensitive: bool, sent: bool
) -> None:
    await client.list("Items", query, caller=ANA, case_insensitive=case_insensitive)
    assert ("b1s-caseinsensitive" in erp.work[0].headers) is sent


@pytest.mark.asyncio
async def test_version_2_has_its_own_options_and_replies(erp: ScriptedErp) -> None:
    erp.script(json_answer({"@odata.context": "x", "@odata.count": 3, "value": [{"@odata.etag": TAG}]}))
    async with make_client(erp, version="v2") as client:
        found = await client.list("Items", ListQuery(), caller=ANA, tagged=True)
    assert (json.loads(found.rows), found.count) == ([{"odata.etag": TAG}], 3)
    assert erp.calls[0].target == "/b1s/v2/Login"
    assert options(erp.work[0])["$count"] == "true"


@pytest.mark.asyncio
async def test_a_record_is_returned_with_its_tag(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(
        json_answer({"odata.metadata": "x", "odata.etag": TAG, "ItemCode": "A1"}, headers=[("ETag", TAG)])
    )
    record = await client.get("Items", "('A1')", RecordQuery(), caller=ANA, tagged=True)
    assert json.loads(record.body) == {"odata.etag": TAG, "ItemCode": "A1"}
    assert record.etag == TAG
    assert erp.work[0].target == "/b1s/v1/Items('A1')"


@pytest.mark.asyncio
async def test_a_missing_record_is_refused_with_the_erp_message(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(NO_RECORD)
    with pytest.raises(ErpRefused) as caught:
        await client.get("Items", "('A1')", RecordQuery(), caller=ANA)
    assert (caught.value.status, caught.value.code) == (404, -2028)
    assert caught.value.text == "No matching records found (ODBC -2028)"


@pytest.mark.asyncio
async def test_a_created_record_is_returned_as_stored(erp: ScriptedErp, client: ErpClient) -> None:
    stored = {"odata.metadata": "x", "odata.etag": TAG, "DocEntry": 7, "Password": "planted"}
    erp.script(json_answer(stored, 201, [("ETag", TAG), ("Location", "https://10.0.0.1/b1s/v1/Orders(7)")]))
    body = b'{ "CardCode":"C1",  "Price": 100.10 }'
    record = await client.create("Orders", body, caller=ANA, hidden=frozenset({"PASSWORD"}))
    assert json.loads(record.body) == {"odata.etag": TAG, "DocEntry": 7}
    assert (record.etag, record.location) == (TAG, "Orders(7)")
    (call,) = erp.work
    assert (call.method, call.target, call.body) == ("POST", "/b1s/v1/Orders", body)
    assert call.headers["content-type"] == "application/json"


@pytest.mark.asyncio
async def test_before_sending_runs_during_the_turn_and_before_a_write_is_sent(
    erp: ScriptedErp, client: ErpClient
) -> None:
    allowed = asyncio.Event()
    erp.script(Answer(204))
    writing = asyncio.create_task(client.create("Orders", b"{}", caller=ANA, before_sending=allowed.wait))
    reading = asyncio.create_task(client.list("Items", ListQuery(), caller=Caller("eva")))
    await asyncio.sleep(0.05)
    assert (erp.work, client.queue_stats.waiting) == ([], 1)
    allowed.set()
    await asyncio.gather(writing, reading, return_exceptions=True)
    assert [call.method for call in erp.work] == ["POST", "GET"]


@pytest.mark.asyncio
async def test_an_error_of_before_sending_propagates_unchanged(erp: ScriptedErp, client: ErpClient) -> None:
    async def refuse() -> None:
        raise RuntimeError("no row, no write")

    with pytest.raises(RuntimeError, match="no row"):
        await client.modify("Orders", "(7)", b"{}", caller=ANA, before_sending=refuse)
    assert erp.work == []
    erp.script(list_answer([]))
    await client.list("Items", ListQuery(), caller=ANA)  # the place is free again
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_creation_that_is_answered_without_a_body_is_a_creation(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(Answer(204))
    assert (await client.create("Orders", b"{}", caller=ANA)).body == b"{}"


@pytest.mark.asyncio
async def test_a_change_sends_its_tag_and_the_collection_mode(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(Answer(204))
    await client.modify("Orders", "(7)", b"{}", caller=ANA, if_match=TAG, replace_collections=True)
    await client.modify("Orders", "(7)", b"{}", caller=ANA)
    first, second = erp.work
    assert (first.method, first.target) == ("PATCH", "/b1s/v1/Orders(7)")
    assert (first.headers["if-match"], first.headers["b1s-replacecollectionsonpatch"]) == (TAG, "true")
    assert not {"if-match", "b1s-replacecollectionsonpatch"} & set(second.headers)


@pytest.mark.asyncio
async def test_a_stale_tag_is_refused(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(error_v2(412, "-2039", "Another user modified data"))
    with pytest.raises(ErpRefused) as caught:
        await client.modify("Orders", "(7)", b"{}", caller=ANA, if_match=TAG)
    assert (caught.value.status, caught.value.code, caught.value.outcome) == (412, -2039, Outcome.NOT_DONE)


@pytest.mark.parametrize("tag", ["", "garbage", '"strong"', 'W/"a", W/"b"', 'W/"a"\r\nX: y'])
@pytest.mark.asyncio
async def test_a_malformed_tag_is_refused_before_sending(
    erp: ScriptedErp, client: ErpClient, tag: str
) -> None:
    with pytest.raises(InvalidEntityTag):
        await client.modify("Orders", "(7)", b"{}", caller=ANA, if_match=tag)
    with pytest.raises(InvalidEntityTag):
        await client.action("Orders", "(7)", "Cancel", b"", caller=ANA, if_match=tag)
    assert erp.calls == []


@pytest.mark.asyncio
async def test_an_action_returns_no_body_or_an_object(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(Answer(204), json_answer({"odata.metadata": "x", "DocEntry": 8, "Password": "planted"}))
    assert await client.action("Orders", "(7)", "Cancel", b"", caller=ANA, if_match="*") == ErpReply(204, b"")
    reply = await client.action(
        "Orders", "(7)", "CreateCancellationDocument", b"{}", caller=ANA, hidden=frozenset({"password"})
    )
    assert (reply.status, json.loads(reply.body)) == (200, {"DocEntry": 8})
    first, second = erp.work
    assert (first.method, first.target, first.body) == ("POST", "/b1s/v1/Orders(7)/Cancel", b"")
    assert first.headers["if-match"] == "*"
    assert second.body == b"{}"


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.asyncio
async def test_a_service_is_called_at_the_root(erp: ScriptedErp, client: ErpClient, write: bool) -> None:
    erp.script(json_answer({"odata.metadata": "x", "value": [{"Series": 7}]}))
    body = b'{"DocumentTypeParams":{"Document":"21"}}'
    reply = await client.call_service("SeriesService_GetDocumentSeries", body, caller=ANA, write=write)
    assert json.loads(reply.body) == {"value": [{"Series": 7}]}
    (call,) = erp.work
    assert (call.method, call.target) == ("POST", "/b1s/v1/SeriesService_GetDocumentSeries")
    assert call.body == body


@pytest.mark.asyncio
async def test_a_service_that_refuses_is_an_error(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(error_v1(400, -1, "No"))
    with pytest.raises(ErpRefused):
        await client.call_service("SeriesService_GetDocumentSeries", b"", caller=ANA)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (HTML_502, ErpServerError),
        (error_v1(500, -1, "Internal"), ErpServerError),
        (Answer(201, b"<html>"), ErpReplyUnreadable),
        (Answer(201, b""), ErpReplyUnreadable),
        (Answer(201, b'{"DocEntry":'), ErpReplyUnreadable),
        (Answer(201, b'{"DocEntry": 7}', content_type="application/json;charset=utf-16"), ErpReplyUnreadable),
        (Answer(raw=b"HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{", close=True), ErpReplyUnreadable),
        (Answer(302), ErpReplyUnreadable),
    ],
    ids=["HTML 502", "500", "HTML 201", "empty", "cut JSON", "charset", "cut body", "redirect"],
)
@pytest.mark.asyncio
async def test_a_write_with_an_error_reply_has_an_unknown_outcome(
    erp: ScriptedErp, client: ErpClient, answer: Answer, kind: type[ErpError]
) -> None:
    erp.script(answer)
    with pytest.raises(kind) as caught:
        await client.create("Orders", b"{}", caller=ANA)
    assert caught.value.outcome is Outcome.UNKNOWN
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_change_with_a_non_json_response_has_an_unknown_outcome(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(Answer(200, b"<html>Maintenance</html>", content_type="text/html"))
    with pytest.raises(ErpReplyUnreadable) as caught:
        await client.modify("Orders", "(7)", b"{}", caller=ANA)
    assert caught.value.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, b""),
        Answer(200, b"<html>"),
        Answer(200, b'{"odata.count":"1","value":['),
        Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", close=True),
        Answer(200, b'{"odata.count":"1","value":[]}' + b" " * 5000),
        Answer(200, gzip.compress(bytes(10_000_000)), [("Content-Encoding", "gzip")]),
    ],
    ids=["empty", "HTML", "cut JSON", "cut body", "oversized", "gzip bomb"],
)
@pytest.mark.asyncio
async def test_a_read_with_an_invalid_response_fails_and_the_next_one_works(
    erp: ScriptedErp, answer: Answer
) -> None:
    async with make_client(erp, max_reply_bytes=4096) as client:
        erp.script(answer)
        with pytest.raises(ErpReplyUnreadable):
            await client.list("Items", ListQuery(), caller=ANA)
        erp.script(list_answer([]))
        assert (await client.list("Items", ListQuery(), caller=ANA)).rows == b"[]"


@pytest.mark.asyncio
async def test_a_packed_answer_is_unpacked(erp: ScriptedErp, client: ErpClient) -> None:
    plain = list_answer([{"Price": 1.5}])
    erp.script(Answer(200, gzip.compress(plain.body), [("Content-Encoding", "gzip")]))
    found = await client.list("Items", ListQuery(), caller=ANA)
    assert json.loads(found.rows) == [{"Price": 1.5}]
    assert erp.work[0].headers["accept-encoding"] == "gzip"


@pytest.mark.asyncio
async def test_parsing_a_large_page_does_not_block_the_event_loop(
    erp: ScriptedErp, client: ErpClient
) -> None:
    lines = [{f"Field{number}": "value", "Password": "x"} for number in range(40)]
    answer = list_answer([{"DocEntry": number, "Lines": lines} for number in range(1500)])
    assert len(answer.body) > 4_000_000
    erp.script(answer)
    started = time.perf_counter()
    read_list(answer.body, Cleaner(frozenset({"password"})))
    reading_s = time.perf_counter() - started
    worst_s = 0.0

    async def watch() -> None:
        nonlocal worst_s
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            worst_s = max(worst_s, time.perf_counter() - before)

    watching = asyncio.create_task(watch())
    query = ListQuery(top=1500)
    found = await client.list("Items", query, caller=ANA, hidden=frozenset({"Password"}))
    watching.cancel()
    assert found.rows.count(b"DocEntry") == 1500
    assert b"Password" not in found.rows
    assert worst_s < reading_s / 2


# DataVersion


@pytest.mark.asyncio
async def test_a_selection_of_tagged_records_adds_and_hides_the_version(
    erp: ScriptedErp, client: ErpClient
) -> None:
    row = {"odata.etag": TAG, "ItemCode": "A1", "DataVersion": 1}
    erp.script(list_answer([row]), json_answer(row))
    found = await client.list("Items", ListQuery(select=("ItemCode",)), caller=ANA, tagged=True)
    record = await client.get("Items", "('A1')", RecordQuery(select=("ItemCode",)), caller=ANA, tagged=True)
    assert [options(call)["$select"] for call in erp.work] == ["ItemCode,DataVersion"] * 2
    assert json.loads(found.rows) == [{"odata.etag": TAG, "ItemCode": "A1"}]
    assert (json.loads(record.body), record.etag) == ({"odata.etag": TAG, "ItemCode": "A1"}, TAG)


@pytest.mark.parametrize(
    ("select", "sent"),
    [
        (None, None),
        (("ItemCode", "DataVersion"), "ItemCode,DataVersion"),
        (("*",), "*,DataVersion"),
    ],
    ids=["all", "asked for", "star"],
)
@pytest.mark.asyncio
async def test_a_version_that_was_not_added_stays_in_the_response(
    erp: ScriptedErp, client: ErpClient, select: tuple[str, ...] | None, sent: str | None
) -> None:
    row = {"odata.etag": TAG, "ItemCode": "A1", "DataVersion": 1}
    erp.script(json_answer(row))
    record = await client.get("Items", "('A1')", RecordQuery(select=select), caller=ANA, tagged=True)
    assert (json.loads(record.body), record.etag) == (row, TAG)
    assert options(erp.work[0]).get("$select") == sent


@pytest.mark.asyncio
async def test_a_selection_of_untagged_records_carries_no_tag(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(json_answer({"odata.etag": TAG, "ItemCode": "A1"}, headers=[("ETag", TAG)]))
    record = await client.get("Items", "('A1')", RecordQuery(select=("ItemCode",)), caller=ANA)
    assert (json.loads(record.body), record.etag) == ({"ItemCode": "A1"}, None)
    assert options(erp.work[0])["$select"] == "ItemCode"


@pytest.mark.asyncio
async def test_an_erp_without_versions_is_read_without_them_until_the_next_login(erp: ScriptedErp) -> None:
    old = True

    async def handler(call: Call) -> Answer:
        if "DataVersion" not in call.target:
            return json_answer({"odata.etag": TAG, "ItemCode": "A1"}, headers=[("ETag", TAG)])
        return (
            UNKNOWN_VERSION if old else json_answer({"odata.etag": TAG, "ItemCode": "A1", "DataVersion": 1})
        )

    erp.handler = handler
    async with make_client(erp) as client:

        async def read(resource: str = "Items") -> tuple[object, str | None, int]:
            before = len(erp.work)
            query = RecordQuery(select=("ItemCode",))
            record = await client.get(resource, "('A1')", query, caller=ANA, tagged=True)
            return json.loads(record.body), record.etag, len(erp.work) - before

        assert await read() == ({"ItemCode": "A1"}, None, 2)
        assert await read() == ({"ItemCode": "A1"}, None, 1)
        assert await read("Orders") == ({"ItemCode": "A1"}, None, 2)
        old = False
        assert await read() == ({"ItemCode": "A1"}, None, 1)
        erp.expire_sessions()
        assert (await read())[1] is None
        assert await read() == ({"odata.etag": TAG, "ItemCode": "A1"}, TAG, 1)


@pytest.mark.asyncio
async def test_a_refusal_of_a_requested_version_is_raised(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(UNKNOWN_VERSION)
    with pytest.raises(ErpRefused):
        await client.list("Items", ListQuery(select=("DataVersion",)), caller=ANA, tagged=True)
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_different_refusal_does_not_disable_the_version(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(error_v1(400, -1000, "Property 'X' of 'Item' is invalid"))
    for _ in range(2):
        with pytest.raises(ErpRefused):
            await client.list("Items", ListQuery(select=("X",)), caller=ANA, tagged=True)
    assert [options(call)["$select"] for call in erp.work] == ["X,DataVersion"] * 2


# Keys with a slash

SLASHED = "('A%2F1')"
FILTER = "ItemCode eq 'A/1'"


async def no_slash_in_paths(call: Call) -> Answer:
    if "%2F" in call.target.partition("?")[0]:
        return WEB_SERVERS_404
    return list_answer([{"ItemCode": "A/1", "DataVersion": 1}], 1)


@pytest.mark.asyncio
async def test_a_record_whose_key_the_web_server_rejects_is_read_by_filter(
    erp: ScriptedErp, client: ErpClient
) -> None:
    async def handler(call: Call) -> Answer:
        answer = await no_slash_in_paths(call)
        answer.headers = [("ETag", TAG)]
        return answer

    erp.handler = handler
    query = RecordQuery(select=("ItemCode",))
    record = await client.get("Items", SLASHED, query, caller=ANA, tagged=True, key_filter=FILTER)
    assert (json.loads(record.body), record.etag) == ({"ItemCode": "A/1"}, TAG)
    by_path, by_filter = erp.work
    assert by_path.target.startswith("/b1s/v1/Items('A%2F1')?")
    assert options(by_filter) == {"$select": "ItemCode,DataVersion", "$filter": FILTER, "$top": "1"}
    assert "b1s-caseinsensitive" not in by_filter.headers


@pytest.mark.asyncio
async def test_a_record_missing_in_the_filtered_list_answers_404(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(WEB_SERVERS_404, list_answer([]))
    with pytest.raises(ErpRefused) as caught:
        await client.get("Items", SLASHED, RecordQuery(), caller=ANA, key_filter=FILTER)
    assert caught.value.status == 404


@pytest.mark.parametrize(
    ("key", "key_filter", "answer"),
    [
        (SLASHED, FILTER, NO_RECORD),
        (SLASHED, None, WEB_SERVERS_404),
        ("('A1')", "ItemCode eq 'A1'", WEB_SERVERS_404),
    ],
    ids=["the ERP's own 404", "no filter", "no slash"],
)
@pytest.mark.asyncio
async def test_other_missing_records_are_not_read_by_filter(
    erp: ScriptedErp, client: ErpClient, key: str, key_filter: str | None, answer: Answer
) -> None:
    erp.script(answer)
    with pytest.raises(ErpRefused) as caught:
        await client.get("Items", key, RecordQuery(), caller=ANA, key_filter=key_filter)
    assert caught.value.status == 404
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_write_to_a_key_the_web_server_rejects_has_its_own_error(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(WEB_SERVERS_404)
    with pytest.raises(ErpKeyUnsupported) as caught:
        await client.modify("Items", SLASHED, b"{}", caller=ANA)
    assert caught.value.outcome is Outcome.NOT_DONE
    with pytest.raises(ErpKeyUnsupported):
        await client.action("Items", SLASHED, "Cancel", b"", caller=ANA)
    with pytest.raises(ErpRefused) as refused:
        await client.modify("Items", "('A1')", b"{}", caller=ANA)
    assert not isinstance(refused.value, ErpKeyUnsupported)


# Ping


@pytest.mark.asyncio
async def test_a_ping_reaches_the_balancer_without_a_session(erp: ScriptedErp, client: ErpClient) -> None:
    erp.script(json_answer({"message": "pong", "sender": "load balancer", "timestamp": "1555998764.740"}))
    ping = await client.ping()
    assert (ping.status, ping.pong) == (200, True)
    erp.script(json_answer({"message": "Service Unavailable"}, 503), WEB_SERVERS_404)
    assert [(await client.ping()).status, (await client.ping()).pong] == [503, False]
    assert {call.target for call in erp.calls} == {"/ping/"}
    assert "cookie" not in erp.calls[0].headers


@pytest.mark.asyncio
async def test_reads_have_a_shorter_timeout_than_writes(erp: ScriptedErp) -> None:
    answered = asyncio.Event()

    async def answer_late(call: Call) -> Answer:
        await answered.wait()
        return json_answer({"value": []} if call.method == "GET" else {"DocEntry": 1}, 200)

    erp.handler = answer_late
    async with make_client(erp, max_concurrency=5, timeout_s=60.0, read_timeout_s=0.2) as client:
        writing = asyncio.create_task(client.create("Orders", b"{}", caller=ANA))
        reads = await asyncio.gather(
            client.list("Items", ListQuery(), caller=ANA),
            client.get("Items", "('A')", RecordQuery(), caller=ANA),
            client.run_query("Q", {}, caller=ANA, page_size=5),
            client.call_service("CompanyService_GetCompanyInfo", b"", caller=ANA),
            return_exceptions=True,
        )
        assert [type(error) for error in reads] == [ErpTimeout] * 4
        assert not writing.done()
        answered.set()
        await writing


@pytest.mark.asyncio
async def test_a_read_never_has_more_time_than_any_call(erp: ScriptedErp) -> None:
    async def answer_late(_: Call) -> Answer:
        await asyncio.sleep(30)
        return list_answer([])

    erp.handler = answer_late
    async with make_client(erp, timeout_s=0.2, read_timeout_s=60.0) as client:
        with pytest.raises(ErpTimeout):
            await client.list("Items", ListQuery(), caller=ANA)


@pytest.mark.asyncio
async def test_the_metadata_is_read_as_xml_and_returned_byte_for_byte(
    erp: ScriptedErp, client: ErpClient
) -> None:
    document = b'<?xml version="1.0"?><edmx:Edmx/>'
    erp.script(Answer(200, document, content_type="application/xml"))
    assert await client.read_metadata(caller=ANA) == document
    (call,) = erp.work
    assert (call.method, call.target) == ("GET", "/b1s/v1/$metadata")
    assert call.headers["accept"] == "application/xml"


@pytest.mark.asyncio
async def test_logins_and_queued_users_are_counted(erp: ScriptedErp) -> None:
    sent, go_on = asyncio.Event(), asyncio.Event()

    async def answer(call: Call) -> Answer:
        sent.set()
        await go_on.wait()
        return list_answer([])

    erp.handler = answer
    async with make_client(erp) as client:
        assert (client.logins, client.queue_waits) == (0, ())
        reads = [
            asyncio.create_task(client.list("Items", ListQuery(skip=skip), caller=Caller(user)))
            for skip, user in enumerate(("ana", "eva", "eva"))
        ]
        await sent.wait()
        (wait,) = client.queue_waits
        assert (wait.user, wait.waiting, client.logins) == ("eva", 2, 1)
        go_on.set()
        await asyncio.gather(*reads)
        assert (client.logins, client.queue_waits) == (1, ())
