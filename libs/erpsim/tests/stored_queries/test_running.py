"""Saving, granting and running stored queries on the simulated data."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Caller, Fields
from erpsim.desk import Desk
from erpsim.stored_queries.running import QueryPage, read_parameters

STOCK = (
    "select ItemCode, OnHand, WhsCode from oitw where WhsCode = :whs and ItemCode >= :first order by ItemCode"
)
OPEN = (
    "select h.DocEntry, h.DocDate, h.CardCode, l.LineNum, l.ItemCode, l.OpenQty from opdn h inner join pdn1 l"
    " on h.DocEntry = l.DocEntry where l.LineStatus = 'O' and h.CANCELED = 'N' and h.DocDate >= :since"
)


def save(desk: Desk, text: str, code: str = "Q") -> Fields:
    return desk.create("SQLQueries", {"SqlCode": code, "SqlName": "query v1", "SqlText": text})


def run(desk: Desk, *pieces: str, skip: int = 0, size: int | None = None, code: str = "Q") -> QueryPage:
    return desk.world.run_query(code, pieces, skip, size, desk.caller)


def refused(call: Callable[[], object]) -> SlError:
    with pytest.raises(SlError) as caught:
        call()
    return caught.value


def test_a_saved_query_is_rewritten_and_its_parameters_are_listed(desk: Desk) -> None:
    made = save(desk, STOCK)
    assert made["SqlText"] == (
        'select "ItemCode", "OnHand", "WhsCode" from "OITW" where "WhsCode" = :whs and "ItemCode" >= :first'
        ' order by "ItemCode"'
    )
    assert (made["ParamList"], made["SqlName"]) == ("whs,first", "query v1")
    assert save(desk, "select ItemCode from oitm", "N")["ParamList"] is None


def test_a_query_code_is_unique_and_cannot_be_changed(desk: Desk) -> None:
    save(desk, STOCK)
    assert refused(lambda: save(desk, STOCK)).code == -2035
    assert desk.refusal(desk.change, "SQLQueries", "Q", {"SqlCode": "R"}).code == -1029
    desk.change("SQLQueries", "Q", {"SqlText": "select itemcode from oitm", "SqlName": "query v2"})
    row = desk.read("SQLQueries", "Q")
    shown = (row["SqlText"], row["ParamList"], row["SqlName"])
    assert shown == ('select "ItemCode" from "OITM"', None, "query v2")
    desk.delete("SQLQueries", "Q")
    assert refused(lambda: run(desk)).code == -2028


def test_an_invalid_change_leaves_the_query_unchanged(desk: Desk) -> None:
    save(desk, STOCK)
    assert desk.refusal(desk.change, "SQLQueries", "Q", {"SqlText": "select * from oitm"}).code == 701
    assert run(desk, "whs='01'", "first=''").rows


def test_query_values_have_the_documented_formats(desk: Desk) -> None:
    save(desk, OPEN)
    rows = run(desk, "since='20251101'", size=5).rows
    assert list(rows[0]) == ["CardCode", "DocDate", "DocEntry", "ItemCode", "LineNum", "OpenQty"]
    assert isinstance(rows[0]["OpenQty"], Decimal)
    assert isinstance(rows[0]["DocEntry"], int)
    day = rows[0]["DocDate"]
    assert isinstance(day, str)
    assert (len(day), day >= "20251101") == (8, True)


@pytest.mark.parametrize("form", ["20251215", "2025-12-15"])
def test_dates_compare_in_either_form(desk: Desk, form: str) -> None:
    save(desk, "select DocEntry, DocDate from opdn where DocDate >= :since")
    days = {row["DocDate"] for row in run(desk, f"since='{form}'").rows}
    assert days
    assert min(str(day) for day in days) >= "20251215"
    assert refused(lambda: run(desk, "since='yesterday'")).code == 704


def test_a_query_always_sees_the_present(desk: Desk) -> None:
    save(desk, "select OnHand from oitw where ItemCode = '0007' and WhsCode = '01'")
    line = {"ItemCode": "0007", "Quantity": 5, "UnitPrice": 10, "WarehouseCode": "01"}
    before = sum(row["OnHand"] for row in run(desk).rows if isinstance(row["OnHand"], Decimal))
    desk.create("InventoryGenEntries", {"DocumentLines": [line]})
    assert run(desk).rows == [{"OnHand": before + 5}]


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        ["whs='01'"],
        ["whs='01'", "first='A", "B'"],
        ["whs='01';first=''"],
        ["whs='01'", "first=''", "more=1"],
        ["whs='01'", "whs='01'", "first=''"],
        ["whs='01'", "first='i001';truncate table OITM"],
    ],
)
def test_invalid_parameters_are_refused_with_704(desk: Desk, pieces: list[str]) -> None:
    save(desk, STOCK)
    error = refused(lambda: run(desk, *pieces))
    assert (error.status, error.code, error.text) == (400, 704, "Parameter error.")


def test_texts_numbers_and_doubled_quotes_are_read() -> None:
    assert read_parameters(["a='O''H'", "b=10.1", "c=-3", "d=''"]) == {
        "a": "O'H",
        "b": 10.1,
        "c": -3,
        "d": "",
    }


def test_pages_are_compulsory(desk: Desk) -> None:
    save(desk, "select ItemCode from oitm order by ItemCode")
    first = run(desk, size=0)
    assert (len(first.rows), first.next_skip, first.page_size) == (20, 20, 20)
    assert len(run(desk, size=1000).rows) == 60
    last = run(desk, skip=40)
    assert (len(last.rows), last.next_skip) == (20, None)
    codes = [row["ItemCode"] for skip in (0, 20, 40) for row in run(desk, skip=skip).rows]
    assert codes == sorted(codes, key=str)


def test_later_pages_may_lose_their_order(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(sql_stable_pages=False)
    save(desk, "select ItemCode from oitm order by ItemCode")
    assert run(desk, skip=20).rows[0]["ItemCode"] > run(desk, skip=20).rows[1]["ItemCode"]  # type: ignore[operator]


def test_top_and_union_run(desk: Desk) -> None:
    save(desk, "select top 3 ItemCode from oitm order by ItemCode desc")
    assert len(run(desk, size=2).rows) == 2
    assert run(desk, size=2).next_skip == 2
    save(desk, "select 'a' as c from ocrn union all select 'b' as c from ocrn", "U")
    assert len(run(desk, code="U").rows) == 8


def test_bracketed_selects_run(desk: Desk) -> None:
    save(desk, "(select CurrCode from ocrn) union (select CurrCode from ocrn) order by CurrCode")
    assert [row["CurrCode"] for row in run(desk).rows] == ["CLP", "EUR", "UF", "USD"]


def test_a_refusal_of_the_database_is_reported_as_not_simulated(desk: Desk) -> None:
    save(desk, "select ItemCode from oitm where max(ItemCode) = 'x'")
    assert refused(lambda: run(desk)).status == 501


def test_functions_run(desk: Desk) -> None:
    save(
        desk,
        "select ItemCode, left(ItemCode, 2) as l, right(ItemCode, 2) as r, lower(ItemCode) as low,"
        " isnull(FrgnName, 'none') as f from oitm where ItemCode = 'TUBO 3/4 & CODO'",
    )
    shown = {"ItemCode": "TUBO 3/4 & CODO", "f": "none", "l": "TU", "low": "tubo 3/4 & codo", "r": "DO"}
    assert run(desk).rows == [shown]


def test_like_is_case_sensitive_as_on_hana(desk: Desk) -> None:
    save(desk, "select ItemCode from oitm where ItemCode like 'tubo%'")
    assert run(desk).rows == []


# --- rights


@pytest.fixture
def normal(desk: Desk) -> Desk:
    save(desk, STOCK)
    return Desk(desk.world, Caller(user="bodega"))


def test_a_normal_user_reads_but_cannot_run_or_change_queries(normal: Desk) -> None:
    assert normal.read("SQLQueries", "Q")["SqlCode"] == "Q"
    for call in (
        lambda: run(normal, "whs='01'", "first=''"),
        lambda: save(normal, STOCK, "R"),
        lambda: normal.change("SQLQueries", "Q", {"SqlName": "x"}),
        lambda: normal.delete("SQLQueries", "Q"),
    ):
        error = refused(call)
        assert (error.status, error.code) == (403, -6006)


def test_rights_are_granted_and_revoked_per_query(desk: Desk, normal: Desk) -> None:
    save(desk, STOCK, "OTHER")
    desk.world.grant_query("bodega", "Q")
    assert run(normal, "whs='01'", "first=''").rows
    assert refused(lambda: run(normal, "whs='01'", "first=''", code="OTHER")).code == -6006
    desk.world.grant_query("bodega", "Q", granted=False)
    assert refused(lambda: run(normal, "whs='01'", "first=''")).code == -6006


@pytest.mark.parametrize("grant", ["bodega:Q", "bodega:*"])
def test_a_revoked_right_overrides_the_switch(make_desk: Callable[..., Desk], grant: str) -> None:
    desk = make_desk(sql_grants=frozenset({grant}))
    save(desk, STOCK)
    normal = Desk(desk.world, Caller(user="bodega"))
    assert run(normal, "whs='01'", "first=''").rows
    desk.world.grant_query("bodega", "Q", granted=False)
    assert refused(lambda: run(normal, "whs='01'", "first=''")).code == -6006


def test_a_switch_grants_the_right_to_change_queries(make_desk: Callable[..., Desk]) -> None:
    normal = Desk(make_desk(sql_modifiers=frozenset({"bodega"})).world, Caller(user="bodega"))
    save(normal, STOCK)
    assert refused(lambda: run(normal, "whs='01'", "first=''")).code == -6006


def test_user_tables_are_queried(desk: Desk) -> None:
    desk.create("UserTablesMD", {"TableName": "FENCE"})
    made = save(desk, "select code, name from [@fence]")
    assert made["SqlText"] == 'select "Code", "Name" from "@FENCE"'
    desk.create("U_FENCE", {"Code": "K", "Name": "One"})
    assert run(desk).rows == [{"Code": "K", "Name": "One"}]
