"""The command line in process: which command does what, and with which exit code it ends."""

import json
import sys
from pathlib import Path

import pytest
from store_beside import beside

from erp_gateway.__main__ import main

SECRET = "canary-31d7"


@pytest.fixture(autouse=True)
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "CONFIG_FILE": "/dev/null",
        "ENVIRONMENT": "test",
        "ERP_SL_URL": "http://127.0.0.1:9/b1s/v1",
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": SECRET,
        "SQLITE_PATH": str(tmp_path / "app.sqlite"),
        "ADMIN_WEB_USERS": "ana",
        "LANG": "es_CL.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)


def test_check_config_prints_what_counts_with_secrets_masked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config"]) == 0
    out, err = capsys.readouterr()
    assert "ERP_SL_PASSWORD=***\n" in out
    assert "DOCS_ENABLED=true\n" in out
    assert "ERP_SL_URL=http://127.0.0.1:9/b1s/v1\n" in out
    assert (SECRET in out, err) == (False, "")


@pytest.mark.parametrize("command", [["check-config"], ["serve"], ["permissions", "list"]])
def test_a_faulty_configuration_ends_every_command_with_2(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "many")
    monkeypatch.setenv("ERP_SL_TIMEOUT", "0")
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(":")[0] for line in err.splitlines()] == ["PORT", "ERP_SL_TIMEOUT"]
    assert err.startswith("PORT: 'many' no se admite; se admite: un número entero de 0 a 65535\n")


@pytest.mark.parametrize(
    ("name", "value"), [("BROWSER_BIN", "/nonexistent/chromium"), ("HTML_PDF_ENGINE", "weasyprint")]
)
def test_a_program_to_print_with_that_is_not_there_keeps_the_service_from_starting(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)  # as in an image that leaves it out
    monkeypatch.setenv(name, value)
    assert main(["check-config"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"{name}: {value!r} no ")
    monkeypatch.setenv("SQLITE_PATH", str(tmp_path))  # a folder: a service that begins all the same ends
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == errors


def test_the_description_is_printed_without_any_configuration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PORT", "many")
    assert main(["openapi", "--server", "https://erp.example.com"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["servers"] == [{"url": "https://erp.example.com"}]
    assert "/api/sl/{resource}" in document["paths"]
    assert err == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["serve", "--fast"]])
def test_wrong_arguments_end_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def test_commands_print_only_results_to_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["permissions", "grant", "ana", "*"]) == 0
    capsys.readouterr()
    assert main(["permissions", "list"]) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("ana")
    assert "event" not in out


def test_serve_ends_with_1_and_a_reason_when_the_store_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SQLITE_PATH", str(tmp_path / "file" / "app.sqlite"))
    assert main(["serve"]) == 1
    out, _ = capsys.readouterr()
    assert "start_failed" in out
    assert str(tmp_path / "file") in out


def test_serve_exits_with_1_and_a_reason_if_the_store_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["permissions", "grant", "ana", "*"]) == 0  # makes the store
    capsys.readouterr()
    beside(tmp_path / "app.sqlite").ask("ALTER TABLE ledger_secret RENAME TO taken_away")
    assert main(["serve"]) == 1
    out, _ = capsys.readouterr()
    told = next(line for line in out.splitlines() if "start_failed" in line)
    assert "the store refused: no such table: ledger_secret" in told
