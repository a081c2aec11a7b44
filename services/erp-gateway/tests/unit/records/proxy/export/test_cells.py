# ruff: noqa: DTZ001 - the ERP's moments have no zone
"""Dates in cells."""

from datetime import date, datetime

import pytest

from erp_gateway.records.proxy.export.cells import parse_day_or_moment


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("2024-01-15", date(2024, 1, 15)),
        ("2024-01-15T08:30:00Z", datetime(2024, 1, 15, 8, 30)),
        *(
            (each, each)
            for each in ("20240115", "2024W011", "2024-W01-1", "2024-01-15 08:30", "2024-01-15Tarde")
        ),
    ],
)
def test_only_a_text_in_the_erps_form_becomes_a_date(text: str, cell: object) -> None:
    """A field that is named after a date may hold the number of a lot."""
    assert parse_day_or_moment(text) == cell
