"""Calls of `sqlalchemy-hana` on SAP's `hdbcli`; it checks the certificate."""

import json
import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from stack.company import COMPANY

from tools.foreign_clients.attempts import attempt


def main() -> None:
    """Try the client."""
    sa = import_module("sqlalchemy")
    engine = sa.create_engine(
        f"hana://{os.environ['HANA_USER']}:{os.environ['HANA_PASSWORD']}@localhost:{os.environ['HANA_PORT']}",
        connect_args={
            "encrypt": True,
            "sslValidateCertificate": True,
            "sslTrustStore": os.environ["CA_FILE"],
            "currentSchema": COMPANY,
        },
    )
    attempt("connect", lambda: engine.connect().close())
    _look_around(sa, engine)
    _use_a_table(sa, engine)
    for query in json.loads(Path(os.environ["QUERIES"]).read_text(encoding="utf-8")):
        attempt(f"demo: {query['name']}", partial(_ask, sa, engine, query))
    engine.dispose()


def _look_around(sa: Any, engine: Any) -> None:
    observed = attempt("inspect", lambda: sa.inspect(engine))
    attempt("schemas", observed.get_schema_names)
    attempt("tables", lambda: observed.get_table_names(COMPANY)[0])
    attempt("temporary tables", observed.get_temp_table_names)
    attempt("views", lambda: observed.get_view_names(COMPANY))
    attempt("sequences", lambda: observed.get_sequence_names(COMPANY))
    attempt("columns", lambda: observed.get_columns("ORDR", COMPANY)[0])
    attempt("primary key", lambda: observed.get_pk_constraint("ORDR", COMPANY))
    attempt("foreign keys", lambda: observed.get_foreign_keys("ORDR", COMPANY))
    attempt("indexes", lambda: observed.get_indexes("ORDR", COMPANY))
    attempt("one index", lambda: observed.has_index("ORDR", "ANY", COMPANY))
    attempt("unique constraints", lambda: observed.get_unique_constraints("ORDR", COMPANY))
    attempt("check constraints", lambda: observed.get_check_constraints("ORDR", COMPANY))
    attempt("comment", lambda: observed.get_table_comment("ORDR", COMPANY))
    attempt("number of a table", lambda: observed.get_table_oid("ORDR", COMPANY) > 0)


def _use_a_table(sa: Any, engine: Any) -> None:
    metadata = sa.MetaData()
    orders = attempt("reflect", lambda: sa.Table("ORDR", metadata, schema=COMPANY, autoload_with=engine))
    numbers = sa.Table("NUMBERS", metadata, schema="SAMPLE", autoload_with=engine)
    some = sa.select(orders.c.DocEntry, orders.c.DocTotal).order_by(orders.c.DocEntry).limit(2)
    changes = (
        sa.insert(numbers).values(n=-9),
        sa.update(numbers).where(numbers.c.n == -9).values(label="nine"),
        sa.delete(numbers).where(numbers.c.n == -9),
    )
    with engine.connect() as connection:
        attempt("isolation level", connection.get_isolation_level)
        attempt("select", lambda: connection.execute(some).all())
        attempt("query in FROM without a name", lambda: connection.execute(_nameless(sa)).scalar_one())
        for kind, change in zip(("insert", "update", "delete"), changes, strict=True):
            attempt(kind, partial(connection.execute, change))
        attempt("rollback", connection.rollback)


def _nameless(sa: Any) -> Any:
    return sa.text('SELECT COUNT(*) FROM (SELECT "ItemCode" FROM OITM)')


def _ask(sa: Any, engine: Any, query: dict[str, Any]) -> None:
    with engine.connect() as connection:
        rows = connection.execute(sa.text(query["named"]), query["values"]).all()
    assert len(rows) == query["rows"], f"{len(rows)} rows, not {query['rows']}"


if __name__ == "__main__":
    main()
