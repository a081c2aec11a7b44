"""What is put into documents takes steps by the number of documents."""

from typing import ClassVar

from plannings import document
from typing_extensions import override

from supplier_returns.planning.rules.documents import arrange
from supplier_returns.planning.rules.model import DocumentState, SupplierDocument

DOCUMENTS = 200


class ComparedDocument(SupplierDocument):
    """A document that counts how often one is compared with another."""

    compared: ClassVar[int] = 0

    @override
    def __eq__(self, other: object) -> bool:
        ComparedDocument.compared += 1
        return super().__eq__(other)

    @override
    def __hash__(self) -> int:
        return hash(self.doc_id)


def test_documents_that_are_made_are_not_each_compared_with_all_others() -> None:
    made = [
        ComparedDocument(
            doc_id=number,
            card_code=f"P{number}",
            name="",
            tax_id="",
            currency="CLP",
            branch=None,
            part=1,
            line_count=1,
            total=document().total,
            state=DocumentState.CREATED,
        )
        for number in range(1, DOCUMENTS + 1)
    ]
    assert arrange([], made, max_lines=60, has_bins=False).documents == tuple(made)
    assert ComparedDocument.compared <= DOCUMENTS
