"""The titles and columns of the shipped resources, against the ERP's metadata as the simulator knows it."""

import pytest

from erp_gateway.records.proxy.declarations.meanings import MEASURES, with_meanings
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpsim.facts import load_packaged_facts

TYPES = {"Edm.String": "text", "Edm.Int32": "integer", "Edm.Double": "number", "Edm.DateTime": "date"}

resources = pytest.mark.parametrize("resource", DEFAULT_RESOURCES, ids=lambda resource: resource.name)


@resources
def test_every_shipped_resource_has_title_singular_and_columns(resource: Resource) -> None:
    assert resource.title
    assert resource.singular
    assert resource.columns


def test_titles_and_singulars_are_all_different() -> None:
    titles = [resource.title for resource in DEFAULT_RESOURCES]
    singulars = [resource.singular for resource in DEFAULT_RESOURCES]
    assert len({*titles, *singulars}) == 2 * len(DEFAULT_RESOURCES)


@resources
def test_every_column_is_a_property_of_that_type(resource: Resource) -> None:
    facts = load_packaged_facts()
    properties = facts.entity_sets[resource.name].type.properties
    for column in resource.columns:
        declared = properties[column.name].type_name
        assert TYPES.get(declared, "choice") == column.type, column
        if column.type == "choice":
            assert {choice.value for choice in column.choices} <= set(facts.enums[declared].members)


@resources
def test_the_key_is_among_the_columns(resource: Resource) -> None:
    key = {part.name for part in load_packaged_facts().entity_sets[resource.name].key}
    assert key <= {column.name for column in resource.columns}


def test_measured_fields_are_numbers_and_their_units_are_texts() -> None:
    types = load_packaged_facts().types.values()
    found = {(each.name, each.type_name) for known in types for each in known.properties.values()}
    for name, measure in MEASURES.items():
        assert (name, "Edm.Double") in found
        assert measure.by is None or (measure.by, "Edm.String") in found


@resources
def test_column_meanings_are_computed_once(resource: Resource) -> None:
    assert with_meanings(resource) is with_meanings(resource)
