"""Faults of declared stored queries."""

from typing import Any

import pytest

from erp_gateway.queries.registry import QueryParameter
from erp_gateway.queries.stored.declaration import StoredQuery, stored_query_faults


def declare(**changed: Any) -> StoredQuery:
    given: dict[str, Any] = {
        "name": "names",
        "title": "Nombres",
        "code": "GW_Names",
        "version": 1,
        "sql": "SELECT ItemName FROM OITM",
    }
    return StoredQuery(**{**given, **changed})


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT ItemCode, ItemName AS Nombre FROM OITM", ("ItemCode", "Nombre")),
        ('SELECT T0.ItemCode, T0."ItemName" AS "El nombre" FROM OITM T0', ("ItemCode", "El nombre")),
        ("SELECT TOP 5 ItemCode FROM OITM", ("ItemCode",)),
        ("SELECT COUNT(*) AS Total FROM OITM UNION ALL SELECT 1 AS Otro FROM OITM", ("Total",)),
    ],
)
def test_columns_are_named_as_in_the_text(sql: str, columns: tuple[str, ...]) -> None:
    query = declare(sql=sql)
    assert list(stored_query_faults(query)) == []
    assert query.columns == columns


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"code": "9x"}, "the code must be"),
        ({"code": "GW'x"}, "the code must be"),
        ({"code": "G" * 21}, "the code must be"),
        ({"version": 0}, "the version must be"),
        ({"title": " "}, "the title is empty"),
        ({"menu": "/a/*"}, "no exact menu route"),
        ({"max_rows": 0}, "max_rows must be"),
        ({"sql": "DELETE FROM OITM"}, "must be one SELECT"),
        ({"sql": "SELECT ItemName FROM OITM; SELECT ItemCode FROM OITM"}, "must be one statement"),
        ({"sql": "SELECT * FROM OITM"}, "must name every column"),
        ({"sql": "SELECT COUNT(*) FROM OITM"}, "must name every column"),
        ({"sql": "SELECT ItemName FROM OITM WHERE ItemCode = :code"}, "uses :code"),
        ({"parameters": (QueryParameter(name="code", type="string"),)}, "does not use"),
        ({"titles": {"Nombre": "x"}}, "no column 'Nombre'"),
    ],
)
def test_faults_are_named(changed: dict[str, Any], fault: str) -> None:
    assert [each for each in stored_query_faults(declare(**changed)) if fault in each]


@pytest.mark.parametrize(
    "source",
    [
        "OHEM",
        "ohem",
        '"OHEM"',
        "OITM, Ohem T1",
        '(SELECT "U_NAME" AS x FROM "OUSR") T1',
        "OITM JOIN ousr T1 ON 1 = 1",
    ],
)
def test_tables_with_secrets_of_persons_are_refused(source: str) -> None:
    faults = list(stored_query_faults(declare(sql=f"SELECT T1.x AS x FROM {source}")))
    assert [fault for fault in faults if "secrets of persons" in fault]


def test_a_text_may_mention_such_a_name_as_a_value() -> None:
    assert list(stored_query_faults(declare(sql="SELECT ItemName FROM OITM WHERE ItemCode = 'OHEM'"))) == []


@pytest.mark.parametrize(
    ("installed", "version"),
    [("GW_Names v1", 1), ("GW_Names v12", 12), ("Other v3", 0), ("GW_Names", 0), (None, 0), ("", 0)],
)
def test_an_installed_name_states_the_version(installed: str | None, version: int) -> None:
    assert declare().version_in(installed) == version
