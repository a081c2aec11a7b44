"""Executes reads: lists, counts, single entities and properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, not_found, unknown_filter_property, unknown_property
from erpsim.company.exchange import Caller, Dialect, Entity, Fields, Key, ListResult, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.projection import WRITE_ONLY, aliases, stored_name
from erpsim.company.rows.keys import key_of, key_text
from erpsim.company.rows.row_types import RowType
from erpsim.company.rows.tags import FIRST_TAG, VERSION, tag_of, version_of
from erpsim.company.switches import Switches
from erpsim.facts.model import EntitySetFacts, NavigationFacts
from erpsim.query.evaluation import compile_filter, sort_rows
from erpsim.query.filters import AllOf, Comparison, Condition, parse_filter
from erpsim.query.options import QueryOptions
from erpsim.query.ordering import Order, parse_order
from erpsim.query.selection import Selection, parse_selection

_LETTERS = {"tYES": "Y", "tNO": "N"}


def list_rows(company: Company, set_name: str, options: QueryOptions, caller: Caller) -> ListResult:
    """Return a page of a list.

    A page is the smaller of `$top` and the page size; skip comes first. The next page is `$skip` arithmetic
    and no cursor (SAP manual 1.22, paging).
    """
    row_type = company.row_type(set_name)
    condition = parse_filter(options.filter, row_type.type.name) if options.filter is not None else None
    switches = company.switches
    if switches.has(OtherHabit.NO_SUBSTRINGOF) and "substringof(" in (options.filter or ""):
        raise unknown_filter_property("substringof")
    aliases_by_name = aliases(row_type.type.name, caller.dialect)
    selection = parse_selection(options.select, options.expand, row_type.type, aliases_by_name)
    total, matches = _search(company, set_name, condition, options, caller)
    requested_page_size = None if switches.has(OtherHabit.PAGE_HEADER_IGNORED) else options.page_size
    size = switches.page_size if requested_page_size is None else requested_page_size
    skip = 0 if switches.has(OtherHabit.SKIP_IGNORED) else options.skip or 0
    top = options.top
    limits = [limit for limit in (top, size or None) if limit is not None]
    page_end = skip + min(limits) if limits else None
    page = list(islice(matches, skip, page_end))
    more = next(matches, None) is not None if page_end is not None else False
    if top is not None and len(page) >= top:
        more = False
    if not page and switches.has(OtherHabit.EMPTY_LISTS_ARE_404):
        raise not_found()
    entities = [_entity(company, set_name, row, selection, caller.dialect) for row in page]
    header_etag = None
    in_header = not switches.has(OtherHabit.KEY_FILTER_TAGS_ROW)
    if in_header and len(entities) == 1 and _is_key_filter(condition, company.entity_set(set_name)):
        # One row by a filter on the key alone: its tag comes in the header only (seen live).
        header_etag = entities[0].etag
        entities = [Entity(fields=entities[0].fields, key=entities[0].key)]
    total = len(page) if switches.has(OtherHabit.COUNT_OF_PAGE) else total
    return ListResult(
        rows=entities,
        count=total if options.inline_count else None,
        next_skip=_next_skip(skip + len(page) if page_end is None else page_end, switches, more=more),
        next_top=top - len(page) if more and top is not None else None,
        header_etag=header_etag,
        page_size=size,
    )


def _next_skip(page_end: int, switches: Switches, *, more: bool) -> int | None:
    if switches.has(OtherHabit.NEXT_LINK_ALWAYS):
        return page_end
    return page_end if more and not switches.has(OtherHabit.NO_NEXT_LINK) else None


def count_rows(company: Company, set_name: str, options: QueryOptions, caller: Caller) -> int:
    """Answer `/$count`, which only honours `$filter`."""
    row_type = company.row_type(set_name)
    condition = parse_filter(options.filter, row_type.type.name) if options.filter is not None else None
    counting = QueryOptions(filter=options.filter, inline_count=True)
    total, _ = _search(company, set_name, condition, counting, caller)
    return total


def _search(
    company: Company, set_name: str, condition: Condition | None, options: QueryOptions, caller: Caller
) -> tuple[int, Iterator[Fields]]:
    """Return the number of matches (0 unless requested) and the matches in order."""
    row_type = company.row_type(set_name)
    table = company.database.table(set_name)
    fold = caller.case_insensitive and not company.switches.has(OtherHabit.CASE_HEADER_IGNORED)
    aliases_by_name = aliases(row_type.type.name, caller.dialect)
    order = parse_order(options.orderby) if options.orderby else ()
    if condition is None and not order:
        return len(table), iter(table)
    matches: Iterator[Fields] = iter(table)
    if condition is not None:
        test = compile_filter(
            condition, row_type, case_insensitive=fold, hidden=WRITE_ONLY, aliases=aliases_by_name
        )
        matches = (row for row in table if test(row))
    if not options.inline_count and not order:
        return 0, matches
    rows = list(matches)
    if company.switches.has(OtherHabit.DESCENDING_IGNORED):
        order = tuple(Order(each.name) for each in order)
    if order:
        sort_rows(rows, order, row_type, case_insensitive=fold, hidden=WRITE_ONLY, aliases=aliases_by_name)
    return len(rows), iter(rows)


def _is_key_filter(condition: Condition | None, entity_set: EntitySetFacts) -> bool:
    terms = condition.terms if isinstance(condition, AllOf) else (condition,)
    names = {term.name for term in terms if isinstance(term, Comparison) and term.operator == "eq"}
    return len(names) == len(terms) and names == set(entity_set.type.key)


def read_one(company: Company, set_name: str, key: Key, options: QueryOptions, caller: Caller) -> Entity:
    """Read an entity by key. Its tag is also in the header, unless something was selected or expanded (seen
    live).
    """
    entity_type = company.row_type(set_name).type
    aliases_by_name = aliases(entity_type.name, caller.dialect)
    selection = parse_selection(options.select, options.expand, entity_type, aliases_by_name)
    row = company.get(set_name, key)
    entity = _entity(company, set_name, row, selection, caller.dialect)
    plain = options.select is None and options.expand is None
    plain = plain and not company.switches.has(OtherHabit.HEADER_TAGS_MISSING)
    return Entity(
        fields=entity.fields, key=entity.key, etag=entity.etag, header_etag=entity.etag if plain else None
    )


def read_whole(company: Company, set_name: str, key: Key, dialect: Dialect) -> Entity:
    """Return an entity with all its properties and its tag in both places, as a create does."""
    return read_one(company, set_name, key, QueryOptions(), Caller(user="", dialect=dialect))


def read_property(company: Company, set_name: str, key: Key, name: str, caller: Caller) -> Value:
    """Execute `GET Set(key)/Property`: null for a missing entity, with 200 (SAP manual 1.22, 3.11)."""
    row_type = company.row_type(set_name)
    stored = stored_name(name, row_type.type.name)
    if stored in row_type.type.navigation:
        raise NotSimulatedError(f"the navigation path {set_name}(...)/{name}")
    if stored not in row_type.type.properties:
        raise unknown_property(name, row_type.type.name)
    row = company.database.get(set_name, key)
    return None if row is None else company.projection.one(row, row_type, stored, caller.dialect)


def _entity(company: Company, set_name: str, row: Fields, selection: Selection, dialect: Dialect) -> Entity:
    entity_set = company.entity_set(set_name)
    fields = _shown(company, company.row_type(set_name), row, selection, dialect)
    etag = None
    if company.tagged(set_name):
        # With $select, the tag is only correct if DataVersion is selected too; otherwise it is that of
        # version 1 (seen live).
        blind = selection.names is not None and VERSION not in selection.names
        if company.switches.has(OtherHabit.EVERY_SELECTION_SPOILS_TAGS):
            blind = selection.names is not None
        if company.switches.has(OtherHabit.NO_SELECTION_SPOILS_TAGS):
            blind = False
        etag = FIRST_TAG if blind else tag_of(version_of(row))
    return Entity(fields=fields, key=key_text(entity_set, key_of(entity_set, row)), etag=etag)


def _shown(
    company: Company, row_type: RowType, row: Fields, selection: Selection, dialect: Dialect
) -> Fields:
    if selection.names is None or company.switches.has(OtherHabit.SELECTION_IGNORED):
        fields = company.projection.whole(row, row_type, dialect)
    else:
        fields = company.projection.selected(row, row_type, selection.names, dialect)
    for name, nested in selection.expand.items():
        fields[name] = _expanded(company, row_type.type.navigation[name], row_type, row, nested, dialect)
    if company.switches.has(OtherHabit.YES_AND_NO_IN_LETTERS):
        fields = {
            name: _LETTERS.get(value, value) if isinstance(value, str) else value
            for name, value in fields.items()
        }
    return fields


def _expanded(
    company: Company,
    navigation: NavigationFacts,
    row_type: RowType,
    row: Mapping[str, Value],
    selection: Selection,
    dialect: Dialect,
) -> Value:
    target = company.facts.entity_sets.get(navigation.target_set)
    if target is None:
        raise NotSimulatedError(f"the entity set {navigation.target_set} behind $expand={navigation.name}")
    target_type = company.row_type(target.name)
    unknown = [name for name in selection.names or () if name not in target_type.type.properties]
    if unknown:
        raise unknown_property(unknown[0], target_type.type.name)
    join_values = {theirs: row.get(own, row_type.defaults.get(own)) for own, theirs in navigation.join}
    related = [
        _shown(company, target_type, other, selection, dialect)
        for other in _related(company, target, join_values)
    ]
    if navigation.many:
        return list(related)
    return related[0] if related else None


def _related(company: Company, target: EntitySetFacts, join_values: Mapping[str, Value]) -> Iterator[Fields]:
    if not join_values or any(value is None for value in join_values.values()):
        return
    if tuple(join_values) == target.type.key:
        row = company.database.get(
            target.name, tuple(v for v in join_values.values() if isinstance(v, str | int))
        )
        if row is not None:
            yield row
        return
    for row in company.rows(target.name):
        if all(row.get(name) == value for name, value in join_values.items()):
            yield row
