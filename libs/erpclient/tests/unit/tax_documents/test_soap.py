"""What zeep makes of our WSDL: the question's text, and every answer a service might give."""

import xml.etree.ElementTree as ET

import pytest
from tax_service import COPY, PDF, dte, encoded, envelope, fault, found, result

from erpclient.errors import MAX_TEXT
from erpclient.tax_documents.messages import (
    DocumentIdentity,
    PdfState,
    ProviderAnswer,
    Question,
    SoapFault,
    UnreadableAnswer,
)
from erpclient.tax_documents.soap import Contract, _OnlyTheWsdl, find_named

NAMED = DocumentIdentity("76123456-K", 52, 7)


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract()


def test_a_question_holds_every_field_in_the_contracts_order(contract: Contract) -> None:
    head, text = contract.build(Question("76123456-K", 52, 9_999_999_999, "ana", "<&>ñ\"'"))
    assert head.soap_action == "http://tempuri.org/Consulta_TXTDTE"
    assert text.startswith(b"<?xml version='1.0' encoding='utf-8'?>")
    (body,) = ET.fromstring(text)
    (question,) = body
    assert body.tag == "{http://schemas.xmlsoap.org/soap/envelope/}Body"
    assert question.tag == "{http://tempuri.org/}Consulta_TXTDTE"
    assert [(field.tag.removeprefix("{http://tempuri.org/}"), field.text) for field in question] == [
        ("RutEmpresa", "76123456-K"),
        ("TipoDocto", "52"),
        ("NroDocto", "9999999999"),
        ("Usuario", "ana"),
        ("Clave", "<&>ñ\"'"),
    ]


def test_nothing_but_the_wsdl_can_be_loaded() -> None:
    with pytest.raises(ValueError, match="nothing but the WSDL"):
        _OnlyTheWsdl().load("http://127.0.0.1/other.xsd")


def test_what_is_taken_from_inside_zeep_is_there(contract: Contract) -> None:
    # A new release of zeep that moves one of these is noticed here.
    assert contract._operation.soapaction
    assert callable(contract._operation.process_reply)
    assert callable(contract._binding.process_error)


def test_an_answer_is_read_with_all_its_fields(contract: Contract) -> None:
    reply, parts = contract.read(found(copy=encoded(COPY), xml=dte(), text="Ok ñ"))
    assert reply == ProviderAnswer(0, "Ok ñ", PdfState.WHOLE, PdfState.WHOLE, len(PDF), NAMED)
    assert parts == [PDF, COPY]


def test_fields_may_come_in_any_order(contract: Contract) -> None:
    reply, _ = contract.read(result(f"<Estatus>0</Estatus><XML>{dte()}</XML><PDF>{encoded(PDF)}</PDF>"))
    assert reply == ProviderAnswer(0, "", PdfState.WHOLE, PdfState.ABSENT, len(PDF), NAMED)


def test_a_type_named_in_the_answer_is_understood(contract: Contract) -> None:
    reply, parts = contract.read(
        result(f'<PDF xsi:type="xsd:base64Binary">{encoded(PDF)}</PDF><Estatus>0</Estatus>')
    )
    assert isinstance(reply, ProviderAnswer)
    assert reply.pdf is PdfState.WHOLE
    assert parts[0] == PDF


def test_a_pdf_of_twelve_megabytes_is_read(contract: Contract) -> None:
    pdf = PDF[:-6] + b"\x00" * 12_000_000 + b"%%EOF\n"
    reply, parts = contract.read(found(encoded(pdf)))
    assert isinstance(reply, ProviderAnswer)
    assert reply.pdf_bytes == len(pdf)
    assert parts[0] == pdf


@pytest.mark.parametrize(
    ("fields", "pdf"),
    [
        ("", PdfState.ABSENT),
        ("<PDF/>", PdfState.ABSENT),
        ('<PDF xsi:nil="true"/>', PdfState.ABSENT),
        ("<PDF><x/></PDF>", PdfState.ABSENT),
        ("<PDF>*</PDF>", PdfState.BROKEN_BASE64),
        (f"<PDF>{encoded(PDF[:-9])}</PDF>", PdfState.CUT_OFF),
        (f"<PDF>{encoded(PDF)[:40]}<?cut here?>{encoded(PDF)[40:]}</PDF>", PdfState.CUT_OFF),
    ],
)
def test_what_becomes_of_the_pdf_is_told(contract: Contract, fields: str, pdf: PdfState) -> None:
    reply, parts = contract.read(result(f"{fields}<Estatus>0</Estatus>"))
    assert isinstance(reply, ProviderAnswer)
    assert reply.pdf is pdf
    assert parts == [b"", b""]


@pytest.mark.parametrize(
    ("body", "reason", "soap"),
    [
        (b"", "not XML", False),
        (b"<html><h1>502", "not XML", False),
        (b"\xff\xfe\x00", "not XML", False),
        (found()[:-40], "not XML", False),
        (b"<html><body/></html>", "no SOAP envelope", False),
        (
            envelope("").replace(b"schemas.xmlsoap.org/soap/envelope", b"www.w3.org/2003/05/soap-envelope"),
            "no SOAP envelope",
            False,
        ),
        (result("", '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a">'), "a document type or entities", False),
        (result("", '<!DOCTYPE a [<!ENTITY b "c">]>'), "a document type or entities", False),
        (envelope(""), "another answer than the contract's", True),
        (envelope("<Other/>"), "an answer without a status", True),
        (
            envelope('<Consulta_TXTDTEResponse xmlns="http://tempuri.org/"/>'),
            "an answer without a status",
            True,
        ),
        (result(""), "an answer without a status", True),
        (result("<PDF>a</PDF>"), "an answer without a status", True),
        (result("<Estatus>many</Estatus>"), "an answer without a status", True),
        (result("<Estatus>0</Estatus><New>1</New>"), "another answer than the contract's", True),
        (result("<Estatus>0</Estatus><Estatus>0</Estatus>"), "another answer than the contract's", True),
        (found().replace(b"tempuri.org", b"other.org"), "another answer than the contract's", True),
    ],
)
def test_what_is_no_answer_is_told_apart(contract: Contract, body: bytes, reason: str, soap: bool) -> None:
    assert contract.read(body) == (UnreadableAnswer(reason, soap=soap), [])


def test_entities_that_would_grow_are_refused_before_they_do(contract: Contract) -> None:
    laughs = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    body = result("<Estatus>&j;</Estatus>", f'<!DOCTYPE a [<!ENTITY a "{"x" * 10}">{laughs}]>')
    reply, _ = contract.read(body)
    assert isinstance(reply, UnreadableAnswer)


def test_a_fault_is_read_and_bounded(contract: Contract) -> None:
    reply, parts = contract.read(fault("soap:Server", "x" * 5000))
    assert isinstance(reply, SoapFault)
    assert reply.fault_code == "soap:Server"
    assert len(reply.text) == MAX_TEXT
    assert parts == []


def test_an_empty_fault_is_a_fault(contract: Contract) -> None:
    assert contract.read(envelope("<soap:Fault/>"))[0] == SoapFault("", "")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (None, None),
        ("", None),
        ("not xml", None),
        ("<a/>", None),
        ("\x00", None),
        ("<DTE><Folio>7</Folio></DTE>", None),
        ("<D><RUTEmisor> 76123456-k </RUTEmisor><TipoDTE>52</TipoDTE><Folio> 7 </Folio></D>", NAMED),
        ("<D><RUTEmisor/><TipoDTE>52</TipoDTE><Folio>7</Folio></D>", None),
        ("<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>x</TipoDTE><Folio>7</Folio></D>", None),
        ("<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>52</TipoDTE><Folio>\u0667</Folio></D>", None),
        (f"<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>52</TipoDTE><Folio>{'9' * 5000}</Folio></D>", None),
        ('<!DOCTYPE D [<!ENTITY a "7">]><D><RUTEmisor>1-9</RUTEmisor><Folio>&a;</Folio></D>', None),
    ],
)
def test_a_documents_own_xml_names_it_or_says_nothing(
    text: str | None, named: DocumentIdentity | None
) -> None:
    assert find_named(text) == named
