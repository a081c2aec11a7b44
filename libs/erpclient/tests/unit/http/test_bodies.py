"""Reading answer bodies, and removing properties from them."""

import json
from collections.abc import Callable

import pytest

from erpclient.errors import ErpReplyUnreadable, Outcome
from erpclient.http.bodies import read_list, read_object, read_only_record, read_record, read_value
from erpclient.http.cleaner import Cleaner

TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'


def page(rows: str, count: str = '"2"', extra: str = "") -> bytes:
    head = '"odata.metadata" : "https://10.0.0.1/b1s/v1/$metadata#Items"'
    tail = '"odata.nextLink" : "Items?$skip=20"'
    return f'{{{head}, "odata.count" : {count}{extra}, "value" : {rows}, {tail}}}\n'.encode()


def test_rows_without_changes_keep_their_bytes() -> None:
    rows = '[ {"Price" : 100.10,   "Nombre":"Ñandú", "Total": 1234567890.123456}, {} ]'
    answer = read_list(page(rows), Cleaner())
    assert answer.rows == rows.encode()
    assert answer.count == 2


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('[ {"A":1}, {"A":2} ]', '[ {"A":1}, {"A":2} ]'),
        ('[{"A":[{},{},{}]}, {"A":2} ]', '[{"A":[{},{},{}]}, {"A":2} ]'),
        ('[ {"A":1}, {"A":2.50}, {"A":3}]', '[{"A":1},{"A":2.50}]'),
        ('[{"A":[{},{}]},{"A":2},{"A":3}]', '[{"A":[{},{}]},{"A":2}]'),
        ("[]", "[]"),
    ],
)
def test_rows_beyond_the_requested_number_are_dropped(rows: str, expected: str) -> None:
    answer = read_list(page(rows, count="90"), Cleaner(), 2)
    assert (answer.rows.decode(), answer.count) == (expected, 90)


@pytest.mark.parametrize("count", ['"5000"', "5000"], ids=["text", "number"])
@pytest.mark.parametrize("name", ["odata.count", "@odata.count"], ids=["v1", "v2"])
def test_a_count_may_be_text_or_number_under_both_names(name: str, count: str) -> None:
    assert read_list(f'{{"{name}": {count}, "value": []}}'.encode(), Cleaner()).count == 5000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502 Proxy Error</html>",
        b'{"odata.count": "1", "value": [{"a": 1}',
        b'{"odata.count": "1"}',
        b'{"odata.count": "1", "value": {"a": 1}}',
        b'{"value": []}',
        b'{"odata.count": null, "value": []}',
        b'{"odata.count": "many", "value": []}',
        b'{"odata.count": "9999999999999999999", "value": []}',
        b'{"odata.count": 1.5, "value": []}',
        b'{"odata.count": -5, "value": []}',
        b'{"odata.count": "-5", "value": []}',
        b'{"@odata.count": 1000000000000000000000000000, "value": []}',
        b'{"@odata.count": 1e27, "value": []}',
        b'{"odata.count": "1", "value": ["\xff"]}',
        b'{"odata.count": "1", "value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"odata.count": "1", "value": [NaN]}',
        b'["odata.count", "value"]',
    ],
    ids=[
        "empty", "html", "cut off", "no value", "value no array", "no count", "null count", "count a word",
        "count too long", "count a fraction", "count below 0", "text below 0",
        "count beyond all", "count a power", "not UTF-8", "bottomless", "NaN", "an array",
    ],
)  # fmt: skip
def test_a_malformed_list_is_unreadable(body: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable) as caught:
        read_list(body, Cleaner())
    assert caught.value.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b'{"a": 1', b"<html/>"])
def test_a_malformed_record_is_unreadable(body: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_record(body, None, Cleaner())


def test_a_record_loses_its_metadata_and_keeps_every_digit() -> None:
    kept = b'"Price":%s,"Big":1234567890.123456,"Lines":[ {"Q": 1.50} ]}'
    head = b'{"odata.metadata":"https://h/$metadata","odata.etag":"W/\\"A\\"",'
    record = read_record(head + kept % b" 100.10 ", None, Cleaner())
    assert record.body == b'{"odata.etag":"W/\\"A\\"",' + kept % b"100.10"
    assert record.etag == 'W/"A"'


@pytest.mark.parametrize(
    ("body", "header", "expected"),
    [
        ({"odata.etag": TAG}, None, TAG),
        ({"@odata.etag": TAG}, None, TAG),
        ({}, TAG, TAG),
        ({"odata.etag": TAG}, 'W/"other"', TAG),
        ({}, None, None),
        ({"odata.etag": "garbage"}, None, None),
        ({"odata.etag": 'W/"a\r\nSet-Cookie: x"'}, None, None),
        ({"odata.etag": 5}, None, None),
        ({}, '"strong"', None),
    ],
    ids=["v1", "v2", "header", "body first", "none", "garbage", "line break", "number", "strong"],
)
def test_the_tag_is_the_bodys_then_the_headers_and_always_well_formed(
    body: dict[str, object], header: str | None, expected: str | None
) -> None:
    assert read_record(json.dumps(body).encode(), header, Cleaner()).etag == expected


def test_a_v2_tag_is_renamed_to_v1_in_place() -> None:
    body = b'{"@odata.context":"x","@odata.etag":"W/\\"A\\"","ItemCode":"1"}'
    assert read_record(body, None, Cleaner()).body == b'{"odata.etag":"W/\\"A\\"","ItemCode":"1"}'
    rows = read_list(
        b'{"@odata.count":1,"value":[{"@odata.etag":"W/\\"A\\"","ItemCode":"1"}]}', Cleaner()
    ).rows
    assert rows == b'[{"odata.etag":"W/\\"A\\"","ItemCode":"1"}]'


HIDDEN = Cleaner(frozenset({"u_web_pass", "password"}))


@pytest.mark.parametrize("read", [read_value, read_object])
def test_an_empty_answer_of_an_action_stays_empty(read: Callable[[bytes, Cleaner], bytes]) -> None:
    assert read(b"", Cleaner()) == b""


@pytest.mark.parametrize("body", [b"ok", b"[1]", b'"text"', b"{"])
def test_a_write_must_return_an_object(body: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_object(body, Cleaner())


@pytest.mark.parametrize("body", [b"950.50", b'"CLP"', b"true", b"null", b"[1.10, 2]", b"1e400", b" 7\r\n"])
def test_an_action_may_return_a_bare_value_with_all_digits(body: bytes) -> None:
    assert read_value(body, HIDDEN) == body.strip()


@pytest.mark.parametrize("body", [b"ok", b"{", b"[1", b'"te', b"1 2", b"NaN", b"0950", b'"\xff"'])
def test_an_actions_answer_must_be_json(body: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_value(body, Cleaner())


def test_a_filtered_single_record_takes_its_tag_from_the_header() -> None:
    record = read_only_record(page('[{"ItemCode":"A/1"}]'), TAG, Cleaner())
    assert record is not None
    assert (record.body, record.etag) == (b'{"ItemCode":"A/1"}', TAG)


def test_an_empty_filtered_list_is_a_missing_record() -> None:
    assert read_only_record(page("[]"), None, Cleaner()) is None


def test_a_filtered_list_must_hold_objects() -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_only_record(page("[1]"), None, Cleaner())
    with pytest.raises(ErpReplyUnreadable):
        read_only_record(b"{}", None, Cleaner())
