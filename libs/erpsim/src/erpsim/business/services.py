"""Service actions at the root: company, series, currencies, drafts, previews."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from erpsim.business import rates
from erpsim.business.documents.composing import compose
from erpsim.business.documents.drafts import save_draft
from erpsim.business.layout_catalogue import LAYOUTS, REPORT_LAYOUTS
from erpsim.company import series
from erpsim.company.bodies import read_body
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, bad_value, not_found, unknown_service
from erpsim.company.exchange import Body, Caller, ServiceReply, Value
from erpsim.company.rows.values import parse_date, parse_integer, parse_number
from erpsim.facts.document_kinds import KINDS
from erpsim.facts.model import OperationFacts

_PREVIEW = "Service_Preview"


def find_operation(company: Company, name: str) -> OperationFacts | None:
    """Return a service action by name, including the hidden previews, which are not in the metadata (SAP
    manual 1.22).
    """
    if name in company.facts.operations:
        return company.facts.operations[name]
    if name.endswith(_PREVIEW) and name.removesuffix(_PREVIEW) in KINDS:
        return OperationFacts(name, {"Document": "Document"}, "Document")
    return None


def run_service(company: Company, name: str, body: Body, caller: Caller) -> ServiceReply:
    """Run a service action.

    Raises:
        SlError: 400 for an unknown name, 501 for one that is not simulated.
    """
    service = _SERVICES.get(name)
    if service is not None:
        return service(company, body, caller)
    if find_operation(company, name) is None:
        raise unknown_service()
    if name.endswith(_PREVIEW):
        return _preview(company, name.removesuffix(_PREVIEW), body, caller)
    raise NotSimulatedError(f"the service action {name}")


def _parameter(body: Body, name: str) -> Mapping[str, object]:
    value = body.get(name)
    if not isinstance(value, Mapping):
        raise bad_value(value, name)
    return value


def _company_info(company: Company, _body: Body, caller: Caller) -> ServiceReply:
    switches = company.switches
    row: dict[str, Value] = {
        **(company.database.get("$CompanyInfo", (1,)) or {}),
        "CompanyName": switches.company_name,
        "Version": parse_integer(switches.version),
        "BlockStockNegativeQuantity": "tNO" if switches.negative_stock else "tYES",
    }
    return _object(company, "CompanyInfo", row, caller)


def _admin_info(company: Company, _body: Body, caller: Caller) -> ServiceReply:
    switches = company.switches
    row: dict[str, Value] = {
        **company.admin_info(),
        "CompanyName": switches.company_name,
        "EnableBranches": "tYES" if switches.branches else "tNO",
        "EnableApprovalProcedureInDI": "tYES" if switches.approval_procedure else "tNO",
        "BlockStockNegativeQuantity": "tNO" if switches.negative_stock else "tYES",
    }
    return _object(company, "AdminInfo", row, caller)


def _path_admin(company: Company, _body: Body, caller: Caller) -> ServiceReply:
    """Return the company's folders. The attachment folder stays a Windows path (a live note)."""
    return _object(
        company, "PathAdmin", {"AttachmentsFolderPath": company.switches.attachment_folder}, caller
    )


def _object(company: Company, type_name: str, row: Mapping[str, Value], caller: Caller) -> ServiceReply:
    row_type = company.row_types.of(type_name)
    return ServiceReply(value=company.projection.whole(row, row_type, caller.dialect), type_name=type_name)


def _document_type(body: Body) -> tuple[str, str]:
    """Read `DocumentTypeParams`: the object as a number or a text, an empty sub type for the plain one."""
    parameters = _parameter(body, "DocumentTypeParams")
    document = parameters.get("Document")
    if not isinstance(document, str | int) or isinstance(document, bool):
        raise bad_value(document, "Document")
    return str(document), str(parameters.get("DocumentSubType") or "--")


def _document_series(company: Company, body: Body, caller: Caller) -> ServiceReply:
    series_rows = series.document_series(company, *_document_type(body))
    row_type = company.row_types.of("Series")
    rows: list[Value] = [company.projection.whole(row, row_type, caller.dialect) for row in series_rows]
    return ServiceReply(value=rows, type_name="Collection(Series)")


def _default_series(company: Company, body: Body, caller: Caller) -> ServiceReply:
    series_row = series.default_series(company, *_document_type(body))
    return _object(company, "Series", series_row or {}, caller)


def _single_series(company: Company, body: Body, caller: Caller) -> ServiceReply:
    number = parse_integer(_parameter(body, "SeriesParams").get("Series"))
    return _object(company, "Series", series.series_by_number(company, number), caller)


def _update_series(company: Company, body: Body, _caller: Caller) -> ServiceReply:
    series.change_series(company, read_body(company.row_types.of("Series"), _parameter(body, "Series")))
    return ServiceReply(value=None, type_name="")


def _local_currency(company: Company, _body: Body, _caller: Caller) -> ServiceReply:
    return ServiceReply(value=company.local_currency, type_name="Edm.String")


def _system_currency(company: Company, _body: Body, _caller: Caller) -> ServiceReply:
    currency = company.admin_info().get("SystemCurrency") or company.local_currency
    return ServiceReply(value=currency, type_name="Edm.String")


def _day(body: Body, name: str) -> str:
    day = parse_date(str(body.get(name)))
    if day is None:
        raise bad_value(body.get(name), name)
    return day


def _currency_rate(company: Company, body: Body, _caller: Caller) -> ServiceReply:
    value = rates.rate(company, str(body.get("Currency")), _day(body, "Date"))
    return ServiceReply(value=value, type_name="Edm.Double")


def _set_currency_rate(company: Company, body: Body, _caller: Caller) -> ServiceReply:
    value = parse_number(body.get("Rate"))
    if value is None or value <= 0:
        raise bad_value(body.get("Rate"), "Rate")
    currency = str(body.get("Currency"))
    company.referred("Currencies", currency)
    rates.set_rate(company, currency, _day(body, "RateDate"), value)
    return ServiceReply(value=None, type_name="")


def _save_draft(company: Company, body: Body, _caller: Caller) -> ServiceReply:
    entry = parse_integer(_parameter(body, "Document").get("DocEntry"))
    save_draft(company, entry or 0)
    return ServiceReply(value=None, type_name="")


def _report_code(body: Body) -> str:
    return str(_parameter(body, "ReportParams").get("ReportCode") or "")


def _layout_list(company: Company, body: Body, caller: Caller) -> ServiceReply:
    """List the layouts of a type of documents: `RDR2`."""
    code = _report_code(body)
    row_type = company.row_types.of("ReportLayoutParams")
    rows: list[Value] = [
        company.projection.whole({**row, "LayoutName": row["Name"]}, row_type, caller.dialect)
        for row in company.rows(REPORT_LAYOUTS)
        if row["TypeCode"] == code
    ]
    return ServiceReply(value=rows, type_name="Collection(ReportLayoutParams)")


def _default_layout(company: Company, body: Body, caller: Caller) -> ServiceReply:
    """Return the default layout of a document type. For a type without one, a 404 is assumed."""
    type_code = _report_code(body)
    code = next((each.code for each in LAYOUTS if each.type_code == type_code and each.default), None)
    if code is None:
        raise not_found()
    return _object(company, "DefaultReportParams", {"ReportCode": type_code, "LayoutCode": code}, caller)


def _preview(company: Company, set_name: str, body: Body, caller: Caller) -> ServiceReply:
    """Compute a document without storing it; its `DocEntry` is null (SAP manual 1.22, hidden service)."""
    fields = read_body(company.row_type(set_name), _parameter(body, "Document"))
    document = compose(company, KINDS[set_name], fields)
    return _object(company, "Document", document, caller)


_SERVICES: Mapping[str, Callable[[Company, Body, Caller], ServiceReply]] = {
    "CompanyService_GetCompanyInfo": _company_info,
    "CompanyService_GetAdminInfo": _admin_info,
    "CompanyService_GetPathAdmin": _path_admin,
    "SeriesService_GetDocumentSeries": _document_series,
    "SeriesService_GetDefaultSeries": _default_series,
    "SeriesService_GetSeries": _single_series,
    "SeriesService_UpdateSeries": _update_series,
    "SBOBobService_GetLocalCurrency": _local_currency,
    "SBOBobService_GetSystemCurrency": _system_currency,
    "SBOBobService_GetCurrencyRate": _currency_rate,
    "SBOBobService_SetCurrencyRate": _set_currency_rate,
    "DraftsService_SaveDraftToDocument": _save_draft,
    "ReportLayoutsService_GetReportLayoutList": _layout_list,
    "ReportLayoutsService_GetDefaultReport": _default_layout,
}
