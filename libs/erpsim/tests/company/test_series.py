"""Numbering series."""

from __future__ import annotations

from erpsim.desk import Desk
from erpsim.seeds.settings import primary_series


def test_a_locked_or_used_up_series_gives_no_number(desk: Desk) -> None:
    company = desk.world.company
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]}
    key = (primary_series(17),)
    series = company.database.get("$Series", key)
    assert series is not None
    for change in ({"Locked": "tYES"}, {"LastNumber": 100001}, {"Document": "x"}):
        with company.transaction():
            company.database.put("$Series", key, {**series, **change})
            company.database.put("$Series", (80,), None)
        refusal = desk.refusal(desk.create, "Orders", body)
        assert refusal.code == -5002
        assert refusal.text.startswith("To generate this document, first define the numbering series")
