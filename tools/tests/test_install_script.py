"""The installer: what it writes, with which modes, what it refuses, and that it keeps what is there."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from tools.packages import ROOT

from erp_gateway.settings.root import load_settings as load_gateway
from supplier_returns.settings.root import load_settings as load_returns

PASSWORD = "con #\"comillas\" y $HOME \\n 'simples'"
ANSWERS = {
    "ERP_SL_URL": "https://sap.example.cl:50000/b1s/v2",
    "ERP_SL_COMPANY_DB": "SBO_ACME #1",
    "ERP_SL_USER": "gateway$user",
    "ADMIN_WEB_USERS": "ana,luis",
}


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """Return a folder with the installer."""
    folder = tmp_path / "deploy"
    folder.mkdir()
    shutil.copy(ROOT / "deploy" / "install.sh", folder)
    (tmp_path / "password").write_text(PASSWORD)
    return folder


def install(deploy: Path, *words: str, **answers: str) -> subprocess.CompletedProcess[str]:
    """Run it without a terminal."""
    environ = {"PATH": os.environ["PATH"], "ERP_SL_PASSWORD_FILE": str(deploy.parent / "password"), **answers}
    return subprocess.run(
        ["sh", str(deploy / "install.sh"), *(words or ("containers",))],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_both_services_accept_the_written_settings_without_the_password(deploy: Path) -> None:
    done = install(deploy, **ANSWERS)
    assert done.returncode == 0, done.stderr
    secret = deploy / "secrets" / "erp_sl_password"
    settings = load_gateway({"CONFIG_FILE": str(deploy / "gateway.env"), "ERP_SL_PASSWORD_FILE": str(secret)})
    assert settings.erp.password.reveal() == PASSWORD
    assert (settings.erp.company_db, settings.erp.user) == ("SBO_ACME #1", "gateway$user")
    assert settings.web.admin_web_users == ("ana", "luis")
    returns = load_returns({"CONFIG_FILE": str(deploy / "returns.env")})
    assert returns.service_layer.url == ANSWERS["ERP_SL_URL"]
    assert returns.sessions.sign_in_denied_users == ("gateway$user",)
    for name in ("gateway.env", "returns.env"):
        assert "comillas" not in (deploy / name).read_text()
        assert mode(deploy / name) == 0o600
        assert f"wrote     {deploy}/{name} (" in done.stdout
    assert mode(deploy / "secrets") == 0o700
    assert mode(secret) == (0o400 if os.geteuid() == 0 else 0o444)
    if os.geteuid() == 0:
        assert secret.stat().st_uid == 10001
    assert "comillas" not in done.stdout + done.stderr


def test_existing_files_are_kept_unless_replacement_is_requested(deploy: Path) -> None:
    install(deploy, **ANSWERS)
    (deploy / "gateway.env").write_text("MINE=1\n")
    done = install(deploy, **ANSWERS)
    assert (deploy / "gateway.env").read_text() == "MINE=1\n"
    assert f"kept      {deploy}/gateway.env" in done.stdout
    install(deploy, **ANSWERS, INSTALL_REPLACE="1")
    assert "ERP_SL_URL=" in (deploy / "gateway.env").read_text()
    assert sorted(each.name for each in deploy.iterdir()) == [
        *("authorities", "gateway.env", "install.sh", "returns.env", "secrets")
    ]


def test_nothing_is_asked_where_everything_exists(deploy: Path) -> None:
    install(deploy, **ANSWERS)
    before = {
        each: each.read_bytes() for each in (deploy / "gateway.env", deploy / "secrets/erp_sl_password")
    }
    done = install(deploy)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no questions" in done.stdout
    assert {each: each.read_bytes() for each in before} == before
    (deploy / "returns.env").unlink()
    assert "there is no terminal to ask" in install(deploy).stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_with_sudo_the_files_belong_to_the_person(deploy: Path) -> None:
    done = install(deploy, **ANSWERS, SUDO_UID="4321", SUDO_GID="4322")
    assert done.returncode == 0, done.stderr
    owners = {
        name: (deploy / name).stat() for name in ("gateway.env", "returns.env", "secrets", "authorities")
    }
    assert {name: (each.st_uid, each.st_gid) for name, each in owners.items()} == dict.fromkeys(
        owners, (4321, 4322)
    )
    assert (deploy / "secrets" / "erp_sl_password").stat().st_uid == 10001


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://sap:50000", "https://sap:50000/b1s/v2"),
        ("https://sap:50000/", "https://sap:50000/b1s/v2"),
        ("https://sap:50000/b1s", "https://sap:50000/b1s/v2"),
        ("https://sap:50000/b1s/v2//", "https://sap:50000/b1s/v2"),
        ("http://sap:50001/b1s/v1", "http://sap:50001/b1s/v1"),
    ],
)
def test_an_address_without_a_version_is_completed(deploy: Path, given: str, expected: str) -> None:
    done = install(deploy, **{**ANSWERS, "ERP_SL_URL": given})
    assert done.returncode == 0, done.stderr
    assert f"ERP_SL_URL='{expected}'\n" in (deploy / "gateway.env").read_text()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("ERP_SL_URL", "sap:50000", "must begin with https://"),
        ("ERP_SL_USER", "o'higgins", "without the sign '"),
        ("ERP_SL_COMPANY_DB", "A\nADMIN_WEB_USERS=eve", "must have one line"),
        ("ERP_SL_COMPANY_DB", "", "there is no terminal to ask"),
        ("DB_TYPE", "ORACLE", "HANA or MSSQL"),
        ("ERP_SL_PASSWORD_FILE", "/nowhere", "can't be read"),
    ],
)
def test_an_invalid_answer_is_refused_and_no_file_is_written(
    deploy: Path, name: str, value: str, told: str
) -> None:
    done = install(deploy, **{**ANSWERS, name: value})
    assert done.returncode == 1
    assert told in done.stderr
    assert [each.name for each in deploy.iterdir()] == ["install.sh"]


def test_an_empty_password_is_refused(deploy: Path) -> None:
    (deploy.parent / "password").write_text("")
    assert "must not be empty" in install(deploy, **ANSWERS).stderr


def test_without_a_valid_kind_the_script_prints_its_usage(deploy: Path) -> None:
    done = install(deploy, "everything", **ANSWERS)
    assert (done.returncode, "install.sh containers" in done.stderr) == (2, True)


def test_a_host_needs_the_package(deploy: Path) -> None:
    done = install(deploy, "host", **ANSWERS)
    assert done.returncode == 1
    assert "make host-package" in done.stderr if os.geteuid() == 0 else "as root" in done.stderr
