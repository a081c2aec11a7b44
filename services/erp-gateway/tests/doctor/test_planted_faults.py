"""One fault at a time in a healthy installation: the doctor names it, and fails nothing else."""

import shutil
import socket
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, closing
from datetime import timedelta
from typing import Any

import pytest
from attrs import field, frozen
from installation import Installation, ShiftedClock

from erp_gateway.report_gateway.registry import RegisteredReport
from erp_gateway.report_parameters import ReportParameter
from erpsim.faults import Answer, BadGateway, Fault, Refuse
from erpsim.simulator import Listening

Install = Callable[..., AbstractAsyncContextManager[Installation]]

pytestmark = pytest.mark.asyncio

Plant = Callable[[Installation], Awaitable[None] | None]


@frozen
class Planted:
    """A fault, where it is planted, and what the doctor must say of it."""

    name: str
    check: str
    cause: str
    plant: Plant | None = None
    outcome: str = "fail"
    listening: Listening | None = None
    switches: Mapping[str, Any] = field(factory=dict)
    born: timedelta = timedelta()
    arguments: tuple[str, ...] = ()


TLS = Listening(tls=True)


def configured(**values: str) -> Plant:
    def plant(installation: Installation) -> None:
        installation.environ.update(values)

    return plant


def trusting(installation: Installation) -> None:
    """Trust the simulator's own authority."""
    certificate = installation.sim.certificate
    assert certificate is not None
    file = installation.folder / "ca.pem"
    file.write_bytes(certificate.certificate_pem)
    installation.environ["ERP_SL_CA_FILE"] = str(file)


def other_name(installation: Installation) -> None:
    trusting(installation)
    installation.environ["ERP_SL_URL"] = f"https://127.0.0.2:{installation.sim.port}/b1s/v1"


def unknown_name(installation: Installation) -> None:
    installation.environ["ERP_SL_URL"] = f"http://erp.invalid:{installation.sim.port}/b1s/v1"


def nobody_listens(installation: Installation) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        installation.environ["ERP_SL_URL"] = f"http://127.0.0.1:{free.getsockname()[1]}/b1s/v1"


def not_tls(installation: Installation) -> None:
    installation.environ["ERP_SL_URL"] = installation.sim.url.replace("http:", "https:")


def late(installation: Installation) -> None:
    installation.clock = ShiftedClock(timedelta(minutes=10))


def faulty(action: Any, path: str = "*", *, method: str | None = None, nth: int = 1) -> Plant:
    def plant(installation: Installation) -> None:
        installation.sim.faults.add(Fault(action=action, path=path, method=method, nth=nth, times=None))

    return plant


def employee(number: int, **values: Any) -> Plant:
    def plant(installation: Installation) -> None:
        installation.desk.change("EmployeesInfo", number, values)

    return plant


def without_in_metadata(text: str) -> Plant:
    """Serve a description that has not got what is asked for."""

    async def plant(installation: Installation) -> None:
        from erpclient import Credentials, ErpSettings
        from erpclient.inspection import Inspection

        async with Inspection(ErpSettings(installation.sim.url)) as inspection:
            await inspection.log_in(Credentials("SBO_DEMO", "manager", "erpsim"))
            document = (await inspection.read("/$metadata")).body.decode()
        lines = [line for line in document.replace("><", ">\n<").splitlines() if text not in line]
        answer = Answer(status=200, body="\n".join(lines), content_type="application/xml;charset=utf-8")
        installation.sim.faults.add(Fault(action=answer, path="$metadata", times=None))

    return plant


def store_edited(*statements: str) -> Plant:
    def plant(installation: Installation) -> None:
        with closing(sqlite3.connect(installation.store)) as store:
            for statement in statements:
                store.execute(statement)
            store.commit()

    return plant


def store_replaced(content: bytes) -> Plant:
    def plant(installation: Installation) -> None:
        for file in installation.store.parent.iterdir():
            file.unlink()
        installation.store.write_bytes(content)

    return plant


def other_programs_database(installation: Installation) -> None:
    installation.store.unlink()
    store_edited("CREATE TABLE t (x)")(installation)


def store_out_of_reach(installation: Installation) -> None:
    installation.environ["SQLITE_PATH"] = str(installation.store / "app.sqlite")


def readable(installation: Installation) -> None:
    installation.store.chmod(0o644)


def granted(user: str) -> Plant:
    async def plant(installation: Installation) -> None:
        await installation.grant(user)

    return plant


def backed_up_long_ago(installation: Installation) -> None:
    import os
    import time

    copy = installation.folder / "backups" / "app.sqlite"
    copy.parent.mkdir()
    shutil.copyfile(installation.store, copy)
    old = time.time() - 8 * 86_400
    os.utime(copy, (old, old))


def with_reports(**values: str) -> Plant:
    """Configure the report gateway, with what is wrong with it."""

    def plant(installation: Installation) -> None:
        installation.connect_reports()
        installation.environ.update(values)

    return plant


def report_gateway_faulty(action: Any, path: str) -> Plant:
    def plant(installation: Installation) -> None:
        installation.connect_reports()
        assert installation.sim.report_gateway is not None
        installation.sim.report_gateway.faults.add(Fault(action=action, path=path, times=None))

    return plant


def registered(code: str, *parameters: str) -> Plant:
    """Register a report whose parameters are texts of these names."""

    async def plant(installation: Installation) -> None:
        installation.connect_reports()
        await installation.register(
            RegisteredReport(
                code=code,
                title="Informe",
                category="",
                enabled=True,
                documents=(),
                parameters=tuple(
                    ReportParameter(name=name, type="xsd:string", required=False, label=name)
                    for name in parameters
                ),
            )
        )

    return plant


def fake_browser(script: str) -> Plant:
    """Put a program in the browser's place."""

    def plant(installation: Installation) -> None:
        browser = installation.folder / "browser"
        browser.write_text(f"#!/bin/sh\n{script}\n")
        browser.chmod(0o755)
        installation.environ |= {
            "HTML_PDF_ENGINE": "browser",
            "BROWSER_BIN": str(browser),
            "HTML_PDF_SANDBOX": "false",
        }

    return plant


PRINTS = (
    """for each in "$@"; do case $each in --print-to-pdf=*) printf '%%PDF-1.4' > "${each#*=}";; esac; done"""
)
REPORTS = Listening(report_gateway_port=0)
FORBIDDEN = Refuse(status=403, code=-6006, text="You are not permitted to perform this action")
UNKNOWN_SET = Refuse(status=400, code=-1002, text="Invalid entityset")

NETWORK = [
    Planted("the ERP's name is none", "network.name", "name_unknown", unknown_name),
    Planted("nobody listens on the port", "network.port", "connection_refused", nobody_listens),
    Planted(
        "a private authority is not configured", "network.tls", "certificate_authority_unknown", listening=TLS
    ),
    Planted(
        "the certificate has expired",
        "network.tls",
        "certificate_expired",
        trusting,
        listening=TLS,
        born=timedelta(days=400),
    ),
    Planted(
        "the certificate is not valid yet",
        "network.tls",
        "certificate_not_yet_valid",
        trusting,
        listening=TLS,
        born=timedelta(days=-10),
    ),
    Planted(
        "the certificate is of another name",
        "network.tls",
        "certificate_other_name",
        other_name,
        listening=Listening(tls=True, host="0.0.0.0"),
    ),
    Planted("the port speaks plain http", "network.tls", "no_tls", not_tls),
    Planted(
        "the certificate expires next week",
        "network.certificate",
        "certificate_expires_soon",
        trusting,
        "warn",
        listening=TLS,
        born=timedelta(days=358),
    ),
    Planted(
        "certificates are not checked",
        "network.tls",
        "certificate_not_verified",
        configured(VERIFY_SSL="false"),
        "warn",
        listening=TLS,
    ),
    Planted(
        "another program answers there",
        "network.answer",
        "other_service",
        faulty(Answer(status=404, body="<html>nginx</html>", content_type="text/html"), path="*"),
    ),
    Planted("only the balancer answers", "network.answer", "gateway_page", faulty(BadGateway())),
    Planted("the clocks differ", "network.clock", "clocks_differ", late, "warn"),
]

SERVICE_LAYER = [
    Planted(
        "the password is wrong",
        "service-layer.login",
        "login_refused",
        configured(ERP_SL_PASSWORD="wrong"),
    ),
    Planted(
        "the company's name is wrong",
        "service-layer.login",
        "company_unknown",
        configured(ERP_SL_COMPANY_DB="SBO_OTHER"),
    ),
    Planted(
        "the company can't be opened",
        "service-layer.login",
        "company_not_opened",
        switches={"company_error": -1102},
    ),
    Planted(
        "there is no licence left", "service-layer.login", "no_licence", switches={"company_error": -8009}
    ),
    Planted(
        "the ERP is old",
        "service-layer.version",
        "version_old",
        outcome="warn",
        switches={"version": "1000130", "entity_tags": False},
    ),
    Planted(
        "sessions end soon",
        "service-layer.session",
        "session_short",
        outcome="warn",
        switches={"idle_timeout_s": 60},
    ),
    Planted(
        "the balancer is not let through",
        "service-layer.balancer",
        "no_ping",
        faulty(Answer(status=404, body="<html>", content_type="text/html"), path="ping/*"),
        "warn",
    ),
    Planted(
        "the description is cut",
        "service-layer.metadata",
        "metadata_unreadable",
        faulty(Answer(status=200, body="<edmx:Edmx", content_type="application/xml"), path="$metadata"),
    ),
    Planted(
        "a resource is not there",
        "service-layer.sets",
        "sets_missing",
        without_in_metadata('Name="ProfitCenters"'),
    ),
    Planted(
        "a property that pages show is not there",
        "service-layer.properties",
        "properties_missing",
        without_in_metadata('Name="ItemName"'),
        "warn",
    ),
    Planted(
        "the fields of web users are not there",
        "service-layer.web-fields",
        "web_fields_missing",
        without_in_metadata('Name="U_WEB_'),
    ),
    Planted(
        "the trace field is not there",
        "service-layer.trace-field",
        "trace_field_missing",
        configured(WRITE_TRACE_FIELD="U_GW_Clave"),
    ),
    Planted(
        "the user may not read a resource",
        "service-layer.resources",
        "resources_forbidden",
        faulty(FORBIDDEN, path="JournalEntries"),
    ),
    Planted(
        "reading a resource fails",
        "service-layer.resources",
        "resources_failing",
        faulty(UNKNOWN_SET, path="Territories"),
    ),
    Planted(
        "the user may not read employees",
        "people.web-users",
        "employees_unreadable",
        faulty(FORBIDDEN, path="EmployeesInfo*"),
    ),
]

STORE = [
    Planted("the store's folder can't be written", "store.folder", "store_not_writable", store_out_of_reach),
    Planted("the store is another program's", "store.file", "not_a_store", other_programs_database),
    Planted("the store is damaged", "store.file", "store_damaged", store_replaced(b"SQLite format 3\0" * 99)),
    Planted("others may read the store", "store.file", "store_readable_by_others", readable, "warn"),
    Planted("the store is newer", "store.version", "store_newer", store_edited("PRAGMA user_version = 999")),
    Planted(
        "an audit record was changed",
        "store.audit-chain",
        "audit_chain_broken",
        store_edited("UPDATE audit_log SET web_user = 'mallory'"),
    ),
    Planted(
        "the last backup is old",
        "store.backup",
        "backup_old",
        backed_up_long_ago,
        "warn",
        arguments=("--backups", "backups"),
    ),
]

PEOPLE = [
    Planted(
        "two employees share a web user",
        "people.duplicates",
        "duplicate_web_users",
        employee(6, U_WEB_USER="rosa"),
        "warn",
    ),
    Planted("a password is empty", "people.passwords", "empty_passwords", employee(7, U_WEB_PASS=""), "warn"),
    Planted(
        "somebody with permissions has left",
        "people.permissions",
        "permissions_of_nobody",
        granted("nadie"),
        "warn",
    ),
    Planted(
        "the only administrator shares her web user",
        "people.administrators",
        "no_active_administrator",
        employee(6, U_WEB_USER="ana"),
    ),
]

SETTINGS = [
    Planted(
        "a setting has no effect",
        "settings.complete",
        "settings_half",
        configured(APIGATEWAY_USER="manager"),
    ),
    Planted(
        "a setting is misspelt", "settings.names", "settings_misspelt", configured(LOG_LEVLE="INFO"), "warn"
    ),
    Planted("a setting is wrong", "settings.valid", "settings_invalid", configured(PORT="many")),
    Planted(
        "an extension is not there",
        "settings.extensions",
        "extension_refused",
        configured(EXTENSIONS="there_is_no_such_module"),
    ),
]

REPORT_GATEWAY = [
    Planted(
        "the report gateway refuses the password",
        "report-gateway.login",
        "report_login_refused",
        with_reports(APIGATEWAY_PASSWORD="wrong"),
        listening=REPORTS,
    ),
    Planted(
        "the user has no right to reports",
        "report-gateway.login",
        "report_right_missing",
        with_reports(APIGATEWAY_USER="bodega"),
        listening=REPORTS,
    ),
    Planted(
        "the report gateway is away",
        "report-gateway.login",
        "report_gateway_away",
        with_reports(APIGATEWAY_URL="http://127.0.0.1:1"),
        listening=REPORTS,
    ),
    Planted(
        "the instance is not named",
        "report-gateway.login",
        "report_login_refused",
        with_reports(),
        listening=REPORTS,
        switches={"report_db_instance": "HDB@host:30013"},
    ),
    Planted(
        "no report is authorised",
        "report-gateway.catalogue",
        "catalogue_empty",
        report_gateway_faulty(
            Answer(
                status=200,
                body='{"result":"Success","resultSet":[]}',
                content_type="application/json",
            ),
            "rs/v1/LoadAuthorizedCRList",
        ),
        "warn",
        listening=REPORTS,
    ),
    Planted(
        "a registered report is gone",
        "report-gateway.registered",
        "report_gone",
        registered("RCRI0099"),
        listening=REPORTS,
    ),
    Planted(
        "the parameters of a report changed",
        "report-gateway.registered",
        "report_parameters_changed",
        registered("RCRI0001", "Old@name"),
        listening=REPORTS,
    ),
    Planted(
        "the report to print is not registered",
        "report-gateway.export",
        "report_not_registered",
        with_reports(),
        listening=REPORTS,
        arguments=("--print", "RCRI0099"),
    ),
]

PRINTING = [
    Planted(
        "there is no browser",
        "printing.engine",
        "no_pdf_engine",
        configured(HTML_PDF_ENGINE="browser", BROWSER_BIN="/nonexistent/chromium"),
    ),
    Planted("the browser's sandbox is off", "printing.sandbox", "sandbox_off", fake_browser(PRINTS), "warn"),
    Planted("the browser prints nothing", "printing.page", "page_not_printed", fake_browser("exit 1")),
]

TABLE = [*NETWORK, *SERVICE_LAYER, *STORE, *PEOPLE, *REPORT_GATEWAY, *PRINTING, *SETTINGS]

DATABASE = ("port", "encryption", "login", "version", "schema", "rights", "queries")

ALSO: Mapping[str, set[str]] = {
    "the only administrator shares her web user": {"people.duplicates"},
    "the certificate has expired": {"network.authorities"},
    "the ERP is old": {"service-layer.tags"},
    "the browser prints nothing": {"printing.sandbox"},
}
"""What one fault means besides: a certificate that is its own authority is an expired authority, too; an
ERP without tags has none on its records."""


@pytest.mark.parametrize("planted", TABLE, ids=lambda planted: planted.name)
async def test_the_doctor_names_a_planted_fault_and_fails_nothing_else(
    install: Install, planted: Planted
) -> None:
    async with install(listening=planted.listening, born=planted.born, **planted.switches) as installation:
        if planted.plant is not None:
            planting = planted.plant(installation)
            if planting is not None:
                await planting
        arguments = [
            str(installation.folder / each) if each == "backups" else each for each in planted.arguments
        ]
        examined = await installation.examine(*arguments)
    found = examined.found("warn", "fail")
    also = ALSO.get(planted.name, set())
    assert {name: cause for name, cause in found.items() if name not in also} == {
        planted.check: planted.cause
    }
    assert set(found) >= also
    assert examined.code == {"warn": 1, "fail": 2}[planted.outcome]
    failed = planted.check if planted.outcome == "fail" else ""
    skipped = {name for name, cause in examined.found("skipped").items() if cause == "depends_on"}
    modules = ("report-gateway.login", "database.driver", "printing.engine")
    off = {name for module in modules for name in examined.needing(module)}
    assert skipped - off == examined.needing(failed) - off


async def test_a_healthy_installation_is_all_ok(install: Install) -> None:
    async with install() as installation:
        examined = await installation.examine()
        assert examined.found("warn", "fail") == {}
        assert examined.found("skipped") == {
            "service-layer.trace-field": "not_configured",
            "store.backup": "not_asked",
            "report-gateway.login": "report_gateway_off",
            "report-gateway.catalogue": "depends_on",
            "report-gateway.registered": "depends_on",
            "report-gateway.export": "depends_on",
            "database.driver": "not_configured",
            **{f"database.{name}": "depends_on" for name in DATABASE},
            "printing.engine": "printing_off",
            "printing.sandbox": "depends_on",
            "printing.page": "depends_on",
        }
        assert examined.code == 0


async def test_a_healthy_installation_with_its_own_authority_and_v2_is_all_ok(install: Install) -> None:
    async with install(listening=TLS) as installation:
        trusting(installation)
        installation.environ["ERP_SL_URL"] = installation.sim.url_v2
        installation.environ["ENVIRONMENT"] = "production"
        examined = await installation.examine()
        assert examined.found("warn", "fail") == {}


async def test_a_healthy_report_gateway_and_a_printer_are_ok_and_a_report_is_printed(
    install: Install,
) -> None:
    async with install(listening=REPORTS) as installation:
        installation.environ["HTML_PDF_ENGINE"] = "weasyprint"
        await registered("RCRI0001")(installation)  # type: ignore[misc] # it is one that waits
        examined = await installation.examine("--print", "RCRI0001", "--values", "{}")
        assert examined.found("warn", "fail") == {}
        assert examined.found("ok").keys() >= {
            "report-gateway.registered",
            "report-gateway.export",
            "printing.page",
        }
        gateway = installation.sim.report_gateway
        assert gateway is not None
        assert [call.path for call in gateway.calls].count("login") == 1


async def test_the_same_account_is_not_tried_at_the_report_gateway_after_a_refusal(install: Install) -> None:
    async with install(listening=REPORTS) as installation:
        installation.connect_reports()
        installation.environ["ERP_SL_PASSWORD"] = "wrong"
        examined = await installation.examine()
        assert examined.found("skipped")["report-gateway.login"] == "same_account_refused"
        gateway = installation.sim.report_gateway
        assert gateway is not None
        assert len(gateway.calls) == 0


async def test_the_table_holds_forty_faults_or_more_each_with_a_name_of_its_own() -> None:
    assert len({planted.name for planted in TABLE}) == len(TABLE) >= 40
