"""Query strings for the Service Layer."""

import pytest

from erpclient.odata import Dialect, ListQuery, RecordQuery

EVERYTHING = ListQuery(
    select=("ItemCode", "Warehouse/Street"),
    filter="ItemName eq 'Ñ & 100%'",
    orderby=("ItemName desc", "ItemCode"),
    expand=("Warehouse", "ItemGroups"),
    top=20,
    skip=100,
)


def test_options_have_a_fixed_order_and_are_encoded_once() -> None:
    assert EVERYTHING.encode(Dialect.V1) == (
        "$select=ItemCode%2CWarehouse%2FStreet"
        "&$filter=ItemName%20eq%20%27%C3%91%20%26%20100%25%27"
        "&$orderby=ItemName%20desc%2CItemCode"
        "&$expand=Warehouse%2CItemGroups"
        "&$top=20&$skip=100&$inlinecount=allpages"
    )


@pytest.mark.parametrize(
    ("dialect", "count"), [(Dialect.V1, "$inlinecount=allpages"), (Dialect.V2, "$count=true")]
)
def test_each_protocol_version_has_its_own_count_option(dialect: Dialect, count: str) -> None:
    assert ListQuery().encode(dialect) == f"$top=50&{count}"
    assert EVERYTHING.encode(dialect).endswith(f"&$skip=100&{count}")


@pytest.mark.parametrize(
    ("select", "written"),
    [
        (None, "$top=50"),
        (("A",), "$select=A%2CDataVersion&$top=50"),
        (("A", "DataVersion"), "$select=A%2CDataVersion&$top=50"),
        (("DataVersion",), "$select=DataVersion&$top=50"),
        (("*",), "$select=%2A%2CDataVersion&$top=50"),
        (("Warehouse/DataVersion",), "$select=Warehouse%2FDataVersion%2CDataVersion&$top=50"),
    ],
)
def test_a_property_is_added_to_a_selection_without_it(select: tuple[str, ...] | None, written: str) -> None:
    query = ListQuery(select=select)
    assert query.encode(Dialect.V2, add_select=("DataVersion",)) == f"{written}&$count=true"
    record = RecordQuery(select=select)
    assert record.encode(Dialect.V2, add_select=("DataVersion",)) == written.removesuffix("$top=50").rstrip(
        "&"
    )


def test_an_addition_does_not_stay_in_the_query() -> None:
    query = ListQuery(select=("A",))
    added = query.encode(Dialect.V1, ("DataVersion",))
    assert query.encode(Dialect.V1) == "$select=A&$top=50&$inlinecount=allpages"
    assert query.encode(Dialect.V1, ("DataVersion",)) == added
    assert query == ListQuery(select=("A",))


@pytest.mark.parametrize("kind", [ListQuery, RecordQuery])
@pytest.mark.parametrize(
    ("select", "selected", "unnamed"),
    [
        (None, True, False),
        (("*",), True, True),
        (("*", "A"), True, False),
        (("A", "B"), True, False),
        (("B",), False, True),
        (("B/A",), False, True),
        (("a",), False, True),
    ],
)
def test_a_query_reports_selected_and_unnamed_properties(
    kind: type[ListQuery] | type[RecordQuery], select: tuple[str, ...] | None, selected: bool, unnamed: bool
) -> None:
    assert kind(select=select).selects("A") is selected
    assert kind(select=select).leaves_unnamed("A") is unnamed


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_record_query_has_no_paging_and_no_count(dialect: Dialect) -> None:
    assert RecordQuery().encode(dialect) == ""
    query = RecordQuery(select=("A", "Warehouse/B"), expand=("Warehouse",))
    assert query.encode(dialect) == "$select=A%2CWarehouse%2FB&$expand=Warehouse"


def test_a_record_query_by_filter_is_a_list_of_one() -> None:
    query = RecordQuery(select=("A",), expand=("Warehouse",))
    assert query.encode(Dialect.V1, ("DataVersion",), key_filter="ItemCode eq 'A/1'") == (
        "$select=A%2CDataVersion&$filter=ItemCode%20eq%20%27A%2F1%27&$expand=Warehouse&$top=1"
    )
    assert RecordQuery().encode(Dialect.V2, key_filter="Id eq 5") == "$filter=Id%20eq%205&$top=1"
