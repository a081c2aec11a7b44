"""The configuration: every rule between settings, and its example file."""

from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

import attrs
import pytest

from erp_gateway.components import erp_settings
from erp_gateway.settings.root import Settings, effective_settings, load_settings
from erpsim.company.clock import SystemClock
from erpsim.process.certificates import self_signed
from servicekit.config import ConfigError

ROOT = Path(__file__).parents[5]
EXAMPLE = ROOT / "services" / "erp-gateway" / "config.example.env"
SECRET = "canary-5e1f"
AUTHORITY = self_signed("erp", SystemClock()).certificate_pem

REQUIRED = {
    "ERP_SL_URL": "https://10.0.0.5:50000/b1s/v1",
    "ERP_SL_COMPANY_DB": "SBO_DEMO",
    "ERP_SL_USER": "manager",
    "ERP_SL_PASSWORD": SECRET,
}
REPORT_GATEWAY = {
    "APIGATEWAY_URL": "https://10.0.0.5:60000",
    "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
    "APIGATEWAY_USER": "u",
    "APIGATEWAY_PASSWORD": SECRET,
    "APIGATEWAY_INSTANCE": "10.0.0.5:30015",
}
HANA = {
    "ERPDB_ENGINE": "hana",
    "ERPDB_SERVER": "db",
    "ERPDB_USER": "u",
    "ERPDB_PASSWORD": SECRET,
    "ERPDB_SCHEMA": "S",
}


@pytest.fixture(autouse=True)
def no_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settings_of(**environ: str) -> Settings:
    return load_settings({**REQUIRED, **environ})


def problems_of(environ: Mapping[str, str]) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        load_settings(environ)
    assert SECRET not in str(caught.value)
    return {problem.name: problem.text for problem in caught.value.problems}


def test_sessions_have_no_maximum_age_and_are_rechecked_by_default() -> None:
    default = settings_of().sessions
    assert (default.max_age_s, default.recheck_interval_s) == (None, 900.0)
    settings = settings_of(SESSION_MAX_HOURS="8", EMPLOYEE_RECHECK_MINUTES="0").sessions
    assert (settings.max_age_s, settings.recheck_interval_s) == (28800.0, None)


def test_four_settings_are_enough() -> None:
    settings = settings_of()
    assert settings.web.port == 3000
    assert settings.installation.environment == "production"
    assert settings.sessions.timeout_minutes == 30
    assert settings.web.timezone == ZoneInfo("America/Santiago")
    assert settings.store.path == Path("data/app.sqlite")
    assert settings.erp.max_concurrency == 1
    assert attrs.astuple(settings.deadlines) == (60, 30, 5, 30, None)
    assert (settings.erp.queue_limit, settings.erp.queue_per_user) == (512, 256)
    assert settings.report_gateway is None
    assert settings.erp_database is None
    assert settings.shutdown_grace_s == 260
    assert not settings.installation.docs_published


def test_every_missing_required_setting_is_reported() -> None:
    assert set(problems_of({})) == set(REQUIRED)


def test_the_modules_of_later_have_the_decided_defaults() -> None:
    settings = settings_of(**REPORT_GATEWAY, **HANA)
    assert settings.report_gateway is not None
    assert (settings.report_gateway.timeout_s, settings.report_gateway.max_concurrency) == (120, 2)
    database = settings.erp_database
    assert database is not None
    assert (database.port, database.encrypt, database.connect_timeout_s) == (30015, True, 10)
    assert (database.max_concurrency, database.timeout_s, database.max_rows) == (4, 30, 5000)
    assert (settings.html_pdf.engine, settings.html_pdf.max_concurrency, settings.html_pdf.timeout_s) == (
        "browser",
        1,
        60,
    )


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"ERP_SL_URL": "https://10.0.0.5:50000/b1s"}, "ERP_SL_URL"),
        ({"ERP_SL_URL": "https://10.0.0.5:50000/b1s/v3"}, "ERP_SL_URL"),
        ({"ERP_SL_URL": "ftp://10.0.0.5/b1s/v1"}, "ERP_SL_URL"),
        ({"ERP_SL_URL": "https://u:p@10.0.0.5/b1s/v1"}, "ERP_SL_URL"),
        ({"ERP_SL_MAX_CONCURRENCY": "0"}, "ERP_SL_MAX_CONCURRENCY"),
        ({"ERP_SL_CA_FILE": "/nowhere/ca.pem"}, "ERP_SL_CA_FILE"),
        ({"VERIFY_SSL": "false"}, "VERIFY_SSL"),
        ({"SHUTDOWN_GRACE": "69"}, "SHUTDOWN_GRACE"),
        ({"SHUTDOWN_GRACE": "70", "ERP_SL_TIMEOUT": "61"}, "SHUTDOWN_GRACE"),
        ({"METRICS_PORT": "3000"}, "METRICS_PORT"),
        ({"ENVIRONMENT": "prod"}, "ENVIRONMENT"),
        ({"TIMEZONE": "Santiago"}, "TIMEZONE"),
        ({"TRUSTED_PROXIES": "10.0.0.0/40"}, "TRUSTED_PROXIES"),
        ({"EXTENSIONS": "not a module"}, "EXTENSIONS"),
        ({"ADMIN_WEB_USERS": "ana, CLI"}, "ADMIN_WEB_USERS"),
        ({"APIGATEWAY_URL": "https://x"}, "APIGATEWAY_PASSWORD"),
        ({**REPORT_GATEWAY, "APIGATEWAY_CA_FILE": "/nowhere/ca.pem"}, "APIGATEWAY_CA_FILE"),
        ({**HANA, "ERPDB_CA_FILE": "/nowhere/ca.pem"}, "ERPDB_CA_FILE"),
        ({"ERPDB_ENGINE": "oracle"}, "ERPDB_ENGINE"),
        ({"ERPDB_ENGINE": "hana"}, "ERPDB_SCHEMA"),
        ({"ERPDB_ENGINE": "sqlite", "ENVIRONMENT": "test"}, "ERPDB_DATABASE"),
        ({"HTML_REPORTS_RELOAD": "true"}, "HTML_REPORTS_RELOAD"),
        ({"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": "x.db"}, "ERPDB_ENGINE"),
        ({"HTML_PDF_ENGINE": "wkhtmltopdf"}, "HTML_PDF_ENGINE"),
        ({"ERP_SL_PASWORD": "x"}, "ERP_SL_PASWORD"),
    ],
)
def test_an_invalid_value_is_reported_by_name(environ: dict[str, str], name: str) -> None:
    assert name in problems_of({**REQUIRED, **environ})


def test_all_problems_are_reported_at_once() -> None:
    environ = {**REQUIRED, "PORT": "x", "VERIFY_SSL": "false", "SHUTDOWN_GRACE": "5", "AUDIT_DAYS": "1"}
    assert set(problems_of(environ)) == {"PORT", "VERIFY_SSL", "SHUTDOWN_GRACE", "AUDIT_DAYS"}


@pytest.mark.parametrize("url", ["http://127.0.0.1:50001/b1s/v2", "https://erp/b1s/v1/"])
def test_both_versions_of_the_service_layer_are_taken(url: str) -> None:
    assert settings_of(ERP_SL_URL=url).erp.url == url.rstrip("/")


def test_verification_may_be_off_outside_production() -> None:
    assert not settings_of(VERIFY_SSL="false", ENVIRONMENT="development").installation.verify_ssl


@pytest.mark.parametrize(
    ("environ", "published"),
    [
        ({}, False),
        ({"ENVIRONMENT": "development"}, True),
        ({"DOCS_ENABLED": "true"}, True),
        ({"ENVIRONMENT": "test", "DOCS_ENABLED": "false"}, False),
    ],
)
def test_the_description_is_published_outside_production_by_default(
    environ: dict[str, str], published: bool
) -> None:
    assert settings_of(**environ).installation.docs_published is published


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(SECRET + "\n")
    environ = {name: value for name, value in REQUIRED.items() if name != "ERP_SL_PASSWORD"}
    settings = load_settings({**environ, "ERP_SL_PASSWORD_FILE": str(tmp_path / "password")})
    assert settings.erp.password.reveal() == SECRET


def test_secrets_show_in_no_form_of_the_settings() -> None:
    settings = settings_of(**REPORT_GATEWAY, **HANA)
    assert SECRET not in repr(settings)
    shown = effective_settings(settings)
    assert SECRET not in str(shown)
    assert ("ERP_SL_PASSWORD", "***") in shown


def test_the_effective_configuration_has_the_derived_defaults() -> None:
    shown = dict(effective_settings(settings_of(ERP_SL_TIMEOUT="90")))
    assert (shown["SHUTDOWN_GRACE"], shown["DOCS_ENABLED"], shown["PORT"]) == ("290", "false", "3000")


@pytest.mark.parametrize(
    ("environ", "grace_s"),
    [
        ({}, 260),
        ({**REPORT_GATEWAY, "APIGATEWAY_TIMEOUT": "300"}, 310),
        ({**REPORT_GATEWAY, "APIGATEWAY_TIMEOUT": "30"}, 260),
        ({"ERP_SL_TIMEOUT": "200"}, 310),
        ({"ERP_SL_TIMEOUT": "400"}, 410),
        ({**REPORT_GATEWAY, "SHUTDOWN_GRACE": "70"}, 70),
    ],
)
def test_a_shutdown_waits_for_the_longest_call(environ: dict[str, str], grace_s: float) -> None:
    assert settings_of(**environ).shutdown_grace_s == grace_s


@pytest.mark.parametrize(
    ("environ", "limits_s"),
    [
        ({}, (60, 70, 250)),
        ({"ERP_SL_TIMEOUT": "10"}, (10, 20, 200)),
        ({"ERP_SL_TIMEOUT": "200"}, (200, 210, 300)),
        ({"ERP_SL_TIMEOUT": "400"}, (300, 300, 300)),
        ({"SHUTDOWN_GRACE": "75"}, (60, 65, 65)),
        ({"SHUTDOWN_GRACE": "600"}, (60, 70, 250)),
    ],
)
def test_a_change_set_may_take_longer_with_each_operation_but_not_than_a_shutdown_waits(
    environ: dict[str, str], limits_s: tuple[float, ...]
) -> None:
    settings = settings_of(**environ)
    deadlines = settings.deadlines
    assert tuple(map(deadlines.change_set_timeout_s, (1, 2, 20))) == limits_s
    assert deadlines.longest_call_s() == deadlines.longest_call_s(1) == 60 + deadlines.timeout_s
    assert deadlines.longest_call_s(20) == 60 + max(limits_s[-1], deadlines.timeout_s)
    assert settings.shutdown_grace_s >= limits_s[-1] + 10


@pytest.mark.parametrize(
    ("timeout", "queue_timeout", "read_s"),
    [
        ("60", "30", 25.0),
        ("20", "30", 20.0),
        ("60", "600", 60.0),
        ("60", "10", 5.0),
        ("60", "6", 3.0),
        ("60", "5", 2.5),
        ("60", "1", 1.0),
        ("60", "0.1", 1.0),
        ("0.1", "0.1", 0.1),
        ("3600", "3600", 3595.0),
    ],
)
def test_a_read_ends_before_others_have_waited_too_long_for_it(
    timeout: str, queue_timeout: str, read_s: float
) -> None:
    settings = settings_of(ERP_SL_TIMEOUT=timeout, ERP_SL_QUEUE_TIMEOUT=queue_timeout)
    assert settings.deadlines.read_timeout_s == read_s
    made = erp_settings(settings)
    assert (made.timeout_s, made.read_timeout_s) == (float(timeout), read_s)


def test_logging_is_configured_as_the_settings_say() -> None:
    console = settings_of(LOG_FORMAT="console", LOG_LEVEL="WARNING").logging.as_log_settings()
    assert (console.format, console.level) == ("console", "WARNING")
    assert settings_of().logging.as_log_settings().format == "json"


def test_the_example_file_is_a_working_configuration(tmp_path: Path) -> None:
    settings = load_settings({"CONFIG_FILE": str(EXAMPLE)})
    assert settings == load_settings({"CONFIG_FILE": str(EXAMPLE), "PORT": "3000"})
    everything = tmp_path / "everything.env"
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    everything.write_text(
        "\n".join(
            line.removeprefix("# ") for line in lines if "=" in line and " " not in line.removeprefix("# ")
        )
    )
    full = load_settings({"CONFIG_FILE": str(everything)})
    assert full.report_gateway is not None
    assert full.erp_database is not None


def test_a_standby_needs_a_database_and_says_so() -> None:
    problems = problems_of({**REQUIRED, "STANDBY": "true"})
    assert problems == {"STANDBY": "true is possible with STORE_URL alone; allowed: false"}
    url = f"postgresql://gateway:{SECRET}@db/gateway"
    store = settings_of(STANDBY="true", STORE_URL=url).store
    assert (store.standby, store.lock_grace_s) == (True, 30.0)


def test_certificates_of_the_folder_count_for_the_service_layer_and_its_reports(tmp_path: Path) -> None:
    folder, own = tmp_path / "authorities", tmp_path / "own.pem"
    folder.mkdir()
    environ = {**REPORT_GATEWAY, "ERP_CA_FOLDER": str(folder)}
    empty = settings_of(**environ)
    assert empty.report_gateway is not None
    assert (empty.erp.ca_file, empty.report_gateway.ca_file) == (None, None)
    for file in (folder / "erp.pem", own):
        file.write_bytes(AUTHORITY)
    found = settings_of(**environ)
    assert found.report_gateway is not None
    assert (found.erp.ca_file, found.report_gateway.ca_file) == (folder, folder)
    assert erp_settings(found).ca_file == folder
    assert dict(effective_settings(found))["ERP_SL_CA_FILE"] == str(folder)
    named = settings_of(**environ, ERP_SL_CA_FILE=str(own))
    assert named.report_gateway is not None
    assert (named.erp.ca_file, named.report_gateway.ca_file) == (own, folder)


def test_a_file_of_the_folder_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "erp.pem").write_text("no certificate")
    assert "erp.pem" in problems_of({**REQUIRED, "ERP_CA_FOLDER": str(tmp_path)})["ERP_CA_FOLDER"]
