"""Keys of records: what passes, and that nothing in a key can change the path it is put into."""

from typing import Final
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import (
    CompositeKey,
    DateKey,
    EntityKey,
    Expected,
    IntKey,
    InvalidKey,
    InvalidLiteral,
    ODataErrorCode,
    StrKey,
    quote_string,
)

ENTRY: Final = IntKey("DocEntry")
CODE: Final = StrKey("ItemCode")
DAY: Final = DateKey("RateDate")
FIELD: Final = CompositeKey((StrKey("TableName"), IntKey("FieldID")))
RATE: Final = CompositeKey([DateKey("RateDate"), StrKey("Currency", max_length=3)])


@pytest.mark.parametrize(
    ("key", "text", "predicate", "condition"),
    [
        (ENTRY, "0", "(0)", "DocEntry eq 0"),
        (ENTRY, "22", "(22)", "DocEntry eq 22"),
        (ENTRY, "-3", "(-3)", "DocEntry eq -3"),
        (ENTRY, "2147483647", "(2147483647)", "DocEntry eq 2147483647"),
        (ENTRY, "-2147483648", "(-2147483648)", "DocEntry eq -2147483648"),
        (CODE, "A00001", "('A00001')", "ItemCode eq 'A00001'"),
        (CODE, "123", "('123')", "ItemCode eq '123'"),
        (CODE, "A/1", "('A%2F1')", "ItemCode eq 'A/1'"),
        (CODE, "O'Higgins", "('O%27%27Higgins')", "ItemCode eq 'O''Higgins'"),
        (CODE, "'", "('%27%27')", "ItemCode eq ''''"),
        (CODE, "100%", "('100%25')", "ItemCode eq '100%'"),
        (CODE, "%2F%27", "('%252F%2527')", "ItemCode eq '%2F%27'"),
        (CODE, "a b?c#d+e&f", "('a%20b%3Fc%23d%2Be%26f')", "ItemCode eq 'a b?c#d+e&f'"),
        (CODE, "Ñandú\\", "('%C3%91and%C3%BA%5C')", "ItemCode eq 'Ñandú\\'"),
        (CODE, "..", "('..')", "ItemCode eq '..'"),
        (CODE, "x')/Cancel", "('x%27%27%29%2FCancel')", "ItemCode eq 'x'')/Cancel'"),
        (CODE, "x" * 254, "('" + "x" * 254 + "')", "ItemCode eq '" + "x" * 254 + "'"),
        (DAY, "2024-02-29", "('2024-02-29')", "RateDate eq '2024-02-29'"),
        (DAY, "0001-01-01", "('0001-01-01')", "RateDate eq '0001-01-01'"),
        (
            FIELD,
            "TableName='@X',FieldID=0",
            "(TableName='%40X',FieldID=0)",
            "TableName eq '@X' and FieldID eq 0",
        ),
        (
            FIELD,
            "FieldID=-1,TableName='O''H,FieldID=9/'",
            "(TableName='O%27%27H%2CFieldID%3D9%2F',FieldID=-1)",
            "TableName eq 'O''H,FieldID=9/' and FieldID eq -1",
        ),
        (
            RATE,
            "Currency='USD',RateDate='2024-01-31'",
            "(RateDate='2024-01-31',Currency='USD')",
            "RateDate eq '2024-01-31' and Currency eq 'USD'",
        ),
    ],
)
def test_a_key_is_written_for_a_path_and_for_a_filter(
    key: EntityKey, text: str, predicate: str, condition: str
) -> None:
    assert key.predicate(text) == predicate
    assert key.filter(text) == condition


REFUSED: Final = [
    *[
        (ENTRY, text)
        for text in ["", "-", "-0", "00", "05", "+5", "5.0", "1e3", "0x1", "1_000", " 5", "5 ", "5\n"]
    ],
    *[
        (ENTRY, text)
        for text in ["2147483648", "-2147483649", "9999999999", "9" * 5000, "\u0665", "\uff15", "1)/Cancel"]
    ],
    *[
        (ENTRY, text)
        for text in ["1)/../Login", "'1'", "1,2", "DocEntry=1", "null", "1%20", "1\x00", "\ud800"]
    ],
    *[
        (CODE, text)
        for text in ["", "x" * 255, "a\x00b", "a\r\nX: y", "\x7f", "\x85", "\u2028", "\ufffd", "\uffff"]
    ],
    *[(CODE, text) for text in ["\udcff", "\ud800\udc00", "\t"]],
    (StrKey("Currency", max_length=3), "EURO"),
    *[
        (DAY, text)
        for text in ["", "2024-02-30", "2024-13-01", "0000-01-01", "20240131", "2024-1-31", "24-01-31"]
    ],
    *[
        (DAY, text)
        for text in [
            "2024-01-31T00:00",
            "'2024-01-31'",
            "2024-01-31\n",
            "\u0662\u0660\u0662\u0664-01-31",
            "2024-W09-4",
        ]
    ],
    *[
        (FIELD, text)
        for text in ["", ",", "=", "5", "'@X'", "TableName='@X'", "FieldID=0", "TableName='@X',"]
    ],
    *[
        (FIELD, text)
        for text in ["TableName='@X',FieldID=0,", "TableName='@X',FieldID=0,Other=1", ",FieldID=0"]
    ],
    *[
        (FIELD, text)
        for text in ["TableName='@X', FieldID=0", "TableName ='@X',FieldID=0", "TableName='@X';FieldID=0"]
    ],
    *[
        (FIELD, text)
        for text in ["tablename='@X',FieldID=0", "TableName='@X',TableName='@X'", "FieldID=0,FieldID=0"]
    ],
    *[
        (FIELD, text)
        for text in ["TableName=@X,FieldID=0", "TableName='@X',FieldID='0'", "TableName='@X',FieldID=05"]
    ],
    *[
        (FIELD, text)
        for text in [
            "TableName='@X',FieldID=0)/Cancel",
            "TableName='@X'),FieldID=0",
            "TableName='@X',FieldID=",
        ]
    ],
    *[
        (FIELD, text)
        for text in ["TableName='',FieldID=0", "TableName='a'b',FieldID=0", "TableName='\x00',FieldID=0"]
    ],
    *[
        (FIELD, text)
        for text in ["TableName='@X',FieldID=0\n", "(TableName='@X',FieldID=0)", "TableName='@X'FieldID=0"]
    ],
    *[
        (RATE, text)
        for text in ["RateDate='2024-02-30',Currency='USD'", "RateDate=2024-01-31,Currency='USD'"]
    ],
]


@pytest.mark.parametrize(("key", "text"), REFUSED, ids=lambda value: ascii(value)[:60].replace("\\", "%"))
def test_a_key_that_does_not_fit_is_refused(key: EntityKey, text: str) -> None:
    for write in (key.predicate, key.filter):
        with pytest.raises(InvalidKey) as refusal:
            write(text)
        assert refusal.value.code == ODataErrorCode.KEY
        assert refusal.value.found is not None
        assert len(refusal.value.found) <= 20
        assert refusal.value.message.isprintable()


@pytest.mark.parametrize(
    ("key", "text", "reason", "expected"),
    [
        (ENTRY, "x", "no integer of 32 bits", Expected.INTEGER),
        (CODE, "", "not 1 to 254 characters", Expected.QUOTED_TEXT),
        (DAY, "2024-02-30", "no day of the calendar", Expected.QUOTED_DATE),
    ],
)
def test_a_refusal_names_the_fault_and_valid_alternatives(
    key: EntityKey, text: str, reason: str, expected: Expected
) -> None:
    with pytest.raises(InvalidKey) as refusal:
        key.predicate(text)
    assert (refusal.value.reason, refusal.value.expected) == (reason, (expected,))


def test_an_unquotable_key_is_refused_with_the_reason_of_the_literal() -> None:
    with pytest.raises(InvalidLiteral) as fault:
        quote_string("a\x00b")
    with pytest.raises(InvalidKey) as refusal:
        CODE.predicate("a\x00b")
    assert (refusal.value.reason, refusal.value.expected) == (fault.value.reason, fault.value.expected)
    assert refusal.value.expected


def test_a_refused_composite_key_names_its_parts() -> None:
    with pytest.raises(InvalidKey, match="TableName, FieldID"):
        FIELD.predicate("22")


@pytest.mark.parametrize("parts", [(), (StrKey("A"), IntKey("A"))])
def test_a_composite_key_needs_parts_with_different_names(parts: tuple[StrKey | IntKey, ...]) -> None:
    with pytest.raises(ValueError, match=r"^a composite key has parts, each with a name of its own$"):
        CompositeKey(parts)
    assert CompositeKey((StrKey("A"), IntKey("B"))).filter("A='x',B=1") == "A eq 'x' and B eq 1"


@pytest.mark.parametrize("name", ["", "Item Code", "Item'Code", "1A", "Ítem", "A)/B", "A\n"])
@pytest.mark.parametrize("kind", [IntKey, StrKey, DateKey])
def test_a_key_property_has_a_plain_name(
    kind: type[IntKey] | type[StrKey] | type[DateKey], name: str
) -> None:
    with pytest.raises(ValueError, match="name"):
        kind(name)


def test_a_text_key_has_room_for_at_least_one_character() -> None:
    with pytest.raises(ValueError, match="max_length"):
        StrKey("ItemCode", max_length=0)


def path_of(predicate: str) -> str:
    """Put a predicate into a URL, as a client does, and read the path back as a server does."""
    url = urlsplit(f"http://host:50000/b1s/v1/Items{predicate}/Cancel?$top=1")
    assert (url.query, url.fragment) == ("$top=1", "")
    return url.path


texts = st.text(max_size=300) | st.text(st.sampled_from("A1'%/\\?#&=+().,; ñ\x00\n2F7"), max_size=20)


@given(texts)
@settings(max_examples=300, deadline=None)
def test_any_text_is_refused_or_stays_inside_its_path_segment(text: str) -> None:
    try:
        predicate = CODE.predicate(text)
    except InvalidKey:
        return
    _, _, _, record, action = path_of(predicate).split("/")
    assert action == "Cancel"
    assert predicate.isascii()
    inside = unquote(record.removeprefix("Items('").removesuffix("')"), errors="strict")
    assert inside.replace("''", "") == text.replace("'", "")
    assert inside.replace("''", "'") == text
    assert CODE.filter(text) == f"ItemCode eq '{inside}'"


@given(texts)
@settings(max_examples=300, deadline=None)
def test_only_plain_integers_pass_as_integers(text: str) -> None:
    try:
        predicate = ENTRY.predicate(text)
    except InvalidKey:
        return
    assert predicate == f"({int(text)})"


@given(st.integers(-(2**31), 2**31 - 1))
@settings(max_examples=100, deadline=None)
def test_every_integer_of_32_bits_passes(number: int) -> None:
    assert ENTRY.predicate(str(number)) == f"({number})"


@given(st.dates())
@settings(max_examples=100, deadline=None)
def test_every_day_passes(day: object) -> None:
    assert DAY.predicate(str(day)) == f"('{day}')"


@given(
    st.text(
        st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\ufffd\ufffe\uffff"),
        min_size=1,
        max_size=80,
    ),
    st.integers(-(2**31), 2**31 - 1),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_a_composite_key_is_written_in_declared_order(table: str, field: int, turned: bool) -> None:
    quoted = "'" + table.replace("'", "''") + "'"
    parts = [f"TableName={quoted}", f"FieldID={field}"]
    text = ",".join(reversed(parts) if turned else parts)
    _, _, _, record, _ = path_of(FIELD.predicate(text)).split("/")
    assert unquote(record, errors="strict") == f"Items(TableName={quoted},FieldID={field})"
    assert FIELD.filter(text) == f"TableName eq {quoted} and FieldID eq {field}"
