"""The Service Layer's ``$metadata`` document as values: entity sets, keys, properties. No I/O."""

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from attrs import field, frozen

from erpclient.errors import ErpReplyUnreadable

_DECLARATION: Final = b"<!DOCTYPE"
# Bytes parsed at a time, some milliseconds of work. Other threads can run in between.
_PIECE_BYTES: Final = 64 * 1024


@frozen
class EntityFacts:
    """Properties of an entity set's records.

    Attributes:
        type_name: of the entity, without its namespace.
        key: names of the properties that are the key, in order.
        properties: type by name, of the type and those that it is made from; a navigation property has the
            type ``""``.
    """

    type_name: str
    key: tuple[str, ...]
    properties: Mapping[str, str]


@frozen
class Metadata:
    """Facts of a Service Layer's metadata.

    Attributes:
        sets: entity facts by name of the entity set.
        enums: names of the values of each enumeration, in their order.
    """

    sets: Mapping[str, EntityFacts]
    enums: Mapping[str, tuple[str, ...]] = field(factory=dict)
    _types: Mapping[str, EntityFacts] = field(factory=dict, alias="types", repr=False, eq=False)

    def properties_of(self, type_name: str) -> Mapping[str, str]:
        """Return type by name of the properties of an entity or complex type; empty if the type is
        unknown.
        """
        return self._types[type_name].properties if type_name in self._types else {}

    @property
    def property_names(self) -> frozenset[str]:
        """The names of all properties of all types."""
        return frozenset().union(*(each.properties for each in self._types.values()))

    def names_within(self, type_name: str) -> frozenset[str]:
        """Return the names of a type's properties, and of those of all values inside, however deep."""
        names: set[str] = set()
        waiting, visited = [type_name], {type_name}
        while waiting:
            properties = self.properties_of(waiting.pop())
            names.update(properties)
            inner = {each.rpartition(".")[2].rstrip(")") for each in properties.values()} - visited
            visited |= inner
            waiting += inner
        return frozenset(names)


def read_metadata(document: bytes) -> Metadata:
    """Read the document of v1 or v2 (EDMX 1 or 4: the same elements in other namespaces).

    Raises:
        ErpReplyUnreadable: it is not a metadata document.
    """
    if _DECLARATION in document[:4096]:
        raise ErpReplyUnreadable("a document with declarations")
    try:
        root = _root(document)
    except (ET.ParseError, ValueError, LookupError):
        raise ErpReplyUnreadable("no XML") from None
    elements = {each.get("Name", ""): each for each in _elements(root, "EntityType", "ComplexType")}
    types = {name: _facts(name, elements) for name in elements}
    sets: dict[str, EntityFacts] = {}
    for each in _elements(root, "EntitySet"):
        name = each.get("EntityType", "").rpartition(".")[2]
        sets[each.get("Name", "")] = types.get(name) or EntityFacts(name, (), {})
    if not sets:
        raise ErpReplyUnreadable("no entity sets")
    enums = {
        each.get("Name", ""): tuple(member.get("Name", "") for member in _elements(each, "Member"))
        for each in _elements(root, "EnumType")
    }
    return Metadata(sets, enums, types)


def _root(document: bytes) -> ET.Element:
    parser = ET.XMLParser()  # noqa: S314 - a document with declarations is refused before
    for start in range(0, len(document), _PIECE_BYTES):
        parser.feed(document[start : start + _PIECE_BYTES])
    return parser.close()


def _facts(type_name: str, elements: Mapping[str, ET.Element]) -> EntityFacts:
    key: tuple[str, ...] = ()
    properties: dict[str, str] = {}
    visited: set[str] = set()
    name = type_name
    while name in elements and name not in visited:
        visited.add(name)
        element = elements[name]
        key = tuple(each.get("Name", "") for each in _elements(element, "PropertyRef")) or key
        for each in _elements(element, "Property"):
            properties.setdefault(each.get("Name", ""), each.get("Type", ""))
        for each in _elements(element, "NavigationProperty"):
            properties.setdefault(each.get("Name", ""), "")
        name = element.get("BaseType", "").rpartition(".")[2]
    return EntityFacts(type_name, key, properties)


def _elements(parent: ET.Element, *names: str) -> Iterator[ET.Element]:
    return (each for each in parent.iter() if each.tag.rpartition("}")[2] in names)
