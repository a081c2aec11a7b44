"""One fault at a time: the doctor reports its cause, and only dependent checks are skipped."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import attrs
import pytest
from returns_installation import AS_MANAGER, Installation

from erpsim.desk import Desk
from erpsim.faults import Answer, Fault, Refuse

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

Install = Callable[..., AbstractAsyncContextManager[Installation]]
Plant = Callable[[Installation], Awaitable[None] | None]

FORBIDDEN = Refuse(status=403, code=-6006, text="no right")


@attrs.frozen
class Planted:
    """A fault.

    Attributes:
        name: what is wrong.
        check: the check that has to find it.
        cause: what it has to say.
        plant: makes it so.
        outcome: how grave it is.
        switches: of the simulated ERP.
    """

    name: str
    check: str
    cause: str
    plant: Plant | None = None
    outcome: str = "fail"
    switches: Mapping[str, Any] = attrs.field(factory=dict)


def configured(**settings: str) -> Plant:
    def plant(installation: Installation) -> None:
        installation.environ |= settings

    return plant


def faulty(action: Any, path: str, *, method: str | None = None) -> Plant:
    def plant(installation: Installation) -> None:
        installation.sim.faults.add(Fault(action=action, path=path, method=method, times=None))

    return plant


def not_tls(installation: Installation) -> None:
    installation.environ["SL_URL"] = installation.sim.url.replace("http:", "https:")


def another_service(installation: Installation) -> None:
    installation.environ["SL_URL"] = f"{installation.sim.url[:-3]}/wrong/v1"


def wrong_password(installation: Installation) -> None:
    installation.password = "wrong"


def locked_user(installation: Installation) -> None:
    desk = Desk(installation.sim.world)
    for row in desk.world.company.rows("Users"):
        desk.change("Users", int(str(row["InternalKey"])), {"Locked": "tYES"})


def stored_query(code: str, **values: Any) -> Plant:
    def plant(installation: Installation) -> None:
        Desk(installation.sim.world).change("SQLQueries", code, values)

    return plant


def removed(entity_set: str, key: Any) -> Plant:
    def plant(installation: Installation) -> None:
        Desk(installation.sim.world).delete(entity_set, key)

    return plant


def provider(**values: Any) -> Plant:
    def plant(installation: Installation) -> None:
        Desk(installation.sim.world).change("U_DTE_CONFC", "1", values)

    return plant


def without_folios(installation: Installation) -> None:
    company = installation.sim.world.company
    with company.transaction():
        for row in list(company.rows("PurchaseReturns")):
            company.update("PurchaseReturns", {**row, "FolioNumber": None})


def without_in_metadata(*texts: str) -> Plant:
    """Serve a description that has not got what is asked for."""

    async def plant(installation: Installation) -> None:
        from erpclient import Credentials, ErpSettings
        from erpdoctor.inspection.inspection import Inspection

        async with Inspection(ErpSettings(installation.sim.url)) as inspection:
            await inspection.log_in(Credentials("SBO_DEMO", "manager", "erpsim"))
            document = (await inspection.read("/$metadata")).body.decode()
        lines = document.replace("><", ">\n<").splitlines()
        remaining = [line for line in lines if not any(text in line for text in texts)]
        answer = Answer(status=200, body="\n".join(remaining), content_type="application/xml;charset=utf-8")
        installation.sim.faults.add(Fault(action=answer, path="$metadata", times=None))

    return plant


UNASKED = {"origin.address": "no_origin"}
"""What is looked at only where somebody asks for it."""

LOCKED = Answer(
    status=200, body='{"value": [{"Series": 70, "Locked": "tYES"}]}', content_type="application/json"
)

TABLE = [
    Planted("a setting is wrong", "settings.valid", "settings_invalid", configured(PORT="many")),
    Planted(
        "a setting is misspelt", "settings.names", "settings_misspelt", configured(LOG_LEVLE="x"), "warn"
    ),
    Planted("the ERP speaks plain http", "network.tls", "no_tls", not_tls),
    Planted("another path of the host is configured", "network.answer", "other_service", another_service),
    Planted("the password is wrong", "service-layer.login", "login_refused", wrong_password),
    Planted("the user is locked", "service-layer.login", "user_locked", locked_user),
    Planted(
        "the directory does not give the company",
        "service-layer.login",
        "company_directory",
        faulty(
            Refuse(status=401, code=-304, text="Fail to Get the Bound Database Instance from SLD"),
            path="Login",
        ),
    ),
    Planted(
        "the company is not there",
        "service-layer.login",
        "company_unknown",
        configured(SL_COMPANY_DB="SBO_OTHER"),
    ),
    Planted(
        "the ERP's sessions end sooner than ours",
        "service-layer.session",
        "session_shorter_than_ours",
        configured(SESSION_TIMEOUT_MINUTES="60"),
        "warn",
    ),
    Planted(
        "the balancer does not answer",
        "service-layer.balancer",
        "no_ping",
        faulty(Answer(status=404, body="<html>", content_type="text/html"), "ping/*"),
        "warn",
    ),
    Planted(
        "a page answers for the balancer",
        "service-layer.balancer",
        "no_ping",
        faulty(Answer(status=200, body="<html>", content_type="text/html"), "ping/*"),
        "warn",
    ),
    Planted(
        "a firewall's page refuses the login",
        "service-layer.login",
        "login_unreadable",
        faulty(Answer(status=403, body="<html>", content_type="text/html"), "Login"),
    ),
    Planted(
        "the user may not read warehouses",
        "returns.rights",
        "rights_missing",
        faulty(FORBIDDEN, "Warehouses"),
    ),
    Planted(
        "the description is cut",
        "returns.metadata",
        "unexpected_answer",
        faulty(Answer(status=200, body="<edmx:Edmx", content_type="application/xml"), "$metadata"),
    ),
    Planted(
        "the description fails",
        "returns.metadata",
        "metadata_unreadable",
        faulty(Answer(status=500, body="x"), "$metadata"),
    ),
    Planted(
        "the object is not there",
        "returns.object",
        "returns_object_missing",
        without_in_metadata('EntityType="SAPB1.LIB_ODEV"'),
    ),
    Planted(
        "a field of the planning is not there",
        "returns.fields",
        "returns_fields_missing",
        without_in_metadata('Name="U_DecCant"'),
    ),
    Planted(
        "a field of the planning's documents is not there",
        "returns.fields",
        "returns_fields_missing",
        without_in_metadata('Name="U_DevEntry"'),
    ),
    Planted(
        "the return has no field for the key",
        "returns.fields",
        "returns_fields_missing",
        without_in_metadata('Name="U_LIB_Clave"'),
    ),
    *(
        Planted(
            f"the return has no such field: {setting}",
            "returns.return-fields",
            "return_fields_unknown",
            plant,
        )
        for setting, plant in (
            ("RETURN_FIELDS", configured(RETURN_FIELDS='{"U_CANAL":"W","U_Nowhere":"1"}')),
            (
                "RETURN_ASKED_FIELDS",
                configured(RETURN_ASKED_FIELDS='[{"name":"U_canal","label":"Canal"}]'),
            ),
            ("FIELD_TIPO_DESPACHO", configured(FIELD_TIPO_DESPACHO="U_Nowhere")),
        )
    ),
    *(
        Planted(
            f"the return's field is otherwise: {written}",
            "returns.return-fields",
            "return_fields_unfit",
            plant,
        )
        for written, plant in (
            ("a number for a text", configured(RETURN_FIELDS='{"Indicator":52}')),
            ("a text for a number", configured(RETURN_FIELDS='{"DocRate":"x"}')),
            ("a collection", configured(RETURN_FIELDS='{"AddressExtension":"x"}')),
            (
                "a text for a date",
                configured(RETURN_ASKED_FIELDS='[{"name":"U_CANAL","label":"Canal","type":"date"}]'),
            ),
        )
    ),
    Planted(
        "every client may claim any address",
        "settings.safe",
        "settings_unsafe",
        configured(TRUSTED_PROXIES="0.0.0.0/1,128.0.0.0/1"),
        "warn",
    ),
    Planted("the last returns have no folio", "returns.folios", "folios_never_given", without_folios, "warn"),
    Planted(
        "a stored query is missing", "returns.queries", "queries_missing", removed("SQLQueries", "DP_Stock")
    ),
    Planted(
        "a stored query is older",
        "returns.queries",
        "queries_older",
        stored_query("DP_Stock", SqlName="DP_Stock v1"),
        "warn",
    ),
    Planted(
        "a stored query is newer",
        "returns.queries",
        "queries_newer",
        stored_query("DP_Lotes", SqlName="DP_Lotes v99"),
    ),
    Planted(
        "the user may not see stored queries",
        "returns.queries",
        "queries_unreadable",
        faulty(FORBIDDEN, "SQLQueries", method="GET"),
    ),
    Planted(
        "the user may not run stored queries",
        "returns.query-right",
        "queries_not_run",
        faulty(FORBIDDEN, "SQLQueries(*)/List"),
    ),
    Planted(
        "a table is not on the list of allowed ones",
        "returns.query-right",
        "queries_refused",
        faulty(Refuse(status=400, code=702, text="table"), "SQLQueries('DP_Lotes')/List"),
    ),
    Planted(
        "the user may not read partners",
        "returns.rights",
        "rights_missing",
        faulty(FORBIDDEN, "BusinessPartners"),
    ),
    Planted(
        "all series are locked",
        "returns.series",
        "no_open_series",
        faulty(LOCKED, "SeriesService_GetDocumentSeries"),
    ),
    Planted(
        "the user may not read series",
        "returns.series",
        "series_forbidden",
        faulty(FORBIDDEN, "SeriesService_GetDocumentSeries"),
    ),
    Planted(
        "the user may not read the configuration of tax documents",
        "returns.tax-service",
        "tax_table_forbidden",
        faulty(FORBIDDEN, "U_DTE_CONFC"),
    ),
    Planted("no provider is active", "returns.tax-service", "tax_incomplete", provider(U_Activo="N")),
    Planted("the provider has no password", "returns.tax-service", "tax_incomplete", provider(U_Clave="")),
    *(
        Planted(
            f"the issuer of the tax documents is none: {rut}",
            "returns.tax-service",
            "tax_issuer_invalid",
            provider(U_RutEmisor=rut),
        )
        for rut in ("765432103", "no es un RUT")
    ),
    Planted(
        "the provider is reached by plain http",
        "returns.tax-service",
        "tax_address_refused",
        provider(U_Url="http://dte.example/ws"),
    ),
    *(
        Planted(
            f"the provider's address is none: {url}",
            "returns.tax-service",
            "tax_address_refused",
            provider(U_Url=url),
        )
        for url in ("https://dte.example:84430/ws", "https://dte.example:84a3/ws", "https://[::1/ws")
    ),
    Planted(
        "the provider's address is this host's own, in production",
        "returns.tax-host",
        "tax_address_own",
        configured(ENVIRONMENT="production", SIGN_IN_DENIED_USERS="gateway"),
    ),
    Planted(
        "the provider's host is not allowed",
        "returns.tax-service",
        "tax_address_refused",
        configured(DTE_HOSTS="dte.example"),
    ),
    Planted(
        "the provider's host is away",
        "returns.tax-host",
        "tax_host_unreachable",
        provider(U_Url="http://127.0.0.1:9/ws"),
    ),
]


@pytest.mark.parametrize("planted", TABLE, ids=lambda planted: planted.name)
async def test_a_planted_fault_fails_its_own_check_only(install: Install, planted: Planted) -> None:
    async with install(**planted.switches) as installation:
        if planted.plant is not None:
            planting = planted.plant(installation)
            if planting is not None:
                await planting
        examined = await installation.examine_with_patience(*AS_MANAGER)
    assert examined.found("warn", "fail") == {planted.check: planted.cause}
    assert examined.code == {"warn": 1, "fail": 2}[planted.outcome]
    failed = planted.check if planted.outcome == "fail" else ""
    skipped = {name for name, cause in examined.found("skipped").items() if cause == "depends_on"}
    assert skipped == examined.needing(failed)


async def test_a_healthy_installation_is_all_ok(install: Install) -> None:
    async with install() as installation:
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("warn", "fail", "skipped") == UNASKED
        assert examined.code == 0


async def test_fields_of_the_return_that_fit_are_ok(install: Install) -> None:
    async with install() as installation:
        configured(
            RETURN_FIELDS='{"Indicator":"52","Cancelled":"tNO","DocRate":1.5,"VatDate":"2026-01-31"}',
            RETURN_ASKED_FIELDS='[{"name":"U_CANAL","label":"Canal"},{"name":"ClosingDate","label":"x","type":"date"}]',
        )(installation)
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("warn", "fail", "skipped") == UNASKED


async def test_an_unproved_fence_is_reported(install: Install) -> None:
    async with install() as installation:
        removed("U_LIB_CLAVE", "CERCO-COMPROBADO")(installation)
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("skipped") == {"returns.fence": "fence_not_proved", **UNASKED}
        assert examined.code == 0


async def test_a_second_instance_requires_the_proved_fence(
    install: Install,
) -> None:
    async with install() as installation:
        installation.environ["HAS_BACKUP"] = "true"
        removed("U_LIB_CLAVE", "CERCO-COMPROBADO")(installation)
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("warn", "fail") == {"returns.fence": "fence_required"}
        assert examined.code == 2


@pytest.mark.parametrize("rut", ["76.543.210-3", "7.654.321-k", ""])
async def test_the_issuer_may_contain_dots_or_be_empty(install: Install, rut: str) -> None:
    async with install() as installation:
        provider(U_RutEmisor=rut)(installation)
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("warn", "fail", "skipped") == UNASKED


async def test_without_the_provider_table_tax_documents_are_skipped(
    install: Install,
) -> None:
    async with install() as installation:
        faulty(Refuse(status=400, code=200, text="unknown"), "U_DTE_CONFC")(installation)
        examined = await installation.examine_with_patience(*AS_MANAGER)
        assert examined.found("warn", "fail") == {}
        assert examined.found("skipped") == {
            "returns.tax-service": "tax_table_missing",
            "returns.tax-host": "depends_on",
            "returns.folios": "depends_on",
            **UNASKED,
        }
