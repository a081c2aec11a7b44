"""One fault at a time in a healthy installation: the doctor names it, and fails nothing else."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from installation import Installation
from planting import (
    FORBIDDEN,
    HTML,
    PRINTS,
    REPORTS,
    TLS,
    UNKNOWN_SET,
    Planted,
    backed_up_long_ago,
    backlog_full,
    changed_order,
    configured,
    employee,
    everybody_without_user,
    expired_authority,
    fake_browser,
    faulty,
    granted,
    late,
    many_web_users,
    no_backups,
    nobody_listens,
    not_tls,
    other_name,
    other_programs_database,
    plain_in_production,
    print_format,
    readable,
    registered,
    report_gateway_faulty,
    settings_file,
    store_edited,
    store_out_of_reach,
    store_replaced,
    trace_field,
    trusting,
    unknown_name,
    unmounted,
    with_metadata,
    with_reports,
    without_in_metadata,
)

from erp_gateway.doctor.printing import missing_engine
from erp_gateway.doctor.store import judge_space
from erp_gateway.settings.html_pdf import HtmlPdf
from erpsim.company.habits import OtherHabit
from erpsim.faults import Answer, BadGateway, Garbage, Hang, Refuse
from erpsim.simulator import Listening

Install = Callable[..., AbstractAsyncContextManager[Installation]]

pytestmark = [pytest.mark.asyncio, pytest.mark.check]

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
    Planted("the port takes no connection", "network.port", "no_connection", backlog_full),
    Planted(
        "an authority has expired",
        "network.authorities",
        "authority_expired",
        expired_authority,
        "warn",
        listening=TLS,
    ),
    Planted(
        "nothing is encrypted in production",
        "network.tls",
        "plain_http",
        plain_in_production,
        "warn",
    ),
]

SERVICE_LAYER = [
    Planted(
        "the password is wrong",
        "service-layer.login",
        "login_refused",
        configured(ERP_SL_PASSWORD="wrong"),
    ),
    Planted(
        "the user is locked",
        "service-layer.login",
        "user_locked",
        faulty(Refuse(status=401, code=100000055, text="User account is locked"), path="Login"),
    ),
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
        "the company names no folder for attachments",
        "attachments.folder",
        "attachments_folder_unset",
        outcome="warn",
        switches={"attachment_folder": ""},
    ),
    Planted(
        "the folder for attachments is not mounted",
        "attachments.folder",
        "attachments_folder_unreachable",
        unmounted,
        "warn",
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
        "the trace field is too short",
        "service-layer.trace-field",
        "trace_field_short",
        trace_field(Size=25),
    ),
    Planted(
        "the trace field is a number",
        "service-layer.trace-field",
        "trace_field_odd",
        trace_field(Type="db_Numeric"),
    ),
    Planted(
        "the trace field is a long text",
        "service-layer.trace-field",
        "trace_field_odd",
        trace_field(Type="db_Memo"),
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
    Planted(
        "a balancer's page answers for the employees",
        "people.web-users",
        "unexpected_answer",
        faulty(BadGateway(), path="EmployeesInfo*"),
    ),
    Planted(
        "a firewall's page refuses the login",
        "service-layer.login",
        "login_unreadable",
        faulty(Answer(status=403, body="<html>", content_type="text/html"), "Login"),
    ),
    Planted(
        "a page answers for the balancer",
        "service-layer.balancer",
        "no_ping",
        faulty(HTML, path="ping/*"),
        "warn",
    ),
    Planted(
        "something else answers the login", "service-layer.login", "login_unreadable", faulty(HTML, "Login")
    ),
    Planted(
        "the login is slow",
        "service-layer.login",
        "login_slow",
        outcome="warn",
        switches={"login_delay_s": 10.5},
    ),
    Planted(
        "the version comes in words",
        "service-layer.version",
        "version_unknown",
        outcome="warn",
        switches={"other_habits": frozenset({OtherHabit.VERSION_IN_WORDS})},
    ),
    Planted(
        "the balancer names no node",
        "service-layer.balancer",
        "no_route",
        outcome="warn",
        switches={"other_habits": frozenset({OtherHabit.NO_ROUTE_COOKIE})},
    ),
    Planted(
        "the other version is not let through",
        "service-layer.other-version",
        "other_version_away",
        faulty(Answer(status=404, body="<html>", content_type="text/html"), "Warehouses", times=1),
        "warn",
    ),
    Planted(
        "a key is of another type",
        "service-layer.keys",
        "keys_differ",
        with_metadata(
            lambda lines: [
                line.replace('Name="TerritoryID" Type="Edm.Int32"', 'Name="TerritoryID" Type="Edm.String"')
                for line in lines
            ]
        ),
    ),
    Planted(
        "the web user is a number",
        "service-layer.web-fields",
        "web_fields_odd",
        with_metadata(
            lambda lines: [
                line.replace("Edm.String", "Edm.Int32") if 'Name="U_WEB_USER"' in line else line
                for line in lines
            ]
        ),
    ),
    Planted(
        "tags are taken away",
        "service-layer.tags",
        "tags_absent",
        outcome="warn",
        switches={"entity_tags": False},
    ),
    Planted(
        "tags of selections are wrong",
        "service-layer.selection-tags",
        "selection_tags_wrong",
        changed_order,
        switches={"other_habits": frozenset({OtherHabit.EVERY_SELECTION_SPOILS_TAGS})},
    ),
    Planted(
        "the page size is not honoured",
        "service-layer.page-size",
        "page_size_ignored",
        switches={"other_habits": frozenset({OtherHabit.PAGE_HEADER_IGNORED})},
    ),
    Planted(
        "letter case is not overlooked",
        "service-layer.letter-case",
        "case_header_ignored",
        outcome="warn",
        switches={"other_habits": frozenset({OtherHabit.CASE_HEADER_IGNORED})},
    ),
    Planted(
        "lists of items are something else",
        "service-layer.page-size",
        "unexpected_answer",
        faulty(Garbage(), "Items", nth=2),
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
        "all of the audit is gone",
        "store.audit-chain",
        "audit_chain_broken",
        store_edited("DELETE FROM audit_log", "DELETE FROM audit_chain"),
    ),
    Planted(
        "the last backup is old",
        "store.backup",
        "backup_old",
        backed_up_long_ago,
        "warn",
        arguments=("--backups", "backups"),
    ),
    Planted(
        "there is no backup",
        "store.backup",
        "no_backup",
        no_backups,
        "warn",
        arguments=("--backups", "backups"),
    ),
    Planted(
        "the audit's table is gone",
        "store.audit-chain",
        "audit_unreadable",
        store_edited("DROP TABLE audit_log"),
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
        "administrator_shared",
        employee(6, U_WEB_USER="ana"),
    ),
    Planted(
        "the only administrator has left",
        "people.administrators",
        "administrator_inactive",
        employee(1, Active="tNO"),
    ),
    Planted(
        "no employee has the administrator's web user",
        "people.administrators",
        "administrator_unknown",
        employee(1, U_WEB_USER="ana.torres"),
    ),
    Planted(
        "a second administrator of the settings is in no employee",
        "people.administrators",
        "administrator_not_in_erp",
        configured(ADMIN_WEB_USERS="ana,ana.tores"),
        "warn",
    ),
    Planted(
        "every client may claim any address",
        "settings.safe",
        "settings_unsafe",
        configured(TRUSTED_PROXIES="0.0.0.0/0"),
        "warn",
    ),
    Planted(
        "nobody is an administrator",
        "people.administrators",
        "no_active_administrator",
        store_edited("DELETE FROM menu_permission"),
    ),
    Planted("nobody has a web user", "people.web-users", "no_web_users", everybody_without_user),
    Planted("there are too many web users", "people.web-users", "too_many_web_users", many_web_users, "warn"),
    Planted(
        "the ERP does not count",
        "people.passwords",
        "unexpected_answer",
        faulty(Answer(status=200, body="many"), "EmployeesInfo/$count"),
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
    Planted(
        "everybody may read the passwords of the configuration file",
        "settings.file",
        "settings_readable_by_others",
        settings_file(0o644),
        "warn",
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
    Planted(
        "another program answers for the report gateway",
        "report-gateway.login",
        "report_gateway_odd",
        report_gateway_faulty(HTML, "login"),
        listening=REPORTS,
    ),
    Planted(
        "the report is asked for without a value",
        "report-gateway.export",
        "report_values_wrong",
        registered("RCRI0001", "Item@Select * from OITM", required=True),
        listening=REPORTS,
        arguments=("--print", "RCRI0001", "--values", "{}"),
    ),
    Planted(
        "the document to print is not there",
        "report-gateway.export",
        "no_such_document",
        print_format("RDR20001"),
        listening=REPORTS,
        arguments=("--print", "RDR20001", "--values", '{"DocKey@": 999999}'),
    ),
]

PRINTING = [
    Planted(
        "the configured browser is not there",
        "printing.engine",
        "browser_not_found",
        configured(HTML_PDF_ENGINE="browser", BROWSER_BIN="/nonexistent/chromium"),
    ),
    Planted("the browser's sandbox is off", "printing.sandbox", "sandbox_off", fake_browser(PRINTS), "warn"),
    Planted("the browser prints nothing", "printing.page", "page_not_printed", fake_browser("exit 1")),
]

TABLE = [*NETWORK, *SERVICE_LAYER, *STORE, *PEOPLE, *REPORT_GATEWAY, *PRINTING, *SETTINGS]

DATABASE = ("port", "encryption", "login", "version", "schema", "rights", "queries")

ALSO: Mapping[str, set[str]] = {
    "the only administrator shares her web user": {"people.duplicates"},
    "the only administrator has left": {"people.permissions"},
    "no employee has the administrator's web user": {"people.permissions"},
    "the certificate has expired": {"network.authorities"},
    "the ERP is old": {"service-layer.tags"},
    "the browser prints nothing": {"printing.sandbox"},
}
"""Second effects of a fault: a certificate that is its own authority is an expired authority, too; an ERP
without tags has none on its records.
"""


@pytest.mark.parametrize("planted", TABLE, ids=lambda planted: planted.name)
async def test_a_planted_fault_fails_its_own_check_only(install: Install, planted: Planted) -> None:
    async with install(listening=planted.listening, born=planted.born, **planted.switches) as installation:
        if planted.plant is not None:
            planting = planted.plant(installation)
            if planting is not None:
                await planting
        arguments = [
            str(installation.folder / each) if each == "backups" else each for each in planted.arguments
        ]
        examined = await installation.examine_with_patience(*arguments)
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
        examined = await installation.examine_with_patience()
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
            "origin.address": "no_origin",
        }
        assert examined.code == 0


async def test_a_healthy_installation_with_its_own_authority_and_v2_is_all_ok(install: Install) -> None:
    async with install(listening=TLS) as installation:
        trusting(installation)
        installation.environ["ERP_SL_URL"] = installation.sim.url_v2
        installation.environ["ENVIRONMENT"] = "production"
        examined = await installation.examine_with_patience()
        assert examined.found("warn", "fail") == {}


async def test_a_healthy_report_gateway_and_a_printer_are_ok_and_a_report_is_printed(
    install: Install,
) -> None:
    async with install(listening=REPORTS) as installation:
        installation.environ["HTML_PDF_ENGINE"] = "weasyprint"
        await registered("RCRI0001")(installation)  # type: ignore[misc] # it is one that waits
        examined = await installation.examine_with_patience("--print", "RCRI0001", "--values", "{}")
        assert examined.found("warn", "fail") == {}
        assert examined.found("ok").keys() >= {
            "report-gateway.registered",
            "report-gateway.export",
            "printing.page",
        }
        gateway = installation.sim.report_gateway
        assert gateway is not None
        assert [call.path for call in gateway.calls].count("login") == 1


async def test_a_document_that_is_there_is_printed(install: Install) -> None:
    async with install(listening=REPORTS) as installation:
        await print_format("RDR20001")(installation)  # type: ignore[misc] # it is one that waits
        examined = await installation.examine_with_patience(
            "--print", "RDR20001", "--values", '{"DocKey@": 1}'
        )
        assert "report-gateway.export" in examined.found("ok")
        gateway = installation.sim.report_gateway
        assert gateway is not None
        # a document is looked for where the Service Layer is looked at, and only there
        only = ("--only", "report-gateway", "--print", "RDR20001", "--values", '{"DocKey@": 999999}')
        assert "report-gateway.export" in (await installation.examine_with_patience(*only)).found("ok")


async def test_the_same_account_is_not_tried_at_the_report_gateway_after_a_refusal(install: Install) -> None:
    async with install(listening=REPORTS) as installation:
        installation.connect_reports()
        installation.environ["ERP_SL_PASSWORD"] = "wrong"
        examined = await installation.examine_with_patience()
        assert examined.found("skipped")["report-gateway.login"] == "same_account_refused"
        gateway = installation.sim.report_gateway
        assert gateway is not None
        assert len(gateway.calls) == 0


async def test_there_are_at_least_forty_planted_faults_with_unique_names() -> None:
    assert len({planted.name for planted in TABLE}) == len(TABLE) >= 40


@pytest.mark.parametrize(
    ("free_mb", "cause"), [(49, "disk_full"), (1023, "disk_nearly_full"), (1024, None)], ids=str
)
async def test_a_nearly_full_disk_is_reported(free_mb: int, cause: str | None) -> None:
    found = judge_space(free_mb * 1024 * 1024).cause
    assert (None if found is None else found.code) == cause


async def test_tags_of_changed_orders_are_compared_and_are_fine(install: Install) -> None:
    async with install() as installation:
        changed_order(installation)
        examined = await installation.examine_with_patience("--only", "service-layer")
    assert examined.found("warn", "fail") == {}
    check = next(each for each in examined.report["checks"] if each["name"] == "service-layer.selection-tags")
    assert check["figures"]["changed"] == 1


async def test_locked_out_administrators_are_named_with_the_numbers_of_granted_and_able(
    install: Install,
) -> None:
    async with install() as installation:
        installation.environ["ADMIN_WEB_USERS"] = "rosa.soto,nadie"
        for number in (1, 6):
            installation.desk.change("EmployeesInfo", number, {"U_WEB_USER": "ana"})
        examined = await installation.examine_with_patience("--only", "people")
        _, table, _ = await installation.run("--only", "people")
    check = next(each for each in examined.report["checks"] if each["name"] == "people.administrators")
    assert check["cause"] == "administrator_shared"
    assert check["figures"] == {"granted": 3, "able": 0}
    assert "ana (usuario web repetido), nadie (de ningún empleado), rosa.soto (de ningún empleado)" in table


async def test_shared_web_users_and_the_missing_browser_are_only_named_on_the_terminal(
    install: Install,
) -> None:
    async with install() as installation:
        installation.environ |= {"HTML_PDF_ENGINE": "browser", "BROWSER_BIN": "/nonexistent/chromium"}
        installation.desk.change("EmployeesInfo", 6, {"U_WEB_USER": "rosa"})
        _, table, _ = await installation.run("--only", "people", "--only", "printing")
        _, result, _ = await installation.run("--only", "people", "--only", "printing", "--json")
    assert "rosa (empleados 5, 6)" in table
    assert "BROWSER_BIN=/nonexistent/chromium; " in table
    assert "rosa" not in result
    assert "/chromium" not in result


async def test_the_cause_of_missing_printing_depends_on_the_engine() -> None:
    def cause(usual: Path | None, **settings: Any) -> tuple[str, str]:
        finding = missing_engine(HtmlPdf(**settings), usual)
        assert finding.cause is not None
        return finding.cause.code, finding.seen

    configured_one = {"browser_bin": Path("/x")}
    assert cause(None) == ("no_pdf_engine", "")
    assert cause(None, engine="weasyprint") == ("weasyprint_missing", "")
    assert cause(None, **configured_one)[1] == "BROWSER_BIN=/x; ninguno en los lugares usuales"
    assert cause(Path("/y"), **configured_one) == (
        "browser_not_found",
        "BROWSER_BIN=/x; en los lugares usuales está /y",
    )


async def test_invalid_report_values_are_named_with_their_problem(install: Install) -> None:
    async with install(listening=REPORTS) as installation:
        await registered("RCRI0001", "Item@Select * from OITM", required=True)(installation)  # type: ignore[misc] # it is one that waits
        arguments = ("--only", "report-gateway", "--print", "RCRI0001", "--values", "{}")
        _, table, _ = await installation.run(*arguments)
    assert "Un informe impreso: RCRI0001; values.Item@Select * from OITM: " in table


@pytest.mark.parametrize("readable", [True, False])
async def test_a_trace_field_that_is_long_enough_or_not_to_be_looked_at_is_ok(
    install: Install, *, readable: bool
) -> None:
    async with install() as installation:
        trace_field(Size=26)(installation)
        if not readable:
            faulty(FORBIDDEN, path="UserFieldsMD")(installation)
        examined = await installation.examine_with_patience("--only", "service-layer")
    assert examined.found("warn", "fail") == {}
    check = next(each for each in examined.report["checks"] if each["name"] == "service-layer.trace-field")
    assert (check["outcome"], check["figures"]) == ("ok", {"letters": 26} if readable else {})


@pytest.mark.parametrize(
    ("resource", "untried"),
    [
        ("Items", {"page-size": "probe_forbidden", "letter-case": "depends_on"}),
        ("Warehouses", {"parallel": "probe_forbidden"}),
    ],
)
async def test_a_right_that_is_missing_is_no_proxys_fault(
    install: Install, resource: str, untried: dict[str, str]
) -> None:
    async with install() as installation:
        faulty(FORBIDDEN, path=resource)(installation)
        examined = await installation.examine_with_patience("--only", "service-layer")
    assert examined.found("warn", "fail") == {"service-layer.resources": "resources_forbidden"}
    found = examined.found("skipped")
    assert {name: found.get(f"service-layer.{name}") for name in untried} == untried


async def test_missing_employees_and_a_missing_right_to_read_them_have_different_causes(
    install: Install,
) -> None:
    """Takes 5 s: as long as a step waits."""
    async with install() as installation:
        faulty(Hang(after_bytes=0, seconds=20), "EmployeesInfo")(installation)
        examined = await installation.examine("--only", "people")
    assert examined.found("fail") == {"people.web-users": "no_answer_in_time"}


async def test_a_private_configuration_file_or_one_without_secrets_is_ok(
    install: Install,
) -> None:
    async with install() as installation:
        settings_file(0o640)(installation)
        closed = await installation.examine_with_patience("--only", "settings")
        installation.environ["ERP_SL_PASSWORD"] = "erpsim"
        settings_file(0o644, "PORT=3000\n")(installation)
        without_secret = await installation.examine_with_patience("--only", "settings")
    assert closed.found("warn", "fail") == without_secret.found("warn", "fail") == {}
