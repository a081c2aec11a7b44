"""The multipart text of a batch."""

from __future__ import annotations

import itertools

import pytest

from erpsim.company.errors import NotSimulatedError, SlError
from erpsim.service_layer.batch.text import (
    BatchIds,
    BatchReply,
    BatchRequest,
    ChangeSet,
    boundary_of,
    parse_batch,
    write_batch,
)
from erpsim.service_layer.wire.messages import SlReply
from erpsim.service_layer.wire.wire_format import V1_FORMAT, V2_FORMAT

HEAD = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
TYPE = "multipart/mixed;boundary=b"


def batch(*parts: str) -> bytes:
    return ("".join(f"--b\r\n{part}\r\n" for part in parts) + "--b--\r\n").encode()


def test_a_get_a_change_set_and_a_body_are_read() -> None:
    change_set = (
        "Content-Type: multipart/mixed; boundary=c\r\n\r\n"
        f"--c\r\n{HEAD}Content-ID: 1\r\n\r\n"
        'POST /b1s/v1/Items HTTP/1.1\r\nHost: x\r\nPrefer: return-no-content\r\n\r\n{"a": 1}\r\n'
        f"--c\r\n{HEAD}\r\nDELETE Items('x')\r\n\r\n\r\n"
        "--c--"
    )
    body = batch(f"{HEAD}\r\nGET /b1s/v1/Items('i001')\r\n\r\n", change_set)
    assert parse_batch(body, TYPE) == [
        BatchRequest(method="GET", target="/b1s/v1/Items('i001')", headers={}, body=b""),
        ChangeSet(
            (
                BatchRequest(
                    method="POST",
                    target="/b1s/v1/Items",
                    headers={"host": "x", "prefer": "return-no-content"},
                    body=b'{"a": 1}',
                    content_id="1",
                ),
                BatchRequest(method="DELETE", target="Items('x')", headers={}, body=b""),
            )
        ),
    ]


def test_a_content_id_may_be_inside_the_request() -> None:
    body = batch(f"{HEAD}\r\nPOST Items HTTP/1.1\r\nContent-ID: 7\r\n\r\n{{}}")
    [request] = parse_batch(body, TYPE)
    assert isinstance(request, BatchRequest)
    assert request.content_id == "7"


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/mixed;boundary=batch_1", "batch_1"),
        ('multipart/mixed; boundary="batch 1"', "batch 1"),
        ("Multipart/Mixed; charset=utf-8; Boundary=x;y", "x"),
    ],
)
def test_boundaries_may_be_quoted_or_unquoted(content_type: str, boundary: str) -> None:
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (batch(f"{HEAD}\r\nGET Items\r\n\r\n"), None),
        (batch(f"{HEAD}\r\nGET Items\r\n\r\n"), "application/json"),
        (batch(f"{HEAD}\r\nGET Items\r\n\r\n"), "multipart/mixed"),
        (b"", TYPE),
        (b"--b--\r\n", TYPE),
        (batch(f"{HEAD}\r\nGET Items\r\n"), TYPE),
        (batch(f"{HEAD}\r\nGET Items\r\n\r\n").replace(b"\r\n", b"\n"), TYPE),
        (batch(f"{HEAD}\r\nGET Items\r\n\r\n").replace(b"--b--", b"--b"), TYPE),
        (batch(f"{HEAD}\r\nwhat is this line\r\n\r\n"), TYPE),
        (batch("Content-Type: text/plain\r\n\r\nGET Items\r\n\r\n"), TYPE),
        (batch("no headers at all"), TYPE),
        (b"--bx\r\n" + batch(f"{HEAD}\r\nGET Items\r\n\r\n"), TYPE),
    ],
    ids=[
        "no type",
        "json",
        "no boundary",
        "empty",
        "no parts",
        "one blank line",
        "bare newlines",
        "no end",
        "no request line",
        "no http part",
        "no blank line",
        "longer delimiter",
    ],
)
def test_a_malformed_envelope_is_reported_as_incomplete(body: bytes, content_type: str | None) -> None:
    with pytest.raises(SlError) as refusal:
        parse_batch(body, content_type)
    assert (refusal.value.status, refusal.value.code) == (400, -1000)
    assert refusal.value.text == "Incomplete Batch Request Body!"


@pytest.mark.parametrize(
    "inner",
    [
        f"{HEAD}\r\nGET Items\r\n\r\n",
        "Content-Type: multipart/mixed; boundary=d\r\n\r\n--d\r\n\r\n\r\n--d--",
    ],
    ids=["get", "nested"],
)
def test_invalid_requests_in_a_change_set_are_refused(inner: str) -> None:
    body = batch(f"Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n{inner}\r\n--c--")
    with pytest.raises(NotSimulatedError):
        parse_batch(body, TYPE)


def ids() -> BatchIds:
    numbers = itertools.count(1)
    return BatchIds(lambda: f"g{next(numbers)}")


def created(version: tuple[str, str]) -> SlReply:
    headers = (
        ("Content-Type", "application/json"),
        version,
        ("ETag", 'W/"0"'),
        ("Location", "http://x/b1s/Items('a')"),
    )
    return SlReply(status=201, headers=headers, body=b'{"some":"content"}\n')


def test_a_v1_change_set_echoes_the_content_id_after_the_status_line() -> None:
    parts = [
        [
            BatchReply(reply=created(V1_FORMAT.version), content_id="1"),
            BatchReply(reply=SlReply(status=204, headers=(V1_FORMAT.version,)), content_id="2"),
        ]
    ]
    # The form of the v1 capture in B1SLayer's tests, byte for byte.
    assert write_batch(parts, V1_FORMAT, ids()).decode() == (
        "--batchresponse_g1\r\n"
        "Content-Type: multipart/mixed; boundary=changesetresponse_g2\r\n\r\n"
        "--changesetresponse_g2\r\n"
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "HTTP/1.1 201 Created\r\nContent-ID: 1\r\nContent-Type: application/json\r\nContent-Length: 19\r\n"
        "DataServiceVersion: 3.0\r\nETag: W/\"0\"\r\nLocation: http://x/b1s/Items('a')\r\n\r\n"
        '{"some":"content"}\n\r\n'
        "--changesetresponse_g2\r\n"
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "HTTP/1.1 204 No Content\r\nContent-ID: 2\r\nDataServiceVersion: 3.0\r\n\r\n\r\n"
        "--changesetresponse_g2--\r\n"
        "--batchresponse_g1--\r\n"
    )


def test_a_v2_change_set_echoes_the_content_id_in_the_part() -> None:
    parts = [
        [
            BatchReply(reply=created(V2_FORMAT.version), content_id="1"),
            BatchReply(reply=SlReply(status=204, headers=(V2_FORMAT.version,)), content_id="2"),
        ]
    ]
    assert write_batch(parts, V2_FORMAT, ids()).decode() == (
        "--batchresponse_g1\r\n"
        "Content-Type: multipart/mixed; boundary=changesetresponse_g2\r\n\r\n"
        "--changesetresponse_g2\r\n"
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 1\r\n\r\n"
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 19\r\n"
        "ETag: W/\"0\"\r\nLocation: http://x/b1s/Items('a')\r\nOData-Version: 4.0\r\n\r\n"
        '{"some":"content"}\n\r\n'
        "--changesetresponse_g2\r\n"
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 2\r\n\r\n"
        "HTTP/1.1 204 No Content\r\nOData-Version: 4.0\r\n\r\n\r\n"
        "--changesetresponse_g2--\r\n"
        "--batchresponse_g1--\r\n"
    )


def test_a_refusal_is_the_only_part_of_the_batch() -> None:
    refusal = SlReply(status=404, headers=(("Content-Type", "application/json"),), body=b"{}\n")
    assert write_batch([BatchReply(reply=refusal, content_id="12")], V2_FORMAT, ids()).decode() == (
        "--batchresponse_g1\r\n"
        "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 12\r\n\r\n"
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n"
        "{}\n\r\n"
        "--batchresponse_g1--\r\n"
    )
