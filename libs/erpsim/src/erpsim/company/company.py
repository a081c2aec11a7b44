"""State of the simulated company and the operations on it that all rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from erpsim.company.clock import Clock
from erpsim.company.custom_facts import CustomFacts
from erpsim.company.errors import no_match, not_found
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.notification import check_notices
from erpsim.company.projection import Projection
from erpsim.company.rows.keys import key_of
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.company.rows.tags import VERSION, version_of
from erpsim.company.switches import MetadataVisible, Switches
from erpsim.company.tables import Database
from erpsim.facts.model import EntitySetFacts, Facts

MANAGER = "manager"


class Company:
    """Facts, rows and settings of the simulated company.

    Args:
        facts: its metadata.
        switches: its settings; may be replaced.
        clock: source of today's date.
        database: its rows.

    Attributes:
        watchers: called with set and key of every new row, inside the transaction that adds it.
    """

    def __init__(self, facts: Facts, switches: Switches, clock: Clock, database: Database) -> None:
        self.packaged_facts = facts
        self.clock = clock
        self.database = database
        self.switches = switches
        self.watchers: list[Callable[[str, Key], None]] = []
        self.use(switches)

    @property
    def database(self) -> Database:
        """All rows. Replacing them also replaces the metadata."""
        return self._database

    @database.setter
    def database(self, database: Database) -> None:
        self._database = database
        self._custom = CustomFacts(self.packaged_facts, database)
        self.facts = self._custom.facts
        self._undone: list[tuple[str, Key, Fields]] = []

    def use(self, switches: Switches) -> None:
        """Change the settings."""
        self.switches = switches
        self.row_types = RowTypes(
            self.facts, tagged=switches.entity_tags, has_paid_amounts=switches.paid_amounts
        )
        self.projection = Projection(self.row_types, switches.date_format)

    def show_metadata(self) -> None:
        """Make all tables, fields and objects of the database visible in the Service Layer."""
        if self.facts is not self._custom.facts:
            self.facts = self._custom.facts
            self.use(self.switches)

    # --- facts

    @property
    def database_facts(self) -> Facts:
        """Facts of the database's tables as they are now. The Service Layer may not show all of them yet."""
        return self._custom.facts

    def valid_values(self, table: str, name: str) -> frozenset[str]:
        """Return the allowed values of a user field, empty if it allows any."""
        return self._custom.valid_values.get((table, name), frozenset())

    def unique_keys(self, table: str) -> tuple[tuple[str, ...], ...]:
        """Return the properties of each unique key of a user table (`@...`)."""
        return self._custom.unique_keys.get(table, ())

    def row_type(self, set_name: str) -> RowType:
        """Return the row type of a set's rows."""
        return self.row_types.of_set(set_name)

    def entity_set(self, set_name: str) -> EntitySetFacts:
        """Return the facts of a set."""
        return self.facts.entity_sets[set_name]

    def tagged(self, set_name: str) -> bool:
        """Return whether the set's entities carry tags."""
        every = self.switches.has(OtherHabit.EVERY_SET_TAGGED)
        return self.switches.entity_tags and (every or self.entity_set(set_name).tagged)

    def enum_member(self, enum_name: str, value: str) -> Value:
        """Return the member of an enumeration with this database value, None if there is none."""
        return self.facts.enums[enum_name].names.get(value)

    # --- time

    def today(self) -> str:
        """Return today's date in the form of stored rows."""
        return self._wall_clock().date().isoformat()

    def minute(self) -> str:
        """Return the time of day in the form of stored rows."""
        return self._wall_clock().strftime("%H:%M:00")

    def _wall_clock(self) -> datetime:
        return self.clock.now().astimezone(self.switches.timezone)

    # --- rows

    def find(self, set_name: str, *key: str | int) -> Fields | None:
        """Return a row or None."""
        return self.database.get(set_name, key)

    def get(self, set_name: str, key: Key) -> Fields:
        """Return a row.

        Raises:
            SlError: 404.
        """
        row = self.database.get(set_name, key)
        if row is None:
            raise not_found()
        return row

    def referred(self, set_name: str, key: Value) -> Fields:
        """Return the row for a code inside a body.

        Raises:
            SlError: 400 -2028 when there is none.
        """
        row = self.database.get(set_name, (key,)) if isinstance(key, str | int) else None
        if row is None:
            raise no_match()
        return row

    def rows(self, set_name: str) -> Iterator[Fields]:
        """Yield all rows of a set in the order of their keys."""
        return iter(self.database.table(set_name))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes made inside, or none."""
        try:
            with self.database.transaction():
                yield
        except BaseException:
            self._restore_unprotected()
            raise
        if not self.database.in_transaction:
            self._undone.clear()
            if self.switches.metadata_visible is MetadataVisible.AT_ONCE:
                self.show_metadata()

    def note_unprotected(self, set_name: str, row: Fields) -> None:
        """Record a new row that survives a failed change set (switch `user_tables_roll_back`)."""
        self._undone.append((set_name, key_of(self.entity_set(set_name), row), row))

    def _restore_unprotected(self) -> None:
        if self.database.in_transaction or not self._undone:
            return
        with self.database.transaction():
            for set_name, key, row in self._undone:
                self.database.put(set_name, key, row)
        self._undone.clear()

    def insert(self, set_name: str, row: Fields) -> Key:
        """Store a new row with its first version and its dates; return its key.

        Raises:
            SlError: the customer's own rules refuse it.
        """
        properties = self.entity_set(set_name).type.properties
        stamped = {**row}
        for name, value in (
            ("CreateDate", self.today()),
            ("CreationDate", self.today()),
            ("CreateTime", self.minute()),
            ("UpdateDate", self.today()),
            ("UpdateTime", self.minute()),
        ):
            if name in properties and not properties[name].writable:
                stamped.setdefault(name, value)
        if self.entity_set(set_name).tagged:
            stamped[VERSION] = 1
        key = key_of(self.entity_set(set_name), stamped)
        self.database.put(set_name, key, stamped)
        self.notify(set_name, key)
        for watcher in self.watchers:
            watcher(set_name, key)
        return key

    def update(self, set_name: str, row: Fields) -> None:
        """Store a changed row: its version rises by one (tested live)."""
        properties = self.entity_set(set_name).type.properties
        stamps = {"UpdateDate": self.today(), "UpdateTime": self.minute()}
        stamped = row | {
            name: value
            for name, value in stamps.items()
            if name in properties and not properties[name].writable
        }
        if self.entity_set(set_name).tagged:
            stamped[VERSION] = version_of(row) + 1
        self.database.put(set_name, key_of(self.entity_set(set_name), stamped), stamped)

    def notify(self, set_name: str, key: Key) -> None:
        """Run the customer's own rules on an added or changed row, inside its transaction.

        Raises:
            SlError: they refuse it.
        """
        check_notices(self.switches.transaction_notification, set_name, self.get(set_name, key))

    def remove(self, set_name: str, key: Key) -> None:
        """Remove a row."""
        self.database.put(set_name, key, None)

    def next_number(self, set_name: str) -> int:
        """Return the next integer key of a set."""
        return self.database.table(set_name).next_number()

    # --- settings kept as one row

    def admin_info(self) -> Fields:
        """Return the company's own settings (`CompanyService_GetAdminInfo`)."""
        return self.database.get("$AdminInfo", (1,)) or {}

    @property
    def local_currency(self) -> str:
        """The company's currency."""
        return str(self.admin_info().get("LocalCurrency") or "CLP")

    def user_key(self, user: str) -> int:
        """Return the number of an ERP user, 1 for one that is not in the list."""
        keys = (row.get("InternalKey") for row in self.rows("Users") if row.get("UserCode") == user)
        key = next(keys, None)
        return key if isinstance(key, int) else 1

    def is_superuser(self, user: str) -> bool:
        """Return whether a user is a superuser."""
        return any(
            row.get("Superuser") == "tYES" for row in self.rows("Users") if row.get("UserCode") == user
        )
