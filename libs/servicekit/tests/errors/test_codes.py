"""The list of all error classes."""

from error_classes import Teapot, ready_errors

from servicekit.errors import error_classes


def test_every_predefined_error_is_listed() -> None:
    assert set(error_classes(package="servicekit")) == set(ready_errors())


def test_the_error_list_can_be_limited_to_one_package() -> None:
    assert Teapot in error_classes()
    assert Teapot not in error_classes(package="some_service")
