"""References in write bodies: the records of other resources that a body names.

The ERP copies data of a named record into the written one: an order's line that names a quotation gets its
item, quantity and price. So the caller needs the right to read the named record. The body alone decides; the
ERP gets no call.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from erp_gateway.records.proxy.body.links import LINKS, Link, is_exempt, reference_names
from erp_gateway.records.proxy.body.names import values_by_name
from erp_gateway.records.proxy.declarations.object_types import (
    ENTITY_SETS,
    MASTER_DATA,
    NO_TYPE,
    read_object_type,
    read_whole,
)
from erp_gateway.records.proxy.declarations.resource import Resource

_NO_LINE: Final = -1
"""The ERP's number for "no line". Its first line is 0."""


@frozen
class References:
    """What a body names.

    Attributes:
        resources: the entity sets, registered or not.
        is_unreadable: whether the type of one can't be read.
    """

    resources: frozenset[str] = frozenset()
    is_unreadable: bool = False


def references_in(
    body: Mapping[str, Any],
    resource: Resource | None,
    *,
    key: str = "",
    object_types: Mapping[int, str] = ENTITY_SETS,
) -> References:
    """Return what a body names.

    Args:
        body: the parsed body of a write.
        resource: what is written; None for a service action, whose parameters hold keys of what it reads.
        key: of the record; empty where it is new. Rows may repeat it.
        object_types: entity set by object type.
    """
    search = _Search(resource, key, object_types)
    found = frozenset(search.objects(body, ""))
    return References(frozenset(name for name in found if name is not None), None in found)


@frozen
class _Search:
    """One search; its methods yield entity sets, and None where a type can't be read."""

    resource: Resource | None
    key: str
    object_types: Mapping[int, str]

    def objects(self, value: object, within: str) -> Iterator[str | None]:
        """Search a value and all that is inside; `within` is the folded name of its property."""
        if isinstance(value, list):
            for item in value:
                yield from self.objects(item, within)
        elif isinstance(value, Mapping):
            sent = values_by_name(value)
            yield from self._properties(sent, within)
            for name, items in sent.items():
                for inner in items:
                    if isinstance(inner, list | Mapping):
                        yield from self.objects(inner, name)

    def _properties(self, sent: Mapping[str, list[object]], within: str) -> Iterator[str | None]:
        resource = "" if self.resource is None else self.resource.name
        declared: set[str] = set()
        links = dict.fromkeys(link for name in sent for link in _LINKS_BY_NAME.get(name, ()))
        for link in links:
            if link.applies(resource, within):
                declared.update(link.keys)
                yield from self._link(link, sent)
        if self.resource is not None:
            for name in reference_names(sent.keys() - declared):
                if any(self._names_another(self.resource, name, item, within) for item in sent[name]):
                    yield None

    def _link(self, link: Link, sent: Mapping[str, list[object]]) -> Iterator[str | None]:
        has_key = any(_is_key(item) for name in link.keys for item in sent.get(name, ()))
        if not link.types:
            if has_key:
                yield from link.targets(None if self.resource is None else self.resource.partner)
            return
        types = [item for name in link.types for item in sent.get(name, ())]
        named = [item for item in types if not _is_no_type(item)]
        for item in named:
            number = read_object_type(item)
            # A type alone counts, too: with the key that the record has it names another one.
            if has_key or number != 0:
                yield from self._object_type(number)
        says_none = types and (not link.keeps_types or all(name in sent for name in link.types))
        if not named and not says_none and (has_key or _names_line_alone(link, sent)):
            yield None

    def _object_type(self, number: int | None) -> Iterator[str | None]:
        if number not in MASTER_DATA:
            yield None if number is None else self.object_types.get(number)

    def _names_another(self, resource: Resource, name: str, item: object, within: str) -> bool:
        if not _is_key(item):
            return False
        repeats_key = name == "docentry" and bool(self.key) and str(read_whole(item)) == self.key
        return not repeats_key and not is_exempt(name, within, resource)


_LINKS_BY_NAME: Final[Mapping[str, tuple[Link, ...]]] = {
    name: tuple(link for link in LINKS if name in (*link.keys, *link.types, *link.lines))
    for name in {name for link in LINKS for name in (*link.keys, *link.types, *link.lines)}
}


def _names_line_alone(link: Link, sent: Mapping[str, list[object]]) -> bool:
    """Return whether an object has a line's number without a key: the stored record may have the key.

    Another line of the same record may hold what the first one did not show.
    """
    lines = [item for name in link.lines for item in sent.get(name, ())]
    has_line = any(item not in (None, "") and read_whole(item) != _NO_LINE for item in lines)
    return has_line and not any(name in sent for name in link.keys)


def _is_key(value: object) -> bool:
    """Return whether a value can be a record's key. The ERP writes -1 or 0 for no record."""
    return value not in (None, "") and read_whole(value) not in (NO_TYPE, 0)


def _is_no_type(value: object) -> bool:
    return value is None or value == "" or read_object_type(value) == NO_TYPE
