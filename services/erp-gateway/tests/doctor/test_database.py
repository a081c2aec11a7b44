"""The doctor of the ERP's database, on a simulated HANA with SAP's driver, and on a file."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest
from installation import Examined, Installation
from planting import TLS

from erpdoctor.database import writing
from erpsim.hana.process import PASSWORD, HanaProcess, run_hana
from erpsim.process.certificates import self_signed
from servicekit.testing.ports import free_port

Install = Callable[..., AbstractAsyncContextManager[Installation]]

MODULE = "doctor_database_extension"


@pytest.fixture(scope="module")
def hana_process() -> Iterator[HanaProcess]:
    with run_hana("--seed", "small", "--host", "0.0.0.0") as process:
        yield process


@pytest.fixture
def hana(hana_process: HanaProcess) -> HanaProcess:
    pytest.importorskip("hdbcli.dbapi")
    hana_process.reset()
    return hana_process


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], dict[str, str]]]:
    """Return what registers a query of this SQL; the settings come back."""

    def declaring(sql: str) -> dict[str, str]:
        texts = {"hana": sql, "sqlite": sql}
        tmp_path.joinpath(f"{MODULE}.py").write_text(
            "from erp_gateway.extensions import Extension, Query\n"
            f"EXTENSION = Extension(queries=(Query(name='planted', title='Planted', sql={texts!r}),))\n",
            encoding="utf-8",
        )
        monkeypatch.syspath_prepend(tmp_path)
        return {"EXTENSIONS": MODULE}

    yield declaring
    sys.modules.pop(MODULE, None)


def on_hana(hana: HanaProcess, **changes: str) -> dict[str, str]:
    return {
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "127.0.0.1",
        "ERPDB_PORT": str(hana.port),
        "ERPDB_USER": "READER",
        "ERPDB_PASSWORD": PASSWORD,
        "ERPDB_SCHEMA": "SBO_DEMO",
        "ERPDB_ENCRYPT": "false",
        **changes,
    }


async def examined(install: Install, environ: dict[str, str]) -> Examined:
    async with install() as installation:
        installation.environ |= environ
        return await installation.examine("--only", "database")


@pytest.mark.asyncio
async def test_a_healthy_database_is_logged_into_once_and_no_query_is_run(
    install: Install, hana: HanaProcess, declare: Callable[[str], dict[str, str]]
) -> None:
    environ = declare('SELECT "ItemCode", "ItemName" FROM OITM')
    found = await examined(install, {**on_hana(hana), **environ})
    assert found.found("warn", "fail") == {}
    assert found.found("skipped") == {}
    (result,) = (each for each in found.report["checks"] if each["name"] == "database.queries")
    assert result["figures"]["queries"] >= 1
    journal = hana.journal()
    assert [entry["event"] for entry in journal].count("CONNECT") == 1
    assert [entry["event"] for entry in journal if "OITM" in entry["sql"]] == [
        "PREPARE",
        "DROPSTATEMENTID",
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("changes", "check", "cause"),
    [
        ({"ERPDB_PASSWORD": "wrong"}, "login", "database_login_refused"),
        ({"ERPDB_ENCRYPT": "true"}, "login", "database_tls_failed"),
        ({"ERPDB_SCHEMA": "NOPE"}, "schema", "database_schema_unknown"),
        ({"ERPDB_USER": "STRANGER"}, "queries", "queries_forbidden"),
        ({"ERPDB_USER": "CLERK"}, "queries", "queries_forbidden"),
        ({"ERPDB_USER": "SYSTEM"}, "rights", "database_may_write"),
        ({"ERPDB_SERVER": "0.0.0.0"}, "encryption", "database_not_encrypted"),
    ],
)
async def test_a_fault_of_the_settings_or_the_user_is_named(
    install: Install,
    hana: HanaProcess,
    declare: Callable[[str], dict[str, str]],
    changes: dict[str, str],
    check: str,
    cause: str,
) -> None:
    environ = declare('SELECT T."DocEntry" FROM ORDR T JOIN OCRD C ON C."CardCode" = T."CardCode"')
    found = await examined(install, {**on_hana(hana, **changes), **environ})
    assert found.found("warn", "fail") == {f"database.{check}": cause}
    assert found.code == (1 if cause in ("database_may_write", "database_not_encrypted") else 2)


@pytest.mark.asyncio
async def test_a_database_without_tls_has_its_own_remedy_with_the_risk(
    install: Install, hana: HanaProcess
) -> None:
    found = await examined(install, on_hana(hana, ERPDB_ENCRYPT="true"))
    (login,) = (each for each in found.report["checks"] if each["name"] == "database.login")
    assert "ERPDB_ENCRYPT=false" in login["mend"]
    assert "sin cifrar" in login["mend"]


@pytest.mark.asyncio
async def test_a_file_of_authorities_that_is_wrong_for_the_erp_too_points_to_that_check(
    install: Install, hana: HanaProcess
) -> None:
    async with install(listening=TLS) as installation:
        file = installation.folder / "ca.pem"
        file.write_bytes(self_signed("localhost", installation.clock).certificate_pem)
        installation.environ |= on_hana(hana, ERPDB_ENCRYPT="true", ERPDB_CA_FILE=str(file))
        apart = await installation.examine("--only", "network", "--only", "database")
        installation.environ["ERP_SL_CA_FILE"] = str(file)
        found = await installation.examine("--only", "network", "--only", "database")
    assert apart.found("fail") == found.found("fail")
    assert found.found("fail") == {
        "network.tls": "certificate_authority_unknown",
        "database.login": "database_tls_failed",
    }
    suspects = [
        next(each["suspects"] for each in run.report["checks"] if each["name"] == "database.login")
        for run in (apart, found)
    ]
    assert suspects == [[], ["network.tls"]]


@pytest.mark.asyncio
async def test_a_user_without_rights_and_one_with_missing_rights_have_different_causes(
    install: Install, hana: HanaProcess, declare: Callable[[str], dict[str, str]]
) -> None:
    environ = declare('SELECT "ItemCode" FROM OITM')
    clerk = await examined(install, {**on_hana(hana, ERPDB_USER="CLERK"), **environ})
    assert clerk.found("warn", "fail", "skipped") == {}
    stranger = await examined(install, {**on_hana(hana, ERPDB_USER="STRANGER"), **environ})
    assert stranger.found("skipped") == {"database.rights": "database_rights_untold"}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("view", "check", "cause"),
    [
        ("M_DATABASE", "version", "database_version_untold"),
        ("EFFECTIVE_PRIVILEGES", "rights", "database_rights_untold"),
    ],
)
async def test_an_empty_catalogue_is_not_a_failure(
    install: Install, hana: HanaProcess, view: str, check: str, cause: str
) -> None:
    hana.fault(phase="execute", sql=view, error=[258, "insufficient privilege: Not authorized"])
    hana.fault(phase="prepare", sql=view, error=[258, "insufficient privilege: Not authorized"])
    found = await examined(install, on_hana(hana))
    assert found.found("warn", "fail") == {}
    assert found.found("skipped") == {f"database.{check}": cause}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sql", "check", "cause"),
    [
        ("SET TRANSACTION READ ONLY", "schema", "database_schema_failed"),
        ("SET SCHEMA", "schema", "database_schema_failed"),
    ],
)
async def test_a_schema_refused_for_another_reason_has_another_cause(
    install: Install, hana: HanaProcess, sql: str, check: str, cause: str
) -> None:
    hana.fault(phase="execute", sql=sql, error=[2, "general error: planted"])
    found = await examined(install, on_hana(hana))
    assert found.found("fail") == {f"database.{check}": cause}
    assert found.found("skipped") == dict.fromkeys(("database.rights", "database.queries"), "depends_on")


@pytest.mark.asyncio
async def test_a_database_without_logins_is_distinguished_from_a_wrong_password(
    install: Install, hana: HanaProcess
) -> None:
    hana.fault(phase="connect", error=[1037, "database is starting up: planted"])
    found = await examined(install, on_hana(hana))
    assert found.found("fail") == {"database.login": "database_not_opened"}


@pytest.mark.asyncio
async def test_a_port_without_a_listener_is_reported_and_no_login_follows(
    install: Install, hana: HanaProcess
) -> None:
    found = await examined(install, on_hana(hana, ERPDB_PORT=str(free_port())))
    assert found.found("fail") == {"database.port": "database_away"}
    assert found.found("skipped")["database.login"] == "depends_on"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT X FROM NO_SUCH_TABLE",
        "SELECT NO_SUCH_COLUMN FROM OITM",
        "SELECT CardCode FROM OCRD",
        'SELECT "CardCode" FROM "OCRD" WHERE "CardType" = "C"',
        'SELECT "CardCode", SUM("Balance") FROM "OCRD"',
    ],
)
async def test_a_query_with_an_unknown_table_or_column_is_reported(
    install: Install, hana: HanaProcess, declare: Callable[[str], dict[str, str]], sql: str
) -> None:
    environ = declare(sql)
    found = await examined(install, {**on_hana(hana), **environ})
    assert found.found("fail") == {"database.queries": "queries_refused"}
    assert (
        next(
            each["figures"]["refused"]
            for each in found.report["checks"]
            if each["name"] == "database.queries"
        )
        == 1
    )


@pytest.mark.asyncio
async def test_a_file_is_checked_and_missing_names_of_a_query_are_reported(
    install: Install, tmp_path: Path, declare: Callable[[str], dict[str, str]]
) -> None:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as company:
        company.execute("CREATE TABLE THINGS (N INTEGER)")
    environ = {"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(file), **declare("SELECT NO_SUCH FROM THINGS")}
    found = await examined(install, environ)
    assert found.found("fail") == {"database.queries": "queries_refused"}
    assert "database.login" in found.found("ok")
    gone = await examined(install, {**environ, "ERPDB_DATABASE": str(tmp_path / "gone.sqlite")})
    assert gone.found("fail") == {"database.port": "database_away"}


@pytest.mark.asyncio
@pytest.mark.parametrize("sql", ["SELECT N FROM THINGS WHERE", "SELECT N FROM THINGS GROUP BY SUM(N)"])
async def test_a_fault_of_the_sql_is_not_taken_for_a_missing_table(
    install: Install, tmp_path: Path, declare: Callable[[str], dict[str, str]], sql: str
) -> None:
    file = tmp_path / "company.sqlite"
    with closing(sqlite3.connect(file)) as company:
        company.execute("CREATE TABLE THINGS (N INTEGER)")
    async with install() as installation:
        installation.environ |= {"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(file), **declare(sql)}
        _, table, _ = await installation.run("--only", "database")
    assert "o su SQL tiene un error. (queries_refused)" in table
    assert "planted: " in table
    assert "sus tablas y campos deben existir" not in table


def test_rights_to_change_data_are_distinguished_from_rights_to_read() -> None:
    assert writing(["SELECT", "SELECT METADATA"]) == ()
    assert writing(["SELECT", "INSERT", "CREATE ANY", "INSERT"]) == ("CREATE ANY", "INSERT")
