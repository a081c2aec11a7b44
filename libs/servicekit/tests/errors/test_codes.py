"""The list of all error codes."""

from error_classes import Teapot, ready_errors

from servicekit.errors import (
    all_error_codes,
)


def test_every_ready_error_is_listed_with_its_code() -> None:
    listed = {(row.code, row.status, row.detail) for row in all_error_codes(package="servicekit")}
    assert listed == {(cls.code, cls.status, cls.detail) for cls in ready_errors()}


def test_the_list_can_be_kept_to_one_package_and_is_sorted() -> None:
    everything = all_error_codes()
    assert Teapot.code in {row.code for row in everything}
    assert "teapot_busy" not in {row.code for row in all_error_codes(package="some_service")}
    assert [row.code for row in everything] == sorted(row.code for row in everything)
