"""Every shipped text of the stored queries, read by an analyser with the Service Layer's real grammar."""

import re
from itertools import chain, product

import msgspec
import pytest

from erpsim.company.errors import SlError
from erpsim.company.switches import SqlDialect
from erpsim.facts import load_packaged_facts
from erpsim.sql import company_tables
from erpsim.stored_queries.analyser import Analysis, analyse
from erpsim.stored_queries.catalogue import Catalogue
from erpsim.stored_queries.running import read_parameters
from erpsim.world import World
from supplier_returns.saved_queries.definitions import STORED_QUERIES, StoredQuery
from supplier_returns.saved_queries.sources import LotRow, ReceiptRow, StockRow

TABLES = Catalogue(company_tables(World(load_packaged_facts(), seed="empty").company))
DIALECTS = {"HANA": SqlDialect.HANA, "MSSQL": SqlDialect.MSSQL}
ROWS: dict[str, type[msgspec.Struct]] = {
    "DP_Stock": StockRow,
    "DP_EntradasAbiertas": ReceiptRow,
    "DP_Lotes": LotRow,
    "DP_Series": LotRow,
}
PARAMETERS = {"almacen", "articulo", "desde", "hasta"}

every_text = pytest.mark.parametrize(
    ("query", "db_type"),
    list(product(STORED_QUERIES, DIALECTS)),
    ids=[f"{query.code}-{db_type}" for query, db_type in product(STORED_QUERIES, DIALECTS)],
)


def lint(text: str, db_type: str) -> Analysis:
    return analyse(text, TABLES, DIALECTS[db_type])


def refusal(text: str, db_type: str) -> SlError:
    with pytest.raises(SlError) as caught:
        lint(text, db_type)
    return caught.value


@every_text
def test_the_text_is_accepted_and_has_the_rows_and_parameters_that_are_read(
    query: StoredQuery, db_type: str
) -> None:
    analysis = lint(query.text(db_type), db_type)
    assert set(analysis.parameters) == set(chain(PARAMETERS, (f"{name}Total" for name in PARAMETERS)))
    read = {field.encode_name for field in msgspec.structs.fields(ROWS[query.code])}
    assert read <= {column.name for column in analysis.columns}


@every_text
def test_every_row_tells_the_version_of_the_text(query: StoredQuery, db_type: str) -> None:
    told = re.findall(r"(\d+) AS .Version\W", query.text(db_type) + "\n")
    assert told == [str(query.version)] * 2


@every_text
def test_the_text_is_written_for_its_own_database(query: StoredQuery, db_type: str) -> None:
    text = query.text(db_type)
    assert ("[" in text, '"' in text) == ((True, False) if db_type == "MSSQL" else (False, True))
    assert lint(text, db_type).text == text, "the ERP has nothing to rewrite"


@every_text
@pytest.mark.parametrize(
    ("pattern", "instead", "code", "reason"),
    [
        (r"\bI(FNULL|SNULL)\(", "COALESCE(", 701, "'coalesce'"),
        (r"\bCOUNT\(", "FORMAT(", 701, "'format'"),
        (r"\ASELECT", "SELECT *,", 701, "asterisk"),
        (r"\ASELECT", "DELETE", 701, "mismatched input 'delete'"),
        (r"\ASELECT", "SELECT DISTINCT", 701, "'distinct'"),
        (r"FROM \S+ T0", "FROM CRD7 T0", 702, "'CRD7'"),
        (r"T0\.\S(ItemCode|DocNum)\S,", "T0.Nada,", 703, "'Nada'"),
    ],
)
def test_a_text_with_what_the_analyser_forbids_would_be_refused(
    query: StoredQuery, db_type: str, pattern: str, instead: str, code: int, reason: str
) -> None:
    changed, times = re.subn(pattern, instead, query.text(db_type), count=1, flags=re.DOTALL)
    assert times == 1
    refused = refusal(changed, db_type)
    assert refused.code == code
    assert reason.casefold() in refused.text.casefold()


@pytest.mark.parametrize("piece", ["almacen=01'", "almacen='01';articulo='A'", "desde=x"])
def test_a_parameter_that_is_not_written_as_the_analyser_wants_is_refused(piece: str) -> None:
    with pytest.raises(SlError) as caught:
        read_parameters([piece])
    assert caught.value.code == 704
