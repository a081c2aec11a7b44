"""Maps entity sets to their rules."""

from __future__ import annotations

from erpsim.business.customizing.definitions import FIELDS, KEYS, OBJECTS, TABLES
from erpsim.business.customizing.object_definitions import UserObjectDefinitionRules
from erpsim.business.customizing.user_fields import UserFieldRules
from erpsim.business.customizing.user_keys import UserKeyRules
from erpsim.business.customizing.user_objects import UserObjectRules
from erpsim.business.customizing.user_tables import UserTableRules
from erpsim.business.documents.attachments import ATTACHMENTS, AttachmentRules
from erpsim.business.documents.drafts import DraftRules
from erpsim.business.documents.rules import DocumentRules
from erpsim.business.journal import JournalEntryRules
from erpsim.business.masters import (
    check_item_removal,
    check_partner_removal,
    complete_item,
    complete_partner,
    item_taken,
    partner_taken,
)
from erpsim.business.payments import INCOMING, OUTGOING
from erpsim.business.rules import PlainRules, ReadOnlyRules, Rules
from erpsim.business.transfers import REQUESTS, TRANSFERS
from erpsim.business.users import complete_user
from erpsim.facts.document_kinds import DRAFTS, KINDS
from erpsim.facts.model import EntitySetFacts

_PLAIN = PlainRules()
_READ_ONLY = ReadOnlyRules()
_USER_OBJECTS = UserObjectRules()
_RULES: dict[str, Rules] = {
    **{name: DocumentRules(kind) for name, kind in KINDS.items()},
    ATTACHMENTS: AttachmentRules(),
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
    """Return the rules of an entity set. Documents without rules are read-only."""
    rules = _RULES.get(entity_set.name)
    if rules is not None:
        return rules
    if entity_set.user_object:
        return _USER_OBJECTS
    return _READ_ONLY if entity_set.type.name == "Document" else _PLAIN
