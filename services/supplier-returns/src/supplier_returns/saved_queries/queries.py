"""Stored queries that this service needs."""

import re
from importlib import resources
from typing import Final

from attrs import frozen

_NAME: Final = re.compile(r"(?P<code>\S+) v(?P<version>[0-9]{1,6})")


@frozen
class StoredQuery:
    """Stored query.

    Attributes:
        code: key in the ERP.
        version: version of the text.
    """

    code: str
    version: int

    @property
    def name(self) -> str:
        """Name in the ERP, like `DP_Stock v1`."""
        return f"{self.code} v{self.version}"

    def text(self, db_type: str) -> str:
        """Return the statement for a kind of database, `HANA` or `MSSQL`."""
        # Each text differs between the databases, for example in quotes and functions.
        file = resources.files("supplier_returns.saved_queries").joinpath(f"sql/{self.code}.{db_type}.sql")
        return file.read_text(encoding="utf-8").strip()

    def version_in(self, name: str | None) -> int:
        """Return the version in the name of an installed query, or 0 if the name is not ours."""
        match = _NAME.fullmatch(name or "")
        return int(match["version"]) if match is not None and match["code"] == self.code else 0


STOCK: Final = StoredQuery("DP_Stock", 3)
OPEN_RECEIPTS: Final = StoredQuery("DP_EntradasAbiertas", 2)

BATCHES: Final = StoredQuery("DP_Lotes", 1)
SERIALS: Final = StoredQuery("DP_Series", 1)

STORED_QUERIES: Final = (STOCK, OPEN_RECEIPTS, BATCHES, SERIALS)
