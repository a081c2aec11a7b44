"""Keys in addresses: `Orders(22)`, `Items('A''1')`, `UserFieldsMD(TableName='@X',FieldID=0)` (SAP manual
1.22)."""

from __future__ import annotations

import re

from erpsim.company.errors import bad_key
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.values import parse_date, parse_integer
from erpsim.facts.model import EDM_INT32, EDM_STRING, EntitySetFacts, PropertyFacts

_PART = re.compile(r"(?:([A-Za-z_0-9]+)=)?('(?:[^']|'')*'|-?[0-9]+)(,|$)", re.ASCII)


def parse_key(entity_set: EntitySetFacts, text: str) -> Key:
    """Parse a decoded key, the text between the brackets.

    Raises:
        SlError: 400 for a wrong name, a missing part or wrong quoting (an unquoted text key, seen live; a
            quoted number for an integer key is assumed to be refused alike).
    """
    properties = entity_set.key
    single = properties[0].name if len(properties) == 1 else ""
    parts: dict[str, str] = {}
    position = 0
    while True:
        match = _PART.match(text, position)
        name = "" if match is None else match[1] or (single if not parts else "")
        if match is None or not name or name in parts:
            raise bad_key()
        parts[name] = match[2]
        position = match.end()
        if not match[3]:
            break
    if set(parts) != {prop.name for prop in properties}:
        raise bad_key()
    return tuple(_parse_part(prop, parts[prop.name]) for prop in properties)


def _parse_part(prop: PropertyFacts, text: str) -> str | int:
    quoted = text.startswith("'")
    value: str | int | None
    if prop.type_name == EDM_INT32:
        value = None if quoted else parse_integer(text)
    elif not quoted:
        value = None
    else:
        value = text[1:-1].replace("''", "'")
        if prop.type_name != EDM_STRING:
            value = parse_date(value) or value
    if value is None:
        raise bad_key()
    return value


def key_text(entity_set: EntitySetFacts, key: Key) -> str:
    """Format a key as in an address: bare if single, by name if composite."""
    if len(key) == 1:
        return _quoted(key[0])
    return ",".join(f"{prop.name}={_quoted(value)}" for prop, value in zip(entity_set.key, key, strict=True))


def _quoted(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def key_of(entity_set: EntitySetFacts, row: Fields) -> Key:
    """Return a row's key."""
    return tuple(_part(row.get(name)) for name in entity_set.type.key)


def _part(value: Value) -> str | int:
    return value if isinstance(value, str | int) else ""
