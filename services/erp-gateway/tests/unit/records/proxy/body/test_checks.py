"""Bodies of writes: strict objects, field names for the audit, secrets refused."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.proxy.body.checks import (
    MAX_CONTAINERS,
    MAX_DEPTH,
    MAX_NAME_LENGTH,
    read_fields,
)
from erp_gateway.records.proxy.errors import FieldNotWritable
from erp_gateway.values.audit_event import MAX_FIELDS, SentFields
from servicekit.errors import BadRequest, InvalidBody, MalformedJson

SECRETS = frozenset({"u_web_pass"})


def sent_fields(body: bytes, secrets: frozenset[str], *, change: bool = False) -> SentFields:
    return read_fields(body, secrets, change=change)[1]


def problems_of(body: bytes) -> list[tuple[str, str]]:
    with pytest.raises(InvalidBody) as caught:
        sent_fields(body, SECRETS)
    return [(problem.path, problem.message) for problem in caught.value.errors]


def kept(body: dict[str, Any]) -> tuple[str, ...]:
    return sent_fields(json.dumps(body).encode(), SECRETS).names


def test_field_names_are_paths_in_order_without_repetition() -> None:
    order = {
        "CardCode": "C1",
        "DocumentLines": [
            {"ItemCode": "A", "Quantity": 1.5, "BatchNumbers": [{"BatchNumber": "L1"}]},
            {"ItemCode": "B", "Free": None},
        ],
        "Address": {"Street": "Av. O'Higgins", "Nested": {}},
        "Empty": [],
        "Tags": ["a", "b"],
        "Matrix": [[1], [2]],
    }
    assert kept(order) == (
        "CardCode",
        "DocumentLines[].ItemCode",
        "DocumentLines[].Quantity",
        "DocumentLines[].BatchNumbers[].BatchNumber",
        "DocumentLines[].Free",
        "Address.Street",
        "Address.Nested",
        "Empty",
        "Tags[]",
        "Matrix[][]",
    )


def test_no_value_becomes_part_of_a_path() -> None:
    paths = kept({"Comments": "s3cret", "Lines": [{"Text": "s3cret"}]})
    assert "s3cret" not in "".join(paths)


def test_field_names_are_capped_and_the_rest_is_counted_and_checked() -> None:
    many = {f"F{number}": number for number in range(500)}
    fields = sent_fields(json.dumps(many).encode(), SECRETS)
    assert fields.names == tuple(f"F{number}" for number in range(200))
    assert fields.omitted == 300
    assert problems_of(json.dumps({**many, "Z": [{"U_WEB_PASS": "x"}]}).encode()) == [
        ("Z[].U_WEB_PASS", "Este campo no se puede escribir.")
    ]


@pytest.mark.parametrize("name", ["U_WEB_PASS", "u_web_pass", "U_Web_Pass", "\\u0055_WEB_PASS"])
def test_the_stored_password_cannot_be_written_at_any_depth(name: str) -> None:
    body = f'{{"A": [{{"B": {{"{name}": "x"}}}}]}}'.encode()
    assert [message for _, message in problems_of(body)] == ["Este campo no se puede escribir."]


@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"x"', b"true", b"[{}]"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    assert problems_of(body) == [("", "El cuerpo debe ser un objeto JSON.")]


@pytest.mark.parametrize("name", ["", "a\\u0000b", "a\\nb", "x" * 129, "a\\u2028b"])
def test_an_invalid_property_name_is_refused(name: str) -> None:
    assert [message for _, message in problems_of(f'{{"{name}": 1}}'.encode())] == [
        "No es un nombre de campo."
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"A": NaN}',
        b'{"A": Infinity}',
        b'{"A": -Infinity}',
        b'{"A": 1, "A": 2}',
        b'{"L": [{"A": 1, "A": 2}]}',
        b'{"A": 01}',
        b'{"A": 1,}',
        b"{'A': 1}",
        b'{"A": "\xff"}',
        b'\xef\xbb\xbf{"A": 1}',
        b'{"\\ud800": 1}',
        b'{"A": ' + b"[" * 40 + b"]" * 40 + b"}",
        b'{"A":' * 5000 + b"1" + b"}" * 5000,
        b"[" * 10_000,
        b'{"A": ' + b"9" * 5000 + b"}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_body_that_is_not_strict_json_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        sent_fields(body, SECRETS)


@pytest.mark.parametrize("body", [b'{"L": [' + b"{}," * 20_000 + b"{}]}", b"[" * 200_000])
def test_a_body_of_very_many_objects_is_refused_unread(body: bytes) -> None:
    assert problems_of(body) == [("", "El cuerpo contiene demasiados objetos o listas.")]


@pytest.mark.parametrize(
    "name",
    [
        "AttachmentEntry",
        "attachmententry",
        "ATTACHMENTENTRY",
        "Attachment\\u0045ntry",
        "\uff21ttachmentEntry",
        "AttachementsEntry",
        "odata.etag",
        "ODATA.etag",
        "odata.metadata",
        "odata.",
        "@odata.etag",
        "SalesPerson@odata.bind",
        "SalesPerson@Odata.Bind",
        "SalesPerson@bind",
    ],
)
@pytest.mark.parametrize("value", ["7", "null", '"7"', "-1"])
def test_files_and_annotations_cannot_be_written_at_any_depth(name: str, value: str) -> None:
    for body in (f'{{"{name}": {value}}}', f'{{"A": [[{{"B": {{"{name}": {value}}}}}]]}}'):
        with pytest.raises(FieldNotWritable) as caught:
            sent_fields(body.encode(), SECRETS)
        assert len(caught.value.errors) == 1


@pytest.mark.parametrize("name", ["U_AttachmentEntry", "Odata", "modata.x", "AttachmentEntries"])
def test_names_similar_to_reserved_ones_are_writable(name: str) -> None:
    assert kept({name: 1}) == (name,)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=4))
def test_any_object_is_either_described_or_refused(value: dict[str, Any]) -> None:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        fields = sent_fields(body, SECRETS)
    except BadRequest:
        return
    assert len(fields.names) == len(set(fields.names)) <= 200


@given(st.binary(max_size=60))
def test_any_bytes_are_either_an_object_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadRequest):
        sent_fields(body, SECRETS)


def test_the_limits_are_those_that_are_documented() -> None:
    assert (MAX_FIELDS, MAX_DEPTH, MAX_NAME_LENGTH) == (200, 32, 128)
    assert MAX_CONTAINERS == 20_000


TOO_LARGE = "El ERP no puede guardar un número de este tamaño."


@pytest.mark.parametrize(
    "number",
    ["1e999999999", "-1E+999999999", "1e309", "1e-999999999", "0.001e-400", "9" * 309, "-" + "9" * 400],
)
def test_a_number_that_the_erp_cannot_hold_is_named(number: str) -> None:
    body = f'{{"A": 1, "Lines": [{{"Quantity": 1e3}}, {{"Price": {number}, "Text": "1e999"}}]}}'.encode()
    assert problems_of(body) == [("Lines[1].Price", TOO_LARGE)]


@pytest.mark.parametrize(
    "number", ["1e308", "-1.7976931348623157e308", "9" * 308, "0e999999999", "1e-300", "1e+007", "true"]
)
def test_representable_numbers_are_accepted(number: str) -> None:
    sent_fields(f'{{"Quantity": {number}, "Text": "1e999999999"}}'.encode(), SECRETS)


def test_a_change_names_the_rows_that_lack_their_name() -> None:
    rows = [{"AddressName": "Obra"}, {"RowNum": 1}, {"AddressName": ""}, {"AddressName": None}, 3]
    body = json.dumps({"BPAddresses": rows}).encode()
    with pytest.raises(InvalidBody) as caught:
        sent_fields(body, SECRETS, change=True)
    assert [each.path for each in caught.value.errors] == [f"BPAddresses[{n}].AddressName" for n in (1, 2, 3)]
    for passed in ({"BPAddresses": rows[:1]}, {"BPAddresses": None}, {"DocumentLines": [{"Quantity": 1}]}):
        sent_fields(json.dumps(passed).encode(), SECRETS, change=True)
    sent_fields(body, SECRETS)
