"""Questions that write, on a quotation that the suite creates, in this order."""

from typing import Final

from erpdoctor.conformance.fixture import TRIAL_SET, Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, either, fields, refusal, status

_LINES: Final = "DocumentLines"
_STALE: Final = 'W/"0000000000000000000000000000000000000000"'


async def _tagged_trial(fixture: Fixture) -> str:
    tag = fixture.tag_in(await fixture.trial())
    if not isinstance(tag, str):
        raise QuestionSkipped("quotations carry no tags")
    return tag


async def _with_tag(fixture: Fixture, if_match: str) -> str:
    return status(await fixture.patch(fixture.trial_path, {"Comments": "with a tag"}, If_Match=if_match))


async def _lines_left(fixture: Fixture, **headers: str) -> int:
    lines = (await fixture.trial())[_LINES]
    first = {"LineNum": lines[0]["LineNum"], "FreeText": "conformance"}
    reply = await fixture.patch(fixture.trial_path, {_LINES: [first]}, **headers)
    if status(reply) != "204":
        raise QuestionSkipped(f"changing a line is refused: {refusal(reply)}")
    return len((await fixture.trial())[_LINES])


_TESTED_LIVE: Final = "tested by an integrator on Service Layer 1000340"


@question(
    "Does a creation answer 201 with the record and its key?",
    expected="201/record",
    source="SAP's manual 1.22, 3.5",
    breaks="the number of a new record is unknown; returns count as uncertain",
    writes=True,
)
async def _create_answers_the_record(fixture: Fixture) -> str:
    reply = await fixture.create(TRIAL_SET, await fixture.trial_body())
    return f"{reply.status}/{either('DocEntry' in fields(reply), 'record', 'none')}"


@question(
    "Does a change answer 204?",
    expected="204",
    source="SAP's manual 1.22, 3.5",
    breaks="no effect: any success counts",
    switches=("other_habits=changes-are-200",),
    writes=True,
)
async def _change_answers_nothing(fixture: Fixture) -> str:
    await fixture.trial()
    return status(await fixture.patch(fixture.trial_path, {"Comments": "conformance trial, changed"}))


@question(
    "Has a record another tag after a change?",
    expected="another",
    source=_TESTED_LIVE,
    breaks="a change by another user goes unnoticed",
    writes=True,
)
async def _tag_moves_with_a_change(fixture: Fixture) -> str:
    before = await _tagged_trial(fixture)
    await fixture.patch(fixture.trial_path, {"Comments": "conformance trial, changed again"})
    return either(await _tagged_trial(fixture) != before, "another", "same")


@question(
    "Does a change with the record's own tag in `If-Match` pass?",
    expected="204",
    source="SAP's manual 1.22, chapter 5",
    breaks="no document can be changed with the tag that was read",
    switches=("other_habits=changes-are-200",),
    writes=True,
)
async def _true_tag_passes(fixture: Fixture) -> str:
    return await _with_tag(fixture, await _tagged_trial(fixture))


@question(
    "Does a change with `If-Match: *` pass?",
    expected="204",
    source=_TESTED_LIVE,
    breaks="clients that send `*` are refused by the ERP",
    switches=(
        "other_habits=changes-are-200",
        "other_habits=star-refused",
    ),
    writes=True,
)
async def _star_if_match_passes(fixture: Fixture) -> str:
    await _tagged_trial(fixture)
    return await _with_tag(fixture, "*")


@question(
    "Is a change with another weak tag refused with 412 and code -2039?",
    expected="412/-2039",
    source="SAP's manual 1.22, chapter 5; " + _TESTED_LIVE,
    breaks="two people overwrite each other's changes",
    switches=("other_habits=stale-tags-pass",),
    writes=True,
)
async def _stale_tag_is_412(fixture: Fixture) -> str:
    await _tagged_trial(fixture)
    return await _with_tag(fixture, _STALE)


@question(
    "Is an `If-Match` of no valid form ignored, so that the change happens?",
    expected="204",
    source=_TESTED_LIVE,
    breaks="no effect: the gateway refuses such a header itself",
    switches=(
        "other_habits=garbage-tags-refused",
        "other_habits=changes-are-200",
    ),
    writes=True,
)
async def _garbage_if_match_ignored(fixture: Fixture) -> str:
    await _tagged_trial(fixture)
    return await _with_tag(fixture, "conformance-garbage")


@question(
    "Is an unknown property in a body refused with 400 and code -1000?",
    expected="400/-1000",
    source="refusals kept by a product",
    breaks="a misspelt field is lost without a word",
    switches=("other_habits=unknown-names-lost",),
    writes=True,
)
async def _unknown_property_refused(fixture: Fixture) -> str:
    await fixture.trial()
    return refusal(await fixture.patch(fixture.trial_path, {"ConformanceNoSuchName": "x"}))


@question(
    "Is a text longer than its column refused, and not cut?",
    expected="400",
    source="notes of integrators",
    breaks="texts are stored cut without a word: keys in `NumAtCard` would no longer be found",
    switches=("other_habits=texts-are-cut",),
    writes=True,
)
async def _text_too_long_refused(fixture: Fixture) -> str:
    await fixture.trial()
    reply = await fixture.patch(fixture.trial_path, {"NumAtCard": "x" * 101})
    return str(reply.status)


@question(
    "Do lines that a change does not send stay?",
    expected="kept",
    source="SAP's manual 1.29, 3.4; seen by integrators",
    breaks="a change of one line deletes all others",
    switches=("other_habits=lines-are-replaced",),
    writes=True,
)
async def _lines_are_merged(fixture: Fixture) -> str:
    return either(await _lines_left(fixture) > 1, "kept", "deleted")


@question(
    "Does a line without its `LineNum` overwrite the one at its place, or is it a new one?",
    expected="overwrites",
    source="an integrator's tests; SAP's blog says that it is a new one",
    breaks="no effect: changed lines are sent with their numbers, new ones after all others",
    switches=("other_habits=rows-without-keys-are-new",),
    writes=True,
)
async def _line_without_its_number(fixture: Fixture) -> str:
    before = (await fixture.trial())[_LINES]
    line = {"ItemCode": before[0]["ItemCode"], "Quantity": 1, "UnitPrice": 1}
    reply = await fixture.patch(fixture.trial_path, {_LINES: [line]})
    if status(reply) not in ("200", "204"):
        return refusal(reply)
    return either(len((await fixture.trial())[_LINES]) > len(before), "added", "overwrites")


@question(
    "Does `B1S-ReplaceCollectionsOnPatch` delete the lines that are not sent?",
    expected="deleted",
    source="a client library's documentation; tests of a product",
    breaks="lines can't be deleted",
    switches=("other_habits=replace-header-ignored",),
    writes=True,
)
async def _replace_header_deletes(fixture: Fixture) -> str:
    remaining = await _lines_left(fixture, B1S_ReplaceCollectionsOnPatch="true")
    return either(remaining > 1, "kept", "deleted")


@question(
    "Is an action with a stale tag refused with 412 and code -2039?",
    expected="412/-2039",
    source=_TESTED_LIVE,
    breaks="a document is cancelled although another user has changed it",
    switches=("other_habits=stale-tags-pass",),
    writes=True,
)
async def _actions_honour_tags(fixture: Fixture) -> str:
    await _tagged_trial(fixture)
    return refusal(await fixture.act(f"{fixture.trial_path}/Cancel", If_Match=_STALE))


@question(
    "Does `Cancel` answer 204?",
    expected="204",
    source="SAP's manual 1.29; metadata",
    breaks="no effect: any success counts",
    switches=("other_habits=changes-are-200",),
    writes=True,
)
async def _cancel_answers_nothing(fixture: Fixture) -> str:
    if (await fixture.trial()).get("Cancelled") == "tYES":
        raise QuestionSkipped("the trial document is cancelled already")
    return status(await fixture.act(f"{fixture.trial_path}/Cancel"))


@question(
    "Is a cancelled document's `Cancelled` `tYES`?",
    expected="tYES",
    source="metadata of v1 and v2",
    breaks="a cancelled return counts as valid",
    switches=("other_habits=yes-and-no-in-letters",),
    writes=True,
)
async def _cancelled_is_tyes(fixture: Fixture) -> str:
    return str((await fixture.trial()).get("Cancelled"))


@question(
    "Is cancelling a cancelled document refused with 400?",
    expected="400",
    source=_TESTED_LIVE,
    breaks="a second `Cancel` would pass for a first one",
    switches=("other_habits=cancelled-again",),
    writes=True,
)
async def _cancelling_twice_is_400(fixture: Fixture) -> str:
    if (await fixture.trial()).get("Cancelled") != "tYES":
        raise QuestionSkipped("the trial document is not cancelled")
    return str((await fixture.act(f"{fixture.trial_path}/Cancel")).status)


WRITE_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run. The last ones cancel the trial document."""
