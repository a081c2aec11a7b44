"""Row types derived from the facts: defaults, dates, enums, nested types.

Rows are stored sparse; a row type completes them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import attrs

from erpsim.company.exchange import Value
from erpsim.company.rows.tags import VERSION
from erpsim.company.rows.values import ZERO, parse_integer, parse_number
from erpsim.facts.model import (
    EDM_DATE,
    EDM_DOUBLE,
    EDM_INT32,
    EDM_STRING,
    EnumFacts,
    Facts,
    PropertyFacts,
    TypeFacts,
)

_YES_NO = "BoYesNoEnum"
_PAID_AMOUNTS = ("PaidToDate", "PaidToDateFC")


@attrs.frozen(eq=False)
class RowType:
    """Properties of one type, grouped by the kind of their value.

    Args:
        type: the facts.
        defaults: value of each plain property missing in a row.
        dates: names of the date properties.
        enums: enumeration of each enum property.
        complex: row type of each single complex property.
        collections: row type of each collection.
    """

    type: TypeFacts
    defaults: Mapping[str, Value]
    dates: tuple[str, ...]
    enums: Mapping[str, EnumFacts]
    complex: Mapping[str, RowType]
    collections: Mapping[str, RowType]


class RowTypes:
    """Row types of one metadata, created on first use.

    Args:
        facts: the metadata.
        tagged: whether entities carry `DataVersion` (they don't before feature pack 2102).
        has_paid_amounts: whether documents show what of them is paid (the metadata of old builds doesn't).
    """

    def __init__(self, facts: Facts, *, tagged: bool = True, has_paid_amounts: bool = True) -> None:
        self.facts = facts
        self._missing = frozenset(
            {*(() if tagged else (VERSION,)), *(() if has_paid_amounts else _PAID_AMOUNTS)}
        )
        self._row_type = functools.cache(self._make)

    def of(self, type_name: str) -> RowType:
        """Return the row type of this type."""
        return self._row_type(type_name)

    def of_set(self, set_name: str) -> RowType:
        """Return the row type of this entity set's rows."""
        return self._row_type(self.facts.entity_sets[set_name].type.name)

    def _make(self, type_name: str) -> RowType:
        facts = self.facts
        type_facts = facts.types[type_name]
        missing = self._missing if type_facts.key else frozenset()  # rows of documents have paid amounts, too
        properties = [prop for prop in type_facts.properties.values() if prop.name not in missing]
        plain = [prop for prop in properties if prop.primitive or prop.type_name in facts.enums]
        nested = [prop for prop in properties if prop.type_name in facts.types]
        return RowType(
            attrs.evolve(type_facts, properties={prop.name: prop for prop in properties}),
            defaults={prop.name: _default(prop, facts) for prop in plain},
            dates=tuple(prop.name for prop in plain if prop.type_name == EDM_DATE),
            enums={prop.name: facts.enums[prop.type_name] for prop in plain if prop.type_name in facts.enums},
            complex={prop.name: self.of(prop.type_name) for prop in nested if not prop.collection},
            collections={prop.name: self.of(prop.type_name) for prop in nested if prop.collection},
        )


def _default(prop: PropertyFacts, facts: Facts) -> Value:
    """Return the database's value of a column that was never written."""
    # The metadata's own defaults come first. Numbers of the standard tables are 0 and flags `tNO`, as
    # captures of whole entities show. Others are null.
    if prop.name == VERSION:
        return 1
    enum = facts.enums.get(prop.type_name)
    if enum is not None:
        unset = "tNO" if prop.type_name == _YES_NO and not prop.user_field else None
        return unset if prop.default is None else enum.member(prop.default)
    if prop.type_name == EDM_INT32:
        return parse_integer(prop.default)
    if prop.type_name == EDM_DOUBLE:
        return None if prop.user_field else parse_number(prop.default) or ZERO
    return prop.default if prop.type_name == EDM_STRING and (prop.default or "").strip() else None
