"""Tables of docs/references.md: references in bodies, and the right that each one needs.

The properties come from the simulator's metadata, the rules from the gateway's declared references.
"""

from collections.abc import Iterable, Iterator

from erp_gateway.records.proxy.body.links import LINKS, Link
from erp_gateway.records.proxy.body.names import fold_name
from erp_gateway.records.proxy.declarations.object_types import ENTITY_SETS
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpsim.facts import TypeFacts, load_packaged_facts
from tools.docs.part import Part, table

_ADMINISTRATORS = "administrators"
_BY_NAME = {each.name: each for each in DEFAULT_RESOURCES}


def rows_of(resource: Resource) -> tuple[tuple[str, str], ...]:
    """Return the rows of a resource: a property, and the right that a reference in it needs."""
    entity_type = load_packaged_facts().entity_sets[resource.name].type
    rows = (
        (f"`{path}`", _right(link, resource))
        for path, within, name in _properties(entity_type)
        for link in LINKS
        if fold_name(name) in link.keys and link.applies(resource.name, fold_name(within))
    )
    return tuple(sorted(set(rows)))


def _properties(
    type_facts: TypeFacts, path: str = "", within: str = "", above: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, str]]:
    """Yield path, innermost property and name of every property of a record."""
    types = load_packaged_facts().types
    for each in type_facts.properties.values():
        inner = types.get(each.type_name)
        if inner is None:
            yield f"{path}{each.name}", within, each.name
        elif each.type_name not in above:
            brackets = "[]" if each.collection else ""
            yield from _properties(
                inner, f"{path}{each.name}{brackets}.", each.name, (*above, each.type_name)
            )


def _right(link: Link, resource: Resource) -> str:
    if link.types:
        return "by object type"
    return " and ".join(_read_right(name) for name in link.targets(resource.partner))


def _read_right(name: str) -> str:
    target = _BY_NAME.get(name)
    if target is None:
        return f"{_ADMINISTRATORS} (`{name}`)"
    return f"`{target.read_menu}` (`{name}`)"


def by_resource() -> str:
    """Return a table for each group of resources with the same references."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for resource in sorted(DEFAULT_RESOURCES, key=lambda each: each.name):
        if resource.writable:
            groups.setdefault(rows_of(resource), []).append(resource.name)
    return "\n\n".join(_group(names, rows) for rows, names in groups.items())


def _group(names: Iterable[str], rows: tuple[tuple[str, str], ...]) -> str:
    head = f"**{', '.join(f'`{name}`' for name in names)}**"
    if not rows:
        return f"{head}: none."
    return f"{head}\n\n{table(('Property', 'Right'), rows)}"


def by_object_type() -> str:
    """Return the table of object types."""
    rows = ((str(number), f"`{name}`", _type_right(name)) for number, name in sorted(ENTITY_SETS.items()))
    return table(("Number", "Entity set", "Right"), rows)


def _type_right(name: str) -> str:
    return f"`{_BY_NAME[name].read_menu}`" if name in _BY_NAME else _ADMINISTRATORS


PARTS = (
    Part("docs/references.md", by_resource, markers="references by resource"),
    Part("docs/references.md", by_object_type, markers="object types"),
)
