"""What an execution needs of the ERP beside the plannings, bound to the signed-in user's session."""

from collections.abc import Sequence
from typing import Protocol

from supplier_returns.execution.rules.finding import ErpDraft, ErpReturn
from supplier_returns.execution.rules.posting import PostOutcome


class ErpReturns(Protocol):
    """The ERP's return documents, by the key that each of ours carries.

    Whoever implements it lets `erpclient.ErpError` through where it looks, and never where it posts, but for
    a session that is over.
    """

    async def find_returns(self, key: str) -> Sequence[ErpReturn]:
        """Return every return document under the key's name, cancelled ones included."""
        ...

    async def find_all(self, planning_id: int) -> Sequence[ErpReturn]:
        """Return every return document of a planning, cancelled ones included."""
        ...

    async def find_drafts(self, key: str) -> Sequence[ErpDraft]:
        """Return every stored draft under the key's name that has not become a document."""
        ...

    async def is_fenced(self, key: str) -> bool:
        """Tell whether the key is used up in the fence."""
        ...

    async def use_up(self, key: str) -> bool:
        """Use a key up in the fence, without a return; tell whether it surely was not used up before.

        Raises:
            ErpError: It could not be.
            OutcomeUnknown: No answer came, and it does not show as used up.
        """
        ...

    async def post(self, key: str, body: bytes, *, fenced: bool) -> PostOutcome:
        """Post a return.

        Args:
            key: The document's.
            body: JSON.
            fenced: Whether to use the key up in the same transaction, so that no second return can have it.

        Raises:
            SessionEnded: The ERP no longer knows the session; nothing was done.
        """
        ...
