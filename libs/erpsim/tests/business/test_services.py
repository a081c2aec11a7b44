"""Service actions: series, what the company tells of itself, currencies and rates."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.world import World


def test_series_of_an_object_are_listed_by_number_or_text(desk: Desk) -> None:
    for document in (21, "21"):
        found = desk.service(
            "SeriesService_GetDocumentSeries",
            {"DocumentTypeParams": {"Document": document, "DocumentSubType": ""}},
        )
        assert isinstance(found, list)
        assert [row["Name"] for row in found if isinstance(row, dict)] == ["Primario", "Web"]
        first = found[0]
        assert isinstance(first, dict)
        assert (first["Document"], first["Locked"], first["GroupCode"]) == ("21", "tNO", "sg_Group1")
        assert "$default" not in first


def test_the_default_series_gives_the_next_number(desk: Desk) -> None:
    body = {"DocumentTypeParams": {"Document": "17"}}
    series = desk.service("SeriesService_GetDefaultSeries", body)
    assert isinstance(series, dict)
    order = desk.create("Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]})
    assert (order["Series"], order["DocNum"]) == (series["Series"], series["NextNumber"])
    again = desk.service("SeriesService_GetSeries", {"SeriesParams": {"Series": series["Series"]}})
    assert isinstance(again, dict)
    assert again["NextNumber"] == int(str(series["NextNumber"])) + 1


def test_an_object_without_series_has_none(desk: Desk) -> None:
    body = {"DocumentTypeParams": {"Document": "LIB_ODEV"}}
    assert desk.service("SeriesService_GetDocumentSeries", body) == []


@pytest.mark.parametrize("body", [{}, {"DocumentTypeParams": {}}, {"DocumentTypeParams": {"Document": True}}])
def test_invalid_series_parameters_are_refused(desk: Desk, body: Fields) -> None:
    assert desk.refusal(desk.service, "SeriesService_GetDocumentSeries", body).code == -1004


def test_an_unknown_series_is_refused(desk: Desk) -> None:
    body = {"SeriesParams": {"Series": 999}}
    assert desk.refusal(desk.service, "SeriesService_GetSeries", body).code == -2028


def test_the_company_service_returns_name_version_and_defaults(make_world: Callable[..., World]) -> None:
    desk = Desk(make_world(switches=Switches(version="1000340", company_name="Ñandú SpA", branches=True)))
    info, admin = desk.service("CompanyService_GetCompanyInfo"), desk.service("CompanyService_GetAdminInfo")
    assert isinstance(info, dict)
    assert isinstance(admin, dict)
    assert (info["Version"], info["CompanyName"]) == (1000340, "Ñandú SpA")
    assert info["EnableTransactionNotification"] == "tYES"
    assert (admin["LocalCurrency"], admin["DefaultWarehouse"], admin["EnableBranches"]) == (
        "CLP",
        "01",
        "tYES",
    )
    assert not any(name.startswith("$") for name in admin)
    assert admin["ServicePassword"] is None


def test_currencies_and_rates(desk: Desk) -> None:
    assert desk.service("SBOBobService_GetLocalCurrency") == "CLP"
    assert desk.service("SBOBobService_GetSystemCurrency") == "CLP"
    assert desk.service("SBOBobService_GetCurrencyRate", {"Currency": "CLP", "Date": "20251201"}) == 1
    known = desk.service("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "2025-12-01"})
    assert isinstance(known, Decimal)
    assert 700 < known < 1100
    body = {"Currency": "USD", "RateDate": "20260110", "Rate": "912.34"}
    assert desk.service("SBOBobService_SetCurrencyRate", body) is None
    for day in ("20260110", "20260115"):
        found = desk.service("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": day})
        assert found == Decimal("912.34")


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "mañana"}, -1004),
        ("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "19990101"}, -10),
        ("SBOBobService_GetCurrencyRate", {"Currency": "XXX", "Date": "20251201"}, -10),
        ("SBOBobService_SetCurrencyRate", {"Currency": "USD", "RateDate": "20260110", "Rate": "0"}, -1004),
        ("SBOBobService_SetCurrencyRate", {"Currency": "XXX", "RateDate": "20260110", "Rate": "1"}, -2028),
        ("DraftsService_SaveDraftToDocument", {"Document": {"DocEntry": 5}}, -2028),
        ("SBOBobService_GetDueDate", {}, -1),
        ("NoExiste_Service", {}, -1002),
    ],
)
def test_services_refuse_unsupported_requests(desk: Desk, name: str, body: Fields, code: int) -> None:
    assert desk.refusal(desk.service, name, body).code == code
