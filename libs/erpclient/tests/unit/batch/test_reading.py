"""Parsing the answer to a change set. The texts have the shape of captured ones."""

import json
from typing import Any

import pytest

from erpclient import ErpRefused, ErpReplyUnreadable, ErpServerError
from erpclient.batch import (
    ChangeSetDone,
    ChangeSetRefused,
    ChangeSetResult,
    ChangeSetUnknown,
    OperationDone,
    read_change_set,
)
from erpclient.http.cleaner import Cleaner

TYPE = "multipart/mixed;boundary=batchresponse_b"
PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
JSON = "Content-Type: application/json\r\n"
CREATED = f"HTTP/1.1 201 Created\r\n{JSON}Location: https://10.0.0.1:50000/b1s/v1/Items('A')\r\n"
REFUSED_V1 = (
    '{\n   "error" : {\n      "code" : -10,\n      "message" : {\n         "lang" : "en-us",\n'
    '         "value" : "One of the base documents has already been closed"\n      },\n'
    '      "innererror" : {"context" : null, "trace" : null}\n   }\n}\n'
)
REFUSED_V2 = (
    '{"error" : {"code" : "-2028", "details" : [{"code" : "", "message" : ""}],'
    ' "message" : "No matching records found (ODBC -2028)"}}\n'
)


def answer(head: str, body: str = "", *, content_id: str = "", v2: bool = False) -> str:
    echo = f"Content-ID: {content_id}\r\n" if content_id else ""
    if v2:
        return f"{PART}{echo}\r\n{head}\r\n{body}"
    line, _, headers = head.partition("\r\n")
    return f"{PART}\r\n{line}\r\n{echo}{headers}\r\n{body}"


def in_batch(*parts: str) -> bytes:
    return (
        "".join(f"--batchresponse_b\r\n{part}\r\n" for part in parts) + "--batchresponse_b--\r\n"
    ).encode()


def change_set(*parts: str) -> bytes:
    inner = "".join(f"--changesetresponse_c\r\n{part}\r\n" for part in parts)
    head = "Content-Type: multipart/mixed; boundary=changesetresponse_c\r\n\r\n"
    return in_batch(f"{head}{inner}--changesetresponse_c--")


def read(body: bytes, *, count: int = 1, content_type: str = TYPE, **cleaner: Any) -> ChangeSetResult:
    cleaners = [Cleaner(**cleaner)] * count
    return read_change_set(body, content_type, root_path="/b1s/v1", cleaners=cleaners)


@pytest.mark.parametrize("v2", [False, True], ids=["v1", "v2"])
def test_a_completed_change_set_returns_each_operation(v2: bool) -> None:
    body = '{\n   "DocEntry" : 7,\n   "Price" : 1.10,\n   "odata.metadata" : "https://10.0.0.1:50000/x"\n}\n'
    created = (
        f'HTTP/1.1 201 Created\r\n{JSON}Content-Length: 70\r\nETag: W/"1"\r\nLocation: /b1s/v1/Orders(7)\r\n'
    )
    done = read(
        change_set(
            answer(created, body, content_id="1", v2=v2),
            answer("HTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0\r\n", content_id="2", v2=v2),
        ),
        count=2,
    )
    assert done == ChangeSetDone(
        (
            OperationDone(201, "Orders(7)", 'W/"1"', b'{"DocEntry":7,"Price":1.10}'),
            OperationDone(204, None, None, b""),
        )
    )


def test_answers_without_numbers_are_in_the_order_of_the_operations() -> None:
    done = read(change_set(answer(CREATED, '{"a": 1}\n'), answer("HTTP/1.1 204 No Content\r\n")), count=2)
    assert isinstance(done, ChangeSetDone)
    assert [operation.status for operation in done.operations] == [201, 204]
    assert done.operations[0].location == "Items('A')"


def test_numbered_answers_are_put_into_the_order_of_the_operations() -> None:
    second = answer("HTTP/1.1 204 No Content\r\n", content_id="2")
    done = read(change_set(second, answer(CREATED, "{}", content_id="1")), count=2)
    assert isinstance(done, ChangeSetDone)
    assert [operation.status for operation in done.operations] == [201, 204]


@pytest.mark.parametrize(
    ("usual", "form"),
    [
        ("--changesetresponse_c\r\n", "--changesetresponse_c \t\r\n"),
        ("multipart/mixed; boundary", "multipart/mixed;\r\n boundary"),
        ("Content-ID: 1", "Content-ID: <1>"),
    ],
    ids=["blanks behind a boundary", "folded", "in brackets"],
)
def test_parts_may_be_written_in_any_form_that_mime_allows(usual: str, form: str) -> None:
    text = change_set(answer(CREATED, "{}", content_id="1")).decode()
    assert usual in text
    assert isinstance(read(text.replace(usual, form).encode()), ChangeSetDone)


def test_an_operation_without_body_may_end_in_one_or_more_line_ends() -> None:
    short, long = f"{PART}\r\nHTTP/1.1 204 No Content", answer("HTTP/1.1 204 No Content\r\n", "\r\n\r\n")
    done = read(change_set(short, long), count=2)
    assert isinstance(done, ChangeSetDone)
    assert [operation.body for operation in done.operations] == [b"", b""]


def test_hidden_properties_are_removed_from_change_set_results() -> None:
    done = read(change_set(answer(CREATED, '{"Password": "x", "a": 1}')), hidden=frozenset({"password"}))
    assert isinstance(done, ChangeSetDone)
    assert json.loads(done.operations[0].body) == {"a": 1}


def test_a_v2_refusal_names_its_operation() -> None:
    refused = f"HTTP/1.1 404 Not Found\r\n{JSON}"
    result = read(in_batch(answer(refused, REFUSED_V2, content_id="2", v2=True)), count=2)
    assert isinstance(result, ChangeSetRefused)
    assert result.operation == 1
    error = result.error
    assert (error.status, error.code, error.text) == (404, -2028, "No matching records found (ODBC -2028)")


@pytest.mark.parametrize("content_id", ["", "3", "0", "-1", "x"])
def test_a_refusal_without_a_valid_content_id_names_no_operation(content_id: str) -> None:
    refused = f"HTTP/1.1 400 Bad Request\r\n{JSON}"
    result = read(in_batch(answer(refused, REFUSED_V1, content_id=content_id)), count=2)
    assert isinstance(result, ChangeSetRefused)
    assert result.operation is None
    assert (result.error.status, result.error.code) == (400, -10)
    assert result.error.text == "One of the base documents has already been closed"


def test_a_refusal_by_the_web_server_inside_is_a_refusal_without_a_code() -> None:
    result = read(in_batch(answer("HTTP/1.1 400 Bad Request\r\n", "<html>")))
    assert isinstance(result, ChangeSetRefused)
    assert isinstance(result.error, ErpRefused)
    assert result.error.code is None


def test_a_failure_inside_leaves_the_outcome_unknown() -> None:
    result = read(in_batch(answer(f"HTTP/1.1 502 Proxy Error\r\n{JSON}", "<html>")))
    assert isinstance(result, ChangeSetUnknown)
    assert isinstance(result.error, ErpServerError)


def test_a_preamble_and_a_quoted_boundary_are_read() -> None:
    body = b"preamble\r\n" + change_set(answer(CREATED, "{}"))
    done = read(body, content_type='Multipart/Mixed; charset=utf-8; Boundary="batchresponse_b"')
    assert isinstance(done, ChangeSetDone)


GOOD = change_set(answer(CREATED, "{}"))
LONG = "X: " + "y" * 17_000 + "\r\n"


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (GOOD, "application/json", "no multipart text"),
        (GOOD, "multipart/mixed", "no multipart text"),
        (GOOD, f"multipart/mixed;boundary={'x' * 201}\r\n", "missing or surplus parts"),
        (b"", TYPE, "missing or surplus parts"),
        (b"--batchresponse_b--\r\n", TYPE, "missing or surplus parts"),
        (GOOD[:-6], TYPE, "missing or surplus parts"),
        (GOOD.replace(b"\r\n", b"\n"), TYPE, "missing or surplus parts"),
        (in_batch(answer(CREATED), answer(CREATED)), TYPE, "missing or surplus parts"),
        (change_set(), TYPE, "missing or surplus parts"),
        (change_set(answer(CREATED), answer(CREATED)), TYPE, "missing or surplus parts"),
        (GOOD.replace(b"--changesetresponse_c--", b""), TYPE, "missing or surplus parts"),
        (b"--batchresponse_bx\r\n\r\n\r\n--batchresponse_b--\r\n", TYPE, "without an end of its headers"),
        (in_batch("Content-Type: application/http"), TYPE, "without an end of its headers"),
        (in_batch(f"{LONG}{answer(CREATED)}"), TYPE, "without an end of its headers"),
        (in_batch(answer(CREATED, "{}")), TYPE, "a success outside of its change set"),
        (in_batch(answer("HTTP/1.1 302 Found\r\n")), TYPE, None),
        (change_set(answer("HTTP/1.1 400 Bad Request\r\n", REFUSED_V1)), TYPE, "an error inside"),
        (change_set(f"Content-Type: text/plain\r\n\r\n{CREATED}\r\n"), TYPE, "a part of a batch that is no"),
        (change_set(answer("HTTP/2 201\r\n")), TYPE, "without a status"),
        (change_set(answer("HTTP/1.1 201\r\n", "{")), TYPE, "not the JSON that was expected"),
        (change_set(answer(CREATED, "[]")), TYPE, "not the JSON that was expected"),
        (change_set(answer(CREATED, "{}", content_id="2")), TYPE, "other numbers than operations"),
    ],
    ids=[
        "json",
        "no boundary",
        "other boundary",
        "empty",
        "no parts",
        "cut off",
        "bare newlines",
        "two parts in the batch",
        "empty change set",
        "too many answers",
        "no end of the change set",
        "longer delimiter",
        "no blank line",
        "endless headers",
        "success outside",
        "redirect outside",
        "error inside",
        "no answer",
        "no status",
        "broken json",
        "an array",
        "a number that was not sent",
    ],
)
def test_any_other_text_is_unreadable(body: bytes, content_type: str, reason: str | None) -> None:
    if reason is None:
        assert isinstance(read(body, content_type=content_type), ChangeSetUnknown)
        return
    with pytest.raises(ErpReplyUnreadable, match=reason):
        read(body, content_type=content_type)


def test_a_missing_operation_makes_the_reply_unreadable() -> None:
    with pytest.raises(ErpReplyUnreadable, match="other parts than operations"):
        read(GOOD, count=2)


def test_a_repeated_content_id_makes_the_reply_unreadable() -> None:
    twice = [answer(CREATED, "{}", content_id="1")] * 2
    with pytest.raises(ErpReplyUnreadable, match="other numbers"):
        read(change_set(*twice), count=2)
