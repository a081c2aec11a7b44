"""Hidden properties and addresses of the ERP are taken out of answers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpclient.errors import ErpReplyUnreadable
from erpclient.http.bodies import read_list, read_record, read_value
from erpclient.http.cleaner import MAX_DEPTH, Cleaner

TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'


def page(rows: str, count: str = '"2"', extra: str = "") -> bytes:
    head = '"odata.metadata" : "https://10.0.0.1/b1s/v1/$metadata#Items"'
    tail = '"odata.nextLink" : "Items?$skip=20"'
    return f'{{{head}, "odata.count" : {count}{extra}, "value" : {rows}, {tail}}}\n'.encode()


def test_unreliable_tags_are_removed() -> None:
    cleaner = Cleaner(true_tags=False)
    row = '{"odata.etag":"W/\\"A\\"","ItemCode":"1"}'
    record = read_record(row.encode(), TAG, cleaner)
    assert (record.body, record.etag) == (b'{"ItemCode":"1"}', None)
    assert read_list(page(f"[{row}]"), cleaner).rows == b'[{"ItemCode":"1"}]'
    assert read_list(page('[ {"ItemCode":"1"} ]'), cleaner).rows == b'[ {"ItemCode":"1"} ]'


def test_an_added_version_is_removed_from_the_rows_only() -> None:
    cleaner = Cleaner(added_version=True)
    rows = '[{"ItemCode":"1","DataVersion":3,"BusinessPartner":{"DataVersion":7}}]'
    cleaned = b'{"ItemCode":"1","BusinessPartner":{"DataVersion":7}}'
    assert read_list(page(rows), cleaner).rows == b"[" + cleaned + b"]"
    assert read_record(rows[1:-1].encode(), None, cleaner).body == cleaned


HIDDEN = Cleaner(frozenset({"u_web_pass", "password"}))


@pytest.mark.parametrize(
    "name", ["Password", "PASSWORD", "password", "U_WEB_PASS", "u_Web_Pass", "P\\u0061ssword"]
)
def test_hidden_fields_are_removed_at_any_depth_in_any_letter_case(name: str) -> None:
    rows = f'[{{"Code":"1","{name}":"secret","ContactEmployees":[{{"{name}":"secret","E":1.10}}]}}]'
    expected = b'[{"Code":"1","ContactEmployees":[{"E":1.10}]}]'
    assert read_list(page(rows), HIDDEN).rows == expected
    assert read_record(rows[1:-1].encode(), None, HIDDEN).body == expected[1:-1]
    assert read_value(b'{"value":' + rows.encode() + b"}", HIDDEN) == b'{"value":' + expected + b"}"


def test_a_value_that_only_mentions_a_hidden_name_stays() -> None:
    rows = '[{"Remarks":"the password is odata.metadata","Lines":["Password"]}]'
    assert read_list(page(rows), HIDDEN).rows == rows.encode()


def test_rows_with_other_escapes_stay_unchanged() -> None:
    rows = r'[ { "Remarks": "calle\r\n\"Los Aromos\" 12\/3" } ]'
    assert read_list(page(rows), HIDDEN).rows == rows.encode()


@pytest.mark.parametrize(
    "name",
    ["odata.metadata", "@odata.context", "odata.nextLink", "@odata.nextLink", "odata.editLink", "@odata.id",
     "Lines@odata.navigationLink", "Lines@odata.navigationLinkUrl", "Lines@odata.nextLink"],
)  # fmt: skip
def test_addresses_of_the_erp_are_removed_at_any_depth(name: str) -> None:
    rows = f'[{{"{name}":"https://10.0.0.1/x","A":1,"Lines":[{{"{name}":"https://10.0.0.1/x","B":2}}]}}]'
    assert read_list(page(rows), Cleaner()).rows == b'[{"A":1,"Lines":[{"B":2}]}]'


@pytest.mark.parametrize("name", ["odata.null", "myodata.nextLink", "X@odata.type", "odata.nextLinks"])
def test_similar_annotations_and_names_stay(name: str) -> None:
    rows = f'[{{"{name}":true}}]'
    assert read_list(page(rows), Cleaner()).rows == rows.encode()


def test_too_deep_nesting_is_rejected() -> None:
    def nested(depth: int) -> bytes:
        return b'{"a":' * depth + b'{"Password":1}' + b"}" * depth

    assert read_value(nested(MAX_DEPTH - 1), HIDDEN) == nested(MAX_DEPTH - 1).replace(b'"Password":1', b"")
    with pytest.raises(ErpReplyUnreadable, match="deep"):
        read_value(nested(MAX_DEPTH + 1), HIDDEN)


def test_hidden_fields_are_removed_from_a_top_level_array() -> None:
    assert read_value(b'[{"A":1,"Password":"x"},2]', HIDDEN) == b'[{"A":1},2]'


NAMES = st.sampled_from(
    ["ItemCode", "Price", "password", "U_WEB_PASS", "DataVersion", "odata.etag", "@odata.etag",
     "odata.metadata", "@odata.context", "Lines", "Ñame", "nested"]
)  # fmt: skip

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)

ROWS = st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=4)

CLEANERS = st.builds(
    Cleaner,
    hidden=st.sampled_from([frozenset(), frozenset({"password", "u_web_pass"})]),
    added_version=st.booleans(),
    true_tags=st.booleans(),
)


def cleaned_plainly(value: Any, cleaner: Cleaner, top: bool = False) -> Any:
    """The rule, said once more without any concern for speed or digits."""
    if isinstance(value, list):
        return [cleaned_plainly(item, cleaner) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for name, inner in value.items():
        if name.lower() in cleaner.hidden or name in ("odata.metadata", "@odata.context"):
            continue
        kept = "odata.etag" if name == "@odata.etag" else name
        if top and cleaner.added_version and kept == "DataVersion":
            continue
        if top and not cleaner.true_tags and kept == "odata.etag":
            continue
        result[kept] = cleaned_plainly(inner, cleaner)
    return result


@given(rows=ROWS, cleaner=CLEANERS, indent=st.sampled_from([None, 3]), ascii_only=st.booleans())
def test_the_cleaner_agrees_with_a_simple_implementation(
    rows: list[Any], cleaner: Cleaner, indent: int | None, ascii_only: bool
) -> None:
    body = json.dumps({"odata.count": "1", "value": rows}, indent=indent, ensure_ascii=ascii_only)
    body = body.encode("utf-8", "replace").decode()
    try:
        expected_rows = json.loads(body)["value"]
        cleaned = read_list(body.encode(), cleaner).rows
    except ErpReplyUnreadable:
        assert "\\ud" in body.lower()  # half of a surrogate pair, which is no text
        return
    assert json.loads(cleaned) == [cleaned_plainly(row, cleaner, top=True) for row in expected_rows]
