"""The company's rows as database tables: `OITM`, `PDN1`, `CUFD`, `@LIB_ODEV`.

Used by everything that runs SQL on the simulated company: stored queries of the Service Layer, the simulated
HANA, and a plain SQLite file for any other engine. Table and column names are the database's own, as the
metadata of a real company maps them to properties. Enumerations show their database letters, dates are
midnight timestamps, times whole numbers (`1830`), and passwords are left out.
"""

from __future__ import annotations

from erpsim.sql.columns import SqlColumn, SqlType, SqlValue
from erpsim.sql.mirror import Mirror, SqliteMirror, load_into_sqlite
from erpsim.sql.tables import CompanyTables, SqlTable

__all__ = [
    "CompanyTables",
    "Mirror",
    "SqlColumn",
    "SqlTable",
    "SqlType",
    "SqlValue",
    "SqliteMirror",
    "load_into_sqlite",
]
