"""Questions about entity tags."""

from functools import partial
from typing import Final

from erp_gateway.doctor.conformance.sources import ANNOTATIONS, LIVE
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Probe, Question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, rows, tag_kind


def _tag_of(entity_set: str, key: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        # Read the key only: the record of a partner contains a password.
        found = rows(await fixture.get(entity_set, {"$select": key, "$top": "1"}, B1S_PageSize="1"))
        if not found:
            raise QuestionSkipped(f"no record in {entity_set}")
        return tag_kind(fixture.tag_in(found[0]))

    return probe


_tagged: Final = partial(
    Question,
    expected="weak",
    source=ANNOTATIONS,
    switches=("entity_tags=false",),
)
_untagged: Final = partial(
    Question,
    expected="none",
    source=ANNOTATIONS,
    breaks="`If-Match` on them is refused (`etag_unsupported`) without need",
    switches=("other_habits=every-set-tagged",),
)
_TAGS_ON_ITEMS: Final = _tagged(
    name="tags-on-items",
    asks="Do items carry weak entity tags?",
    breaks="`If-Match` on items has no effect",
    probe=_tag_of("Items", "ItemCode"),
)


_TAGS_ON_PARTNERS: Final = _tagged(
    name="tags-on-partners",
    asks="Do business partners carry weak entity tags?",
    breaks="`If-Match` on business partners has no effect",
    probe=_tag_of("BusinessPartners", "CardCode"),
)


_NO_TAGS_ON_WAREHOUSES: Final = _untagged(
    name="no-tags-on-warehouses",
    asks="Do warehouses carry no entity tags?",
    source=LIVE,
    probe=_tag_of("Warehouses", "WarehouseCode"),
)


_NO_TAGS_ON_JOURNAL_ENTRIES: Final = _untagged(
    name="no-tags-on-journal-entries",
    asks="Do journal entries carry no entity tags?",
    probe=_tag_of("JournalEntries", "JdtNum"),
)


_NO_TAGS_ON_PAYMENTS: Final = _untagged(
    name="no-tags-on-payments",
    asks="Do received payments carry no entity tags?",
    probe=_tag_of("IncomingPayments", "DocEntry"),
)


TAG_QUESTIONS: Final = questions_in(globals())
