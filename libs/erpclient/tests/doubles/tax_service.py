"""A tax-document service on a real socket, which does what a test tells it, down to the bytes."""

import base64
import gzip

from scripted_erp import Answer, Call, ScriptedErp
from typing_extensions import override

PDF = b"%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n"
COPY = PDF.replace(b"1.4", b"1.5")


class TaxService(ScriptedErp):
    """Knows no session: every call goes to the handler."""

    @override
    async def _answer(self, call: Call) -> Answer:
        return await self.handler(call)

    @property
    @override
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/wsfactlocal/dtelocal.asmx"


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def envelope(inner: str, head: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{head}'
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">'
        f"<soap:Body>{inner}</soap:Body></soap:Envelope>"
    ).encode()


def result(inner: str, head: str = "") -> bytes:
    return envelope(
        '<Consulta_TXTDTEResponse xmlns="http://tempuri.org/"><Consulta_TXTDTEResult>'
        f"{inner}</Consulta_TXTDTEResult></Consulta_TXTDTEResponse>",
        head,
    )


def dte(*, issuer: str = "76123456-K", document_type: object = 52, folio: object = 7) -> str:
    """A tax document's own XML, in the tax office's shape, escaped as text."""
    return (
        '&lt;?xml version="1.0" encoding="ISO-8859-1"?&gt;'
        '&lt;DTE xmlns="http://www.sii.cl/SiiDte" version="1.0"&gt;&lt;Documento&gt;&lt;Encabezado&gt;'
        f"&lt;IdDoc&gt;&lt;TipoDTE&gt;{document_type}&lt;/TipoDTE&gt;&lt;Folio&gt;{folio}&lt;/Folio&gt;&lt;/IdDoc&gt;"
        f"&lt;Emisor&gt;&lt;RUTEmisor&gt;{issuer}&lt;/RUTEmisor&gt;&lt;RznSoc&gt;Ñuñoa&lt;/RznSoc&gt;&lt;/Emisor&gt;"
        "&lt;/Encabezado&gt;&lt;/Documento&gt;&lt;/DTE&gt;"
    )


def found(
    pdf: str | None = None, *, copy: str = "", xml: str = "", status: object = 0, text: str = ""
) -> bytes:
    fields = {"PDF": encoded(PDF) if pdf is None else pdf, "PDFCedible": copy, "XML": xml}
    fields |= {"Estatus": str(status), "MsgEstatus": text}
    return result("".join(f"<{name}>{value}</{name}>" for name, value in fields.items() if value))


def fault(code: str, text: str) -> bytes:
    return envelope(
        f"<soap:Fault><faultcode>{code}</faultcode><faultstring>{text}</faultstring><detail/></soap:Fault>"
    )


def xml_answer(body: bytes, status: int = 200, *, packed: bool = False) -> Answer:
    headers = [("Content-Encoding", "gzip")] if packed else []
    return Answer(
        status, gzip.compress(body) if packed else body, headers, content_type="text/xml; charset=utf-8"
    )
