"""The registered queries: every fault is found at the start, with its query's name."""

from typing import Any

import pytest

from erp_gateway.queries.registry import Query, QueryParameter, QueryRegistry
from erp_gateway.values.declarations import RegistryError

WAREHOUSE = QueryParameter(name="warehouse", type="string")


def query(**changes: Any) -> Query:
    wanted: dict[str, Any] = {
        "name": "stock",
        "title": "Existencias",
        "sql": {"sqlite": "SELECT a FROM t WHERE w = :warehouse"},
        "parameters": (WAREHOUSE,),
    }
    return Query(**{**wanted, **changes})


def test_good_queries_are_found_by_name_with_their_rewritten_text() -> None:
    other = query(name="a.b-c_1", menu="/stock/ver", max_rows=1)
    registry = QueryRegistry([query(), other])
    assert registry.queries == (other, query())
    assert registry.find("stock") == query()
    assert registry.find("STOCK") is None
    assert registry.statements("sqlite")["stock"].sql == "SELECT a FROM t WHERE w = ?"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": "a b"}, "a b: the name must be"),
        ({"name": ""}, ": the name must be"),
        ({"title": " "}, "stock: the title is empty"),
        ({"sql": {}}, "stock: there is no SQL for any engine"),
        ({"sql": {"oracle": "SELECT :warehouse"}}, "stock: there is no engine 'oracle'"),
        ({"sql": {"hana": "DELETE FROM t"}}, "stock: the SQL for hana must be one SELECT"),
        ({"parameters": ()}, "stock: the SQL for sqlite uses :warehouse, which is not declared"),
        (
            {"parameters": (WAREHOUSE, QueryParameter(name="day", type="date"))},
            "stock: the SQL for sqlite does not use the declared parameter day",
        ),
        ({"parameters": (WAREHOUSE, WAREHOUSE)}, "stock: the parameter warehouse is declared twice"),
        (
            {"parameters": (QueryParameter(name="warehouse", type="text"),)},  # type: ignore[arg-type]
            "stock: the parameter warehouse must be one of string, number, date",
        ),
        ({"parameters": (WAREHOUSE, QueryParameter(name="a-b", type="date"))}, "stock: the parameter 'a-b'"),
        ({"menu": "/stock/*"}, "stock: the menu '/stock/*' is no exact menu route"),
        ({"max_rows": 0}, "stock: max_rows must be"),
        ({"max_rows": 1_000_001}, "stock: max_rows must be"),
        ({"cache_s": -1}, "stock: cache_s must be"),
        ({"cache_s": 86_401}, "stock: cache_s must be"),
        ({"total_order": ("a",)}, "stock: the SQL for sqlite does not end in an ORDER BY"),
        ({"total_order": ("a", "a")}, "stock: total_order names a column twice"),
    ],
)
def test_a_fault_stops_the_start_and_names_the_query(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(RegistryError) as refused:
        QueryRegistry([query(**changes)])
    assert any(found.startswith(problem) for found in refused.value.problems), refused.value.problems


def test_each_text_must_end_in_the_total_order_as_its_engine_reads_it() -> None:
    sql = "SELECT a FROM t WHERE w = :warehouse ORDER BY A"
    assert QueryRegistry([query(sql={"sqlite": sql}, total_order=("a",))]).find("stock") is not None
    with pytest.raises(RegistryError) as refused:
        QueryRegistry([query(sql={"sqlite": sql, "hana": sql}, total_order=("a",))])
    assert refused.value.problems == (
        "stock: the SQL for hana has no column 'a', which total_order names; did you mean 'A'?",
    )


def test_a_repeated_name_is_a_fault_in_any_letter_case_and_all_faults_are_reported() -> None:
    with pytest.raises(RegistryError) as refused:
        QueryRegistry([query(), query(name="Stock"), query(name="other", title="")])
    assert refused.value.problems == ("Stock: declared twice", "other: the title is empty")
    assert str(refused.value) == "Stock: declared twice; other: the title is empty"


def test_a_query_without_text_for_the_requested_engine_is_a_fault() -> None:
    registry = QueryRegistry([query()])
    with pytest.raises(RegistryError, match="stock: has no SQL for the engine hana"):
        registry.statements("hana")
