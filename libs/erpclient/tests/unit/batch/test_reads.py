"""Several reads written as one call, and their replies."""

import json

import pytest

from erpclient import (
    CrossJoin,
    ErpList,
    ErpRecord,
    ErpRefused,
    ErpReplyUnreadable,
    ErpRows,
    ErpServerError,
    JoinedPath,
)
from erpclient.batch import BatchRead, ReadBatch
from erpclient.batch.reads import MAX_READS
from erpclient.odata import Dialect, ListQuery, RecordQuery
from erpclient.reads import ListRead, RecordRead

TYPE = "multipart/mixed;boundary=batchresponse_b"
ORDERS = ListRead(
    "Orders", ListQuery(select=("DocEntry",), filter="DocEntry eq 7", top=5), False, frozenset(), False
)
PARTNER = RecordRead("BusinessPartners", "('C1')", RecordQuery(), False, frozenset({"password"}), None)
JOIN = CrossJoin(
    (JoinedPath("Returns", ("DocEntry", "DocNum")), JoinedPath("Returns/DocumentLines", ("LineNum",))),
    "Returns/DocumentLines/BaseEntry eq 7",
    50,
)


def written(*reads: BatchRead) -> str:
    call = ReadBatch(reads).to_call(dialect=Dialect.V1, root_path="/b1s/v1", guid="g")
    assert not call.write
    assert call.headers["Content-Type"] == "multipart/mixed;boundary=batch_g"
    assert call.body is not None
    return call.body.decode()


def answered(*replies: tuple[int, object]) -> bytes:
    parts = [
        "--batchresponse_b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n\r\n{json.dumps(value)}\n\r\n"
        for status, value in replies
    ]
    return ("".join(parts) + "--batchresponse_b--\r\n").encode()


def refusal(code: int) -> dict[str, object]:
    return {"error": {"code": code, "message": {"lang": "en-us", "value": "no"}}}


def test_a_read_without_a_body_ends_in_two_empty_lines() -> None:
    text = written(ORDERS, PARTNER)
    assert text.startswith(
        "--batch_g\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "GET /b1s/v1/Orders?$select=DocEntry&$filter=DocEntry%20eq%207&$top=5&$inlinecount=allpages\r\n"
        "B1S-PageSize: 5\r\n\r\n\r\n--batch_g\r\n"
    )
    assert text.endswith("GET /b1s/v1/BusinessPartners('C1')\r\n\r\n\r\n--batch_g--\r\n")


def test_a_cross_join_is_posted_as_plain_texts() -> None:
    text = written(JOIN)
    head, _, body = text.partition("\r\n\r\n{")
    assert "POST /b1s/v1/QueryService_PostQuery\r\nB1S-PageSize: 50\r\nContent-Type: application/json" in head
    assert json.loads("{" + body.partition("\r\n")[0]) == {
        "QueryPath": "$crossjoin(Returns,Returns/DocumentLines)",
        "QueryOption": "$expand=Returns($select=DocEntry,DocNum),Returns/DocumentLines($select=LineNum)"
        "&$filter=Returns/DocumentLines/BaseEntry eq 7",
    }


def test_results_come_in_the_order_of_the_reads() -> None:
    body = answered(
        (200, {"odata.count": "1", "value": [{"odata.etag": 'W/"X"', "DocEntry": 7}]}),
        (200, {"value": [{"Returns": {"DocEntry": 3}}], "odata.nextLink": "/b1s/v1/$crossjoin"}),
        (200, {"CardCode": "C1", "Password": "secret"}),
    )
    results = ReadBatch((ORDERS, JOIN, PARTNER)).read_results(body, TYPE)
    assert results == (
        ErpList(b'[{"DocEntry":7}]', 1),
        ErpRows(b'[{"Returns": {"DocEntry": 3}}]', more=True),
        ErpRecord(b'{"CardCode":"C1"}', None),
    )


def test_the_refused_read_is_the_last_result() -> None:
    body = answered((200, {"odata.count": "0", "value": []}), (403, refusal(-6006)))
    first, second = ReadBatch((ORDERS, JOIN, PARTNER)).read_results(body, TYPE)
    assert first == ErpList(b"[]", 0)
    assert isinstance(second, ErpRefused)
    assert (second.status, second.code) == (403, -6006)


def test_a_failed_read_fails_the_batch() -> None:
    with pytest.raises(ErpServerError):
        ReadBatch((ORDERS,)).read_results(answered((500, refusal(1))), TYPE)


@pytest.mark.parametrize(
    "body",
    [
        answered((200, {"odata.count": "0", "value": []})),
        answered(*[(200, {"odata.count": "0", "value": []})] * 3),
        answered((200, "text"), (200, "text")),
        b"",
        b"--batchresponse_b--\r\n",
    ],
    ids=["too few", "too many", "no lists", "nothing", "no part"],
)
def test_another_reply_is_unreadable(body: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable):
        ReadBatch((ORDERS, ORDERS)).read_results(body, TYPE)


def test_only_1_to_20_reads_share_a_call() -> None:
    for reads in ((), (ORDERS,) * (MAX_READS + 1)):
        with pytest.raises(ValueError, match="a batch holds"):
            written(*reads)
    with pytest.raises(ValueError, match="no place in a batch"):
        written(RecordRead("Orders", "('a b')", RecordQuery(), False, frozenset(), None))
