# ruff: noqa: DTZ001 - the ERP's moments have no zone
"""Which pages an export asks for, against a list in memory that may change between them."""

import json
import operator
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.files.exports.errors import ExportChanged, ExportTooLarge
from erp_gateway.records.proxy.declarations.columns import Choice, Column
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.export.pages import PAGE_ROWS, ExportPages
from erp_gateway.records.proxy.plans import ExportPlan
from erp_gateway.values.measures import Decimals
from erpclient import ErpList, ErpReplyUnreadable
from erpclient.odata import CompositeKey, IntKey, ListQuery, StrKey

COLUMNS = (
    Column(name="DocDate", title="Fecha", type="date"),
    Column(
        name="Status",
        title="Estado",
        type="choice",
        choices=(Choice(value="bost_Open", title="Abierto"),),
    ),
)
REGISTRY = Registry(
    [
        Resource(name="Orders", key=IntKey("DocEntry"), read_menu=None, write_menu=None, columns=COLUMNS),
        Resource(name="Items", key=StrKey("ItemCode"), read_menu=None, write_menu=None, title="Artículos"),
        Resource(
            name="SpecialPrices",
            key=CompositeKey([StrKey("CardCode"), StrKey("ItemCode")]),
            read_menu=None,
            write_menu=None,
        ),
    ],
    [],
)
Rows = list[dict[str, Any]]


def plan(name: str, *, top: int | None = None, **query: Any) -> ExportPlan:
    target = REGISTRY.find(name)
    assert target is not None
    asked = ListQuery(top=10**6 + 1 if top is None else top, **query)
    return ExportPlan(target=target, query=asked, all_wanted=top is None)


def answered(query: ListQuery, rows: Rows) -> ErpList:
    """Answer as the ERP does, as far as keys and counts go."""
    behind = re.search(r"DocEntry (gt|lt) (-?\d+)$", query.filter or "")
    is_behind = {"gt": operator.gt, "lt": operator.lt}[behind[1] if behind else "gt"]
    found = [row for row in rows if behind is None or is_behind(row["DocEntry"], int(behind[2]))]
    if query.orderby == ("DocEntry desc",):
        found.reverse()
    page = found[query.skip : query.skip + query.top]
    return ErpList(json.dumps(page).encode(), len(found))


def exported(
    asked: ExportPlan, rows: Rows, *, most: int = 10**6, between: Callable[[int], None] = lambda _: None
) -> list[list[object]]:
    """Run an export; `between` may change the rows before each page."""
    pages = ExportPages(asked, most)
    taken: list[list[object]] = []
    number = 0
    while (query := pages.next_query()) is not None:
        assert 1 <= query.top <= PAGE_ROWS
        between(number)
        taken += pages.take(answered(query, rows))
        number += 1
    return taken


def orders(count: int) -> Rows:
    return [{"DocEntry": n, "DocDate": "2026-02-11T00:00:00Z", "Status": "bost_Open"} for n in range(count)]


@given(st.integers(0, 2 * PAGE_ROWS + 1), st.none() | st.integers(1, 2 * PAGE_ROWS + 1))
def test_every_record_appears_once_up_to_the_requested_number(count: int, top: int | None) -> None:
    by_key = exported(plan("Orders", top=top, select=("DocEntry",)), orders(count))
    counted = exported(plan("Orders", top=top, select=("DocEntry",), skip=1), orders(count))
    wanted = count if top is None else min(count, top)
    assert by_key == [[n] for n in range(wanted)]
    assert counted == [[n] for n in range(1, count if top is None else min(count, top + 1))]


@given(
    st.sampled_from([(), ("DocEntry",), ("DocEntry asc",), ("DocEntry desc",)]),
    st.lists(st.sampled_from(["add", "remove first", "remove last", "remove next"]), max_size=3),
)
def test_by_key_up_or_down_no_change_hides_a_record_that_stays(
    orderby: tuple[str, ...], changes: list[str]
) -> None:
    rows = orders(3 * PAGE_ROWS)
    stays = {row["DocEntry"] for row in rows}

    def change(page: int) -> None:
        if not 0 < page <= len(changes):
            return
        if changes[page - 1] == "add":
            rows.append({"DocEntry": rows[-1]["DocEntry"] + 1})
        else:
            where = {"remove first": 0, "remove last": -1, "remove next": len(rows) // 2}[changes[page - 1]]
            stays.discard(rows.pop(where)["DocEntry"])

    found = exported(plan("Orders", select=("DocEntry",), orderby=orderby), rows, between=change)
    taken = [int(str(row[0])) for row in found]
    assert taken == sorted(set(taken), reverse=orderby == ("DocEntry desc",))
    assert stays <= set(taken)


@pytest.mark.parametrize("name", ["Items", "SpecialPrices"])
def test_an_offset_paged_list_is_refused_if_its_length_changes(name: str) -> None:
    rows: Rows = [{"ItemCode": str(n)} for n in range(PAGE_ROWS + 1)]
    assert len(exported(plan(name), rows)) == PAGE_ROWS + 1

    def change(page: int) -> None:
        if page == 1:
            rows.pop(0)

    with pytest.raises(ExportChanged):
        exported(plan(name), rows, between=change)


def test_the_order_is_made_total_by_the_key() -> None:
    def order(asked: ExportPlan) -> tuple[str, ...]:
        query = ExportPages(asked, 10).next_query()
        assert query is not None
        return query.orderby

    assert order(plan("Orders")) == ("DocEntry asc",)
    assert order(plan("Orders", orderby=("DocDate desc",))) == ("DocDate desc", "DocEntry asc")
    assert order(plan("Orders", orderby=("DocEntry desc",))) == ("DocEntry desc",)
    assert order(plan("SpecialPrices", orderby=("ItemCode",))) == ("ItemCode", "CardCode asc")


def test_a_clients_condition_is_combined_with_the_key_condition() -> None:
    pages = ExportPages(plan("Orders", filter="A eq 1 or B eq 2", select=("CardName",)), 10**6)
    first = pages.next_query()
    assert first is not None
    assert (first.filter, first.select) == ("A eq 1 or B eq 2", ("CardName", "DocEntry"))
    pages.take(ErpList(json.dumps([{"DocEntry": n} for n in range(PAGE_ROWS)]).encode(), PAGE_ROWS + 1))
    second = pages.next_query()
    assert second is not None
    assert second.filter == f"(A eq 1 or B eq 2) and DocEntry gt {PAGE_ROWS - 1}"


def test_cells_follow_the_declared_columns() -> None:
    pages = ExportPages(plan("Orders"), 10)
    row = {"DocEntry": 1, "DocDate": "2026-02-11T08:30:00Z", "Status": "bost_Open"}
    other = {"DocEntry": 2, "DocDate": "2026-02-11", "Status": "otro"}
    last = {"DocEntry": 3, "DocDate": "pronto", "Status": None}
    assert pages.headings == ("Fecha", "Estado")
    assert pages.take(ErpList(json.dumps([row, other, last]).encode(), 3)) == [
        [datetime(2026, 2, 11, 8, 30), "Abierto"],
        [date(2026, 2, 11), "otro"],
        ["pronto", None],
    ]


def test_amounts_use_the_decimals_of_the_currency_column() -> None:
    asked = plan("Orders", select=("DocTotal", "DocTotalFc", "Quantity", "DocCurrency"))
    shown = attrs.evolve(asked, query=attrs.evolve(asked.query, select=("DocTotal", "DocTotalFc")))
    row = {"DocEntry": 1, "DocTotal": 1500.0, "DocTotalFc": 12.5, "DocCurrency": "USD", "Quantity": 2.5}
    strange = {**row, "DocEntry": 2, "DocTotal": 1500.25, "DocTotalFc": 1, "DocCurrency": "XXX"}
    answer = ErpList(json.dumps([row, strange]).encode(), 2)
    pages = ExportPages(asked, 10)
    assert pages.may_have_amounts
    pages.decimals = Decimals(local=0, places={"CLP": 0, "USD": 2})
    cells = [[str(cell) for cell in cells] for cells in pages.take(answer)]
    assert cells == [["1500", "12.50", "2.5", "USD"], ["1500.25", "1", "2.5", "XXX"]]
    assert not ExportPages(plan("Items", select=("ItemCode",)), 10).may_have_amounts
    # whose currency nobody named is none: it might not be a property of that record
    assert ExportPages(shown, 10).next_query() == attrs.evolve(
        shown.query, select=("DocTotal", "DocTotalFc", "DocEntry"), top=PAGE_ROWS, orderby=("DocEntry asc",)
    )


@pytest.mark.parametrize("select", [None, ("*",)])
def test_without_names_the_columns_are_those_of_the_first_page(select: tuple[str, ...] | None) -> None:
    pages = ExportPages(plan("Items", select=select), 10)
    rows = [{"odata.etag": "x", "ItemCode": "A", "Lines": [1]}, {"ItemCode": "B", "CreateDate": "2026-01-01"}]
    assert pages.take(ErpList(json.dumps(rows).encode(), 2)) == [["A", None], ["B", date(2026, 1, 1)]]
    assert pages.headings == ("ItemCode", "CreateDate")
    assert plan("Items").title == "Artículos"


def test_an_expanded_record_is_one_cell() -> None:
    pages = ExportPages(plan("Items", select=("ItemCode", "ItemGroups/Number", "ItemGroups/GroupName")), 10)
    rows = [{"ItemCode": "A", "ItemGroups": {"Number": 1}}]
    assert pages.take(ErpList(json.dumps(rows).encode(), 1)) == [["A", {"Number": 1}]]
    assert pages.headings == ("ItemCode", "ItemGroups")


def test_too_many_records_are_refused_on_the_first_page_or_later() -> None:
    with pytest.raises(ExportTooLarge) as caught:
        exported(plan("Orders"), orders(11), most=10)
    assert "11 filas" in caught.value.detail
    rows = orders(PAGE_ROWS)
    pages = ExportPages(plan("Orders"), PAGE_ROWS)
    pages.take(ErpList(json.dumps(rows[:100]).encode(), PAGE_ROWS))
    pages.take(ErpList(json.dumps(rows[100:]).encode(), 101))
    with pytest.raises(ExportTooLarge):
        pages.take(ErpList(json.dumps([{"DocEntry": PAGE_ROWS}]).encode(), 1))


@pytest.mark.parametrize(
    "rows", [b"[1]", b'[{"DocEntry": 2}, {"DocEntry": 1}]', b'[{"DocEntry": 1}, {"DocEntry": 1}]', b"[{}]"]
)
def test_malformed_or_unordered_pages_are_refused(rows: bytes) -> None:
    with pytest.raises(ErpReplyUnreadable):
        ExportPages(plan("Orders"), 10).take(ErpList(rows, 3))


def test_a_page_without_rows_before_the_end_is_refused() -> None:
    with pytest.raises(ExportChanged):
        ExportPages(plan("Orders"), 10).take(ErpList(b"[]", 3))
