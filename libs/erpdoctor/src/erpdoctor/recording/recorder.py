"""Looks at an ERP and writes down what it is like, so that the simulator can be made like it.

Of what was seen only names, kinds and figures from fixed lists may be told.
"""

import asyncio
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, TextIO

from erpclient.errors import ErpError, ErpLoginRejected, ErpReplyUnreadable
from erpclient.http.wire import Call
from erpclient.metadata import EntityFacts, read_metadata
from erpclient.settings import Credentials
from erpdoctor.checks import Finding
from erpdoctor.conformance.command import Suite
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import DIFFERS, Interview, Question, is_answer
from erpdoctor.conformance.readings import OddAnswer, fields, rows, status
from erpdoctor.conformance.session import ProbeSession
from erpdoctor.running import run_checks
from erpdoctor.service_layer.session import login_refused
from servicekit.clock import SystemClock

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


FORM: Final = 1
"""Number of the record's form; it changes when a member changes its meaning."""

PAGE_ROWS: Final = 500
MOST_ROWS: Final = 20_000
_FORBIDDEN: Final = "403/"
_NOT_RECORDED: Final = 2


def record_into(file: Path, suite: Suite, *, faults: tuple[type[Exception], ...] = (), err: TextIO) -> int:
    """Look in a session of its own, write a new file, tell in Spanish what came of it; return 0 or 2.

    Args:
        file: the new one; where it is there already, nothing is asked of anybody. See :func:`write_record`.
        suite: of the service.
        faults: errors that say what is wrong with the installation, besides those of the ERP and of files.
        err: where it is told.
    """
    if file.exists():
        err.write(f"{file} ya existe y no se sobrescribe.\n")
        return _NOT_RECORDED
    known: tuple[type[Exception], ...] = (ErpError, OSError, UnicodeDecodeError, *faults)
    try:
        entity_sets = suite.entity_sets()
        asyncio.run(_record_into(file, suite, suite.credentials(), entity_sets, err))
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_RECORDED
    except known as error:
        err.write(f"No se pudo registrar: {error}\n")
        return _NOT_RECORDED
    err.write(f"{file}: escrito; no contiene datos de la empresa. Úselo con `erpsim serve --like`.\n")
    return 0


async def _record_into(
    file: Path, suite: Suite, who: Credentials, entity_sets: Sequence[str], err: TextIO
) -> None:
    def told(name: str) -> None:
        err.write(f"{name}\n")

    async with ProbeSession(suite.erp, who) as line:
        seen = await record(Fixture(line), questions=suite.questions, entity_sets=entity_sets, told=told)
    write_record(file, seen)


async def record(
    fixture: Fixture,
    *,
    questions: Sequence[Question],
    entity_sets: Sequence[str],
    told: Callable[[str], object] = lambda _: None,
) -> dict[str, Any]:
    """Ask the questions that change nothing, look at some entity sets, list what the company defined.

    Args:
        fixture: the session.
        questions: see :mod:`erpdoctor.conformance`.
        entity_sets: each is read once, one record of it.
        told: told before each step what it is.

    Raises:
        ErpError: the ERP gives no answers any more.
    """
    interview = Interview(fixture)
    results = await run_checks(
        [interview.check(question) for question in questions],
        clock=SystemClock(),
        ended=lambda at, _result: told(questions[at].name),
    )
    answers = [
        (question, result.finding)
        for question, result in zip(questions, results, strict=True)
        if is_answer(result.finding)
    ]
    metadata = await _metadata(fixture)
    sets, times = {}, []
    for name in entity_sets:
        told(name)
        started = fixture.session.clock.monotonic()
        sets[name] = await _look_at(fixture, name, metadata.get(name))
        times.append(fixture.session.clock.monotonic() - started)
    login = fields(fixture.session.login)
    return {
        "record": FORM,
        "api": fixture.dialect.value,
        "version": digits(login.get("Version")),
        "sessionTimeoutMinutes": login.get("SessionTimeout")
        if isinstance(login.get("SessionTimeout"), int)
        else None,
        "callTimes": {
            "loginS": step_of(fixture.session.login_s),
            "readS": step_of(median(times)) if times else 0.0,
        },
        "loginHeaders": headers_of(fixture.session.login.headers),
        "answers": {question.name: finding.seen for question, finding in answers},
        "entitySets": sets,
        "userTables": sorted_shapes(map(table_of, await _all(fixture, "UserTablesMD", "TableName"))),
        "userFields": sorted_shapes(map(field_of, await _all(fixture, "UserFieldsMD", "TableName,FieldID"))),
        "userObjects": sorted_shapes(map(object_of, await _all(fixture, "UserObjectsMD", "Code"))),
        **_imitation(answers, sets, login, fixture.session.login_s, times),
    }


def _imitation(
    answers: Sequence[tuple[Question, Finding]],
    sets: Mapping[str, Mapping[str, object]],
    login: Mapping[str, Any],
    login_s: float,
    times: Sequence[float],
) -> dict[str, Any]:
    """Return the simulator's settings that make it like this ERP, and what none stands for."""
    turned = switches_of(answers)
    forbidden = [name for name, seen in sets.items() if str(seen["status"]).startswith(_FORBIDDEN)]
    missing = [name for name, seen in sets.items() if seen["status"] != "200" and name not in forbidden]
    switches = {name: ",".join(values) for name, values in turned.items()}
    if (version := digits(login.get("Version"))) is not None:
        switches["version"] = version
    if isinstance(minutes := login.get("SessionTimeout"), int):
        switches["idle_timeout_s"] = str(minutes * 60)
    switches["login_delay_s"] = str(step_of(login_s))
    switches["call_delay_s"] = str(step_of(median(times)) if times else 0.0)
    if forbidden:
        switches["forbidden_sets"] = ",".join(forbidden)
    return {
        "switches": switches,
        "notImitated": [
            *(f"the answer to {name}" for name in unexplained(answers, turned)),
            *(f"the entity set {name}, which answers {sets[name]['status']}" for name in missing),
        ],
    }


async def _metadata(fixture: Fixture) -> Mapping[str, EntityFacts]:
    """Read what the ERP says its records are made of; nothing where it does not say."""
    reply = await fixture.session.send(Call("GET", "$metadata", "/$metadata"))
    try:
        return read_metadata(reply.body).sets
    except ErpReplyUnreadable:
        return {}


async def _look_at(fixture: Fixture, name: str, known: EntityFacts | None) -> dict[str, object]:
    """Read one record's key, so that no other value comes along, and tell what the metadata says."""
    options = {"$top": "1"} | ({"$select": ",".join(known.key)} if known is not None and known.key else {})
    seen: dict[str, object] = {"status": status(await fixture.get(name, options, B1S_PageSize="1"))}
    return (
        seen
        if known is None
        else seen | {"key": list(known.key), "properties": properties_of(known.properties)}
    )


async def _all(fixture: Fixture, entity_set: str, order: str) -> list[dict[str, Any]]:
    """Read all definitions of a kind; none where this user may not see them."""
    found: list[dict[str, Any]] = []
    more = True
    while more and len(found) < MOST_ROWS:
        options = {"$orderby": order, "$top": str(PAGE_ROWS), "$skip": str(len(found))}
        reply = await fixture.get(entity_set, options, B1S_PageSize=str(PAGE_ROWS))
        try:
            page = rows(reply)
        except OddAnswer:
            return found
        found += page
        more = len(page) == PAGE_ROWS
    return found


def write_record(file: Path, record_: Mapping[str, Any]) -> None:
    """Write a record to a new file that its owner alone may read.

    Raises:
        FileExistsError: there is such a file; it is left alone.
        OSError: it can't be written.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(f"{json.dumps(record_, indent=1, ensure_ascii=False)}\n")
