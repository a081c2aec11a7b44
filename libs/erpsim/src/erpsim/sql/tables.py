"""Tables derived from entities: their columns, and the rows of one entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs
from typing_extensions import override

from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.facts.model import PropertyFacts
from erpsim.sql.columns import SqlColumn, SqlValue, column_for, converter
from erpsim.sql.mapping import TableSource, table_sources

_Convert = Callable[[Value], SqlValue]


@attrs.frozen
class _Cell:
    """Place and form of a property in a row."""

    index: int
    convert: _Convert


@attrs.frozen(eq=False)
class SqlTable:
    """One table.

    Args:
        name: `PDN1`.
        columns: in order.
        source: source of its rows.
        owner: names of the columns with the key of a row's entity.
    """

    name: str
    columns: tuple[SqlColumn, ...]
    source: TableSource
    owner: tuple[str, ...]
    _template: tuple[SqlValue, ...]
    _cells: Mapping[str, _Cell]
    _inherited: Mapping[str, _Cell]

    @property
    def defaults(self) -> tuple[SqlValue, ...]:
        """Default values of the columns in order."""
        return self._template

    def used(self, entities: Iterable[Fields]) -> list[int]:
        """Return the indexes of columns in which rows of these entities may differ from the defaults."""
        names: set[str] = set()
        for entity in entities:
            for row in _nested(entity, self.source.path):
                names.update(row)
        places = {cell.index for name, cell in self._cells.items() if name in names}
        places |= {cell.index for cell in self._inherited.values()}
        if self.source.number is not None:
            places.add(len(self.columns) - 1)
        return sorted(places)

    def rows(self, entity: Fields) -> Iterator[list[SqlValue]]:
        """Yield the rows of an entity, with values in the order of the columns."""
        if not self.source.path:
            yield self._row(entity, self._template)
            return
        template = list(self._template)
        for name, cell in self._inherited.items():
            template[cell.index] = cell.convert(entity.get(name))
        last = len(template) - 1
        for number, row in enumerate(_nested(entity, self.source.path)):
            values = self._row(row, template)
            if self.source.number is not None:
                values[last] = number
            yield values

    def _row(self, row: Fields, template: tuple[SqlValue, ...] | list[SqlValue]) -> list[SqlValue]:
        values = list(template)
        cells = self._cells
        for name, value in row.items():
            cell = cells.get(name)
            if cell is not None:
                values[cell.index] = cell.convert(value)
        return values


class CompanyTables(Mapping[str, SqlTable]):
    """All current tables of a company by name, created on first use.

    The database has a new user field at once, even if the Service Layer shows it later.

    Args:
        company: the company.
    """

    def __init__(self, company: Company) -> None:
        facts = company.database_facts
        self._row_types = RowTypes(facts)
        self._sources = {source.table: source for source in table_sources(facts)}
        self._created: dict[str, SqlTable] = {}

    @override
    def __getitem__(self, name: str) -> SqlTable:
        """Return a table.

        Raises:
            KeyError: there is no such table.
        """
        if name not in self._created:
            self._created[name] = _table(self._sources[name], self._row_types)
        return self._created[name]

    @override
    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._sources)

    @override
    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._sources)


def _nested(entity: Fields, path: tuple[str, ...]) -> list[Fields]:
    rows = [entity]
    for name in path:
        rows = [nested for row in rows for nested in rows_of(row, name)]
    return rows


def _row_type(source: TableSource, row_types: RowTypes) -> RowType | None:
    if source.type_name is not None:
        row_type = row_types.of(source.type_name)
    elif source.set_name in row_types.facts.entity_sets:
        row_type = row_types.of_set(source.set_name)
    else:
        return None
    return row_type


class _Builder:
    """Collects the columns of one table. The first property that claims a column gets it."""

    def __init__(self, source: TableSource) -> None:
        self._source = source
        self._positions: dict[str, int] = {}
        self.columns: list[SqlColumn] = []
        self.template: list[SqlValue] = []
        self.cells: dict[str, _Cell] = {}
        self.inherited: dict[str, _Cell] = {}

    def add_property(self, prop: PropertyFacts, row_type: RowType) -> None:
        column, enum_facts = prop.column, row_type.enums.get(prop.name)
        if column is None or not self._source.shows(column):
            return
        if self._source.preferred.get(column, prop.name) != prop.name:
            return
        new_column = column_for(column, prop.type_name, enum_facts)
        convert = converter(new_column, prop.type_name, enum_facts)
        self._add(new_column, prop.name, convert, convert(row_type.defaults.get(prop.name)), self.cells)

    def add_extra(self, column: str, name: str, type_name: str) -> None:
        new_column = column_for(column, type_name, None)
        self._add(new_column, name, converter(new_column, type_name, None), None, self.cells)

    def add_inherited(self, column: str, prop: PropertyFacts, row_type: RowType) -> None:
        enum_facts = row_type.enums.get(prop.name)
        new_column = column_for(column, prop.type_name, enum_facts)
        self._add(
            new_column, prop.name, converter(new_column, prop.type_name, enum_facts), None, self.inherited
        )

    def add_number(self, column: str) -> None:
        self._add(SqlColumn.integer(column), "", lambda _: None, 0, {})

    def _add(
        self, column: SqlColumn, name: str, convert: _Convert, default: SqlValue, cells: dict[str, _Cell]
    ) -> None:
        if column.name.upper() in self._positions:
            return
        index = self._positions[column.name.upper()] = len(self.columns)
        self.columns.append(column)
        self.template.append(default)
        cells[name] = _Cell(index, convert)


def _table(source: TableSource, row_types: RowTypes) -> SqlTable:
    builder = _Builder(source)
    whole = _row_type(source, row_types)
    owner: list[str] = []
    if whole is not None:
        owner = _owner(source, whole)
        row_type = whole
        for name in source.path:
            row_type = row_type.collections[name]
        for column, name in source.inherited.items():
            builder.add_inherited(column, whole.type.properties[name], whole)
        for prop in row_type.type.properties.values():
            if prop.primitive or prop.name in row_type.enums:
                builder.add_property(prop, row_type)
    for column, (name, type_name) in source.extra.items():
        builder.add_extra(column, name, type_name)
    if source.number is not None:
        builder.add_number(source.number)
    return SqlTable(
        source.table,
        tuple(builder.columns),
        source,
        tuple(owner),
        tuple(builder.template),
        builder.cells,
        builder.inherited,
    )


def _owner(source: TableSource, whole: RowType) -> list[str]:
    if source.path:
        by_property = {name: column for column, name in source.inherited.items()}
        return [by_property[name] for name in whole.type.key]
    return [whole.type.properties[name].column or name for name in whole.type.key]
