"""The multipart text of a change set, byte for byte."""

import pytest

from erpclient.batch import Operation, action_on, batch_call, creation_of, modification_of
from erpclient.http.calls import Call, create_call


def write(*operations: Operation, root_path: str = "/b1s/v1", guid: str = "g") -> Call:
    return batch_call(operations, root_path=root_path, guid=guid)


def test_the_text_is_that_of_the_vendors_manual() -> None:
    call = write(
        creation_of("U_LIB_CLAVE", b'{"Code": "ODEV-1-1-0a1b2c3d"}'),
        modification_of("LIB_ODEV", "(7)", b'{"U_Estado": "E"}', replace_collections=True),
        action_on("LIB_ODEV", "(7)", "Close"),
        root_path="/b1s/v2",
        guid="0-1",
    )
    assert (call.method, call.path, call.resource, call.write) == ("POST", "/$batch", "$batch", True)
    assert call.headers == {
        "Accept": "multipart/mixed",
        "Content-Type": "multipart/mixed;boundary=batch_0-1",
    }
    assert call.body is not None
    assert call.body.decode() == (
        "--batch_0-1\r\nContent-Type: multipart/mixed;boundary=changeset_0-1\r\n\r\n"
        "--changeset_0-1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
        "Content-ID: 1\r\n\r\n"
        "POST /b1s/v2/U_LIB_CLAVE\r\nContent-Type: application/json\r\n\r\n"
        '{"Code": "ODEV-1-1-0a1b2c3d"}\r\n'
        "--changeset_0-1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
        "Content-ID: 2\r\n\r\n"
        "PATCH /b1s/v2/LIB_ODEV(7)\r\nB1S-ReplaceCollectionsOnPatch: true\r\n"
        "Content-Type: application/json\r\n\r\n"
        '{"U_Estado": "E"}\r\n'
        "--changeset_0-1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
        "Content-ID: 3\r\n\r\n"
        "POST /b1s/v2/LIB_ODEV(7)/Close\r\n\r\n\r\n"
        "--changeset_0-1--\r\n--batch_0-1--\r\n"
    )


def test_a_body_never_shows() -> None:
    assert "secret" not in repr(write(creation_of("Items", b'{"a": "secret"}')))


@pytest.mark.parametrize("count", [0, 101])
def test_a_change_set_has_between_1_and_100_operations(count: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 100 operations, not {count}"):
        write(*[creation_of("Items", b"{}")] * count)


def test_a_hundred_operations_are_a_change_set() -> None:
    body = write(*[creation_of("Items", b"{}")] * 100).body
    assert body is not None
    assert b"Content-ID: 100\r\n" in body


@pytest.mark.parametrize(
    "operation",
    [
        Call("GET", "Items", "/Items"),
        modification_of("Items", "('A B')", b"{}"),
        modification_of("Items", "('A')\r\nX: y", b"{}"),
        modification_of("Items", "('Ñ')", b"{}"),
    ],
    ids=["a read", "a blank", "a line end", "unencoded"],
)
def test_characters_that_break_the_request_line_are_refused(operation: Operation) -> None:
    with pytest.raises(ValueError, match="operation 2 has no place in a change set"):
        write(create_call("Items", b"{}"), operation)
