"""Records of version 0.1.0: every document state with every stored sentence is decided as it was there.

Version 0.1.0 wrote `records_of_0_1_0.json`. It contains a record with each state, with and without attempts,
and the decision of that version for each stored message. In the decisions, "=" stands for that message. Never
change the file.
"""

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import attrs
import pytest

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.execution.rules.finding import ErpReturn
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.records.reading import read_planning
from supplier_returns.planning.records.writing import write_planning
from supplier_returns.planning.rules.actions import actions_of

STORED = json.loads(Path(__file__).with_name("records_of_0_1_0.json").read_text(encoding="utf-8"))
COPIES = [ErpReturn(doc_entry=number, doc_num=number, card_code="P1", key="x") for number in (51, 52)]


def read(message: str | None, **more: object) -> Planning:
    """Decode the record, with this message and further fields in every document."""
    record = json.loads(json.dumps(STORED["record"]))
    for row in record["LIB_DEV3Collection"]:
        row |= {"U_Mensaje": message, **more}
    return read_planning(json.dumps(record).encode(), UTC)


def shown(planning: Planning, message: str | None) -> list[list[object]]:
    return [
        [each.doc_id, each.state.value, bool(each.key), _equal(each.message, message)]
        for each in planning.documents
    ]


def _equal(text: str | None, message: str | None) -> str | None:
    return "=" if text is not None and text == message else text


def decide(planning: Planning, message: str | None) -> dict[str, Any]:
    """Return the decisions for a planning in the format of the file."""
    found: dict[str, Any] = {}
    for replan in (False, True):
        after = Reprocessing.of(planning, None, replan=replan)
        found[f"reprocess_{replan}".lower()] = {
            "resume": list(after.resume),
            "given_up": list(after.given_up),
            "documents": shown(after.planning, message),
        }
    appeared = planning.with_documents(
        attrs.evolve(each, state=DocumentState.CREATED)
        for each in planning.documents
        if each.state is DocumentState.OMITTED
    )
    on_hold = Comparison(planning, appeared).with_holds()
    everything = [each.doc_id for each in planning.documents]
    copied = [recorded_outcomes.with_copies(each, COPIES) for each in planning.documents]
    finish = planning.with_states()
    return found | {
        "held_back": shown(Comparison(planning, planning).with_holds(), message),
        "appeared": shown(on_hold, message),
        "newly_held": Comparison(planning, on_hold).has_new_hold,
        "changed": shown(planning.with_content_warnings(everything), message),
        "copies": [[each.doc_id, _equal(each.message, message)] for each in copied],
        "closed": shown(planning.closed(), message),
        "line": finish.lines[0].state.value,
        "state": finish.state.value,
        "actions": [action.value for action in actions_of(planning)],
        "open": list(planning.unresolved),
    }


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["message"])
def test_a_record_of_0_1_0_means_the_same(case: dict[str, Any]) -> None:
    assert decide(read(case["message"]), case["message"]) == case["decided"]


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["message"])
def test_a_record_of_0_1_0_means_the_same_after_its_codes_were_stored(case: dict[str, Any]) -> None:
    first = read(case["message"], U_CodAviso=None)
    native = {"DocEntry": 1, "DocNum": 7, "Status": "O", "Canceled": "N"}
    stored = json.loads(write_planning(first)) | native
    again = read_planning(json.dumps(stored).encode(), UTC)
    assert again == first
    assert decide(again, case["message"]) == case["decided"]
