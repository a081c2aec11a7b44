"""An audit event holds names, counts and fixed words, and takes any hostile text without complaint."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.values.audit_event import (
    MAX_FIELDS,
    MAX_NAMES_BYTES,
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    RouteChanges,
    SentFields,
    take_names,
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


def test_a_prepended_name_counts_towards_the_limit() -> None:
    fields = SentFields.of([f"Field{number}" for number in range(MAX_FIELDS)], omitted=7).after("Cancel()")
    assert (fields.names[0], len(fields.names), fields.omitted) == ("Cancel()", MAX_FIELDS, 8)


def stored_bytes(names: tuple[str, ...]) -> int:
    return len(json.dumps(names, ensure_ascii=False).encode())


@pytest.mark.parametrize("text", ["x", "ñ", "\U0001f600", "\x00", "\ud800", '"'])
def test_names_take_four_kilobytes_together_and_the_rest_is_counted(text: str) -> None:
    event = make_event(fields=[f"{number}{text * 180}" for number in range(150)])
    kept = event.fields.names
    assert 0 < len(kept) < 50
    assert stored_bytes(kept) <= MAX_NAMES_BYTES
    assert event.detail_json() == {"fieldsOmitted": 150 - len(kept)}
    after = event.fields.after("Cancel()")
    assert after.names[0] == "Cancel()"
    assert stored_bytes(after.names) <= MAX_NAMES_BYTES
    assert len(after.names) + after.omitted == 151


@given(st.lists(ANY_TEXT, max_size=30), st.integers(0, 5000))
def test_names_that_fit_are_the_first_ones(names: list[str], limit: int) -> None:
    names = [name.encode("utf-8", "replace").decode() for name in names]
    kept = take_names(names, limit)
    assert list(kept) == names[: len(kept)]
    assert not kept or stored_bytes(kept) <= limit
    assert len(kept) == len(names) or stored_bytes((*kept, names[len(kept)])) > limit - 3


def test_changed_routes_are_named_as_added_and_removed() -> None:
    changes = RouteChanges.between(("/a", "/b", "/c"), ("/c", "/d", "/a", "/e"))
    assert AuditDetail(routes=changes).as_json() == {"added": ["/d", "/e"], "removed": ["/b"]}
    assert AuditDetail(routes=RouteChanges.between(("/a", "/b"), ("/b", "/a"))).as_json() == {}


@pytest.mark.parametrize(("added", "removed"), [(500, 0), (0, 500), (500, 500), (500, 2), (2, 500)])
def test_routes_take_four_kilobytes_together_and_the_total_right_is_among_them(
    added: int, removed: int
) -> None:
    before = [f"/old/{number:0190}" for number in range(removed)]
    after = [f"/new/{number:0190}" for number in range(added)]
    detail = RouteChanges.between(before, [*after, "*"])
    assert detail.added[0] == "*"
    assert stored_bytes(detail.added) + stored_bytes(detail.removed) <= MAX_NAMES_BYTES
    assert len(detail.added) + detail.added_omitted == added + 1
    assert len(detail.removed) + detail.removed_omitted == removed
    assert len(detail.removed) >= min(removed, 2)
    assert len(detail.added) >= min(added, 2)
    assert RouteChanges.between([*before, "*"], after).removed[0] == "*"


@pytest.mark.parametrize("reason", ["", "Wrong password", "x" * 65, "clave=1", "línea", "ok\n", "9lives"])
def test_a_reason_is_one_fixed_word(reason: str) -> None:
    with pytest.raises(ValueError, match="reason"):
        make_event(reason=reason)


@pytest.mark.parametrize("name", ["rows", "truncated", "format", "attempts", "method"])
def test_a_detail_takes_no_free_text(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        AuditDetail(**{name: "some value"})  # type: ignore[arg-type] # that is the point


def test_a_detail_contains_the_set_values_only() -> None:
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
