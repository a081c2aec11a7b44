"""Which rules each entity set follows."""

from __future__ import annotations

from erpsim.customizing.definitions import (
    FIELDS,
    KEYS,
    OBJECTS,
    TABLES,
    UserFieldRules,
    UserKeyRules,
    UserTableRules,
)
from erpsim.customizing.objects import UserObjectDefinitionRules
from erpsim.documents.drafts import DraftRules
from erpsim.documents.kinds import DRAFTS, KINDS
from erpsim.documents.rules import DocumentRules
from erpsim.entities import PlainRules, ReadOnlyRules, Rules
from erpsim.facts import EntitySetFacts
from erpsim.journal import JournalEntryRules
from erpsim.masters import (
    check_item_removal,
    check_partner_removal,
    complete_item,
    complete_partner,
    item_taken,
    partner_taken,
)
from erpsim.payments import INCOMING, OUTGOING
from erpsim.people import complete_user
from erpsim.transfers import REQUESTS, TRANSFERS
from erpsim.user_objects import UserObjectRules

_PLAIN = PlainRules()
_READ_ONLY = ReadOnlyRules()
_USER_OBJECTS = UserObjectRules()
_RULES: dict[str, Rules] = {
    **{name: DocumentRules(kind) for name, kind in KINDS.items()},
    DRAFTS: DraftRules(),
    "IncomingPayments": INCOMING,
    "VendorPayments": OUTGOING,
    "JournalEntries": JournalEntryRules(),
    "StockTransfers": TRANSFERS,
    "InventoryTransferRequests": REQUESTS,
    "BusinessPartners": PlainRules(complete_partner, partner_taken, check_partner_removal),
    "Items": PlainRules(complete_item, item_taken, check_item_removal),
    "Users": PlainRules(complete_user),
    TABLES: UserTableRules(),
    FIELDS: UserFieldRules(),
    OBJECTS: UserObjectDefinitionRules(),
    KEYS: UserKeyRules(),
}


def rules_for(entity_set: EntitySetFacts) -> Rules:
    """Return the rules of an entity set; documents without rules of their own can only be read."""
    known = _RULES.get(entity_set.name)
    if known is not None:
        return known
    if entity_set.user_object:
        return _USER_OBJECTS
    return _READ_ONLY if entity_set.type.name == "Document" else _PLAIN
