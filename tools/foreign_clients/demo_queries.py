"""Ten questions to the ERP's database, with queries of the demo's extension."""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from comercial_demo.queries import QUERIES

from erpsim.facts import load_packaged_facts
from erpsim.sql import load_into_sqlite
from erpsim.world import World

_ASKED: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("bodegas", {}),
    ("stock_por_bodega", {"bodega": "01"}),
    ("stock_por_bodega", {"bodega": "02"}),
    ("facturas_vencidas", {"fecha": "2025-12-20"}),
    ("facturas_vencidas", {"fecha": "2026-06-30"}),
    ("ventas_por_mes_y_cliente", {"desde": "2025-11-10", "hasta": "2025-12-19"}),
    ("ventas_por_mes_y_cliente", {"desde": "2025-12-01", "hasta": "2025-12-31"}),
    ("pedido", {"docEntry": 1}),
    ("lineas_de_pedido", {"docEntry": 1}),
    ("lineas_de_pedido", {"docEntry": 2}),
)
_NAME = re.compile(r":([A-Za-z]+)")


def ten_queries() -> list[dict[str, Any]]:
    """Return each query's text with names and with marks, its values, and its number of rows.

    The number comes from another engine, SQLite, on the same company.
    """
    queries = {query.name: query.sql for query in QUERIES}
    with closing(sqlite3.connect(":memory:")) as copy:
        load_into_sqlite(copy, World(load_packaged_facts(), seed="small"))
        return [
            {
                "name": f"{name} {' '.join(map(str, values.values()))}".strip(),
                "named": queries[name]["hana"],
                "marked": _NAME.sub("?", queries[name]["hana"]),
                "values": values,
                "list": [values[each] for each in _NAME.findall(queries[name]["hana"])],
                "rows": len(copy.execute(queries[name]["sqlite"], values).fetchall()),
            }
            for name, values in _ASKED
        ]
