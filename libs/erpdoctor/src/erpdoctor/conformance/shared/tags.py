"""Questions about entity tags and versions."""

from typing import Final

from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, either, fields, rows, status, tag_kind

_BEFORE_TAGS: Final = "entity_tags=false"


async def _first_entry(fixture: Fixture) -> int:
    return int((await fixture.first("Orders"))["DocEntry"])


async def _tagged_order(fixture: Fixture) -> tuple[int, object]:
    """Read an order again, because users may have changed it."""
    entry = await _first_entry(fixture)
    tag = fixture.tag_in(fields(await fixture.get(f"Orders({entry})")))
    if tag is None:
        raise QuestionSkipped("orders carry no tags")
    return entry, tag


@question(
    "Do orders carry weak entity tags?",
    expected="weak",
    source="SAP's manual 1.22, chapter 5: from FP 2102 on",
    breaks="concurrent changes of one document go unnoticed; `If-Match` is refused or has no effect",
    switches=(_BEFORE_TAGS,),
)
async def _tags_on_orders(fixture: Fixture) -> str:
    return tag_kind(fixture.tag_in(fields(await fixture.get(f"Orders({await _first_entry(fixture)})"))))


@question(
    "Does a single record carry its tag in the header `ETag` too?",
    expected="same",
    source="tested by an integrator on Service Layer 1000340",
    breaks="no effect as long as the body has it",
    switches=("other_habits=header-tags-missing",),
)
async def _tag_in_the_header(fixture: Fixture) -> str:
    entry, _ = await _tagged_order(fixture)
    reply = await fixture.get(f"Orders({entry})")
    return either(reply.etag == fixture.tag_in(fields(reply)), "same", "other")


@question(
    "Do the rows of a list carry their tags?",
    expected="weak",
    source="tested by an integrator on Service Layer 1000340",
    breaks="a record has to be read once more before it can be changed safely",
    switches=(_BEFORE_TAGS,),
)
async def _tags_in_rows(fixture: Fixture) -> str:
    return tag_kind(fixture.tag_in(await fixture.first("Orders")))


@question(
    "Where does a list that was filtered by the key alone carry its only row's tag?",
    expected="header",
    source="tested by an integrator on Service Layer 1000340",
    breaks="no effect: the row is read first",
    switches=("other_habits=key-filter-tags-the-row",),
)
async def _tag_of_a_key_filter(fixture: Fixture) -> str:
    entry, tag = await _tagged_order(fixture)
    reply = await fixture.get("Orders", {"$filter": f"DocEntry eq {entry}", "$top": "1"})
    in_row = any(fixture.tag_in(row) == tag for row in rows(reply))
    return either(in_row, "row", either(reply.etag == tag, "header", "none"))


@question(
    "Can `DataVersion` be selected?",
    expected="200",
    source="SAP's manual 1.22, chapter 5: from FP 2102 on",
    breaks="reads with a selection carry no tag; each resource costs one refused call at a login",
    switches=(_BEFORE_TAGS,),
)
async def _data_version_can_be_selected(fixture: Fixture) -> str:
    return status(
        await fixture.get(f"Orders({await _first_entry(fixture)})", {"$select": "DocEntry,DataVersion"})
    )


@question(
    "Is the tag of a selection that names `DataVersion` the record's?",
    expected="true",
    source="tested by an integrator on Service Layer 1000340",
    breaks="changes after such a read are refused as stale, always",
    switches=("other_habits=every-selection-spoils-tags",),
)
async def _tag_with_data_version(fixture: Fixture) -> str:
    entry, tag = await _tagged_order(fixture)
    selected = fields(await fixture.get(f"Orders({entry})", {"$select": "DocEntry,DataVersion"}))
    return either(fixture.tag_in(selected) == tag, "true", "another")


@question(
    "Is the tag of a selection without `DataVersion` another than the record's?",
    expected="another",
    source="tested by an integrator on Service Layer 1000340",
    breaks="no effect: `DataVersion` would be selected without need",
    switches=("other_habits=no-selection-spoils-tags",),
)
async def _tag_without_data_version(fixture: Fixture) -> str:
    await _tagged_order(fixture)
    options = {"$select": "DocEntry,DataVersion", "$filter": "DataVersion gt 1", "$top": "1"}
    reply = await fixture.get("Orders", options, B1S_PageSize="1")
    changed = rows(reply) if reply.status == 200 else []  # noqa: PLR2004 - some answer an empty list otherwise
    if not changed:
        raise QuestionSkipped("no order that was ever changed")
    entry = changed[0]["DocEntry"]
    true = fixture.tag_in(fields(await fixture.get(f"Orders({entry})")))
    selected = fixture.tag_in(fields(await fixture.get(f"Orders({entry})", {"$select": "DocEntry"})))
    return either(selected == true, "true", "another")


TAG_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run."""
