"""Every text of the stored queries, checked by an analyser with the Service Layer's real grammar."""

import re
from hashlib import sha256
from itertools import chain, product

import msgspec
import pytest

from erpsim.company.errors import SlError
from erpsim.company.switches import SqlDialect
from erpsim.facts import load_packaged_facts
from erpsim.sql import CompanyTables
from erpsim.stored_queries.analyser import Analysis, analyse
from erpsim.stored_queries.catalogue import Catalogue
from erpsim.stored_queries.running import read_parameters
from erpsim.world import World
from supplier_returns.saved_queries.queries import STORED_QUERIES, StoredQuery
from supplier_returns.saved_queries.rows import LotRow, ReceiptRow, StockRow

TABLES = Catalogue(CompanyTables(World(load_packaged_facts(), seed="empty").company))
DIALECTS = {"HANA": SqlDialect.HANA, "MSSQL": SqlDialect.MSSQL}
ROWS: dict[str, type[msgspec.Struct]] = {
    "DP_Stock": StockRow,
    "DP_EntradasAbiertas": ReceiptRow,
    "DP_Lotes": LotRow,
    "DP_Series": LotRow,
}
PARAMETERS = {"almacen", "articulo", "desde", "hasta"}
TEXTS = {
    ("DP_Stock", "HANA", 3): "e11768ce328b415704af854377b8e4f5dbfa319a49152ab390e729c993c300ae",
    ("DP_Stock", "MSSQL", 3): "94efbbed7ca506a94d024e58d2671cc2c38d67250a44b6cd6c7b5b69954672f8",
    ("DP_EntradasAbiertas", "HANA", 2): "f6a657654810065af3821b50e38d3ace30c9a1e1e779f83fd3f24f381ea388cd",
    ("DP_EntradasAbiertas", "MSSQL", 2): "adbd18485b08cae685973853c7c5629751b250dbaa4edfb6d0233f3781eaa25e",
    ("DP_Lotes", "HANA", 1): "72be9f8efa55061183a1419c4b0dc0d00945bdbd115fe60c4eb26381e5574af3",
    ("DP_Lotes", "MSSQL", 1): "fcdcdd31112c38fd1f84d1a7f86364ae20932e2b38b93ba8814a223c46e242be",
    ("DP_Series", "HANA", 1): "7fb74fc449570f8c240e76a835e90e4a47bc77cac926c71dd8f8de8282743961",
    ("DP_Series", "MSSQL", 1): "4ba15e76d67ae029e958b50c3d9b5cbb78d1e7fa36903b01754622deb445b602",
}
"""SHA-256 of the texts that ERPs may hold, by query, database and version: rows are added, never changed."""

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
def test_each_text_is_accepted_and_has_the_expected_columns_and_parameters(
    query: StoredQuery, db_type: str
) -> None:
    analysis = lint(query.text(db_type), db_type)
    assert set(analysis.parameters) == set(chain(PARAMETERS, (f"{name}Total" for name in PARAMETERS)))
    read = {field.encode_name for field in msgspec.structs.fields(ROWS[query.code])}
    assert read <= {column.name for column in analysis.columns}


@every_text
def test_a_changed_text_has_another_version(query: StoredQuery, db_type: str) -> None:
    digest = sha256(query.text(db_type).encode()).hexdigest()
    recorded = TEXTS.get((query.code, db_type, query.version))
    assert digest == recorded, (
        f"the text of {query.code} for {db_type} is not that of version {query.version}, which an ERP keeps: "
        "raise the version in definitions.py and in the column Version of the texts for both databases, then "
        f'add a row to TEXTS for each of them: ("{query.code}", "{db_type}", …): "{digest}"'
    )


@every_text
def test_every_row_has_the_version_of_the_text(query: StoredQuery, db_type: str) -> None:
    versions = re.findall(r"(\d+) AS .Version\W", query.text(db_type) + "\n")
    assert versions == [str(query.version)] * 2


@every_text
def test_each_text_uses_the_syntax_of_its_database(query: StoredQuery, db_type: str) -> None:
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
def test_a_forbidden_text_is_refused_by_the_analyser(
    query: StoredQuery, db_type: str, pattern: str, instead: str, code: int, reason: str
) -> None:
    changed, times = re.subn(pattern, instead, query.text(db_type), count=1, flags=re.DOTALL)
    assert times == 1
    refused = refusal(changed, db_type)
    assert refused.code == code
    assert reason.casefold() in refused.text.casefold()


@pytest.mark.parametrize("piece", ["almacen=01'", "almacen='01';articulo='A'", "desde=x"])
def test_a_parameter_in_another_syntax_is_refused(piece: str) -> None:
    with pytest.raises(SlError) as caught:
        read_parameters([piece])
    assert caught.value.code == 704
