"""The answer to a repeat of a write whose response was never received."""

from typing import Any

import pytest

from erp_gateway.web.upstream_errors import MaybeInApproval
from erp_gateway.writes.items import WriteItem
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.replays import answer_without_reply

ROW: dict[str, Any] = {
    "id": "01W", "at": "2026-03-02T12:00:00.000Z", "web_user": "ana", "request_id": "r", "resource": "Items",
    "fields": (), "fields_omitted": 0, "result": "done", "reason": None, "ended_at": None, "ended_by": None,
    "next_look_at": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "key", "answer"),
    [
        ("create", "A/1", WriteAnswer(status=201, headers={"Location": "/api/sl/Items/A%2F1"})),
        ("create", None, WriteAnswer(status=201)),
        ("update", "A/1", WriteAnswer(status=204)),
        ("action", "A/1", WriteAnswer(status=204)),
    ],
)
def test_a_recorded_answer_contains_only_confirmed_facts(
    kind: str, key: str | None, answer: WriteAnswer
) -> None:
    assert answer_without_reply(WriteItem(kind=kind, key=key, found_in=None, **ROW)) == answer


def test_a_record_found_among_drafts_is_refused_with_its_write() -> None:
    with pytest.raises(MaybeInApproval) as refusal:
        answer_without_reply(WriteItem(kind="create", key="7", found_in="Drafts", **ROW))
    assert refusal.value.members["draft"] == "7"
    assert refusal.value.members["write"]["id"] == "01W"
