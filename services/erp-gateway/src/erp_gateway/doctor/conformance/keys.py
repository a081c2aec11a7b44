"""Questions about the keys of records."""

from typing import Final

from erp_gateway.doctor.conformance.sources import METADATA
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Probe, Question, questions_in
from erpdoctor.conformance.readings import either, fields


def _keyed(entity_set: str, name: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        first = await fixture.first(entity_set)
        found = fields(await fixture.get(f"{entity_set}({first.get(name)})", {"$select": name}))
        return either(found.get(name) == first.get(name), "number", "other")

    return probe


_JOURNAL_ENTRIES_BY_NUMBER: Final = Question(
    name="journal-entries-by-number",
    asks="Is a journal entry read by `JdtNum`, a whole number?",
    expected="number",
    source=METADATA,
    breaks="journal entries can neither be read nor cancelled",
    probe=_keyed("JournalEntries", "JdtNum"),
)


_PAYMENTS_BY_ENTRY: Final = Question(
    name="payments-by-entry",
    asks="Is a received payment read by `DocEntry`, a whole number?",
    expected="number",
    source=METADATA,
    breaks="payments can neither be read nor cancelled",
    probe=_keyed("IncomingPayments", "DocEntry"),
)


KEY_QUESTIONS: Final = questions_in(globals())
