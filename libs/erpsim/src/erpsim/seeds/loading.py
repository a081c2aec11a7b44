"""Provides the rows of a seed by entity set, created on first use and once per process."""

from __future__ import annotations

import functools
from collections.abc import Callable

from erpsim.business.layout_catalogue import REPORT_LAYOUTS
from erpsim.business.stock import BATCHES, SERIALS
from erpsim.business.tax_configuration import CONFIGURATION, FIRST_ROW, field_rows, table_rows
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.overlay import tables_of
from erpsim.company.rows.values import normal
from erpsim.facts.document_kinds import KINDS
from erpsim.facts.model import Facts
from erpsim.seeds.books import Books
from erpsim.seeds.catalogue import SeedItem, bin_rows, group_rows, item_row, make_items, warehouse_rows
from erpsim.seeds.layouts import layout_rows
from erpsim.seeds.partners import make_partners
from erpsim.seeds.people import people_rows
from erpsim.seeds.receipts import add_receipts
from erpsim.seeds.scale import SCALES
from erpsim.seeds.seed_rows import SeedRows
from erpsim.seeds.settings import ACCOUNTS, FIRST_NUMBER, SERIES_OBJECTS, primary_series, settings_rows
from erpsim.seeds.story import Story
from erpsim.seeds.tracking import detail_rows, quantity_rows
from erpsim.stored_queries.rights import RIGHTS

HIDDEN_KEYS = {
    "$Series": ("Series",),
    "$Rates": ("Currency", "Date"),
    "$Counters": ("name",),
    RIGHTS: ("user", "code"),
    REPORT_LAYOUTS: ("LayoutCode",),
    BATCHES: ("ItemCode", "SystemNumber", "WarehouseCode"),
    SERIALS: ("ItemCode", "SystemNumber", "WarehouseCode"),
    CONFIGURATION: ("Code",),
}
"""Keys of the hidden tables; the key of settings is 1."""

_FROZEN_EVERY = 500
_PAYMENTS = ("IncomingPayments", "VendorPayments")
# Settings whose balances and numbers come from the story.
_FROM_STORY = frozenset({"ChartOfAccounts", "$Series", "$Counters"})
USER_FIELD_VALUES = {"U_CANAL": ("WEB", "TEL", "SALA")}
"""Valid values of the user fields that have some."""


def load_seed(name: str, facts: Facts) -> Callable[[str], dict[Key, Fields]]:
    """Return a function that returns the rows of an entity set of a seed.

    Args:
        name: as in `SCALES`.
        facts: the metadata: keys of the sets, members of enumerations.

    Raises:
        ValueError: no such seed.
    """
    if name not in SCALES:
        msg = f"no seed {name!r}; there are {', '.join(SCALES)}"
        raise ValueError(msg)
    chapters = _chapters(name)

    def load(set_name: str) -> dict[Key, Fields]:
        # Rows are never changed in place, so all companies of a process share them.
        key = HIDDEN_KEYS.get(set_name, ("key",))
        if set_name in facts.entity_sets:
            key = facts.entity_sets[set_name].type.key
        return {tuple(_part(row[part]) for part in key): row for row in chapters.rows(set_name, facts)}

    return load


def _part(value: Value) -> str | int:
    return value if isinstance(value, str | int) else ""


@functools.cache
def _chapters(name: str) -> _Chapters:
    return _Chapters(name)


class _Chapters:
    """Settings whose balances and numbers come from the simulated trade."""

    def __init__(self, name: str) -> None:
        self._scale = SCALES[name]
        self._rows: dict[str, list[Fields]] = {}

    @functools.cached_property
    def _items(self) -> tuple[SeedItem, ...]:
        return make_items(self._scale)

    @functools.cached_property
    def _partners(self) -> list[Fields]:
        return make_partners(self._scale)

    @functools.cached_property
    def _books(self) -> Books:
        books = Story(self._scale, self._items, self._partners).books
        add_receipts(books, self._scale, self._partners, self._plain["$Rates"])
        return books

    @functools.cached_property
    def _plain(self) -> dict[str, list[Fields]]:
        return {
            **settings_rows(self._scale),
            **people_rows(),
            "Warehouses": warehouse_rows(self._scale),
            "BinLocations": bin_rows(self._scale),
            "ItemGroups": group_rows(),
            REPORT_LAYOUTS: layout_rows(),
        }

    @property
    def _returns_goods(self) -> bool:
        return self._scale.receipt_items > 0

    @functools.cached_property
    def _configured(self) -> dict[str, list[Fields]]:
        return {"UserTablesMD": table_rows(), CONFIGURATION: [FIRST_ROW]} if self._returns_goods else {}

    def rows(self, set_name: str, facts: Facts) -> list[Fields]:
        """Return the rows of an entity set."""
        if set_name == "UserFieldsMD":
            # The only set that depends on your own metadata.
            return _user_fields(facts) + (field_rows() if self._returns_goods else [])
        cached = self._rows.get(set_name)
        if cached is None:
            cached = self._rows[set_name] = self._make(set_name, facts)
        return cached

    def _make(self, set_name: str, facts: Facts) -> list[Fields]:
        # Simulate the trade on first use: settings do not need it.
        if set_name in self._configured:
            return self._configured[set_name]
        if set_name in self._plain and set_name not in _FROM_STORY:
            return self._plain[set_name]
        if set_name in KINDS:
            return SeedRows(self._books, facts).documents(set_name)
        if set_name in _PAYMENTS:
            return SeedRows(self._books, facts).payments(set_name)
        makers: dict[str, Callable[[], list[Fields]]] = {
            "JournalEntries": lambda: SeedRows(self._books, facts).journal_entries(),
            "StockTransfers": lambda: SeedRows(self._books, facts).transfers(),
            "Items": lambda: self._item_rows(SeedRows(self._books, facts)),
            "BusinessPartners": self._partner_rows,
            "ChartOfAccounts": self._account_rows,
            "$Series": self._series_rows,
            "$Counters": lambda: [{"name": "contacts", "next": len(self._partners) + 1}],
            "BatchNumberDetails": lambda: detail_rows(self._books, "batch"),
            "SerialNumberDetails": lambda: detail_rows(self._books, "serial"),
            BATCHES: lambda: quantity_rows(self._books, "batch"),
            SERIALS: lambda: quantity_rows(self._books, "serial"),
        }
        return makers[set_name]() if set_name in makers else []

    def _item_rows(self, seed_rows: SeedRows) -> list[Fields]:
        quantities = seed_rows.quantities()
        if self._scale.everywhere:
            nothing = dict.fromkeys(range(self._scale.warehouses), (0, 0, 0))
            quantities = {number: {**nothing, **places} for number, places in quantities.items()}
        return [
            item_row(number, item, quantities[number], min(_FROZEN_EVERY, len(self._items) or 1))
            if self._scale.receipt_items
            else item_row(number, item, quantities[number])
            for number, item in enumerate(self._items)
        ]

    def _partner_rows(self) -> list[Fields]:
        balances = self._books.balances
        return [
            {**row, "CurrentAccountBalance": normal(balances.get(str(row["CardCode"]), 0))}
            for row in self._partners
        ]

    def _account_rows(self) -> list[Fields]:
        roles = {code: role for role, (code, _) in ACCOUNTS.items()}
        return [
            {**row, "Balance": normal(self._books.account_balances.get(roles[str(row["Code"])], 0))}
            for row in self._plain["ChartOfAccounts"]
        ]

    def _series_rows(self) -> list[Fields]:
        books = self._books
        used = {kind.code: len(books.papers[name]) for name, kind in KINDS.items()}
        used |= {24: len(books.payments["IncomingPayments"]), 46: len(books.payments["VendorPayments"])}
        used |= {30: len(books.postings), 67: len(books.transfers)}
        following = {primary_series(code): FIRST_NUMBER + used.get(code, 0) for code in SERIES_OBJECTS}
        return [
            {**row, "NextNumber": following.get(int(str(row["Series"])), row["NextNumber"])}
            for row in self._plain["$Series"]
        ]


def _user_fields(facts: Facts) -> list[Fields]:
    """Return the definitions of all user fields, once for each table that has them (SAP manual 1.22)."""
    rows: list[Fields] = []
    counts: dict[str, int] = {}
    for owner_type in facts.types.values():
        for prop in owner_type.properties.values():
            for table in tables_of(owner_type) if prop.user_field else ():
                number = counts[table] = counts.get(table, -1) + 1
                values: list[Value] = [
                    {"Value": value, "Description": value} for value in USER_FIELD_VALUES.get(prop.name, ())
                ]
                rows.append(
                    {
                        "TableName": table,
                        "FieldID": number,
                        "Name": prop.name.removeprefix("U_"),
                        "Description": prop.name.removeprefix("U_").replace("_", " ").capitalize(),
                        "Type": "db_Alpha",
                        "SubType": "st_None",
                        "Size": 254,
                        "EditSize": 254,
                        "ValidValuesMD": values,
                    }
                )
    return rows
