"""Reads request bodies: checks names, types values and drops read-only properties."""

from __future__ import annotations

from collections.abc import Mapping

from erpsim.company.errors import bad_value, too_long, unknown_property
from erpsim.company.exchange import Body, Fields, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.projection import stored_name
from erpsim.company.rows.row_types import RowType
from erpsim.company.rows.values import convert


def read_body(row_type: RowType, body: Body, habits: frozenset[OtherHabit] = frozenset()) -> Fields:
    """Read a body as fields of a type.

    Annotations (`odata.etag`, `@odata.context`) are left out: clients send back what they read. Read-only
    properties are ignored silently, unknown ones refused (SAP manual 1.29, create and update; seen live).

    Args:
        row_type: of the record.
        body: as parsed.
        habits: alternative habits for the record's own names and texts, not those of its lines.

    Raises:
        SlError: -1000 for an unknown name, -1004 for a value that does not fit, -5002 for a text that is too
            long.
    """
    fields: Fields = {}
    properties = row_type.type.properties
    for sent_name, value in body.items():
        if sent_name.startswith("odata.") or "@odata." in sent_name:
            continue
        name = stored_name(sent_name, row_type.type.name)
        prop = properties.get(name)
        if prop is None and OtherHabit.UNKNOWN_NAMES_LOST in habits:
            continue
        if prop is None:
            raise unknown_property(sent_name, row_type.type.name)
        if not prop.writable:
            continue
        if name in row_type.collections:
            if value is not None:
                fields[name] = _read_rows(row_type.collections[name], value, name)
        elif name in row_type.complex:
            if value is not None:
                fields[name] = _read_row(row_type.complex[name], value, name)
        else:
            fields[name] = converted = convert(value, name, prop.type_name, row_type.enums.get(name))
            if prop.max_length and isinstance(converted, str) and len(converted) > prop.max_length:
                if OtherHabit.TEXTS_ARE_CUT in habits:
                    fields[name] = converted[: prop.max_length]
                    continue
                raise too_long(sent_name, row_type.type.name)
    return fields


def _read_row(row_type: RowType, value: object, name: str) -> Value:
    if not isinstance(value, Mapping):
        raise bad_value(value, name)
    return read_body(row_type, value)


def _read_rows(row_type: RowType, value: object, name: str) -> Value:
    if not isinstance(value, list):
        raise bad_value(value, name)
    return [_read_row(row_type, row, name) for row in value]
