"""Spanish names of the ERP's fields and values."""

from collections.abc import Iterator

from erp_gateway.records.fields.titles import COLLECTIONS, TITLES, WORDS
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpsim.facts import TypeFacts, load_packaged_facts

FACTS = load_packaged_facts()
SHIPPED = [
    (FACTS.entity_sets[each.name].type, {column.name: column for column in each.columns})
    for each in DEFAULT_RESOURCES
]


def types_of(entity: TypeFacts) -> Iterator[TypeFacts]:
    """Yield a resource's type and the types of its collections."""
    yield entity
    for each in entity.properties.values():
        if each.collection and each.type_name in FACTS.types:
            yield FACTS.types[each.type_name]


def test_every_value_of_a_field_with_a_title_has_a_word() -> None:
    missing = {
        (name, value)
        for entity, columns in SHIPPED
        for shown in types_of(entity)
        for name, each in shown.properties.items()
        if name in TITLES
        and each.type_name in FACTS.enums
        and not (name in columns and columns[name].choices)
        for value in FACTS.enums[each.type_name].members
        if value not in WORDS
    }
    assert missing == set()


def test_titles_are_of_properties_that_the_erp_has() -> None:
    names = {name for entity, _ in SHIPPED for each in types_of(entity) for name in each.properties}
    names |= {name for each in FACTS.types.values() for name in each.properties}
    assert set(TITLES) - names == set()
    assert set(COLLECTIONS) - names == {"DocumentReferences"}  # from 10.0 FP 2011 on; the facts are older


def test_a_warehouse_is_always_called_bodega() -> None:
    titles = [*TITLES.values(), *COLLECTIONS.values(), *WORDS.values()]
    titles += [column.title for each in DEFAULT_RESOURCES for column in each.columns]
    titles += [text for each in DEFAULT_RESOURCES for text in (each.title, each.singular) if text]
    assert [text for text in titles if "almac" in text.casefold()] == []
