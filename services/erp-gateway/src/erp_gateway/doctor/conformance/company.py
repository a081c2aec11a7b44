"""Questions about the company: its name, series and currency."""

from http import HTTPStatus
from typing import Final

from erp_gateway.doctor.conformance.sources import METADATA
from erpclient.http.calls import service_call
from erpclient.odata import Dialect
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import fields, kind


async def _series(fixture: Fixture, name: str) -> dict[str, object]:
    body = b'{"DocumentTypeParams":{"Document":"17","DocumentSubType":"--"}}'
    return fields(await fixture.session.send(service_call(name, body, write=False)))


@question(
    "Does `CompanyService_GetCompanyInfo` return `CompanyName`?",
    expected="text",
    source=METADATA + "; SAP's API reference",
    breaks="people see the database's name instead",
    switches=("other_habits=services-want-bodies",),
)
async def _company_tells_its_name(fixture: Fixture) -> str:
    return kind(fields(await fixture.act("CompanyService_GetCompanyInfo")).get("CompanyName"))


@question(
    "Does `SeriesService_GetDocumentSeries` answer an array for an object's number?",
    expected="array",
    source="SAP's API reference; six public programs",
    breaks="front ends can't offer numbering series",
)
async def _series_of_a_document(fixture: Fixture) -> str:
    return kind((await _series(fixture, "SeriesService_GetDocumentSeries")).get("value"))


@question(
    "Does `SeriesService_GetDefaultSeries` answer one series with its number?",
    expected="number",
    source="SAP's API reference",
    breaks="front ends can't propose a series",
)
async def _default_series_of_a_document(fixture: Fixture) -> str:
    name = "SeriesProperty" if fixture.dialect is Dialect.V2 else "Series"
    return kind((await _series(fixture, "SeriesService_GetDefaultSeries")).get(name))


@question(
    "Does `SBOBobService_GetLocalCurrency` answer a text in `value`?",
    expected="text",
    source="SAP's API reference",
    breaks="front ends don't know the company's currency (`text-alone` is passed on unchanged)",
    switches=("other_habits=services-want-bodies", "other_habits=values-stand-bare"),
)
async def _local_currency_in_value(fixture: Fixture) -> str:
    reply = await fixture.act("SBOBobService_GetLocalCurrency")
    if reply.status == HTTPStatus.OK and reply.body.lstrip().startswith(b'"'):
        return "text-alone"
    return kind(fields(reply).get("value"))


COMPANY_QUESTIONS: Final = questions_in(globals())
