"""Supplier document of a planning."""

import enum
from decimal import Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model import warnings
from supplier_returns.planning.model.states import DocumentState, Outcome


class OwnCode(enum.Enum):
    """Error codes of this service, as they are recorded. All other codes come from the ERP.

    After each of them the ERP may still get a return with the document's key. So reprocessing plans the
    document again only if the user requests it explicitly.
    """

    KEY_TAKEN = "clave_usada"
    """The key is used up, but there is neither a return nor a draft."""
    DRAFT_REFUSED = "borrador_rechazado"
    """An approver rejected the draft."""
    DRAFT_GONE = "borrador_eliminado"
    """The draft is missing, and there is no return."""
    FOREIGN_RETURN = "clave_ajena"
    """The ERP has a return of another supplier with the key."""


_OWN_CODES = frozenset(code.value for code in OwnCode)


@frozen(kw_only=True)
class SupplierDocument:
    """Return document of one supplier, planned or created.

    Attributes:
        doc_id: number in the planning.
        part: 1-based number among the documents of the same supplier, currency and branch.
        line_count: number of lines.
        total: sum of the lines in the document's currency, without tax. The ERP's total once the return
            exists.
        key: idempotency key. Empty before the first execution.
        payload_hash: SHA-256 of the posted body. Empty before the first execution.
        attempts: number of attempts to post it.
        last_attempt: time of the last attempt as ISO text in UTC. Empty before the first.
        error_class: class of the last failure, if any.
        error_code: ERP code of the last failure, or an `OwnCode`, if any.
        message: text of this service in Spanish, or of the ERP, if any.
        warnings: codes of the warnings in the message, as `model.warnings` lists them.
        doc_entry: key of the return in the ERP, once it exists. The same holds for `doc_num` and `folio`.
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
        """True if the ERP may still get a return with its key although it failed."""
        return self.error_code in _OWN_CODES

    @property
    def may_be_given_up(self) -> bool:
        """True if the ERP has no return and never will, so that its lines can be planned again."""
        return self.state.outcome is Outcome.REFUSED and not self.needs_new_key

    @property
    def locks_its_lines(self) -> bool:
        """True if its lines and the header can't change: the return exists, or may still be created."""
        return self.state.holds_lines and not self.may_be_given_up

    @property
    def may_still_take_stock(self) -> bool:
        """True if the ERP's stock still includes its goods."""
        return self.state.holds_lines and not self.state.is_made

    @property
    def is_on_hold(self) -> bool:
        """True if a person has to compare documents before this one is sent."""
        return not self.warnings.isdisjoint(warnings.ON_HOLD)

    @property
    def was_started(self) -> bool:
        """True if a run prepared it for sending, and no person has to look at it first."""
        return self.state is DocumentState.PENDING and bool(self.key) and not self.is_on_hold

    def with_message(self, message: str | None, *codes: str) -> "SupplierDocument":
        """Return the document with this message, and the codes of the warnings in it."""
        return attrs.evolve(self, message=message, warnings=frozenset(codes))

    def with_warning(self, sentence: str, code: str) -> "SupplierDocument":
        """Return the document with a further warning in its message. An existing warning is not repeated."""
        if code in self.warnings:
            return self
        message = f"{self.message or ''} {sentence}".strip()
        return attrs.evolve(self, message=message, warnings=self.warnings | {code})

    def on_hold(self, code: str) -> "SupplierDocument":
        """Return a pending document that a person has to check before it is sent.

        Without attempts it loses its key, so that reprocessing does not resume it.
        """
        on_hold = self if self.is_on_hold else self.with_message(warnings.SENTENCES[code], code)
        return on_hold if self.attempts else on_hold.without_key()

    def without_key(self) -> "SupplierDocument":
        """Return the document without its key. It gets another one before its next post."""
        return attrs.evolve(self, key="", payload_hash="")
