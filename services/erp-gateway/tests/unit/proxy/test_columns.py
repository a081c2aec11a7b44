"""The titles and columns of the shipped resources, against the ERP's metadata as the simulator knows it."""

import pytest

from erp_gateway.proxy.columns import SHOWN, SINGULAR
from erp_gateway.proxy.resources import DEFAULT_RESOURCES
from erpsim.facts import load_packaged_facts

TYPES = {"Edm.String": "text", "Edm.Int32": "integer", "Edm.Double": "number", "Edm.DateTime": "date"}


def test_every_shipped_resource_has_a_title_and_columns_and_nothing_else_has() -> None:
    assert set(SHOWN) == {resource.name for resource in DEFAULT_RESOURCES}
    assert len({title for title, _ in SHOWN.values()}) == len(SHOWN)
    assert all(columns for _, columns in SHOWN.values())


def test_one_record_of_each_has_a_name_that_is_not_the_one_of_many() -> None:
    assert set(SINGULAR) == set(SHOWN)
    assert len(set(SINGULAR.values())) == len(SINGULAR)
    assert not set(SINGULAR.values()) & {title for title, _ in SHOWN.values()}


@pytest.mark.parametrize("name", SHOWN)
def test_every_column_is_a_property_of_that_type(name: str) -> None:
    facts = load_packaged_facts()
    properties = facts.entity_sets[name].type.properties
    for column in SHOWN[name][1]:
        declared = properties[column.name].type_name
        assert TYPES.get(declared, "choice") == column.type, column
        if column.type == "choice":
            assert {choice.value for choice in column.choices} <= set(facts.enums[declared].members)


@pytest.mark.parametrize("name", SHOWN)
def test_the_key_is_among_the_columns(name: str) -> None:
    key = {part.name for part in load_packaged_facts().entity_sets[name].key}
    assert key <= {column.name for column in SHOWN[name][1]}
