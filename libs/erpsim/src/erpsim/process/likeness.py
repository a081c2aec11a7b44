"""Making the simulated ERP like another one that was recorded (`--like FILE`).

A record holds settings by name, and the user tables, fields and objects of the other company; no value of it.
The service's `doctor --record` writes one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from erpsim.company.company import MANAGER
from erpsim.company.errors import SlError
from erpsim.company.exchange import Caller, Dialect
from erpsim.company.rows.keys import key_of
from erpsim.world import World

FORM: Final = 1
_EXISTS: Final = -2035
_CALLER: Final = Caller(user=MANAGER, dialect=Dialect.V1)
_FLAGS: Final = ("CanCancel", "CanClose", "CanDelete", "CanFind", "CanLog", "ManageSeries")


class LikenessError(Exception):
    """The file is no record that this simulator understands."""


@attrs.frozen(kw_only=True)
class Likeness:
    """What is to be imitated.

    Args:
        switches: values of switches, as the command line takes them.
        tables, fields, objects: definitions, as the record holds them.
        unlike: what the record itself says that no switch stands for.
    """

    switches: Mapping[str, str]
    tables: Sequence[Mapping[str, Any]] = ()
    fields: Sequence[Mapping[str, Any]] = ()
    objects: Sequence[Mapping[str, Any]] = ()
    unlike: Sequence[str] = ()


def read_likeness(file: Path) -> Likeness:
    """Read a record.

    Raises:
        LikenessError: it can't be read, or is none.
    """
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise LikenessError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise LikenessError(f"{file}: no JSON") from error
    if not isinstance(record, dict) or record.get("record") != FORM:
        raise LikenessError(f"{file}: no record of form {FORM}")
    return Likeness(
        switches={str(name): str(value) for name, value in record.get("switches", {}).items()},
        tables=record.get("userTables", []),
        fields=record.get("userFields", []),
        objects=record.get("userObjects", []),
        unlike=[str(each) for each in record.get("notImitated", [])],
    )


def imitate(world: World, likeness: Likeness) -> Iterator[str]:
    """Give a company the recorded tables, fields and objects, and take those fields away that were not there.

    Args:
        world: the company, without the user fields of the demo's.
        likeness: what to be like.

    Yields:
        What can't be imitated, a few words each.
    """
    yield from likeness.unlike
    for table in likeness.tables:
        body = {"TableName": table["name"], "TableDescription": table["name"], "TableType": table["type"]}
        yield from _made(world, "UserTablesMD", body, f"the user table {table['name']}")
    valued = set()
    for field in likeness.fields:
        yield from _made(world, "UserFieldsMD", _field(field), f"the user field {_named(field)}")
        if field["validValues"]:
            valued.add(str(field["name"]))
    for name in sorted(valued):
        yield f"the valid values of the user field {name}: there are as many, with other names"
    for each in likeness.objects:
        yield from _made(world, "UserObjectsMD", _object(each), f"the user object {each['code']}")
    _remove_others(world, {(field["table"], field["name"]) for field in likeness.fields})


def _made(world: World, set_name: str, body: Mapping[str, Any], what: str) -> Iterator[str]:
    given = {name: value for name, value in body.items() if value is not None}
    try:
        world.create(set_name, given, _CALLER)
    except SlError as error:
        if error.code != _EXISTS:
            yield f"{what}: {error.text}"


def _remove_others(world: World, wanted: set[tuple[Any, Any]]) -> None:
    """Remove fields that the seed brought along and the recorded company does not have."""
    fields = world.company.entity_set("UserFieldsMD")
    for row in list(world.company.rows("UserFieldsMD")):
        if (row.get("TableName"), row.get("Name")) not in wanted:
            world.delete("UserFieldsMD", key_of(fields, row), _CALLER)


def _named(field: Mapping[str, Any]) -> str:
    return f"{field['table']}.{field['name']}"


def _field(field: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "TableName": field["table"],
        "Name": field["name"],
        "Description": field["name"],
        "Type": field["type"],
        "SubType": field["subType"],
        "Size": field["size"],
        "EditSize": field["editSize"],
        "Mandatory": "tYES" if field["mandatory"] else "tNO",
        "ValidValuesMD": [
            {"Value": f"V{number}", "Description": f"V{number}"} for number in range(field["validValues"])
        ],
    }


def _object(each: Mapping[str, Any]) -> dict[str, Any]:
    children = [{"TableName": name, "ObjectName": name} for name in each["children"]]
    return {
        "Code": each["code"],
        "Name": each["code"],
        "TableName": each["table"],
        "ObjectType": each["type"],
        "UserObjectMD_ChildTables": children,
        **{flag: "tYES" if each[flag] else "tNO" for flag in _FLAGS},
    }
