"""Rights of users. As in HANA, a right on a schema applies to all its tables."""

import enum
from collections.abc import Iterable, Iterator
from typing import Final

from attrs import frozen

_CHANGES: Final = ("INSERT", "UPDATE", "DELETE")


class Right(enum.Enum):
    """Rights in every schema."""

    SELECT = "SELECT"
    CHANGE = "CHANGE"

    @property
    def privileges(self) -> tuple[str, ...]:
        """Names of the privileges in the catalogue."""
        return _CHANGES if self is Right.CHANGE else (self.value,)


@frozen
class Grants:
    """Grants of one user.

    Attributes:
        everywhere: privileges in every schema.
        tables: names of readable tables, in any schema.
    """

    everywhere: frozenset[Right] = frozenset()
    tables: frozenset[str] = frozenset()

    def reads(self, table: str) -> bool:
        """Return whether a table may be read."""
        return Right.SELECT in self.everywhere or table in self.tables

    def listed(
        self, schemas: Iterable[tuple[str, Iterable[str]]]
    ) -> Iterator[tuple[str, str, str | None, str]]:
        """Return the grants as catalogue rows: type of the object, schema, object, privilege.

        Args:
            schemas: each with the names of its tables.
        """
        for schema, tables in schemas:
            for right in sorted(self.everywhere, key=lambda each: each.value, reverse=True):
                for privilege in right.privileges:
                    yield "SCHEMA", schema, None, privilege
            for table in sorted(self.tables.intersection(tables)):
                yield "TABLE", schema, table, "SELECT"


EVERYTHING: Final = Grants(frozenset(Right))
