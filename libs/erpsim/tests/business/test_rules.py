"""Operations that every entity set supports, and those that the simulator refuses."""

from __future__ import annotations

from erpsim.business.journal import JournalEntryRules
from erpsim.business.rules import Modification, Operation, ReadOnlyRules
from erpsim.desk import Desk


def test_read_only_documents_refuse_every_write(desk: Desk) -> None:
    at, rules = Operation(desk.world.company, "DownPayments", "manager"), ReadOnlyRules()
    assert desk.refusal(rules.create, at, {}).status == 501
    assert desk.refusal(rules.modify, at, {}, Modification({})).status == 501
    assert desk.refusal(rules.delete, at, {}).status == 501
    assert desk.refusal(rules.act, at, {}, "Close").status == 501


def test_a_plain_object_supports_no_action(desk: Desk) -> None:
    assert desk.refusal(desk.act, "PaymentTermsTypes", 1, "Close").status == 501
    entry_number = desk.rows("JournalEntries", top=1)[0]["JdtNum"]
    at = Operation(desk.world.company, "JournalEntries", "manager")
    assert desk.refusal(JournalEntryRules().act, at, {"JdtNum": entry_number}, "Odd").status == 501
