"""Sums with `$apply` for the Service Layer."""

from urllib.parse import unquote

from erpclient.odata import SumQuery


def test_sums_and_the_number_of_records_are_requested_together() -> None:
    query = SumQuery(sums=("DocTotal", "VatSum"), key="DocEntry")
    assert query.encode() == (
        "$apply=aggregate%28DocTotal%20with%20sum%20as%20Sum0%2CVatSum%20with%20sum%20as%20Sum1"
        "%2CDocEntry%20with%20countdistinct%20as%20RecordCount%29"
    )


def test_groups_come_after_the_filter() -> None:
    query = SumQuery(
        sums=("DocTotal",), key="DocEntry", by=("DocCurrency", "Unit"), filter="CardName eq 'Ñ) & 100%'"
    )
    assert unquote(query.encode()) == (
        "$apply=filter(CardName eq 'Ñ) & 100%')/groupby((DocCurrency,Unit),"
        "aggregate(DocTotal with sum as Sum0,DocEntry with countdistinct as RecordCount))"
    )
    assert "&" not in query.encode()
