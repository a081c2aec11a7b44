"""The grammar of `$select` and `$expand`."""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from erpsim.company.errors import bad_option, unknown_property
from erpsim.facts.model import TypeFacts

_EXPAND = re.compile(r"\s*([A-Za-z0-9_/]+)\s*(?:\(\s*\$select\s*=([^()]*)\))?\s*(?:,|$)", re.ASCII)


@attrs.frozen
class Selection:
    """Selected properties and expansions of an entity.

    Args:
        names: selected properties in the order of the metadata, None for all.
        expand: navigation property to the names selected of its target (None for all).
    """

    names: tuple[str, ...] | None
    expand: Mapping[str, Selection]


ALL = Selection(None, {})
NO_ALIASES: Mapping[str, str] = {}


def parse_selection(
    select: str | None, expand: str | None, entity_type: TypeFacts, aliases: Mapping[str, str] = NO_ALIASES
) -> Selection:
    """Check `$select` and `$expand` against a type.

    `Nav/Property` selects of an expanded entity and is ignored without the `$expand` (SAP manual 1.29, 3.11);
    an expanded entity is shown whether `$select` names it or not. Collections are complex values: they can be
    selected and not expanded (`$expand=BPAddresses` is a 400, seen live). A property inside a complex value
    can't be selected (SAP manual 1.22, 3.11).

    Raises:
        SlError: -1000 for an unknown name, 201 for text that does not parse.
    """
    expanded = _parse_expand(expand, entity_type) if expand else {}
    if select is None or not select.strip():
        return Selection(None, {name: ALL if names is None else names for name, names in expanded.items()})
    selected: set[str] = set()
    inside: dict[str, set[str]] = {}
    every = False
    for part in select.split(","):
        name, _, rest = part.strip().partition("/")
        name = aliases.get(name, name)
        if name == "*" and not rest:
            every = True
        elif name in entity_type.navigation:
            if rest:
                inside.setdefault(name, set()).add(rest)
        elif name in entity_type.properties and not rest:
            selected.add(name)
        else:
            raise unknown_property(part.strip(), entity_type.name)
    targets = {
        name: nested
        if nested is not None
        else Selection(tuple(sorted(inside[name])), {})
        if name in inside
        else ALL
        for name, nested in expanded.items()
    }
    shown = None if every else tuple(name for name in entity_type.properties if name in selected)
    return Selection(shown, targets)


def _parse_expand(text: str, entity_type: TypeFacts) -> Mapping[str, Selection | None]:
    """Read `Nav,Nav($select=A,B)` (the nested form from feature pack 2105 on)."""
    expanded: dict[str, Selection | None] = {}
    position = 0
    while position < len(text):
        match = _EXPAND.match(text, position)
        if match is None:
            raise bad_option("$expand")
        name, nested = match.groups()
        if name not in entity_type.navigation:
            raise unknown_property(name, entity_type.name)
        expanded[name] = None if nested is None else Selection(_split_names(nested), {})
        position = match.end()
    return expanded


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))
