import json
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.proxy.created_key import ResourceKeys, created_key
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.values.paths import record_path
from erpclient.odata import CompositeKey, DateKey, EntityKey, IntKey, InvalidKey, StrKey

PRICE = CompositeKey((StrKey("CardCode"), IntKey("List"), DateKey("From")))


@pytest.mark.parametrize(
    ("key", "body", "expected"),
    [
        (IntKey("DocEntry"), {"DocEntry": 12, "DocNum": 1.50}, "12"),
        (StrKey("ItemCode"), {"ItemCode": "A/1 ñ"}, "A/1 ñ"),
        (DateKey("Day"), {"Day": "2026-02-19T00:00:00Z"}, "2026-02-19"),
        (
            PRICE,
            {"CardCode": "O'N", "List": -3, "From": "2026-02-19"},
            "CardCode='O''N',List=-3,From='2026-02-19'",
        ),
    ],
)
def test_the_key_is_read_from_the_new_record(key: EntityKey, body: object, expected: str) -> None:
    assert created_key(key, json.dumps(body).encode()) == expected
    key.predicate(expected)


@pytest.mark.parametrize(
    ("key", "body"),
    [
        (IntKey("DocEntry"), b"{}"),
        (IntKey("DocEntry"), b'{"DocEntry": null}'),
        (IntKey("DocEntry"), b'{"DocEntry": "x"}'),
        (IntKey("DocEntry"), b'{"DocEntry": 1.5}'),
        (IntKey("DocEntry"), b"[]"),
        (IntKey("DocEntry"), b""),
        (StrKey("ItemCode"), b'{"ItemCode": "a\\u0000"}'),
        (PRICE, b'{"CardCode": "C"}'),
        (object(), b"{}"),
    ],
)
def test_a_response_without_a_usable_key_gives_none(key: EntityKey, body: bytes) -> None:
    assert created_key(key, body) is None


def test_the_key_of_registered_resources_and_drafts_is_read_by_name() -> None:
    declared = (("Prices", PRICE), ("Items", StrKey("ItemCode")))
    keys = ResourceKeys(
        Registry(
            (Resource(name=name, key=key, read_menu=None, write_menu=None) for name, key in declared), ()
        )
    )
    assert keys.names("Prices") == ("CardCode", "List", "From")
    assert keys.names("Items") == ("ItemCode",)
    assert keys.names("Drafts") == ("DocEntry",)
    assert keys.names("Gone") is None
    assert keys.read("Items", b'{"ItemCode": "A/1"}') == "A/1"
    assert keys.read("Drafts", b'{"DocEntry": 7}') == "7"
    assert keys.read("Gone", b'{"DocEntry": 7}') is None
    keys.check("Gone", "anything")
    with pytest.raises(InvalidKey):
        keys.check("Drafts", "A/1")


@given(st.text(min_size=1, max_size=40))
def test_the_location_of_a_record_leads_back_to_its_key(code: str) -> None:
    key = StrKey("ItemCode")
    try:
        key.predicate(code)
    except InvalidKey:
        return
    found = created_key(key, json.dumps({"ItemCode": code}).encode())
    assert found == code
    segment = record_path("Items", found).removeprefix("/api/sl/Items/")
    assert "/" not in segment
    assert unquote(segment) == code
