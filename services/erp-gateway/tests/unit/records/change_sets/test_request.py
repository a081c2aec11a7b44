"""Bodies of change sets, and what is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.change_sets.request import Operation, parse_operations, read_operations
from servicekit.errors import InvalidBody, MalformedJson

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
MEMBERS = ("method", "resource", "key", "action", "body", "ifMatch", "operations", "x")


def one(**members: object) -> bytes:
    return json.dumps({"operations": [{"method": "POST", "resource": "Orders", **members}]}).encode()


@given(body=st.dictionaries(st.text(max_size=5), JSON, max_size=3), indent=st.sampled_from([None, 3]))
def test_a_body_keeps_the_bytes_that_the_client_sent(body: dict[str, object], indent: int | None) -> None:
    sent = json.dumps(body, indent=indent, ensure_ascii=False)
    (operation,) = parse_operations(
        f'{{"operations": [{{"body": {sent}, "resource": "Orders", "method": "POST"}}]}}'.encode()
    )
    assert operation == Operation(method="POST", resource="Orders", body=sent.encode())


@given(
    value=JSON
    | st.fixed_dictionaries(
        {"operations": st.lists(st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=6), max_size=3)}
    )
)
def test_any_other_json_is_a_refusal(value: object) -> None:
    try:
        operations = parse_operations(json.dumps(value).encode())
    except (InvalidBody, MalformedJson):
        return
    assert all(operation.method in ("POST", "PATCH") for operation in operations)


@pytest.mark.parametrize(
    ("members", "key", "action", "body"),
    [
        ({"key": 7, "action": "Cancel"}, "7", "Cancel", b""),
        ({"key": "7", "action": "Cancel", "body": None}, "7", "Cancel", b""),
        ({"key": "", "body": {}}, "", "", b"{}"),
        ({"key": None, "action": None}, "", "", b"null"),
        ({"method": "PATCH", "key": 0, "body": {}}, "0", "", b"{}"),
        ({"method": "PATCH", "key": "CardCode='C1',ItemCode='Á'"}, "CardCode='C1',ItemCode='Á'", "", b"null"),
    ],
)
def test_keys_are_texts_and_only_an_action_lacks_its_body(
    members: dict[str, object], key: str, action: str, body: bytes
) -> None:
    (operation,) = parse_operations(one(**members))
    assert (operation.key, operation.action, operation.body) == (key, action, body)


@pytest.mark.parametrize(("tag", "has_tag"), [(None, False), ("", True), ("*", True), ({}, True), (0, True)])
def test_any_value_of_if_match_counts(tag: object, has_tag: bool) -> None:
    assert parse_operations(one(ifMatch=tag))[0].has_tag is has_tag


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"operations": [{"method": "POST", "resource": "A", "resource": "B", "body": {}}]}',
        b'{"operations": [], "operations": []}',
        b'{"operations": [{"method": "POST", "resource": "A", "body": {"a": NaN}}]}',
        b'{"operations": [{"method": "POST", "resource": "A", "body": {"a": "\\ud800"}}]}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_the_body_is_strict_json(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse_operations(body)


@pytest.mark.asyncio
async def test_a_large_body_is_read_in_a_thread_with_the_same_result() -> None:
    operations = [{"method": "POST", "resource": "Orders", "body": {"Comments": "x" * 5_000}}] * 20
    content = json.dumps({"operations": operations}).encode()
    assert await read_operations(content) == parse_operations(content)
    with pytest.raises(InvalidBody):
        await read_operations(one(body={"a": "x" * 40_000}, more=1))
