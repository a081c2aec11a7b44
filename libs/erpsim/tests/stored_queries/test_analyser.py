"""The analyser of stored queries: accepted texts, rewritten texts, and refusals with their messages."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.company.errors import SlError
from erpsim.company.switches import SqlDialect
from erpsim.facts import load_packaged_facts
from erpsim.sql import CompanyTables
from erpsim.stored_queries.analyser import Analysis, analyse
from erpsim.stored_queries.catalogue import Catalogue
from erpsim.world import World

TABLES = CompanyTables(World(load_packaged_facts(), seed="empty").company)


def hana(sql: str) -> Analysis:
    return analyse(sql, Catalogue(TABLES), SqlDialect.HANA)


def refusal(sql: str) -> SlError:
    with pytest.raises(SlError) as caught:
        hana(sql)
    return caught.value


@pytest.mark.parametrize(
    ("sql", "stored"),
    [
        (
            "select itemcode, itemName, itmsGrpCod from oitm where ItemCode > 'i01'",
            'select "ItemCode", "ItemName", "ItmsGrpCod" from "OITM" where "ItemCode" > \'i01\'',
        ),
        (
            "select [itemcode], [itemName] from [oitm] where [ItemCode] > 'i01'",
            'select "ItemCode", "ItemName" from "OITM" where "ItemCode" > \'i01\'',
        ),
        (
            "select t1.DocEntry as Col1 , t1.DocNum as Col2 from ORDR t1 where t1.DocEntry > 0",
            'select t1."DocEntry" as "Col1" , t1."DocNum" as "Col2" from "ORDR" t1 where t1."DocEntry" > 0',
        ),
        (
            "select DocEntry, ISNULL(comments, 'none') as a, ifnull(Comments, 'none') as b from ordr",
            (
                'select "DocEntry", IFNULL("Comments", \'none\') as "a", IFNULL("Comments", \'none\') as "b"'
                ' from "ORDR"'
            ),
        ),
        (
            "select ordr.docentry from ordr order by ordr.docentry desc",
            'select "ORDR"."DocEntry" from "ORDR" order by "ORDR"."DocEntry" desc',
        ),
    ],
)
def test_identifiers_get_their_true_form(sql: str, stored: str) -> None:
    assert hana(sql).text == stored
    assert hana(stored).text.upper() == stored.upper()


def test_the_mssql_dialect_has_its_own_quotes_and_isnull() -> None:
    sql = "select \"DocEntry\", IFNULL(comments, 'x') as C from ordr where docnum = :n"
    stored = analyse(sql, Catalogue(TABLES), SqlDialect.MSSQL).text
    assert stored == "select [DocEntry], ISNULL([Comments], 'x') as [C] from [ORDR] where [DocNum] = :n"


@pytest.mark.parametrize(
    "sql",
    [
        "select DocEntry from ORDR t1 where not t1.DocEntry = 1 and t1.DocNum = 1 or t1.Comments <> 'x'",
        "select DocEntry from ORDR where not (DocEntry = 1 or Comments <> '1234') and DocNum = 1",
        'select "DocEntry" from ordr where "DocEntry" BETWEEN 1 AND 10',
        "select DocStatus, count(*) as n from ordr group by DocStatus having count(*) > 0",
        "select DocEntry, DocType from ordr t1 where DocEntry is not null and t1.Comments is null",
        "SELECT 1 as c1, 'string' as c2, -2.5 as c3 FROM OITM",
        "select CardCode from ordr where CardCode like 'c%' and CardCode not like :pattern",
        "select top 2 DocStatus, DocType from ordr order by DocType",
        "select t1.LineNum from rdr1 t1 union all select t1.LineNum from inv1 t1 order by LineNum",
        "select DocEntry from ordr where DocEntry in (select DocEntry from rdr1) or DocEntry not in (1, :n)",
        "select DocEntry from ordr t1 where exists(select 1 from rdr1 t2 where t1.DocEntry = t2.DocEntry)",
        "select DocEntry from ordr t1 where exists (select * from rdr1 t2 where t1.DocEntry = t2.DocEntry)",
        "select t1.DocEntry, t2.LineNum from ordr t1 inner join rdr1 t2 on t1.DocEntry = t2.DocEntry",
        "select t1.DocEntry, t2.LineNum from ordr t1 left join rdr1 t2 on t1.DocEntry = t2.DocEntry",
        "select t1.DocEntry, t2.LineNum from ordr t1 right outer join rdr1 t2 on t1.DocEntry = t2.DocEntry",
        "select t1.DocEntry, t2.LineNum from ordr t1 FULL OUTER JOIN rdr1 t2 on t1.DocEntry = t2.DocEntry",
        "select count(distinct docEntry) as n, count(*)as cnt, sum(DocTotal) s, avg(DocTotal) as a from ordr",
        "select lower(ItemCode) as l, upper(ItemCode) as u from OITM where lower(ItemCode) = 'i001'",
        "SELECT ItemCode, right(ItemCode, 1) as r, LEFT(ItemCode, 1) as f FROM oitm",
        "(select DocEntry from ordr)",
        "select ItemCode, max(OnHand) m from oitw group by ItemCode, WhsCode order by M desc, ItemCode",
        "select a.ItemCode from oitm as a join oitw b on a.ItemCode = b.ItemCode",
    ],
)
def test_every_construct_of_the_manual_is_accepted(sql: str) -> None:
    assert hana(sql).columns


@pytest.mark.parametrize(
    ("sql", "position", "reason"),
    [
        ("select DocEntry from ordr t1 order by DocEntry dsc", 47, "Incorrect syntax near 'dsc'."),
        (
            'select "ItemCode", length("ItemCode")as lenItemCode from oitm',
            19,
            "Cannot support this function or expression: 'length'",
        ),
        (
            "select max(itemCode) as min_itemCode, min(itemCode) as min_itemCode from OITM",
            55,
            (
                "Multiple name for column or column alias 'min_itemCode', "
                "please specify it with a different alias."
            ),
        ),
        ("select * from ORDR", 7, "Cannot support asterisk(*) in select list."),
        ("select DocEntry from ordr where DocEntry = ", 43, "Incorrect syntax near '<EOF>'."),
        ("select distinct DocEntry from ordr", 7, "Incorrect syntax near 'distinct'."),
        ("select DocEntry + 1 as x from ordr", 16, "Incorrect syntax near '+'."),
        ("select DocEntry from ordr, rdr1", 25, "Incorrect syntax near ','."),
        ("select DocEntry from (select DocEntry from ordr) t", 21, "Incorrect syntax near '('."),
        ("select DocEntry from ordr; select 1", 25, "Incorrect syntax near ';'."),
        ("select DocEntry from ordr -- x", 26, "Incorrect syntax near '-'."),
        (
            "select DocEntry from ordr union select DocEntry, DocNum from ordr",
            65,
            "Incorrect syntax near '<EOF>'.",
        ),
        (
            "select top 1 DocEntry from ordr union select DocEntry from ordr x",
            65,
            "Incorrect syntax near '<EOF>'.",
        ),
        ("select DocEntry from ordr where DocEntry not = 1", 45, "Incorrect syntax near '='."),
        ("select DocEntry from ordr order by 'x' 'y'", 39, "Incorrect syntax near ''y''."),
        ("select top x DocEntry from ordr", 11, "Incorrect syntax near 'x'."),
        ("select left(ItemCode) as l from oitm", 20, "Incorrect syntax near ')'."),
        ("select DocEntry from ordr t where t.DocEntry", 44, "Incorrect syntax near '<EOF>'."),
        (
            "select case when 1 = 1 then 2 end as x from oitm",
            7,
            "Cannot support this function or expression: 'case'",
        ),
        ("select coalesce(a, b) as x from oitm", 7, "Cannot support this function or expression: 'coalesce'"),
    ],
)
def test_invalid_syntax_is_refused_with_its_position(sql: str, position: int, reason: str) -> None:
    error = refusal(sql)
    assert (error.status, error.code) == (400, 701)
    assert error.text == f"Invalid SQL syntax:{sql}, line 1, character position {position}, {reason}"


def test_lines_are_counted() -> None:
    assert (
        "line 3, character position 2, Incorrect syntax near 'nonsense'."
        in refusal("select DocEntry\nfrom ordr where DocEntry = 1\n  nonsense").text
    )


def test_a_data_change_is_refused_without_its_text() -> None:
    error = refusal("update ORDR set Comments = '1234'")
    assert error.code == 701
    assert error.text == (
        "Invalid SQL syntax:, line 1, character position 0, mismatched input 'update' expecting {SELECT, '('}"
    )


@pytest.mark.parametrize(
    ("sql", "code", "text"),
    [
        (
            "select CardCode from OCRD t1 where exists(select 1 from CRD2 t2)",
            702,
            "Table 'CRD2' not accessible",
        ),
        ("select WhsCode from owhs", 702, "Table 'owhs' not accessible"),
        ("select DocEntry from SBO_DEMO.ORDR", 702, "Table 'SBO_DEMO' not accessible"),
        ("select Code from [@NONE]", 702, "Table '@NONE' not accessible"),
        ("select Nada from OITM", 703, "Column 'Nada' from table 'OITM' not accessible"),
        ("select x.ItemCode from OITM t", 703, "Column 'ItemCode' from table 'x' not accessible"),
        ("select t.U_NADA from OITM t", 703, "Column 'U_NADA' from table 'OITM' not accessible"),
    ],
)
def test_tables_and_columns_off_the_list_are_refused(sql: str, code: int, text: str) -> None:
    error = refusal(sql)
    assert (error.status, error.code, error.text) == (400, code, text)


def test_a_listed_but_unsimulated_table_answers_501() -> None:
    assert refusal("select Code from OADM").status == 501


def test_an_installation_may_have_its_own_table_list() -> None:
    catalogue = Catalogue(TABLES, frozenset({"OWHS"}), frozenset({"OITW"}))
    assert analyse("select whscode from owhs", catalogue, SqlDialect.HANA).tables == {"OWHS"}
    with pytest.raises(SlError, match="Table 'OITW' not accessible"):
        analyse("select ItemCode from OITW", catalogue, SqlDialect.HANA)


def test_parameters_are_listed_once_in_order() -> None:
    sql = "select DocEntry from ordr where SlpCode = :SlpCode and DocDate >= :DateFrom"
    assert hana(f"{sql} and DocDueDate >= :DateFrom and DocNum = :n").parameters == (
        "SlpCode",
        "DateFrom",
        "n",
    )


def test_a_computed_column_needs_an_alias() -> None:
    assert "Please specify an alias" in refusal("select max(ItemCode) from OITM").text


def test_an_ambiguous_column_is_refused() -> None:
    sql = "select DocEntry from ordr a inner join rdr1 b on a.DocEntry = b.DocEntry"
    assert refusal(sql).code == 701


def test_endless_nesting_is_refused() -> None:
    assert refusal("select DocEntry from ordr where " + "(" * 20_000).code == 701


WORDS = [
    "select", "from", "where", "oitm", "ItemCode", "t1", ".", ",", "(", ")", "=", ":p", "'x'", "1", "and",
    "or", "not", "in", "exists", "order", "by", "union", "top", "as", "[", '"', "'", "*", "--", "\n", "left",
    "join", "on", "is", "null", "like", "between", "group", "having", "count(", "max(", "isnull(",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=25))
@settings(max_examples=200, deadline=None)
def test_any_text_is_accepted_or_refused(words: list[str]) -> None:
    sql = " ".join(["select", *words])
    with contextlib.suppress(SlError):
        stored = hana(sql).text
        assert hana(stored).text == stored
