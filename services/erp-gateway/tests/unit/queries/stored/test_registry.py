"""Names and codes of stored queries are unique."""

import pytest

from erp_gateway.queries.stored.declaration import StoredQuery
from erp_gateway.queries.stored.registry import StoredQueryRegistry
from erp_gateway.values.declarations import RegistryError


def declare(name: str, code: str) -> StoredQuery:
    return StoredQuery(name=name, title=name, code=code, version=1, sql="SELECT ItemName FROM OITM")


def test_queries_are_found_by_their_exact_name() -> None:
    registry = StoredQueryRegistry([declare("b", "B"), declare("a", "A")])
    assert [query.name for query in registry.queries] == ["a", "b"]
    assert registry.find("a") is registry.queries[0]
    assert registry.find("A") is None


@pytest.mark.parametrize(
    ("second", "fault"),
    [
        (declare("NAMES", "Other"), "another query of this name"),
        (declare("other", "GW_NAMES"), "another query with the code"),
        (declare("Stock", "Other"), "another query of this name"),
    ],
)
def test_repeated_names_and_codes_are_refused(second: StoredQuery, fault: str) -> None:
    with pytest.raises(RegistryError, match=fault):
        StoredQueryRegistry([declare("names", "gw_names"), second], taken=["stock"])
