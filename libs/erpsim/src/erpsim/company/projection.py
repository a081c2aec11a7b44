"""Turns stored rows into response values: all properties of the type, dates in the company's form, names of
v2.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from erpsim.company.exchange import Dialect, Fields, Value
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.company.switches import DateFormat

WRITE_ONLY = frozenset({"UserPassword"})
"""Properties that responses show as null, such as a user's password (the database has only its hash)."""


def property_name(name: str, type_name: str, dialect: Dialect) -> str:
    """Return a property's name in this generation's JSON.

    v2 renames a property that is called like its type: `BatchNumberProperty` (v2 metadata of version 10.0).
    """
    return f"{name}Property" if dialect is Dialect.V2 and name == type_name else name


def aliases(type_name: str, dialect: Dialect) -> Mapping[str, str]:
    """Map the names that queries of this generation may also use to the stored names."""
    return {f"{type_name}Property": type_name} if dialect is Dialect.V2 else {}


def stored_name(name: str, type_name: str) -> str:
    """Return the stored name of a property in either generation's spelling."""
    return type_name if name == f"{type_name}Property" else name


@attrs.frozen(eq=False)
class _Plan:
    """Precomputed projection of one type in one generation."""

    template: Mapping[str, Value]
    dates: tuple[str, ...]
    complex: Mapping[str, _Plan]
    collections: Mapping[str, _Plan]
    renamed: str | None


class Projection:
    """Projects rows of all types of one metadata.

    Args:
        row_types: of the metadata.
        date_format: format of dates.
    """

    def __init__(self, row_types: RowTypes, date_format: DateFormat) -> None:
        self._row_types = row_types
        # Old builds send `2014-04-01`, current ones `2026-02-19T00:00:00Z`, in v1 too (manual and a live
        # capture).
        self._suffix = "" if date_format is DateFormat.PLAIN else "T00:00:00Z"
        self._plans: dict[tuple[str, Dialect], _Plan] = {}

    def whole(self, row: Mapping[str, Value], row_type: RowType, dialect: Dialect) -> Fields:
        """Show all properties."""
        return self._show(row, self._plan(row_type, dialect))

    def selected(
        self, row: Mapping[str, Value], row_type: RowType, names: tuple[str, ...], dialect: Dialect
    ) -> Fields:
        """Show these properties."""
        plan = self._plan(row_type, dialect)
        fields: Fields = {}
        for name in names:
            value = self._value(row, name, plan)
            fields[property_name(name, row_type.type.name, dialect)] = value
        return fields

    def one(self, row: Mapping[str, Value], row_type: RowType, name: str, dialect: Dialect) -> Value:
        """Show one property."""
        return self._value(row, name, self._plan(row_type, dialect))

    def _value(self, row: Mapping[str, Value], name: str, plan: _Plan) -> Value:
        if name in plan.collections:
            return self._rows(row.get(name), plan.collections[name])
        if name in plan.complex:
            return self._complex(row.get(name), plan.complex[name])
        value = None if name in WRITE_ONLY else row.get(name, plan.template[name])
        return (
            f"{value}{self._suffix}" if self._suffix and value is not None and name in plan.dates else value
        )

    def _show(self, row: Mapping[str, Value], plan: _Plan) -> Fields:
        fields = {**plan.template}
        for name, value in row.items():
            if name in fields and name not in WRITE_ONLY:
                fields[name] = value
        if self._suffix:
            for name in plan.dates:
                value = fields[name]
                if value is not None:
                    fields[name] = f"{value}{self._suffix}"
        for name, nested in plan.complex.items():
            fields[name] = self._complex(row.get(name), nested)
        for name, nested in plan.collections.items():
            fields[name] = self._rows(row.get(name), nested)
        if plan.renamed is not None:
            return {
                f"{name}Property" if name == plan.renamed else name: value for name, value in fields.items()
            }
        return fields

    def _complex(self, value: Value, plan: _Plan) -> Value:
        return self._show(value if isinstance(value, dict) else {}, plan)

    def _rows(self, value: Value, plan: _Plan) -> Value:
        if not isinstance(value, list):
            return []
        return [self._show(row, plan) for row in value if isinstance(row, dict)]

    def _plan(self, row_type: RowType, dialect: Dialect) -> _Plan:
        key = (row_type.type.name, dialect)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._make_plan(row_type, dialect)
        return plan

    def _make_plan(self, row_type: RowType, dialect: Dialect) -> _Plan:
        template: dict[str, Value] = {}
        for name in row_type.type.properties:
            template[name] = row_type.defaults.get(name)
        own_name = row_type.type.name
        return _Plan(
            template,
            row_type.dates,
            {name: self._plan(nested, dialect) for name, nested in row_type.complex.items()},
            {name: self._plan(nested, dialect) for name, nested in row_type.collections.items()},
            own_name if dialect is Dialect.V2 and own_name in template else None,
        )
