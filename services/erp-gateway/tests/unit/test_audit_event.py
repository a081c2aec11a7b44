"""An audit event holds names, counts and fixed words, and takes any hostile text without complaint."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.audit_event import (
    MAX_FIELDS,
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    SentFields,
)

ANY_TEXT = st.text(st.characters(codec=None), max_size=400)  # lone surrogates and control characters too


def make_event(**facts: object) -> AuditEvent:
    given_facts: dict[str, object] = {
        "action": AuditAction.SL_CREATE,
        "result": AuditResult.OK,
        "actor": Actor(web_user="ana"),
        **facts,
    }
    return AuditEvent(**given_facts)  # type: ignore[arg-type] # whatever the case passes on


@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=4))
def test_any_text_can_be_recorded(name: str, key: str, fields: list[str]) -> None:
    event = make_event(
        actor=Actor(web_user=name, ip=name, request_id=name), resource=name, key=key, fields=fields
    )
    texts = [event.actor.web_user, event.actor.ip, event.resource, event.key, *event.fields.names]
    for text in texts:
        assert text is not None
        assert len(text) <= 300
        text.encode("utf-8")


def test_more_field_names_than_the_limit_are_counted() -> None:
    names = [f"Field{number}" for number in range(MAX_FIELDS + 50)]
    event = make_event(fields=names, detail=AuditDetail(rows=1))
    assert event.fields.names == tuple(names[:MAX_FIELDS])
    assert event.detail_json() == {"rows": 1, "fieldsOmitted": 50}
    assert make_event(fields=names[:MAX_FIELDS]).detail_json() == {}


def test_a_name_before_as_many_as_fit_is_counted_too() -> None:
    fields = SentFields.of([f"Field{number}" for number in range(MAX_FIELDS)], omitted=7).after("Cancel()")
    assert (fields.names[0], len(fields.names), fields.omitted) == ("Cancel()", MAX_FIELDS, 8)


@pytest.mark.parametrize("reason", ["", "Wrong password", "x" * 65, "clave=1", "línea", "ok\n", "9lives"])
def test_a_reason_is_one_fixed_word(reason: str) -> None:
    with pytest.raises(ValueError, match="reason"):
        make_event(reason=reason)


@pytest.mark.parametrize("name", ["rows", "truncated", "format", "attempts"])
def test_a_detail_takes_no_free_text(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        AuditDetail(**{name: "some value"})  # type: ignore[arg-type] # that is the point


def test_a_detail_shows_what_is_known() -> None:
    detail = AuditDetail(rows=0, truncated=False, format=AuditFormat.PDF, attempts=3)
    assert detail.as_json() == {"rows": 0, "truncated": False, "format": "pdf", "attempts": 3}
    assert AuditDetail().as_json() == {}
    json.dumps(detail.as_json())


def test_an_event_has_no_place_for_a_value() -> None:
    assert {field.name for field in attrs.fields(AuditEvent)} == {
        "action",
        "result",
        "actor",
        "resource",
        "key",
        "fields",
        "detail",
        "reason",
    }
