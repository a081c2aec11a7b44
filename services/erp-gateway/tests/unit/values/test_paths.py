"""Paths of records: a key is one segment, whatever it contains."""

import pytest

from erp_gateway.values.paths import collection_path, record_path


def test_a_collection_has_the_name_of_its_resource() -> None:
    assert collection_path("Orders") == "/api/sl/Orders"


@pytest.mark.parametrize(
    ("key", "segment"),
    [
        ("7", "7"),
        ("A/1", "A%2F1"),
        ("a b", "a%20b"),
        ("..", ".."),
        ("100%", "100%25"),
        ("Ñ?#", "%C3%91%3F%23"),
        ("CardCode='C1',ItemCode='A1'", "CardCode%3D%27C1%27%2CItemCode%3D%27A1%27"),
    ],
)
def test_a_key_is_encoded_as_one_segment(key: str, segment: str) -> None:
    assert record_path("Items", key) == f"/api/sl/Items/{segment}"
