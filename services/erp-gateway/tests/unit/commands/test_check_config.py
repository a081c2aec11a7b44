"""Faults that check-config finds by opening files: exit 2 with the setting's name, or a warning and
exit 0.
"""

import io
import os
import sqlite3
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from erp_gateway.commands.check_config import check_config
from erp_gateway.people.permissions.store import Permission, save
from erp_gateway.store.database import open_database
from servicekit.config import plain_http

SECRET = "canary-77a1"


def check(folder: Path, **further: str) -> tuple[int, str, list[str]]:
    """Run it; return the exit code, what it printed, and its complaints."""
    out, err = io.StringIO(), io.StringIO()
    environ = {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "ERP_SL_URL": "http://192.0.2.1:50000/b1s/v1",  # nobody answers there
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": SECRET,
        "SQLITE_PATH": str(folder / "data" / "app.sqlite"),
        "ADMIN_WEB_USERS": "ana",
        "LANG": "en_US.UTF-8",
        **further,
    }
    code = check_config(environ, out=out, err=err)
    assert SECRET not in out.getvalue() + err.getvalue()
    return code, out.getvalue(), err.getvalue().splitlines()


def fault(folder: Path, **further: str) -> str:
    """Return the one complaint of a configuration that is refused."""
    code, out, (complaint,) = check(folder, **further)
    assert (code, out) == (2, "")
    return complaint


def test_a_valid_configuration_is_printed_without_creating_files(tmp_path: Path) -> None:
    code, out, complaints = check(tmp_path)
    assert (code, complaints) == (0, [])
    assert "ERP_SL_PASSWORD=***\n" in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["ERP_SL_CA_FILE", "APIGATEWAY_CA_FILE", "ERPDB_CA_FILE"])
def test_an_invalid_ca_file_is_reported(tmp_path: Path, name: str) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("no certificate", encoding="utf-8")
    modules = {
        "APIGATEWAY_URL": "http://192.0.2.1",
        "APIGATEWAY_COMPANY_DB": "x",
        "APIGATEWAY_USER": "x",
        "APIGATEWAY_PASSWORD": "x",
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "192.0.2.1",
        "ERPDB_USER": "x",
        "ERPDB_PASSWORD": "x",
        "ERPDB_SCHEMA": "x",
    }
    complaint = fault(tmp_path, **modules, **{name: str(file)})
    assert complaint == f"{name}: {str(file)!r} holds no certificate; allowed: a readable PEM file"


@pytest.mark.parametrize("kind", ["missing", "folder", "text"])
def test_a_browser_that_cannot_be_run_is_named(tmp_path: Path, kind: str) -> None:
    browser = tmp_path / "browser"
    if kind == "folder":
        browser.mkdir()
    elif kind == "text":
        browser.write_text("#!/bin/sh\n", encoding="utf-8")
        browser.chmod(0o644)
    assert f"BROWSER_BIN: {str(browser)!r} is no program" in fault(tmp_path, BROWSER_BIN=str(browser))
    assert check(tmp_path, BROWSER_BIN=str(browser), HTML_PDF_ENGINE="weasyprint")[0] == 0


def test_a_missing_print_engine_is_reported_and_none_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(tmp_path, HTML_PDF_ENGINE="weasyprint")[0] == 0
    monkeypatch.setitem(sys.modules, "weasyprint", None)  # as in an image that leaves it out
    assert fault(tmp_path, HTML_PDF_ENGINE="weasyprint") == (
        "HTML_PDF_ENGINE: 'weasyprint' is not installed here; allowed: browser or none"
    )
    code, out, complaints = check(tmp_path, HTML_PDF_ENGINE="none")
    assert (code, complaints) == (0, [])
    assert "HTML_PDF_ENGINE=none\n" in out


def test_a_browser_that_can_be_run_is_fine(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\n", encoding="utf-8")
    browser.chmod(0o755)
    assert check(tmp_path, BROWSER_BIN=str(browser))[0] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_that_this_process_may_not_write_to_is_named(tmp_path: Path, mode: int) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=mode)
    try:
        complaint = fault(tmp_path, SQLITE_PATH=str(closed / "deeper" / "app.sqlite"))
    finally:
        closed.chmod(0o700)
    assert complaint.startswith(f"SQLITE_PATH: {str(closed)!r} is a folder that can't be written to")


def test_an_unusable_store_is_reported(tmp_path: Path) -> None:
    text, foreign = tmp_path / "notes.txt", tmp_path / "foreign.sqlite"
    text.write_text("no database " * 100, encoding="utf-8")
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    for path, words in (
        (text, "is no store: file is not a database"),
        (foreign, "is a database of another program"),
        (tmp_path, "is no file"),
        (text / "app.sqlite", "is no folder"),
    ):
        complaint = fault(tmp_path, SQLITE_PATH=str(path))
        assert complaint.startswith("SQLITE_PATH: ")
        assert words in complaint
    assert text.read_text(encoding="utf-8") == "no database " * 100


@pytest.mark.asyncio
async def test_a_store_that_is_served_or_locked_is_fine_and_stays_as_it_is(store_path: Path) -> None:
    async with open_database(store_path):
        assert check(store_path.parent, SQLITE_PATH=str(store_path))[0] == 0
        other = sqlite3.connect(store_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert check(store_path.parent, SQLITE_PATH=str(store_path))[0] == 0
        other.execute("ROLLBACK")
        other.close()
    assert [path.name for path in store_path.parent.iterdir()] == [store_path.name]
    assert check(store_path.parent, SQLITE_PATH=str(store_path))[0] == 0


def test_half_configured_modules_are_named_together_with_other_faults(tmp_path: Path) -> None:
    code, _, complaints = check(
        tmp_path,
        APIGATEWAY_USER="x",
        APIGATEWAY_TIMEOUT="9",
        ERPDB_PASSWORD=SECRET,
        ADMIN_WEB_USERS="ana;luis",
    )
    assert code == 2
    assert sorted(complaint.split(":")[0] for complaint in complaints) == [
        "ADMIN_WEB_USERS",
        "APIGATEWAY_USER",
        "ERPDB_PASSWORD",
    ]
    assert any("without ERPDB_ENGINE" in complaint for complaint in complaints)


def test_all_problems_are_reported_in_one_run(tmp_path: Path) -> None:
    code, out, complaints = check(
        tmp_path,
        ENVIRONMENT="production",
        VERIFY_SSL="false",
        PORT="many",
        SQLITE_PATH=str(tmp_path),
        BROWSER_BIN=str(tmp_path / "browser"),
        APIGATEWAY_USER="x",
    )
    assert (code, out) == (2, "")
    assert [complaint.split(":")[0] for complaint in complaints] == [
        "APIGATEWAY_USER",
        "PORT",
        "VERIFY_SSL",
        "SQLITE_PATH",
        "BROWSER_BIN",
    ]
    code, _, complaints = check(tmp_path, VERIFY_SSL="perhaps", EXTENSIONS="there_is_no_such_module")
    assert code == 2
    assert [complaint.split(":")[0] for complaint in complaints] == [
        "VERIFY_SSL",
        "extension there_is_no_such_module",
    ]


def test_a_name_that_looks_misspelt_is_warned_of_and_changes_no_exit_code(tmp_path: Path) -> None:
    code, out, complaints = check(tmp_path, ADMIN_WEB_USER="ana", HOSTNAME="box", MAX_BODY_BYTE="1")
    assert code == 0
    assert "PORT=3000\n" in out
    assert complaints == [
        "warning: ADMIN_WEB_USER: is no setting of this service; did you mean ADMIN_WEB_USERS?",
        "warning: MAX_BODY_BYTE: is no setting of this service; did you mean MAX_BODY_BYTES?",
    ]
    code, _, complaints = check(tmp_path, ADMIN_WEB_USER="ana", PORT="many")
    assert (code, len(complaints)) == (2, 2)


NOBODY = ["warning: ADMIN_WEB_USERS: names nobody, and nobody in the store has *: nobody can administer"]


def administrators_doubted(store: Path) -> list[str]:
    code, _, complaints = check(store.parent, SQLITE_PATH=str(store), ADMIN_WEB_USERS="")
    assert code == 0
    return complaints


def test_a_missing_administrator_is_reported(store_path: Path) -> None:
    assert administrators_doubted(store_path) == NOBODY
    store_path.parent.mkdir(exist_ok=True)
    store_path.touch()
    assert administrators_doubted(store_path) == NOBODY
    assert check(store_path.parent, ADMIN_WEB_USERS="", STORE_URL="postgresql://app@db/store")[2] == []


@pytest.mark.asyncio
async def test_an_administrator_in_the_store_counts(store_path: Path) -> None:
    async with open_database(store_path) as store:
        for path, doubts in (("/ventas", NOBODY), ("*", [])):
            permission = Permission(
                web_user="ana", paths=(path,), updated_at=datetime.now(UTC), updated_by="cli"
            )
            await store.write(partial(save, permission=permission))
            assert administrators_doubted(store_path) == doubts


@pytest.mark.parametrize(
    ("url", "environment", "warned"),
    [
        ("http://erp.example.com:50001/b1s/v1", "production", True),
        ("http://erp.example.com:50001/b1s/v1", "development", False),
        ("https://erp.example.com:50000/b1s/v1", "production", False),
        ("http://127.0.0.1:50001/b1s/v1", "production", False),
        ("http://localhost:50001/b1s/v1", "production", False),
    ],
)
def test_an_erp_without_https_is_warned_of_in_production(
    tmp_path: Path, url: str, environment: str, warned: bool
) -> None:
    code, _, complaints = check(tmp_path, ERP_SL_URL=url, ENVIRONMENT=environment)
    warning = f"warning: {plain_http('ERP_SL_URL')}"
    assert (code, complaints) == (0, [warning] if warned else [])


@pytest.mark.parametrize("lang", ["C.UTF-8", "es_CL.UTF-8", ""])
def test_complaints_are_spanish_unless_lang_names_english(tmp_path: Path, lang: str) -> None:
    faults = {"PORT": "many", "ERP_SL_USER": "", "APIGATEWAY_USER": "x", "SQLITE_PATH": str(tmp_path)}
    code, out, complaints = check(tmp_path, LANG=lang, ADMIN_WEB_USER="ana", **faults)
    assert (code, out) == (2, "")
    assert complaints == [
        "advertencia: ADMIN_WEB_USER: no es un ajuste de este servicio; ¿quiso decir ADMIN_WEB_USERS?",
        "APIGATEWAY_USER: no tiene efecto sin APIGATEWAY_URL; se admite: los dos, o ninguno",
        "PORT: 'many' no se admite; se admite: un número entero de 0 a 65535",
        "ERP_SL_USER: es obligatorio; se admite: una línea de a lo más 254 caracteres",
        (
            f"SQLITE_PATH: {str(tmp_path)!r} no es un archivo; "
            "se admite: un archivo en una carpeta en la que este proceso puede escribir"
        ),
    ]
