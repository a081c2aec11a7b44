"""Choice of a document's return or draft among the ERP's documents with its key."""

from supplier_returns.execution.rules.finding import (
    DraftStatus,
    ErpDraft,
    ErpReturn,
    identify,
    relevant_draft,
)
from supplier_returns.execution.rules.keys import name_of


def found(
    doc_entry: int,
    card_code: str = "P1",
    *,
    key: str = "K-1",
    cancelled: bool = False,
    counter: bool = False,
) -> ErpReturn:
    return ErpReturn(
        doc_entry=doc_entry,
        doc_num=doc_entry,
        card_code=card_code,
        key=key,
        is_cancelled=cancelled,
        is_cancellation=counter,
    )


def test_the_oldest_live_return_of_the_supplier_is_chosen() -> None:
    match = identify("K-1", "P1", [found(3), found(2), found(1, "P2")])
    assert match is not None
    assert match.found.doc_entry == 2
    assert [each.doc_entry for each in match.others] == [3, 1]


def test_a_cancelled_return_is_chosen_last_and_a_counter_document_never() -> None:
    match = identify("K-1", "P1", [found(1, cancelled=True), found(2, counter=True), found(3)])
    assert match is not None
    assert (match.found.doc_entry, match.others) == (3, ())
    match = identify("K-1", "P1", [found(1, cancelled=True), found(2, counter=True)])
    assert match is not None
    assert match.found.doc_entry == 1
    assert identify("K-1", "P1", [found(2, counter=True)]) is None
    assert identify("K-1", "P1", []) is None


def test_a_waiting_draft_is_preferred_to_a_rejected_one() -> None:
    refused = ErpDraft(doc_entry=1, status=DraftStatus.REFUSED)
    waiting = ErpDraft(doc_entry=2, status=DraftStatus.WAITING)
    assert relevant_draft([refused, waiting]) == waiting
    assert relevant_draft([refused]) == refused
    assert relevant_draft([]) is None


def test_another_key_of_the_same_document_is_used_if_its_own_is_missing() -> None:
    match = identify("K-1", "P1", [found(1, key="K-2"), found(2, key="K-1")])
    assert match is not None
    assert match.found.doc_entry == 2
    match = identify("K-1", "P1", [found(1, key="K-2"), found(2, key="K-1", cancelled=True)])
    assert match is not None
    assert match.found.key == "K-2"
    assert name_of("ODEV-12-3-0a1b2c3d") == "ODEV-12-3-"
