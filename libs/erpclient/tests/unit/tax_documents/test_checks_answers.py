"""Results and errors for each answer of the provider."""

import pytest

from erpclient.tax_documents import TaxDocumentKey, TaxServiceAccess
from erpclient.tax_documents.checks import document_of
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
)
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    PdfState,
    ProviderAnswer,
    Reply,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.values import TaxDocument

ACCESS = TaxServiceAccess("https://dte.example.cl/", "ana", "ana-secret")
KEY = TaxDocumentKey("76123456-K", 52, 7)
NAMED = DocumentIdentity("76123456-K", 52, 7)


def answered(
    status: int = 0,
    text: str = "",
    *,
    pdf: PdfState = PdfState.WHOLE,
    assignable: PdfState = PdfState.ABSENT,
    named: DocumentIdentity | None = NAMED,
) -> ProviderAnswer:
    return ProviderAnswer(status, text, pdf, assignable, 3 if pdf is PdfState.WHOLE else 0, named)


def judge(reply: Reply, content: bytes = b"pdf", *, status: int = 200) -> TaxDocument:
    return document_of(status, reply, content, key=KEY, access=ACCESS)


def test_a_document_is_confirmed_by_its_own_xml() -> None:
    assert judge(answered()) == TaxDocument(b"pdf", None, confirmed=True)
    assert judge(answered(named=None)) == TaxDocument(b"pdf", None, confirmed=False)


def test_an_assignable_copy_is_returned_with_the_document() -> None:
    document = judge(answered(assignable=PdfState.WHOLE), b"pdfcopy")
    assert (document.pdf, document.assignable_pdf) == (b"pdf", b"copy")


def test_the_repr_of_a_document_hides_its_bytes() -> None:
    assert "pdf=b" not in repr(judge(answered()))


@pytest.mark.parametrize(
    "named",
    [
        DocumentIdentity("76123456-K", 52, 8),
        DocumentIdentity("76123456-K", 33, 7),
        DocumentIdentity("1-9", 52, 7),
    ],
)
def test_a_document_with_a_different_identity_is_an_error(named: DocumentIdentity) -> None:
    with pytest.raises(TaxDocumentMistaken):
        judge(answered(named=named))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (1, TaxCredentialsRefused),
        (2, TaxServiceRefused),
        (3, TaxDocumentUnknown),
        (4, TaxDocumentNotReady),
        (-1, TaxServiceRefused),
    ],
)
def test_a_nonzero_status_is_always_a_refusal(status: int, error: type[TaxServiceRefused]) -> None:
    with pytest.raises(TaxServiceRefused) as refusal:
        judge(answered(status, "No existe"))
    assert type(refusal.value) is error
    assert (refusal.value.status, refusal.value.text) == (status, "No existe")


@pytest.mark.parametrize("pdf", set(PdfState) - {PdfState.WHOLE})
def test_success_without_a_complete_pdf_is_an_error(pdf: PdfState) -> None:
    with pytest.raises(TaxDocumentBroken, match=pdf.value):
        judge(answered(pdf=pdf), b"")


@pytest.mark.parametrize("copy", [PdfState.BROKEN_BASE64, PdfState.NO_PDF, PdfState.CUT_OFF])
def test_a_broken_assignable_copy_is_an_error(copy: PdfState) -> None:
    with pytest.raises(TaxDocumentBroken, match=f"assignable copy: {copy.value}"):
        judge(answered(assignable=copy))


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_soap_fault_is_an_error_with_any_status(status: int) -> None:
    with pytest.raises(TaxServiceFault) as fault:
        judge(SoapFault("soap:Server", "no"), b"", status=status)
    assert (fault.value.fault_code, fault.value.text) == ("soap:Server", "no")


@pytest.mark.parametrize("status", [202, 204, 302, 403, 404, 500, 502])
@pytest.mark.parametrize("reply", [UnreadableAnswer("not XML"), answered()])
def test_an_error_status_without_a_fault_is_a_failure(status: int, reply: Reply) -> None:
    with pytest.raises(TaxServiceFailed) as failure:
        judge(reply, status=status)
    assert failure.value.status == status


def test_an_unreadable_body_is_an_error() -> None:
    with pytest.raises(TaxAnswerUnreadable, match="no SOAP envelope"):
        judge(UnreadableAnswer("no SOAP envelope"), b"")


def test_credentials_repeated_by_the_service_are_masked() -> None:
    with pytest.raises(TaxServiceRefused) as refusal:
        judge(answered(9, "clave ana-secret de ana no sirve"))
    assert refusal.value.text == "clave *** de *** no sirve"
    with pytest.raises(TaxServiceFault) as fault:
        judge(SoapFault("ana-secret", "ana"), b"")
    assert (fault.value.fault_code, fault.value.text) == ("***", "***")


def test_a_credential_containing_the_other_is_masked_completely() -> None:
    access = TaxServiceAccess("https://dte.example.cl/", "zoe", "a-zoe-1")
    with pytest.raises(TaxServiceRefused) as refusal:
        document_of(200, answered(9, "a-zoe-1 de zoe"), b"", key=KEY, access=access)
    assert refusal.value.text == "*** de ***"


def test_empty_credentials_do_not_mask_text() -> None:
    access = TaxServiceAccess("https://dte.example.cl/", "", "")
    with pytest.raises(TaxServiceRefused, match="no sirve"):
        document_of(200, answered(9, "no sirve"), b"", key=KEY, access=access)


@pytest.mark.parametrize(
    ("issuer", "document_type", "folio"),
    [
        ("76.123.456-K", 52, 7),
        ("76123456-k", 52, 7),
        ("76123456K", 52, 7),
        ("76123456-K\n", 52, 7),
        ("76123456-K", 0, 7),
        ("76123456-K", 1000, 7),
        ("76123456-K", 52, 0),
        ("76123456-K", 52, 10_000_000_000),
    ],
)
def test_an_invalid_document_key_is_refused(issuer: str, document_type: int, folio: int) -> None:
    with pytest.raises(ValueError, match=r"issuer|document_type|folio"):
        TaxDocumentKey(issuer, document_type, folio)
