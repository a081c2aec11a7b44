"""zeep with our WSDL: the text of the request, and every possible answer."""

import re
import time
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
from erpclient.tax_documents.soap import Contract, _OnlyTheWsdl, read_identity

NAMED = DocumentIdentity("76123456-K", 52, 7)


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract()


def test_a_request_contains_every_field_in_contract_order(contract: Contract) -> None:
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


def test_only_the_wsdl_can_be_loaded() -> None:
    with pytest.raises(ValueError, match="nothing but the WSDL"):
        _OnlyTheWsdl().load("http://127.0.0.1/other.xsd")


def test_internals_of_zeep_that_we_use_exist(contract: Contract) -> None:
    # A new release of zeep that moves one of these is noticed here.
    assert contract._operation.soapaction
    assert callable(contract._operation.process_reply)


def test_all_fields_of_an_answer_are_parsed(contract: Contract) -> None:
    reply, parts = contract.read(found(copy=encoded(COPY), xml=dte(), text="Ok ñ"))
    assert reply == ProviderAnswer(0, "Ok ñ", PdfState.WHOLE, PdfState.WHOLE, len(PDF), NAMED)
    assert parts == [PDF, COPY]


def test_reply_fields_are_accepted_in_any_order(contract: Contract) -> None:
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
    ],
)
def test_the_state_of_the_pdf_is_reported(contract: Contract, fields: str, pdf: PdfState) -> None:
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
        (envelope("<Other/>"), "another answer than the contract's", True),
        (
            envelope('<Consulta_TXTDTEResponse xmlns="http://tempuri.org/"/>'),
            "an answer without a status",
            True,
        ),
        (result(""), "an answer without a status", True),
        (result("<PDF>a</PDF>"), "an answer without a status", True),
        (result("<Estatus>many</Estatus>"), "an answer without a status", True),
        (result("<Estatus>0</Estatus><Estatus>0</Estatus>"), "another answer than the contract's", True),
        (found().replace(b"tempuri.org", b"other.org"), "another answer than the contract's", True),
    ],
)
def test_invalid_answers_are_distinguished(contract: Contract, body: bytes, reason: str, soap: bool) -> None:
    assert contract.read(body) == (UnreadableAnswer(reason, soap=soap), [])


FIELDS = f"<PDF>{encoded(PDF)}</PDF><Estatus>0</Estatus><MsgEstatus>Ok</MsgEstatus>"
RIGHT = ProviderAnswer(0, "Ok", PdfState.WHOLE, PdfState.ABSENT, len(PDF), None)


@pytest.mark.parametrize(
    "body",
    [
        result(FIELDS + "<?x y?>"),
        result(FIELDS.replace("<Estatus>", "<?x?><Estatus>")),
        result(FIELDS.replace("<Estatus>", "<!-- --><Estatus>")),
        result(FIELDS.replace("<Estatus>0", "<Estatus><?x?>0<!-- -->")),
        result(FIELDS.replace(encoded(PDF), f"{encoded(PDF)[:40]}<?cut here?>{encoded(PDF)[40:]}")),
        result(FIELDS.replace(encoded(PDF), f"{encoded(PDF)[:40]}<!--here-->{encoded(PDF)[40:]}")),
        result(FIELDS.replace(encoded(PDF), f"{encoded(PDF)[:40]}<![CDATA[{encoded(PDF)[40:]}]]>")),
        result(FIELDS.replace("Ok", "&#79;<![CDATA[k]]>")),
        result(FIELDS.replace("Ok", "Ok<b>bold</b>")),
        result(FIELDS).replace(b"<soap:Body>", b"<?x?><soap:Header><a/></soap:Header><?y?><soap:Body><?z?>"),
        result(FIELDS).replace(b"<soap:Body>", b"<soap:Body><Extra/>"),
        result(FIELDS).replace(b"<soap:Envelope", b"<?xml-stylesheet href='x'?><soap:Envelope"),
        result(FIELDS).replace(b"</soap:Envelope>", b"</soap:Envelope><?after?>"),
        result(FIELDS).replace(
            b"<Consulta_TXTDTEResult", b"<?x?><New><PDF>no</PDF></New><Consulta_TXTDTEResult"
        ),
        result(FIELDS + "<New>1</New>"),
        result("<Deep>" * 200 + "</Deep>" * 200 + FIELDS),
        result("<New><Estatus>9</Estatus></New>" + FIELDS),
        result(FIELDS + '<Estatus xmlns="urn:other">9</Estatus>'),
        b"\r\n  " + result(FIELDS),
    ],
)
def test_content_outside_the_contract_is_ignored(contract: Contract, body: bytes) -> None:
    assert contract.read(body) == (RIGHT, [PDF, b""])


@pytest.mark.parametrize("place", ["<soap:Envelope ", "<soap:Body", "<Consulta_TXTDTEResponse ", "<PDF"])
@pytest.mark.parametrize("form", ['a{0}="x"', 'xmlns:a{0}="urn:{0}"'])
def test_parsing_time_is_linear_in_the_number_of_attributes(
    contract: Contract, place: str, form: str
) -> None:
    # With all of them in hand zeep took 10 s for 20,000, and minutes for 400,000.
    many = " ".join(form.format(number) for number in range(20_000))
    body = result(FIELDS).replace(place.encode(), f"{place.rstrip()} {many} ".encode(), 1)
    began = time.process_time()
    assert contract.read(body)[0] == RIGHT
    assert time.process_time() - began < 4


@pytest.mark.parametrize(
    ("declared", "sent_as", "charset"),
    [
        ("", "iso-8859-1", "iso-8859-1"),
        ("", "iso-8859-1", "ISO-8859-1"),
        ("", "windows-1252", " 'windows-1252' "),
        ("", "utf-16-le", "utf-16le"),
        ("", "utf-16", None),
        ("", "utf-16", "utf-8"),
        ("", "utf-8-sig", "iso-8859-1"),
        ("", "utf-8", None),
        ("", "utf-8", "x-unknown"),
        ("", "utf-8", "utf-16"),
        ("", "utf-8", "us-ascii"),
        ('<?xml version="1.0"?>', "iso-8859-1", "iso-8859-1"),
        ('<?xml version="1.0" encoding="iso-8859-1"?>', "iso-8859-1", None),
        ('<?xml version="1.0" encoding="iso-8859-1"?>', "iso-8859-1", "utf-8"),
        ("<?xml version='1.0' encoding = 'utf-8'?>", "utf-8", "iso-8859-1"),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-8", "utf-8"),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-8", None),
        ('<?xml version="1.0" encoding="x-unknown"?>', "iso-8859-1", "iso-8859-1"),
        ('<?xml version="1.0" encoding="x-unknown"?>', "utf-8", None),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-16", None),
    ],
)
def test_the_encoding_is_the_marks_or_the_declarations_or_the_headers(
    contract: Contract, declared: str, sent_as: str, charset: str | None
) -> None:
    text = re.sub(r"<\?xml.*?\?>", "", result("<Estatus>3</Estatus><MsgEstatus>Ñandú</MsgEstatus>").decode())
    reply, _ = contract.read((declared + text).encode(sent_as), charset)
    assert reply == ProviderAnswer(3, "Ñandú", PdfState.ABSENT, PdfState.ABSENT, 0, None)


def test_expanding_entities_are_refused_before_they_grow(contract: Contract) -> None:
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
        (
            "<D><?x?><RUTEmisor>7612<?x?>3456-K</RUTEmisor><TipoDTE><!-- -->52</TipoDTE><Folio>7</Folio></D>",
            NAMED,
        ),
        ("<D><RUTEmisor/><TipoDTE>52</TipoDTE><Folio>7</Folio></D>", None),
        ("<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>x</TipoDTE><Folio>7</Folio></D>", None),
        ("<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>52</TipoDTE><Folio>\u0667</Folio></D>", None),
        (f"<D><RUTEmisor>1-9</RUTEmisor><TipoDTE>52</TipoDTE><Folio>{'9' * 5000}</Folio></D>", None),
        ('<!DOCTYPE D [<!ENTITY a "7">]><D><RUTEmisor>1-9</RUTEmisor><Folio>&a;</Folio></D>', None),
    ],
)
def test_the_xml_of_a_document_names_its_identity_or_none(
    text: str | None, named: DocumentIdentity | None
) -> None:
    assert read_identity(text) == named
