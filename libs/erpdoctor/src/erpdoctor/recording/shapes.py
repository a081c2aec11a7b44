"""From what was seen to what may be told of it: names, kinds, figures from fixed lists. No I/O."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from erpdoctor.checks import Finding
from erpdoctor.conformance.question import DIFFERS, Question

_NAME: Final = re.compile(r"@?[A-Za-z0-9_]{1,60}")
_TYPE: Final = re.compile(r"[A-Za-z0-9_.()]{1,120}")
_DIGITS: Final = re.compile(r"[0-9]{1,12}")

_STEPS_S: Final = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
"""Times are told as the highest of these that they reach: an exact one would differ at every look."""

_HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cache-control": ("no-cache", "no-store"),
    "connection": ("close", "keep-alive"),
    "content-encoding": ("gzip",),
    "content-length": (),
    "content-type": (
        "application/json;odata=minimalmetadata;charset=utf-8",
        "application/json;odata.metadata=minimal;charset=utf-8",
        "application/json;charset=utf-8",
        "application/json",
    ),
    "dataserviceversion": ("3.0",),
    "date": (),
    "etag": (),
    "keep-alive": (),
    "odata-version": ("4.0",),
    "server": (),
    "set-cookie": (),
    "strict-transport-security": (),
    "transfer-encoding": ("chunked",),
    "vary": ("Accept-Encoding",),
    "via": (),
    "x-cache": (),
}
"""Headers that are told, and the values that are; any other value is `other`, other headers are counted."""

_FIELD_TYPES: Final = ("db_Alpha", "db_Memo", "db_Numeric", "db_Date", "db_Float")
_SUB_TYPES: Final = (
    *("st_None", "st_Address", "st_Phone", "st_Time", "st_Rate", "st_Sum", "st_Price", "st_Quantity"),
    *("st_Percentage", "st_Measurement", "st_Link", "st_Image", "st_Checkbox"),
)
_TABLE_TYPES: Final = (
    *("bott_NoObject", "bott_NoObjectAutoIncrement", "bott_MasterData", "bott_MasterDataLines"),
    *("bott_Document", "bott_DocumentLines"),
)
_OBJECT_TYPES: Final = ("boud_Document", "boud_MasterData")
_FLAGS: Final = ("CanCancel", "CanClose", "CanDelete", "CanFind", "CanLog", "ManageSeries")


def step_of(seconds: float) -> float:
    """Round a time down to one of few."""
    return max(step for step in _STEPS_S if step <= max(seconds, 0.0))


def digits(value: object) -> str | None:
    """Return a number of digits as it is, ``None`` for anything else."""
    return value if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def headers_of(headers: Mapping[str, str]) -> dict[str, object]:
    """Tell the known headers, and how many others there are."""
    lowered = {name.lower(): value for name, value in headers.items()}
    known = {
        name: value if value in _HEADERS[name] else "other"
        for name, value in sorted(lowered.items())
        if name in _HEADERS
    }
    return {"known": known, "others": len(lowered) - len(known)}


def properties_of(properties: Mapping[str, str]) -> dict[str, str]:
    """Tell names and types of properties; a navigation property has none."""
    return {
        name: type_ if _TYPE.fullmatch(type_) else "other"
        for name, type_ in sorted(properties.items())
        if type_ and _NAME.fullmatch(name)
    }


def table_of(row: Mapping[str, Any]) -> dict[str, object]:
    """Tell name and type of a user table."""
    return {"name": _name(row.get("TableName")), "type": _word(row.get("TableType"), _TABLE_TYPES)}


def field_of(row: Mapping[str, Any]) -> dict[str, object]:
    """Tell table, name, type and length of a user field."""
    return {
        "table": _name(row.get("TableName")),
        "name": _name(row.get("Name")),
        "type": _word(row.get("Type"), _FIELD_TYPES),
        "subType": _word(row.get("SubType"), _SUB_TYPES),
        "size": _number(row.get("Size")),
        "editSize": _number(row.get("EditSize")),
        "mandatory": row.get("Mandatory") == "tYES",
        "validValues": len(row.get("ValidValuesMD") or ()),
    }


def object_of(row: Mapping[str, Any]) -> dict[str, object]:
    """Tell code, tables and abilities of a user object."""
    children = row.get("UserObjectMD_ChildTables") or ()
    return {
        "code": _name(row.get("Code")),
        "table": _name(row.get("TableName")),
        "type": _word(row.get("ObjectType"), _OBJECT_TYPES),
        "children": [_name(child.get("TableName")) for child in children],
        **{flag: row.get(flag) == "tYES" for flag in _FLAGS},
    }


def sorted_shapes(shapes: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Put definitions in the order of their names: the order in which they were made tells nothing."""
    names = ("table", "name", "code")
    return sorted(shapes, key=lambda each: [str(each.get(name)) for name in names])


def switches_of(answers: Sequence[tuple[Question, Finding]]) -> dict[str, list[str]]:
    """Return the simulator's settings that explain the answers that differ, values by name.

    A setting explains them when every question asked that it turns differs, and one does.
    """
    turned: dict[str, list[str]] = {}
    for switch in sorted({switch for question, _ in answers for switch in question.switches}):
        causes = {finding.cause for question, finding in answers if switch in question.switches}
        if causes == {DIFFERS}:
            name, _, value = switch.partition("=")
            turned.setdefault(name, []).append(value)
    return turned


def unexplained(
    answers: Sequence[tuple[Question, Finding]], turned: Mapping[str, Sequence[str]]
) -> list[str]:
    """Name the questions whose answers differ and that no setting explains."""
    return [
        question.name
        for question, finding in answers
        if finding.cause is DIFFERS and not _explained(question, turned)
    ]


def _explained(question: Question, turned: Mapping[str, Sequence[str]]) -> bool:
    pairs = [switch.partition("=") for switch in question.switches]
    return any(value in turned.get(name, ()) for name, _, value in pairs)


def _name(value: object) -> str:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else "other"


def _word(value: object, allowed: Sequence[str]) -> str:
    return value if isinstance(value, str) and value in allowed else "other"


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
