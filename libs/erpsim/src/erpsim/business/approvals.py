"""Approval procedures: a document that one catches is refused and kept as a draft all the same."""

from __future__ import annotations

from erpsim.company.company import Company
from erpsim.company.errors import SlError, no_match
from erpsim.company.exchange import Fields
from erpsim.facts.document_kinds import Kind


class HeldForApprovalError(SlError):
    """The refusal of a held document: -2028, although a draft waits for approval (seen on Service Layer
    1000321).

    Args:
        draft: the draft to keep once the refused request's own changes are undone.
    """

    def __init__(self, draft: Fields) -> None:
        usual = no_match()
        super().__init__(usual.status, usual.code, usual.text)
        self.draft = draft


def check(company: Company, kind: Kind, document: Fields, user: str) -> None:
    """Hold a document that a procedure catches: of the switch's sets, by users that are no superusers.

    Raises:
        HeldForApprovalError: the document is held.
    """
    if kind.set_name in company.switches.approval_procedure and not company.is_superuser(user):
        raise HeldForApprovalError({**document, "AuthorizationStatus": "dasPending"})
