"""Sums over all records of a filter, as a value that writes its own `$apply`."""

from typing import Final

from attrs import frozen

from erpclient.odata.query_string import encode_value

COUNT: Final = "RecordCount"
"""Name of the number of records in each row of the reply."""


def sum_name(index: int) -> str:
    """Return the name of a sum in each row of the reply; the ERP wants one that is no property."""
    return f"Sum{index}"


@frozen
class SumQuery:
    """Sums of properties over the records of a filter, for each combination of values of other properties.

    Attributes:
        sums: numeric properties to add up.
        key: property whose different values are counted: the key, for the number of records.
        by: properties to group by.
        filter: condition in canonical form, not percent-encoded.
    """

    sums: tuple[str, ...]
    key: str
    by: tuple[str, ...] = ()
    filter: str | None = None

    def encode(self) -> str:
        """Write the upstream query string, percent-encoded once.

        The condition stands inside ``$apply`` (SAP manual 1.22, 3.7): a service that cannot filter there
        refuses it, while a ``$filter`` beside ``$apply`` might be ignored.
        """
        sums = [f"{name} with sum as {sum_name(index)}" for index, name in enumerate(self.sums)]
        steps = "" if self.filter is None else f"filter({self.filter})/"
        aggregate = f"aggregate({','.join([*sums, f'{self.key} with countdistinct as {COUNT}'])})"
        groups = f"groupby(({','.join(self.by)}),{aggregate})" if self.by else aggregate
        return "$apply=" + encode_value(steps + groups)
