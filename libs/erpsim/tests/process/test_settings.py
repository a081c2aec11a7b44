"""Settings of `erpsim serve`: precedence, every fault at once."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from erpsim.company.notification import Notice
from erpsim.company.switches import DateFormat, LostSession, WrongLogin
from erpsim.faults import Drop, Fault
from erpsim.process.settings import ServeSettings, SettingsError, read_settings


def problems_of(arguments: list[str], environ: dict[str, str] | None = None) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as refusal:
        read_settings(arguments, environ or {})
    return refusal.value.problems


def write(folder: Path, text: str) -> str:
    path = folder / "erpsim.toml"
    path.write_text(text)
    return str(path)


def test_the_default_settings_serve_the_demo_on_loopback() -> None:
    settings = read_settings([], {})
    assert settings.listening.host == "127.0.0.1"
    assert settings.listening.port == 50_000
    assert settings.listening.control_port is None
    assert not settings.listening.tls
    assert settings.listening.keep_alive_s == 5.0
    assert settings.switches.parallel_penalty_s == 7.0
    assert settings.switches.company == "SBO_DEMO"
    assert settings.seed == "full"
    assert settings.store is None


def test_every_option_is_read_from_the_command_line(tmp_path: Path) -> None:
    arguments = (
        f"--host 0.0.0.0 --port 0 --control-port 9 --tls --certificate-file {tmp_path}/c.pem "
        f"--certificate-folder {tmp_path} --public-host erp.example "
        f"--metadata {tmp_path}/m.xml --store {tmp_path}/s.db --seed small --penalty 0.5 --keep-alive 30 "
        "--shutdown 0 --switch page_size=50 --switch wrong_login=sld"
    )
    settings = read_settings(arguments.split(), {})
    assert settings.listening.host == "0.0.0.0"
    assert settings.listening.port == 0
    assert settings.listening.control_port == 9
    assert settings.listening.tls
    assert settings.listening.certificate_folder == tmp_path
    assert settings.listening.public_host == "erp.example"
    assert settings.listening.shutdown_s == 0.0
    assert settings.listening.keep_alive_s == 30.0
    assert settings.certificate_file == tmp_path / "c.pem"
    assert settings.metadata == tmp_path / "m.xml"
    assert settings.store == tmp_path / "s.db"
    assert settings.seed == "small"
    assert settings.switches.parallel_penalty_s == 0.5
    assert settings.switches.page_size == 50
    assert settings.switches.wrong_login is WrongLogin.SLD


def test_the_command_line_overrides_environment_and_file(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "port = 1\npenalty = 1\nseed = 'small'\n[switches]\nnodes = 1\npage_size = 1\nbranches = true\n",
    )
    environ = {
        "ERPSIM_CONFIG": file,
        "ERPSIM_PORT": "2",
        "ERPSIM_PENALTY": "2",
        "ERPSIM_NODES": "2",
        "ERPSIM_PAGE_SIZE": "2",
    }
    settings = read_settings(["--port", "3", "--switch", "nodes=3"], environ)
    assert settings.listening.port == 3
    assert settings.switches.parallel_penalty_s == 2.0
    assert settings.seed == "small"
    assert settings.switches.nodes == 3
    assert settings.switches.page_size == 2
    assert settings.switches.branches


def test_switches_of_every_type_are_read_from_texts() -> None:
    environ = {
        "ERPSIM_ENTITY_TAGS": "no",
        "ERPSIM_DATE_FORMAT": "plain",
        "ERPSIM_APPROVAL_PROCEDURE": "Orders, PurchaseReturns",
        "ERPSIM_COMPANY_ERROR": "-1102",
        "ERPSIM_IDLE_TIMEOUT_S": "0.5",
        "ERPSIM_COMPANY": "X",
    }
    switches = read_settings([], environ).switches
    assert not switches.entity_tags
    assert switches.date_format is DateFormat.PLAIN
    assert switches.approval_procedure == {"Orders", "PurchaseReturns"}
    assert switches.company_error == -1102
    assert switches.idle_timeout_s == 0.5
    assert switches.company == "X"
    assert read_settings([], {"ERPSIM_TIMEZONE": "America/Santiago"}).switches.timezone == ZoneInfo(
        "America/Santiago"
    )
    assert read_settings([], {"ERPSIM_COMPANY_ERROR": "none"}).switches.company_error is None


def test_a_file_may_hold_lists_tables_and_faults(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "tls = true\n[switches]\napproval_procedure = ['Orders']\n"
        "[[faults]]\nmethod = 'POST'\npath = 'Orders'\n[faults.action]\nkind = 'drop'\n",
    )
    settings = read_settings(["--config", file], {})
    assert settings.listening.tls
    assert settings.switches.approval_procedure == {"Orders"}
    assert settings.faults == (Fault(action=Drop(), method="POST", path="Orders"),)


def test_posting_dates_and_the_customers_own_rules_are_read(tmp_path: Path) -> None:
    rule = "PurchaseReturns(Comments=):7:Falta el motivo, pídalo"
    environ = {
        "ERPSIM_TRANSACTION_NOTIFICATION": rule,
        "ERPSIM_FIRST_POSTING_DATE": "2026-03-01",
        "ERPSIM_LOCKED_PERIODS": "2026-01, 2026-02",
    }
    switches = read_settings(["--switch", "last_posting_date=none"], environ).switches
    requested = Notice("PurchaseReturns", 7, "Falta el motivo, pídalo", "Comments")
    assert switches.transaction_notification == {requested}
    assert (switches.first_posting_date, switches.last_posting_date) == (date(2026, 3, 1), None)
    assert switches.locked_periods == {"2026-01", "2026-02"}
    lines = (
        f"[switches]\ntransaction_notification = ['{rule}', 'Items:8:No']\nlast_posting_date = 2026-04-30\n"
    )
    listed = read_settings(["--config", write(tmp_path, lines)], {}).switches
    assert listed.transaction_notification == {requested, Notice("Items", 8, "No")}
    assert listed.last_posting_date == date(2026, 4, 30)


@pytest.mark.parametrize(
    ("switch", "allowed"),
    [("first_posting_date=ayer", "a date"), ("transaction_notification=Items", "rules like PurchaseReturns")],
)
def test_an_invalid_switch_is_named(switch: str, allowed: str) -> None:
    (problem,) = problems_of(["--switch", switch])
    assert switch.partition("=")[0] in problem
    assert allowed in problem


@pytest.mark.parametrize("zone", ["Mars/Olympus", "America", "../etc/passwd"])
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    (problem,) = problems_of(["--switch", f"timezone={zone}"])
    assert "is not a time zone, like America/Santiago" in problem


def test_every_configuration_error_is_named_at_once(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "prot = 1\nhost = ''\n[switches]\nnods = 1\napproval_procedure = 1\ncompany = ''\n"
        "[[faults]]\npath = 'x'\n",
    )
    environ = {"ERPSIM_PORT": "70000", "ERPSIM_TLS": "perhaps", "ERPSIM_PENALTIES": "1", "OTHER": "1"}
    arguments = [
        "--config",
        file,
        "--penalty",
        "-1",
        "--switch",
        "nodes",
        "--switch",
        "wrong_login=no",
        "--seed",
        "big",
    ]
    problems = "\n".join(problems_of(arguments, environ))
    for part in (
        "prot is no setting; did you mean port?",
        "host in the file: '' is not a text",
        "switches.nods in the file: nods is no setting; did you mean nodes?",
        "switches.approval_procedure in the file: 1 is not a list of names",
        "switches.company in the file: '' is not a text",
        "faults[1]: `action` must be an object",
        "ERPSIM_PORT: '70000' is not a port (0 to 65535; 0 is any free one)",
        "ERPSIM_TLS: 'perhaps' is not true or false",
        "ERPSIM_PENALTIES is no setting; did you mean ERPSIM_PENALTY?",
        "--penalty: '-1' is not a number from 0",
        "--switch: 'nodes' is not NAME=VALUE",
        "--switch wrong_login: 'no' is not one of login-failed, sld",
        "--seed: 'big' is not one of full, small, returns, wide, empty",
    ):
        assert part in problems
    assert "OTHER" not in problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = ", "no TOML"),
        ("switches = 1", "switches must be a table"),
        ("faults = 1", "faults[1]: the rule must be an object"),
        ("store = ''", "store in the file: '' is not a file's path"),
        ("port = true", "port in the file: True is not a port"),
        ("penalty = true", "penalty in the file: True is not a number from 0"),
        ("penalty = 'much'", "penalty in the file: 'much' is not a number from 0"),
        ("penalty = 'inf'", "penalty in the file: 'inf' is not a number from 0"),
        ("[switches]\nnodes = true", "switches.nodes in the file: True is not a whole number"),
    ],
)
def test_an_invalid_configuration_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert any(message in problem for problem in problems_of(["--config", write(tmp_path, text)]))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert problems_of(["--config", f"{tmp_path}/none.toml"]) == (
        f"{tmp_path}/none.toml: No such file or directory",
    )


def test_the_help_names_options_switches_and_variables(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        read_settings(["--help"], {})
    assert leaving.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for word in ("--control-port", "--metadata", "ERPSIM_PORT", "wrong_login_delay_s"):
        assert word in text


def test_the_settings_are_a_value() -> None:
    assert read_settings([], {}) == read_settings([], {})
    assert isinstance(read_settings([], {}), ServeSettings)


def test_a_report_gateway_is_enabled_and_switched_by_settings() -> None:
    assert read_settings([], {}).listening.report_gateway_port is None
    settings = read_settings(
        ["--report-gateway-port", "60000", "--switch", "report_lost_session=302"],
        {"ERPSIM_REPORT_USERS": "bodega", "ERPSIM_REPORT_EXPORT_S": "2.4"},
    )
    assert settings.listening.report_gateway_port == 60_000
    assert settings.switches.report_lost_session is LostSession.REDIRECT
    assert settings.switches.report_users == frozenset({"bodega"})
    assert settings.switches.report_export_s == 2.4


def test_a_hana_port_starts_a_hana() -> None:
    assert read_settings([], {}).listening.hana_port is None
    assert read_settings([], {"ERPSIM_HANA_PORT": "30015"}).listening.hana_port == 30_015
