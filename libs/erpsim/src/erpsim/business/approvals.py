"""Approval procedures: a caught document is refused, and also stored as a draft."""

from __future__ import annotations

from erpsim.company.company import Company
from erpsim.company.errors import SlError, no_match
from erpsim.company.exchange import Fields
from erpsim.facts.document_kinds import Kind


class HeldForApprovalError(SlError):
    """Refusal of a document that waits for approval: -2028, although its draft was stored (seen on Service
    Layer 1000321).

    Args:
        draft: the draft to keep once the refused request's own changes are undone.
    """

    def __init__(self, draft: Fields) -> None:
        usual = no_match()
        super().__init__(usual.status, usual.code, usual.text)
        self.draft = draft


def check(company: Company, kind: Kind, document: Fields, user: str) -> None:
    """Refuse a document that an approval procedure catches.

    A procedure applies to the entity sets of the switch and to users who are not superusers.

    Raises:
        HeldForApprovalError: the document is held.
    """
    if kind.set_name in company.switches.approval_procedure and not company.is_superuser(user):
        raise HeldForApprovalError({**document, "AuthorizationStatus": "dasPending"})
