"""Looks at an ERP and writes down what it is like, so that the simulator can be made like it."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, TextIO

from erpclient.errors import ErpError, ErpLoginRejected, ErpReplyUnreadable
from erpclient.http.wire import Call
from erpclient.settings import Credentials
from erpdoctor.checks import Finding
from erpdoctor.conformance.command import Suite
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Interview, Question, is_answer
from erpdoctor.conformance.readings import OddAnswer, fields, rows, status
from erpdoctor.conformance.session import ProbeSession
from erpdoctor.inspection.metadata import EntityFacts, read_metadata
from erpdoctor.recording.shapes import (
    digits,
    field_of,
    headers_of,
    object_of,
    properties_of,
    sorted_shapes,
    step_of,
    switches_of,
    table_of,
    unexplained,
)
from erpdoctor.running import run_checks
from erpdoctor.service_layer.session import login_refused
from servicekit.clock import SystemClock

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
