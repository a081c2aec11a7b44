"""Which of a body's fields are recorded when not all fit: none hides behind many others."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.proxy.body.names import choose_fields, fields_in, names_in, properties_in
from erp_gateway.values.audit_event import MAX_FIELDS, MAX_NAMES_BYTES, name_bytes


def names(count: int, prefix: str = "F") -> dict[str, Any]:
    return {f"{prefix}{number}": number for number in range(count)}


def chosen(body: dict[str, Any]) -> tuple[tuple[str, ...], int]:
    fields = choose_fields(names_in(body))
    return fields.names, fields.omitted


def test_a_field_of_the_record_precedes_those_of_its_lines() -> None:
    kept, omitted = chosen({"Lines": [names(300)], "Freight": 1})
    assert kept[:2] == ("Freight", "Lines[].F0")
    assert (len(kept), omitted) == (MAX_FIELDS, 101)


def test_every_collection_is_named_despite_many_record_fields() -> None:
    kept, _ = chosen({**names(199), "Lines": [{"Deep": [{"Price": 1}], "Quantity": 1}]})
    assert kept[-1] == "Lines[].Quantity"


def test_a_new_name_precedes_repetitions_of_others() -> None:
    repeated = [{"Inner": {f"Part{number}": names(10) for number in range(30)}}]
    kept, omitted = chosen({"Lines": [*repeated, {"Far": {"Away": {"Down": {"Price": 1}}}}]})
    assert "Lines[].Far.Away.Down.Price" in kept[: 1 + 10 + 1]
    assert len(kept) + omitted == MAX_FIELDS + 101


def test_long_names_do_not_displace_a_short_record_field() -> None:
    kept, omitted = chosen({**names(150, "U_" + "x" * 100), "Discount": 1})
    assert kept[0] == "Discount"
    assert sum(map(name_bytes, kept)) <= MAX_NAMES_BYTES
    assert len(kept) + omitted == 151


def test_a_field_repeated_in_many_lines_counts_once() -> None:
    assert chosen({"Lines": [{"ItemCode": "A", "Price": 1}] * 1000}) == (
        ("Lines[].ItemCode", "Lines[].Price"),
        0,
    )


def test_an_object_in_one_line_and_a_value_in_another_are_two_fields() -> None:
    for lines in ([{"A": 1}, {"A": {"B": 1}}], [{"A": {"B": 1}}, {"A": 1}, {"A": {}}]):
        assert set(chosen({"Lines": lines})[0]) == {"Lines[].A", "Lines[].A.B"}


def test_very_long_paths_are_cut() -> None:
    body: dict[str, Any] = {"Price": 1}
    for _ in range(20):
        body = {"x" * 100: body}
    (path,), _ = chosen(body)
    assert len(path) == 200
    assert max(len(each.path) for each in properties_in(names_in(body))) == 200


json_values = st.recursive(
    st.none() | st.integers(0, 150).map(names),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcdefgh"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abcdefgh"), json_values))
def test_named_and_omitted_fields_add_up_to_all_fields(body: dict[str, Any]) -> None:
    every = [each.path for each in fields_in(names_in(body))]
    kept, omitted = chosen(body)
    assert len(set(every)) == len(every) == len(kept) + omitted
    assert set(kept) <= set(every)
    if omitted:
        longest = max(map(name_bytes, every))
        assert len(kept) == MAX_FIELDS or sum(map(name_bytes, kept)) + longest > MAX_NAMES_BYTES
        assert {path.split(".")[0].split("[")[0] for path in kept} == set(body)
    else:
        assert kept == tuple(every)
