"""Questions about change sets, run before the trial document is cancelled."""

import json
import uuid
from typing import Final

from attrs import evolve

from erpclient.batch import (
    ChangeSetDone,
    ChangeSetRefused,
    ChangeSetResult,
    Operation,
    batch_call,
    creation_of,
    modification_of,
    read_change_set,
)
from erpclient.errors import ErpReplyUnreadable
from erpclient.http.cleaner import Cleaner
from erpclient.http.messages import HttpReply
from erpclient.odata import quote_string
from erpdoctor.conformance.fixture import TRIAL_SET, Fixture
from erpdoctor.conformance.question import Question, question, questions_in
from erpdoctor.conformance.readings import UnexpectedAnswer, either, refusal, rows


async def _run(fixture: Fixture, *operations: Operation) -> HttpReply:
    call = batch_call(operations, root_path=fixture.session.root_path, guid=str(uuid.uuid4()))
    return await fixture.session.send(call)


def _read(reply: HttpReply, fixture: Fixture, count: int) -> ChangeSetResult:
    if reply.status >= 300:  # noqa: PLR2004 - no success
        raise UnexpectedAnswer(refusal(reply))
    try:
        return read_change_set(
            reply.body,
            reply.content_type,
            root_path=fixture.session.root_path,
            cleaners=[Cleaner()] * count,
        )
    except ErpReplyUnreadable as error:
        raise UnexpectedAnswer("unreadable") from error


async def _change(fixture: Fixture, comment: str) -> Operation:
    await fixture.trial()
    entity_set, _, key = fixture.trial_path.partition("(")
    return modification_of(entity_set, f"({key}", json.dumps({"Comments": comment}).encode())


async def _failing(fixture: Fixture, comment: str) -> HttpReply:
    good = await fixture.trial_body() | {"NumAtCard": comment}
    impossible = {"CardCode": "", "DocumentLines": []}
    operations = [creation_of(TRIAL_SET, json.dumps(body).encode()) for body in (good, impossible)]
    return await _run(fixture, *operations)


_MANUAL: Final = "SAP's manual 1.22, 3.10"


@question(
    "Is an executed batch 202 in v1 and 200 in v2, even if parts failed?",
    expected="202",
    expected_v2="200",
    source="SAP's manual 1.29, 3.9",
    breaks="no effect: any success is read part by part",
    switches=("other_habits=batch-status-of-the-other-version",),
    writes=True,
)
async def _batch_is_202(fixture: Fixture) -> str:
    return str((await _run(fixture, await _change(fixture, "in a batch"))).status)


@question(
    "Does a change set that was done answer one part for each operation, in their order?",
    expected="one-part-each",
    source=_MANUAL,
    breaks="a return that was posted counts as uncertain, and is looked for",
    writes=True,
)
async def _batch_answers_each_part(fixture: Fixture) -> str:
    operations = [await _change(fixture, "one"), await _change(fixture, "two")]
    result = _read(await _run(fixture, *operations), fixture, 2)
    return either(isinstance(result, ChangeSetDone), "one-part-each", "other")


@question(
    "Is a change set that failed answered by one part, with the failing operation's refusal?",
    expected="one-part",
    source=_MANUAL + ".6; a captured v2 answer",
    breaks="a refused return counts as uncertain, and is looked for",
    writes=True,
)
async def _failed_set_is_one_part(fixture: Fixture) -> str:
    result = _read(await _failing(fixture, f"{fixture.mark}-A"), fixture, 2)
    return either(isinstance(result, ChangeSetRefused), "one-part", "other")


@question(
    "Does a failed operation undo all others of its change set?",
    expected="nothing",
    source=_MANUAL,
    breaks="keys are used without a return, or a return exists without a record",
    switches=(
        "other_habits=batches-keep-what-was-done",
        "other_habits=empty-lists-are-404",
    ),
    writes=True,
)
async def _batch_rolls_back(fixture: Fixture) -> str:
    comment = f"{fixture.mark}-B"
    await _failing(fixture, comment)
    options = {"$select": "DocEntry", "$filter": f"NumAtCard eq {quote_string(comment)}"}
    remaining = rows(await fixture.get(TRIAL_SET, options))
    fixture.remember(*(row["DocEntry"] for row in remaining))
    return either(remaining, "a-document", "nothing")


@question(
    "Is an `If-Match` inside a batch ignored?",
    expected="ignored",
    source="tested by an integrator on Service Layer 1000340",
    breaks="no effect: for this reason, none is ever sent inside one",
    switches=("other_habits=inner-tags-count",),
    writes=True,
)
async def _inner_if_match_ignored(fixture: Fixture) -> str:
    change = await _change(fixture, "with a tag inside")
    stale = evolve(change, headers={"If-Match": 'W/"0000000000000000000000000000000000000000"'})
    result = _read(await _run(fixture, stale), fixture, 1)
    return either(isinstance(result, ChangeSetDone), "ignored", "honoured")


_NOTIFICATION_INSIDE_A_BATCH: Final = Question(
    name="notification-inside-a-batch",
    asks="Is a refusal by the company's own rules inside a change set one part of it (and no HTML page)?",
    expected="one-part",
    source="an issue of a client library: some builds answer the balancer's HTML 502",
    breaks="such a return counts as uncertain until it was looked for, and such a change set as unknown",
    switches=("notification_breaks_batch=true",),
    unasked="it takes a document that the company's own rules refuse, and those are its own",
)


BATCH_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run."""
