"""Registered queries over a small table of numbers in SQLite."""

from erp_gateway.queries.registry import Query, QueryParameter

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT MAX(i) FROM r"
QUERIES = (
    Query(
        name="rows",
        title="Filas",
        sql={
            "sqlite": "SELECT n, label FROM numbers WHERE n >= :least AND made >= :since AND n <> :least + 1"
        },
        parameters=(
            QueryParameter(name="least", type="number"),
            QueryParameter(name="since", type="date"),
        ),
        max_rows=3,
    ),
    Query(name="all", title="Todo", sql={"sqlite": "SELECT n FROM numbers"}),
    Query(name="endless", title="Sin fin", sql={"sqlite": ENDLESS}),
)
