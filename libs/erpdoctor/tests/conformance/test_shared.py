"""The questions about the ERP against the simulated one: all as documented, and each switch turns its own."""

import contextlib
import re
from collections.abc import AsyncIterator, Sequence

import attrs
import pytest

from erpclient import Credentials, ErpLoginRejected, ErpSettings
from erpclient.odata import Dialect
from erpdoctor.checks import Finding
from erpdoctor.conformance.command import run_questions
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import GAVE_UP, Interview, Question, is_answer
from erpdoctor.conformance.session import ProbeSession
from erpdoctor.conformance.shared import SHARED_QUESTIONS
from erpdoctor.running import run_checks
from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Drop, Fault, Garbage, Refuse, When
from erpsim.faults.actions import Action
from erpsim.process.options import OPTIONS, switch_reader
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import SystemClock
from servicekit.last_run import Outcome

pytestmark = pytest.mark.check

CREDENTIALS = Credentials("SBO_DEMO", "manager", "erpsim")
BOTH = pytest.mark.parametrize("version", ["v1", "v2"])
WORD = re.compile(r"[A-Za-z0-9_.:@/-]{1,80}")
ASKED = [question for question in SHARED_QUESTIONS if question.probe is not None]
TURNED = sorted({turned for question in ASKED for turned in question.switches})


def turn(text: str) -> Switches:
    name, _, value = text.partition("=")
    return attrs.evolve(Switches(), **{name: switch_reader(name)(value)})


def settings_of(sim: Simulator, version: str = "v1") -> ErpSettings:
    return ErpSettings(sim.url if version == "v1" else sim.url_v2, timeout_s=20.0, slow_call_s=1e9)


@contextlib.asynccontextmanager
async def open_fixture(
    switches: Switches | None = None,
    *,
    seed: str = "returns",
    version: str = "v1",
    credentials: Credentials = CREDENTIALS,
) -> AsyncIterator[tuple[Simulator, Fixture]]:
    async with (
        run_sim(switches=switches, seed=seed) as sim,
        ProbeSession(settings_of(sim, version), credentials) as line,
    ):
        yield sim, Fixture(line)


async def ask(
    fixture: Fixture, questions: Sequence[Question] = SHARED_QUESTIONS, *, writes: bool = False
) -> dict[str, Finding]:
    interview = Interview(fixture, writes=writes)
    results = await run_checks([interview.check(each) for each in questions], clock=SystemClock())
    return {question.name: result.finding for question, result in zip(questions, results, strict=True)}


async def change_an_order(fixture: Fixture) -> None:
    entry = (await fixture.first("Orders"))["DocEntry"]
    assert (await fixture.patch(f"Orders({entry})", {"Comments": "changed"})).status in (200, 204)


def names_of(found: dict[str, Finding], outcome: Outcome) -> set[str]:
    return {name for name, finding in found.items() if finding.outcome is outcome}


@BOTH
@pytest.mark.asyncio
async def test_the_simulated_erp_answers_every_question_as_documented(version: str) -> None:
    async with open_fixture(version=version) as (sim, fixture):
        await change_an_order(fixture)
        found = await ask(fixture, writes=True)
        unasked = {question.name for question in SHARED_QUESTIONS if question.probe is None}
        assert {
            name: finding.seen for name, finding in found.items() if finding.outcome is Outcome.WARN
        } == {}
        assert names_of(found, Outcome.SKIPPED) == unasked
        assert names_of(found, Outcome.OK) == {q.name for q in ASKED}
        assert all(stays.endswith("stays, cancelled") for stays in await fixture.tidy())
        assert len(sim.calls.of("POST", "Login")) == 1
        assert sim.calls.max_in_flight == 1


@pytest.mark.asyncio
async def test_without_permission_to_write_only_reads_are_sent() -> None:
    async with open_fixture() as (sim, fixture):
        found = await ask(fixture)
        assert all(found[q.name].outcome is Outcome.SKIPPED for q in SHARED_QUESTIONS if q.writes)
        sent = {(call.method, call.path) for call in sim.calls if call.method != "GET"}
        assert sent == {("POST", "Login"), ("POST", "CompanyService_GetCompanyInfo")}
        assert await fixture.tidy() == ()


@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.asyncio
async def test_a_switch_makes_exactly_its_questions_differ(turned: str) -> None:
    async with open_fixture(turn(turned)) as (_, fixture):
        await change_an_order(fixture)
        found = await ask(fixture, writes=True)
        assert names_of(found, Outcome.WARN) == {q.name for q in ASKED if turned in q.switches}
        assert names_of(found, Outcome.FAIL) == set()


@pytest.mark.parametrize(
    "turned", sorted({t for q in SHARED_QUESTIONS if q.probe is None for t in q.switches})
)
def test_switches_of_untested_questions_exist(turned: str) -> None:
    name, _, value = turned.partition("=")
    options = {option.name: option.read for option in OPTIONS}
    assert options[name](value) if name in options else turn(turned) != Switches()


@pytest.mark.asyncio
async def test_an_empty_company_skips_questions_without_a_wrong_answer() -> None:
    async with open_fixture(seed="empty") as (_, fixture):
        found = await ask(fixture, writes=True)
        assert names_of(found, Outcome.WARN) == set()
        assert found["tags-on-orders"].seen == "no record in Orders"
        assert found["inlinecount-counts-all"].seen == "no record in Items"
        assert found["create-answers-the-record"].outcome is Outcome.SKIPPED


@pytest.mark.asyncio
async def test_a_refused_login_is_tried_once_and_comes_out() -> None:
    async with run_sim() as sim:
        with pytest.raises(ErpLoginRejected):
            async with ProbeSession(settings_of(sim), Credentials("SBO_DEMO", "manager", "wrong")):
                pass
        assert len(sim.calls.of("POST", "Login")) == 1


@pytest.mark.asyncio
async def test_a_lost_reply_leaves_only_its_question_unanswered() -> None:
    async with open_fixture() as (sim, fixture):
        lost = [q for q in SHARED_QUESTIONS if q.name in ("missing-record-is-404", "filter-logic")]
        sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), method="GET", path="Items(*)", times=2))
        found = await ask(fixture, lost)
        assert found["missing-record-is-404"].outcome is Outcome.FAIL
        assert found["missing-record-is-404"].seen == "ErpUnreachable"
        assert found["filter-logic"].outcome is Outcome.OK


@pytest.mark.asyncio
async def test_a_missing_reply_is_shown_in_a_word() -> None:
    async with open_fixture() as (sim, fixture):
        rows = [q for q in SHARED_QUESTIONS if q.name == "rows-stand-in-value"]
        sim.faults.add(Fault(action=Garbage(size_bytes=100), method="GET", path="Items"))
        found = await ask(fixture, rows)
        assert found["rows-stand-in-value"].seen == "no-json-object"


@pytest.mark.asyncio
async def test_a_reply_without_expected_members_is_unreadable_and_the_run_continues() -> None:
    fault = Fault(action=Answer(status=400, body="{}", content_type="application/json"), path="Items")
    assert (await ask_with(fault, "refusals-have-two-shapes")).seen == "unreadable"


@pytest.mark.asyncio
async def test_a_creation_that_may_have_left_a_draft_is_reported() -> None:
    # The simulated procedure catches normal users alone.
    switches = Switches(approval_procedure=frozenset({"Quotations"}))
    async with open_fixture(switches, credentials=Credentials("SBO_DEMO", "bodega", "erpsim")) as (
        _,
        fixture,
    ):
        creating = [question for question in ASKED if question.name == "create-answers-the-record"]
        found = await ask(fixture, creating, writes=True)
        assert found["create-answers-the-record"].outcome is Outcome.WARN
        (left,) = await fixture.tidy()
        assert left.startswith("a creation in Quotations was refused with -2028")


@pytest.mark.asyncio
async def test_a_document_that_could_not_be_cancelled_is_reported() -> None:
    async with open_fixture() as (sim, fixture):
        await fixture.trial()
        sim.faults.add(
            Fault(action=BadGateway(when=When.BEFORE_WORK), method="POST", path="Quotations(*)/Cancel")
        )
        (left,) = await fixture.tidy()
        assert left.endswith("is not cancelled: cancel it by hand")


@pytest.mark.asyncio
async def test_no_answer_shows_anything_but_words() -> None:
    async with open_fixture() as (_, fixture):
        for finding in (await ask(fixture, writes=True)).values():
            assert not is_answer(finding) or WORD.fullmatch(finding.seen)


def test_every_question_has_the_texts_of_its_page() -> None:
    names = [question.name for question in SHARED_QUESTIONS]
    assert len(names) == len(set(names))
    for question in SHARED_QUESTIONS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", question.name)
        assert question.asks.endswith("?")
        assert question.source
        assert all(WORD.fullmatch(question.expected_of(each)) for each in Dialect)
        assert question.breaks
        assert (question.probe is None) == bool(question.unasked)


async def ask_with(fault: Fault, name: str, *, writes: bool = False) -> Finding:
    async with open_fixture() as (sim, fixture):
        sim.faults.add(fault)
        (found,) = (await ask(fixture, [q for q in ASKED if q.name == name], writes=writes)).values()
        return found


def list_of(*rows: str) -> Answer:
    return Answer(status=200, body=f'{{"value":[{",".join(rows)}]}}', content_type="application/json")


@pytest.mark.asyncio
async def test_a_question_about_two_items_is_skipped_with_one_item() -> None:
    found = await ask_with(Fault(action=list_of('{"ItemCode":"A"}'), path="Items"), "skip-counts-rows")
    assert found.seen == "fewer than two records in Items"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("letter-case-header", "no item with letters in its code among the first"),
        ("letter-case-tells-keys-apart", "no code of an item with a letter"),
    ],
)
@pytest.mark.asyncio
async def test_the_letter_case_question_needs_a_code_with_letters(name: str, reason: str) -> None:
    found = await ask_with(Fault(action=list_of('{"ItemCode":"1"}'), path="Items"), name)
    assert found.seen == reason


@pytest.mark.parametrize(
    ("action", "seen"),
    [
        (Refuse(status=400, code=-1000, text="Incomplete Batch Request Body!"), "400/-1000"),
        (Garbage(size_bytes=50), "unreadable"),
        (BadGateway(when=When.BEFORE_WORK), "502/none"),
    ],
)
@pytest.mark.asyncio
async def test_a_refused_batch_is_reported(action: Action, seen: str) -> None:
    found = await ask_with(Fault(action=action, path="$batch"), "batch-answers-each-part", writes=True)
    assert found.seen == seen


@pytest.mark.asyncio
async def test_the_merge_question_needs_changeable_lines() -> None:
    refuse = Refuse(status=400, code=-5002, text="Not now")
    fault = Fault(action=refuse, method="PATCH", path="Quotations(*)")
    found = await ask_with(fault, "lines-are-merged", writes=True)
    assert found.seen == "changing a line is refused: 400/-5002"


@pytest.mark.asyncio
async def test_a_document_that_was_not_cancelled_can_not_be_cancelled_twice() -> None:
    async with open_fixture() as (_, fixture):
        found = await ask(fixture, [q for q in ASKED if q.name == "cancelling-twice-is-400"], writes=True)
        assert found["cancelling-twice-is-400"].seen == "the trial document is not cancelled"


@pytest.mark.asyncio
async def test_an_erp_that_went_away_leaves_each_question_unanswered() -> None:
    async with run_sim() as sim:
        line = ProbeSession(settings_of(sim), CREDENTIALS)
        await line.__aenter__()
    try:
        for _ in range(2):
            found = await ask(Fixture(line), [q for q in ASKED if q.name == "filter-logic"])
            assert found["filter-logic"].outcome is Outcome.FAIL
    finally:
        await line.__aexit__(None, None, None)


@pytest.mark.asyncio
async def test_three_unanswered_questions_end_the_run() -> None:
    async with open_fixture() as (sim, fixture):
        sim.sessions.end_all()
        found = await ask(fixture, [q for q in ASKED if not q.writes])
        lost = [name for name, each in found.items() if each.outcome is Outcome.FAIL]
        assert (len(lost), {found[name].seen for name in lost}) == (3, {"SessionEnded"})
        assert {each.cause for each in found.values() if each.outcome is Outcome.SKIPPED} == {GAVE_UP}
        assert len(sim.calls.of("POST", "Login")) == 1
        assert names_of(found, Outcome.WARN) == {"session-of-both-versions"}


@pytest.mark.asyncio
async def test_a_cancellation_without_a_reply_is_reported() -> None:
    async with open_fixture() as (sim, fixture):
        await fixture.trial()
        sim.sessions.end_all()
        (left,) = await fixture.tidy()
        assert left.endswith("and the ERP no longer answers: look whether it is cancelled")


async def _asks(fixture: Fixture) -> str:
    fixture.note("something stays")
    return "as-expected"


NOTING = [
    Question(
        name=f"noting-{number}",
        asks="Is it?",
        expected="as-expected",
        source="nowhere",
        breaks="nothing",
        probe=_asks,
    )
    for number in (1, 2)
]


@pytest.mark.asyncio
async def test_a_complete_run_reports_each_question_remaining_records_and_calls() -> None:
    outcome: list[str] = []
    async with run_sim(seed="small") as sim:
        run = await run_questions(
            settings_of(sim),
            CREDENTIALS,
            NOTING,
            service="erpdoctor",
            writes=False,
            report_line=outcome.append,
        )
        assert len(sim.calls.of("POST", "Logout")) == 1
    assert outcome == ["[1/2] noting-1", "[2/2] noting-2"]
    assert [result.outcome for result in run.results] == [Outcome.OK] * 2
    assert (run.stays, run.calls) == (("something stays",) * 2, 1)


@pytest.mark.asyncio
async def test_an_aborted_run_reports_the_remaining_records() -> None:
    result: list[str] = []

    def tell(line: str) -> None:
        result.append(line)
        if line.startswith("[1/2]"):
            raise InterruptedError

    async with run_sim(seed="small") as sim:
        with pytest.raises(InterruptedError):
            await run_questions(
                settings_of(sim), CREDENTIALS, NOTING, service="erpdoctor", writes=False, report_line=tell
            )
        assert len(sim.calls.of("POST", "Logout")) == 1
    assert result == ["[1/2] noting-1", "something stays"]
