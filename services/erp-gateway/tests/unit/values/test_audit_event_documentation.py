"""docs/audit.md says what the code records, no more and no less."""

import re
from http import HTTPMethod
from pathlib import Path

import attrs

from erp_gateway.commands.audit import COLUMNS
from erp_gateway.people.auth.employee_choice import LoginFailure, SessionEnd
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    RouteChanges,
    SentFields,
)

DOCUMENT = (Path(__file__).parents[5] / "docs" / "audit.md").read_text(encoding="utf-8")


def first_words(heading: str) -> list[str]:
    """Return the code words of the first column of the table under a heading."""
    section = DOCUMENT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [word for row in rows for word in re.findall(r"`([A-Za-z_]+)`", row.split("|")[1])]


def test_every_action_is_described_and_no_other() -> None:
    assert first_words("Recorded actions") == [action.value for action in AuditAction]


def test_every_member_is_described_and_no_other() -> None:
    assert first_words("The members of a record") == list(COLUMNS)


def test_every_reason_of_a_failed_login_is_described_and_no_other() -> None:
    assert first_words("Why a login failed") == [reason.value for reason in LoginFailure]


def test_every_reason_of_an_ended_session_is_described_and_no_other() -> None:
    assert first_words("Why the gateway ended a session") == [reason.value for reason in SessionEnd]


def test_every_result_and_every_detail_is_named() -> None:
    event = AuditEvent(
        action=AuditAction.LOGIN,
        result=AuditResult.OK,
        actor=Actor(web_user="ana"),
        fields=SentFields(omitted=1),
        detail=AuditDetail(
            rows=1,
            truncated=True,
            format=AuditFormat.PDF,
            attempts=1,
            write="0" * 26,
            sizes=(1,),
            method=HTTPMethod.GET,
            references=("Orders",),
            routes=RouteChanges(("/a",), ("/b",), 1, 1),
            change_set="0" * 26,
            position=0,
        ),
    )
    details = event.detail_json()
    names = len(attrs.fields(AuditDetail)) - 1 + len(attrs.fields(RouteChanges))
    assert len(details) == names + 1
    for word in [*AuditResult, *AuditFormat, *details]:
        assert f"`{word}`" in DOCUMENT
