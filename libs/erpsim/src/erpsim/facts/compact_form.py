"""Compact JSON form of facts, with one short text per property.

A property is `name|type|column|flags|default`; trailing empty parts are omitted. `type` is a letter for a
primitive (`s i d t h`) or a type's name, followed by `[]` for a collection. An empty column means the
property's name. `flags` are `r` read-only, `n` not nullable, `u` user field, `-` no column, `=` a default
follows. Lengths of texts come from `erpsim.facts.lengths`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from erpsim.facts.lengths import with_lengths
from erpsim.facts.model import (
    EDM_DATE,
    EDM_DOUBLE,
    EDM_INT32,
    EDM_STRING,
    EDM_TIME,
    EntitySetFacts,
    EnumFacts,
    Facts,
    FactsError,
    NavigationFacts,
    OperationFacts,
    PropertyFacts,
    TypeFacts,
)

_T = TypeVar("_T")

FORMAT = 1
_LETTERS = {EDM_STRING: "s", EDM_INT32: "i", EDM_DOUBLE: "d", EDM_DATE: "t", EDM_TIME: "h"}
_PRIMITIVES = {letter: name for name, letter in _LETTERS.items()}


def dump_facts(facts: Facts) -> bytes:
    """Return the compact JSON of these facts. Equal facts give equal bytes."""
    document = {
        "format": FORMAT,
        "enums": {
            enum.name: "|".join(f"{name}={value}" for name, value in enum.members.items())
            for enum in _by_name(facts.enums)
        },
        "types": {each.name: _dump_type(each) for each in _by_name(facts.types)},
        "sets": {each.name: [each.type.name, int(each.tagged)] for each in _by_name(facts.entity_sets)},
        "operations": {
            each.name: [each.returns, dict(each.parameters)] for each in _by_name(facts.operations)
        },
        "other": sorted(facts.other_sets),
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"), indent=0).encode() + b"\n"


def parse_facts(content: bytes) -> Facts:
    """Read the compact JSON form.

    Raises:
        FactsError: another format.
    """
    document = json.loads(content)
    if document.get("format") != FORMAT:
        raise FactsError(f"facts of format {document.get('format')!r}, expected {FORMAT}")
    enums = {name: EnumFacts(name, _parse_members(text)) for name, text in document["enums"].items()}
    types = {name: _parse_type(name, each) for name, each in document["types"].items()}
    return with_lengths(
        Facts(
            entity_sets={
                name: EntitySetFacts(name, types[type_name], bool(tagged))
                for name, (type_name, tagged) in document["sets"].items()
            },
            types=types,
            enums=enums,
            operations={
                name: OperationFacts(name, parameters, returns)
                for name, (returns, parameters) in document["operations"].items()
            },
            other_sets=frozenset(document["other"]),
        )
    )


def _by_name(entries: Mapping[str, _T]) -> Iterable[_T]:
    return [entries[name] for name in sorted(entries)]


def _parse_members(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split("|")) if text else {}


def _dump_type(each: TypeFacts) -> dict[str, Any]:
    parts: dict[str, Any] = {"properties": [_dump_property(prop) for prop in each.properties.values()]}
    if each.key:
        parts["key"] = list(each.key)
    if each.navigation:
        parts["navigation"] = [
            "|".join([nav.name, nav.target_set, "*" if nav.many else "1", *(f"{a}={b}" for a, b in nav.join)])
            for nav in each.navigation.values()
        ]
    if each.actions:
        parts["actions"] = sorted(each.actions)
    if each.tables:
        parts["tables"] = list(each.tables)
    return parts


def _parse_type(name: str, parts: Mapping[str, Any]) -> TypeFacts:
    properties = [_parse_property(text) for text in parts["properties"]]
    navigation = [_parse_navigation(text) for text in parts.get("navigation", ())]
    return TypeFacts(
        name,
        {prop.name: prop for prop in properties},
        key=tuple(parts.get("key", ())),
        navigation={nav.name: nav for nav in navigation},
        actions=frozenset(parts.get("actions", ())),
        tables=tuple(parts.get("tables", ())),
    )


def _dump_property(prop: PropertyFacts) -> str:
    flags = "".join(
        flag
        for flag, present in (
            ("r", not prop.writable),
            ("n", not prop.nullable),
            ("u", prop.user_field),
            ("-", prop.column is None),
            ("=", prop.default is not None),
        )
        if present
    )
    column = "" if prop.column in {None, prop.name} else prop.column or ""
    type_text = _LETTERS.get(prop.type_name, prop.type_name) + ("[]" if prop.collection else "")
    text = "|".join([prop.name, type_text, column, flags, prop.default or ""])
    return text if prop.default is not None else text.rstrip("|")


def _parse_property(text: str) -> PropertyFacts:
    name, type_text, column, flags, default = [*text.split("|"), "", "", ""][:5]
    return PropertyFacts(
        name,
        _PRIMITIVES.get(type_text, type_text.removesuffix("[]")),
        type_text.endswith("[]"),
        "n" not in flags,
        "r" not in flags,
        default if "=" in flags else None,
        None if "-" in flags else column or name,
        "u" in flags,
    )


def _parse_navigation(text: str) -> NavigationFacts:
    name, target, many, *join = text.split("|")
    pairs = tuple((own, other) for own, _, other in (pair.partition("=") for pair in join))
    return NavigationFacts(name, target, many == "*", pairs)
