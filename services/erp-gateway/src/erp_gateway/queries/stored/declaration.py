"""One stored query: its declaration, and what is wrong with it."""

import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from erp_gateway.queries.registry import DeclaredQuery, declaration_faults
from erp_gateway.queries.sql.pieces import PieceKind, StatementError, read_pieces
from erp_gateway.queries.sql.select_list import naming_problem, result_columns, select_problems
from erp_gateway.queries.sql.statement import read_statement

MAX_VERSION: Final = 999_999

_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_INSTALLED_NAME: Final = re.compile(r"(?P<code>\S+) v(?P<version>[0-9]{1,6})")
_SECRET_TABLES: Final = frozenset({"OHEM", "OUSR"})
"""Employees with the hashes of their web passwords, and the ERP's users."""


@frozen(kw_only=True)
class StoredQuery(DeclaredQuery):
    """One read-only query that the ERP keeps and the Service Layer runs.

    Use it where the company's database can't be reached, for example a SQL Server behind a hosting provider.

    Attributes:
        code: key of the query in the ERP (`SqlCode`): letters, digits and `_`, at most 20.
        version: of the text. Raise it with every change of `sql`: the ERP rewrites the text when it saves it,
            so only the version tells whether the installed text is this one.
        sql: one SELECT in the dialect that the Service Layer accepts, parameters as `:name`. It permits few
            functions and a list of tables (SAP's manual of the Service Layer, section SQL queries).
    """

    code: str
    version: int
    sql: str

    @property
    def installed_name(self) -> str:
        """Name under which the ERP keeps this version, like `GW_Stock v2`."""
        return f"{self.code} v{self.version}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the result, in the order of the SELECT."""
        return result_columns(self.sql)

    def version_in(self, installed_name: str | None) -> int:
        """Return the version that an installed name states; 0 if it states none of this query."""
        match = _INSTALLED_NAME.fullmatch(installed_name or "")
        return int(match["version"]) if match is not None and match["code"] == self.code else 0


def stored_query_faults(query: StoredQuery) -> Iterator[str]:
    """Yield what is wrong with a declaration, as sentences."""
    if not _CODE.fullmatch(query.code):
        yield "the code must be letters, digits and '_', begin with a letter and have at most 20 characters"
    if not 1 <= query.version <= MAX_VERSION:
        yield f"the version must be 1 to {MAX_VERSION}"
    yield from declaration_faults(query)
    faults = list(_text_faults(query))
    yield from (f"the SQL {fault}" for fault in faults)


def _text_faults(query: StoredQuery) -> Iterator[str]:
    try:
        used = set(read_statement(query.sql).parameters)
    except StatementError as error:
        yield str(error)
        return
    declared = {parameter.name for parameter in query.parameters}
    yield from (f"uses :{name}, which is not declared" for name in sorted(used - declared))
    yield from (f"does not use the declared parameter {name}" for name in sorted(declared - used))
    yield from _source_faults(query.sql)
    problems = list(select_problems(query.sql, folds=False))
    yield from problems
    if problems:
        return
    if not query.columns:
        # The Service Layer refuses such a text, too (SAP manual 1.29, SQL queries: 701).
        yield "must name every column: no *, and AS for each computed one"
        return
    for what, named in (("titles", query.titles), ("measures", query.counted_columns)):
        problem = naming_problem(query.sql, named, what=what, folds=False) if named else None
        if problem is not None:
            yield problem


def _source_faults(sql: str) -> Iterator[str]:
    """Yield the tables that no stored query may read. The ERP's rights on a query don't protect columns."""
    for piece in read_pieces(sql):
        name = piece.text.strip('"[]').upper()
        if piece.kind is not PieceKind.TEXT and name in _SECRET_TABLES:
            yield f"reads {name}, which holds secrets of persons"
