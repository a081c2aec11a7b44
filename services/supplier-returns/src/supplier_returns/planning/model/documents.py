"""A supplier document of a planning."""

import enum
from decimal import Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model import warnings
from supplier_returns.planning.model.states import DocumentState, Outcome


class OwnCode(enum.Enum):
    """Error codes that this service gives; all others are the ERP's. The value stands in the record.

    After each of them the key of the document may still come to life in the ERP: the document is made anew
    only when somebody asks for it in so many words.
    """

    KEY_TAKEN = "clave_usada"
    """The key is used up, but there is neither a return nor a draft."""
    DRAFT_REFUSED = "borrador_rechazado"
    """Whoever approves has refused the draft."""
    DRAFT_GONE = "borrador_eliminado"
    """The draft is gone, and no return came of it."""
    FOREIGN_RETURN = "clave_ajena"
    """The ERP has a return under the key, of another supplier."""


_OWN_CODES = frozenset(code.value for code in OwnCode)


@frozen(kw_only=True)
class SupplierDocument:
    """One return document, to be made or made.

    Attributes:
        doc_id: Its number in the planning.
        part: 1-based among the documents of the same supplier, currency and branch.
        line_count: Lines of the document.
        total: Sum of its lines, in its currency, without tax; once the return exists, the ERP's sum.
        key: Idempotency key, empty before the first execution.
        payload_hash: SHA-256 of what is posted, empty before the first execution.
        attempts: How often it was posted.
        last_attempt: When it was posted last, ISO time UTC, empty before.
        error_class: Class of the last failure, None without.
        error_code: The ERP's own code of the last failure, None without.
        message: Spanish text or the ERP's own, None without.
        warnings: Codes of the warnings in the message, as `rules.warnings` lists them.
        doc_entry: Key of the ERP's document, None before it exists. So with number and folio.
    """

    doc_id: int
    card_code: str
    name: str
    tax_id: str
    currency: str
    branch: int | None
    part: int
    line_count: int
    total: Decimal
    state: DocumentState = DocumentState.PENDING
    key: str = ""
    payload_hash: str = ""
    attempts: int = 0
    last_attempt: str = ""
    error_class: str | None = None
    error_code: str | None = None
    message: str | None = None
    warnings: frozenset[str] = frozenset()
    doc_entry: int | None = None
    doc_num: int | None = None
    folio: int | None = None

    @property
    def needs_new_key(self) -> bool:
        """Whether its key may still come to life in the ERP although it failed."""
        return self.error_code in _OWN_CODES

    @property
    def may_be_given_up(self) -> bool:
        """Whether the ERP has no return and never will, so that its lines may be planned otherwise."""
        return self.state.outcome is Outcome.REFUSED and not self.needs_new_key

    @property
    def locks_its_lines(self) -> bool:
        """Whether its lines and the header can't be changed: the return exists, or may come to exist."""
        return self.state.holds_lines and not self.may_be_given_up

    @property
    def may_still_take_stock(self) -> bool:
        """Whether it claims goods that the ERP's stock still shows."""
        return self.state.holds_lines and not self.state.is_made

    @property
    def is_on_hold(self) -> bool:
        """Whether a person has to compare documents before this one is sent."""
        return not self.warnings.isdisjoint(warnings.ON_HOLD)

    @property
    def was_started(self) -> bool:
        """Whether a run prepared it for sending, and no person has to look at it first."""
        return self.state is DocumentState.PENDING and bool(self.key) and not self.is_on_hold

    def saying(self, message: str | None, *codes: str) -> "SupplierDocument":
        """Return the document with another message, and the codes of the warnings in it."""
        return attrs.evolve(self, message=message, warnings=frozenset(codes))

    def also_saying(self, sentence: str, code: str) -> "SupplierDocument":
        """Return the document with a further warning in its message; one that it has is not repeated."""
        if code in self.warnings:
            return self
        message = f"{self.message or ''} {sentence}".strip()
        return attrs.evolve(self, message=message, warnings=self.warnings | {code})

    def on_hold(self, code: str) -> "SupplierDocument":
        """Return a pending document that a person has to look at before it is sent.

        Without attempts it loses its key: reprocessing then leaves it alone.
        """
        held = self if self.is_on_hold else self.saying(warnings.SENTENCES[code], code)
        return held if self.attempts else held.without_key()

    def without_key(self) -> "SupplierDocument":
        """Return the document without its key, so that it gets another one before it is posted."""
        return attrs.evolve(self, key="", payload_hash="")
