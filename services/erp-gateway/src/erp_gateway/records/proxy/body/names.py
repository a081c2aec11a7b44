"""Names of the fields in a body: how they compare, and which of them the audit records."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from erp_gateway.values.audit_event import MAX_FIELDS, SentFields

_SHOWN_PATH: Final = 200
"""Longest path that is built. A megabyte can hold a hundred thousand names below a path of thousands of
characters; the audit keeps this much of a path."""

_ITEMS: Final = None
"""Key in a tree of names for the items of a list."""

_VALUE: Final = True
"""Key beside names where another line has a value instead of an object."""

Container = dict[str, Any] | list[Any]
Tree = dict[str | bool | None, "Tree | None"]
"""The names below each name; None below a plain value."""


class SentField(NamedTuple):
    """One field in a body: something that holds a value.

    Attributes:
        path: where it is (`DocumentLines[].ItemCode`), cut to length.
        name: its property; of the items of a list, the property that holds the list.
        depth: how many properties its path has.
        branch: the property of the body itself that it belongs to.
    """

    path: str
    name: str
    depth: int
    branch: str


_BODY: Final = SentField("", "", 0, "")


def fold_name(name: str) -> str:
    """Return the form in which property names are compared.

    Compatibility forms and case variants become plain letters (the long s becomes `s`, the Kelvin sign `k`).
    At worst this refuses a name that the ERP does not know anyway.
    """
    if name.isascii():
        return name.lower().strip()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()


def names_in(body: dict[str, Any]) -> Tree:
    """Return the tree of a body's names."""
    tree: Tree = {}
    _take(body, tree)
    return tree


def _take(value: Container, tree: Tree) -> None:
    items = value.items() if isinstance(value, dict) else ((_ITEMS, item) for item in value)
    for name, inner in items:
        below = tree.get(name)
        if not inner or not isinstance(inner, dict | list):
            if below is None:
                tree[name] = None
            else:
                below[_VALUE] = None
            continue
        if below is None:
            below = {_VALUE: None} if name in tree else {}
            tree[name] = below
        _take(inner, below)


def fields_in(tree: Tree, parent: SentField = _BODY) -> Iterator[SentField]:
    """Yield every field of a body once, in the order of the body."""
    for key, below in tree.items():
        here = _below(parent, key)
        if below is None:
            yield here
        else:
            yield from fields_in(below, here)


def properties_in(tree: Tree, parent: SentField = _BODY) -> Iterator[SentField]:
    """Yield every property of a body, also those that only hold others, in the order of the body."""
    for key, below in tree.items():
        here = _below(parent, key)
        if isinstance(key, str):
            yield here
        if below is not None:
            yield from properties_in(below, here)


class Property(NamedTuple):
    """One property name of a body.

    Attributes:
        path: where it occurs first.
        name: as the client wrote it.
        folded: the form in which names are compared.
    """

    path: str
    name: str
    folded: str


def distinct_properties(tree: Tree) -> list[Property]:
    """Return every property name of a body once, in the order of the body."""
    first: dict[str, SentField] = {}
    for each in properties_in(tree):
        first.setdefault(each.name, each)
    return [Property(each.path, each.name, fold_name(each.name)) for each in first.values()]


def values_by_name(value: Mapping[str, Any]) -> dict[str, list[object]]:
    """Return the values of an object by folded name: the same name in two spellings has several."""
    values: dict[str, list[object]] = {}
    for name, item in value.items():
        values.setdefault(fold_name(name), []).append(item)
    return values


def _below(parent: SentField, key: str | bool | None) -> SentField:
    if key is _VALUE:
        return parent
    if key is _ITEMS:
        return parent._replace(path=f"{parent.path}[]"[:_SHOWN_PATH])
    path = f"{parent.path}.{key}" if parent.path else str(key)
    return SentField(path[:_SHOWN_PATH], str(key), parent.depth + 1, parent.branch or str(key))


def choose_fields(tree: Tree) -> SentFields:
    """Choose the fields of a body to record: all of them, in their order, if they fit.

    If they don't, a client must not be able to hide one field behind many others. So the first ones are one
    of each property of the body itself; then those of names that do not occur yet; then the rest. Within each
    step, fields that lie less deep come first, and of these the short ones, of which more fit.
    """
    fields = list(fields_in(tree))
    sent = SentFields.of(each.path for each in fields[: MAX_FIELDS + 1])
    if not sent.omitted:
        return sent
    fields.sort(key=lambda each: (each.depth, len(each.path)))
    chosen: dict[str, SentField] = {}
    for trait in ("branch", "name", "path"):
        seen = {getattr(each, trait) for each in chosen.values()}
        for each in fields:
            if len(chosen) < MAX_FIELDS and getattr(each, trait) not in seen:
                seen.add(getattr(each, trait))
                chosen[each.path] = each
    return SentFields.of(chosen, omitted=len(fields) - len(chosen))
